#include <algorithm>

#include "io/values.h"
#include "mobula/lab/arrays.h"

namespace mobula {
namespace {

using Base = io::GlslType::Base;

NumberKind kind_of(Base base) {
  if (base == Base::i32) return NumberKind::i32;
  return base == Base::u32 ? NumberKind::u32 : NumberKind::f32;
}

/// Rows of four values, of which the first `columns` are kept.
struct Rows {
  std::size_t columns = 0;
  std::vector<RunVec4> values;

  RunVec4& of(std::size_t thread, std::size_t threads) {
    values.resize(threads);
    return values[thread];
  }
  [[nodiscard]] RunWords words() const {
    RunWords words;
    words.reserve(values.size() * columns);
    for (const RunVec4& value : values)
      words.insert(words.end(), value.begin(), value.begin() + static_cast<std::ptrdiff_t>(columns));
    return words;
  }
};

class Collection {
 public:
  explicit Collection(const Interface& interface) : interface_(interface) {}

  void add(const std::vector<ThreadResult>& threads) {
    std::map<std::uint32_t, Rows> varyings, colours;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      for (const VaryingOutput& output : threads[i].varyings) {
        Rows& rows = varyings[output.number];
        rows.columns = std::max<std::size_t>(rows.columns, output.count());
        rows.of(i, threads.size()) = output.value;
      }
      for (const ColourOutput& output : threads[i].colours) {
        Rows& rows = colours[output.target >> 8];
        rows.columns = 4;
        rows.of(i, threads.size()) = output.colour;
      }
    }
    for (const auto& [number, rows] : varyings)
      add(name_or(io::output_name(interface_, number), "varying ", number), rows,
          io::base_of(interface_, io::find_output(interface_, number)));
    for (const auto& [target, rows] : colours) {
      const Variable* const output = io::find_colour_output(interface_, target);
      const std::string unnamed = target == 0 ? "colour" : "colour " + std::to_string(target);
      add(output == nullptr ? unnamed : io::colour_name(interface_, target), rows, io::base_of(interface_, output));
    }
  }

  void add(std::uint32_t number, const RunWords& words) {
    const Variable* const block = io::find_variable(interface_.ssbo_blocks, number);
    const Base base = io::BlockWords(interface_, block).all().value_or(Base::u32);
    arrays_.insert_or_assign(name_or(block == nullptr ? "" : block->name, "buffer ", number),
                             OutputArray{kind_of(base), {words.size()}, words});
  }

  std::map<std::string, OutputArray> take() { return std::move(arrays_); }

 private:
  static std::string name_or(std::string_view name, std::string_view kind, std::uint32_t number) {
    return name.empty() ? std::string(kind).append(std::to_string(number)) : std::string(name);
  }
  void add(std::string name, const Rows& rows, Base base) {
    arrays_.insert_or_assign(std::move(name),
                             OutputArray{kind_of(base), {rows.values.size(), rows.columns}, rows.words()});
  }

  const Interface& interface_;
  std::map<std::string, OutputArray> arrays_;
};

}  // namespace

std::map<std::string, OutputArray> output_arrays(const RunResult& result, const Interface& interface) {
  Collection collection(interface);
  collection.add(result.threads);
  for (const auto& [number, words] : result.buffers) collection.add(number, words);
  return collection.take();
}

}  // namespace mobula
