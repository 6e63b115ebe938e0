#include <algorithm>
#include <span>

#include "io/values.h"
#include "mobula/lab/arrays.h"

namespace mobula {
namespace {

using Base = io::GlslType::Base;

NumberKind kind_of(Base base) {
  if (base == Base::i32) return NumberKind::i32;
  return base == Base::u32 ? NumberKind::u32 : NumberKind::f32;
}

/// Four values of each thread.
struct Rows {
  std::uint32_t stored = 0;  ///< bit c: component c was, by any of them
  std::vector<RunVec4> values;

  RunVec4& of(std::size_t thread, std::size_t threads) {
    values.resize(threads);
    return values[thread];
  }
  [[nodiscard]] RunWords words(std::size_t first, std::size_t count) const {
    RunWords words;
    words.reserve(values.size() * count);
    for (const RunVec4& value : values) {
      const auto part = std::span(value).subspan(first, count);
      words.insert(words.end(), part.begin(), part.end());
    }
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
        rows.stored |= output.stored;
        rows.of(i, threads.size()) = output.value;
      }
      for (const ColourOutput& output : threads[i].colours) {
        Rows& rows = colours[output.target >> 8];
        rows.of(i, threads.size()) = output.colour;
      }
    }
    for (const auto& [number, rows] : varyings)
      for (const io::OutputPart& part : io::parts_of_output(interface_, number))
        if (const std::uint32_t count = part.stored_count(rows.stored); count != 0)
          add(name_or(part.name, "varying ", number), io::base_of(interface_, part.variable), rows, part.first, count);
    for (const auto& [target, rows] : colours) {
      const Variable* const output = io::find_colour_output(interface_, target);
      const std::string unnamed = target == 0 ? "colour" : "colour " + std::to_string(target);
      add(output == nullptr ? unnamed : io::colour_name(interface_, target), io::base_of(interface_, output), rows, 0,
          4);
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
  void add(std::string name, Base base, const Rows& rows, std::size_t first, std::size_t count) {
    arrays_.insert_or_assign(std::move(name),
                             OutputArray{kind_of(base), {rows.values.size(), count}, rows.words(first, count)});
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
