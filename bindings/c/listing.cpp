// Listings: text, words, tokens, jumps; and what words read and write.
#include <deque>

#include "handles.h"
#include "mobula/isa/tokens.h"

using namespace mobula;

struct mobula_listing {
  Listing listing;
  std::vector<Token> tokens;
  std::vector<Jump> jumps;
};
struct mobula_effects {
  std::vector<WordEffects> words;
  std::vector<std::pair<std::size_t, std::size_t>> index;  ///< word, effect
};

namespace {

/// What cannot be lifted has no registers and no jumps that are known.
ir::Program lifted_or_nothing(const Program& program) {
  return c::machine_of(program).lift(program, {}).value_or(ir::Program());
}

/// Names of jumps are literals, which end with a zero byte.
const char* literal(std::string_view name) { return name.data(); }

}  // namespace

mobula_status mobula_disassemble(const mobula_program* program, const mobula_listing_options* options,
                                 mobula_listing** listing, mobula_diagnostics** diagnostics) {
  if (program == nullptr || c::lack_size(options)) return c::misused(listing, diagnostics);
  return c::making(listing, diagnostics, [&]() -> Result<std::unique_ptr<mobula_listing>> {
    const mobula_listing_options chosen = c::read(options);
    const Machine& machine = c::machine_of(program->program);
    auto made = machine.disassemble(program->program, {.syntax = c::text_or_empty(chosen.syntax),
                                                       .bytes = chosen.bytes != 0,
                                                       .words = true,
                                                       .directive = chosen.directive != 0});
    if (!made) return fail(std::move(made).error());
    const ir::Program lifted = lifted_or_nothing(program->program);
    auto handle = std::make_unique<mobula_listing>();
    handle->listing = *std::move(made);
    handle->tokens = tokens(machine, handle->listing, lifted);
    handle->jumps = jumps(lifted);
    return handle;
  });
}

mobula_string mobula_listing_text(const mobula_listing* listing) {
  return listing == nullptr ? c::nothing : c::view(listing->listing.text);
}
void mobula_listing_free(mobula_listing* listing) { delete listing; }

size_t mobula_listing_word_count(const mobula_listing* listing) {
  return listing == nullptr ? 0 : listing->listing.words.size();
}
mobula_status mobula_listing_word(const mobula_listing* listing, size_t index, mobula_word* word) {
  if (index >= mobula_listing_word_count(listing)) return MOBULA_BAD_ARGUMENT;
  const Listing::Word& known = listing->listing.words[index];
  return c::give({.size = 0,
                  .byte_offset = known.byte_offset,
                  .byte_length = known.byte_length,
                  .text_begin = known.text_begin,
                  .text_end = known.text_end},
                 word);
}

size_t mobula_listing_token_count(const mobula_listing* listing) {
  return listing == nullptr ? 0 : listing->tokens.size();
}
mobula_status mobula_listing_token(const mobula_listing* listing, size_t index, mobula_token* token) {
  if (index >= mobula_listing_token_count(listing)) return MOBULA_BAD_ARGUMENT;
  const Token& known = listing->tokens[index];
  return c::give(
      {.size = 0, .kind = static_cast<mobula_token_kind>(known.kind), .begin = known.begin, .end = known.end}, token);
}

size_t mobula_listing_jump_count(const mobula_listing* listing) {
  return listing == nullptr ? 0 : listing->jumps.size();
}
mobula_status mobula_listing_jump(const mobula_listing* listing, size_t index, mobula_jump* jump) {
  if (index >= mobula_listing_jump_count(listing)) return MOBULA_BAD_ARGUMENT;
  const Jump& known = listing->jumps[index];
  return c::give({.size = 0,
                  .from = known.from,
                  .has_target = known.to ? 1 : 0,
                  .to = known.to.value_or(0),
                  .kind = literal(name(known.kind))},
                 jump);
}

mobula_status mobula_effects_of(const mobula_program* program, mobula_effects** effects,
                                mobula_diagnostics** diagnostics) {
  if (program == nullptr) return c::misused(effects, diagnostics);
  return c::making(effects, diagnostics, [&]() -> Result<std::unique_ptr<mobula_effects>> {
    const Machine& machine = c::machine_of(program->program);
    auto lifted = machine.lift(program->program, {});
    if (!lifted) return fail(std::move(lifted).error());
    auto listing = machine.disassemble(program->program, {.words = true});
    if (!listing) return fail(std::move(listing).error());
    auto handle = std::make_unique<mobula_effects>();
    handle->words = word_effects(machine, *listing, tokens(machine, *listing, *lifted), *lifted);
    for (std::size_t word = 0; word < handle->words.size(); ++word)
      for (std::size_t i = 0; i < handle->words[word].effects.size(); ++i) handle->index.emplace_back(word, i);
    return handle;
  });
}
size_t mobula_effects_count(const mobula_effects* effects) { return effects == nullptr ? 0 : effects->index.size(); }
mobula_status mobula_effects_at(const mobula_effects* effects, size_t index, mobula_effect* effect) {
  if (index >= mobula_effects_count(effects)) return MOBULA_BAD_ARGUMENT;
  const auto& [number, position] = effects->index[index];
  const WordEffects& word = effects->words[number];
  const SlotEffect& known = word.effects[position];
  return c::give({.size = 0,
                  .byte_offset = word.byte_offset,
                  .slot = c::view(known.slot),
                  .writes = known.writes,
                  .first = known.first,
                  .bytes = known.bytes,
                  .slot_bytes = known.slot_bytes,
                  .implicit = known.implicit},
                 effect);
}
void mobula_effects_free(mobula_effects* effects) { delete effects; }
