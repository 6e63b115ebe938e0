// Machines, their variants and text forms.
#include <deque>

#include "handles.h"

using namespace mobula;

namespace {

/// Zero-terminated copies of the registry's names, made once and kept for ever.
class Names {
 public:
  struct Row {
    mobula_machine machine{};
    std::deque<mobula_variant> variants;
    std::deque<mobula_syntax> syntaxes;
  };

  Names() {
    for (const Machine* machine : machines()) {
      Row& row = rows_.emplace_back();
      row.machine = {.size = 0,
                     .name = keep(machine->name()),
                     .summary = keep(machine->summary()),
                     .extension = keep(machine->extension()),
                     .word_bytes = machine->word_bytes(),
                     .variants = machine->variants().size(),
                     .syntaxes = machine->syntaxes().size()};
      for (const Variant& variant : machine->variants())
        row.variants.push_back(
            {0, keep(variant.name), keep(variant.product), keep(variant.summary), keep(variant.same_as)});
      for (const Syntax& syntax : machine->syntaxes())
        row.syntaxes.push_back({0, keep(syntax.name), keep(syntax.summary), syntax.prints, syntax.parses});
    }
  }

  [[nodiscard]] const Row* at(size_t index) const { return index < rows_.size() ? &rows_[index] : nullptr; }
  [[nodiscard]] const Row* named(const char* name) const {
    const auto found = std::ranges::find(rows_, c::text_or_empty(name),
                                         [](const Row& row) { return std::string_view(row.machine.name); });
    return found == rows_.end() ? nullptr : &*found;
  }
  [[nodiscard]] size_t count() const { return rows_.size(); }

 private:
  const char* keep(std::string_view text) { return texts_.emplace_back(text).c_str(); }

  std::deque<std::string> texts_;
  std::deque<Row> rows_;
};

const Names& names() {
  static const Names the_names;
  return the_names;
}

template <class Structure>
mobula_status give_at(const std::deque<Structure>& list, size_t index, Structure* out) {
  return index < list.size() ? c::give(list[index], out) : MOBULA_BAD_ARGUMENT;
}

}  // namespace

size_t mobula_machine_count() { return machines().size(); }

mobula_status mobula_machine_at(size_t index, mobula_machine* machine) {
  return c::guarded(nullptr, [&] {
    const Names::Row* const row = names().at(index);
    return row == nullptr ? MOBULA_BAD_ARGUMENT : c::give(row->machine, machine);
  });
}

mobula_status mobula_variant_at(const char* machine, size_t index, mobula_variant* variant) {
  return c::guarded(nullptr, [&] {
    const Names::Row* const row = names().named(machine);
    return row == nullptr ? MOBULA_BAD_ARGUMENT : give_at(row->variants, index, variant);
  });
}

mobula_status mobula_syntax_at(const char* machine, size_t index, mobula_syntax* syntax) {
  return c::guarded(nullptr, [&] {
    const Names::Row* const row = names().named(machine);
    return row == nullptr ? MOBULA_BAD_ARGUMENT : give_at(row->syntaxes, index, syntax);
  });
}
