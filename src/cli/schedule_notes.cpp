#include "cli/schedule_notes.h"

#include <nlohmann/json.hpp>

#include "core/counted.h"

namespace mobula::cli {
namespace {

std::string quality(std::uint32_t words, std::uint32_t bound) {
  return words == bound ? "optimal" : "at least " + std::to_string(bound);
}

/// "27 words, were 34; ".
std::string words(std::uint32_t now, std::uint32_t before) {
  return counted(now, "word") + (before != 0 ? ", were " + std::to_string(before) : "") + "; ";
}

Diagnostic note(std::string code, std::string message) {
  return {Severity::note, std::move(code), {}, std::move(message), {}};
}

/// What stands alone cannot be fewer.
std::uint32_t bound_of(const MergeAdvice& merging) {
  std::uint32_t bound = merging.groups;
  for (const OrderedGroups& part : merging.parts) bound -= part.groups - part.bound;
  return bound;
}

}  // namespace

Diagnostics notes_on_length(const ScheduledProgram& schedule) {
  Diagnostics notes{note("GP300", words(schedule.words, schedule.words_before) +
                                      quality(schedule.words, schedule.bound) + "; prefetch " +
                                      std::to_string(schedule.prefetch))};
  for (const ScheduledTrace& trace : schedule.traces)
    notes.push_back(note("GP300", "trace of word " + std::to_string(trace.first_word) + ": " +
                                      words(trace.words, trace.words_before) + quality(trace.words, trace.bound()) +
                                      " by " + trace.bounds.front().resource));
  return notes;
}

Json length_json(const ScheduledProgram& schedule) {
  Json traces = Json::array();
  for (const ScheduledTrace& trace : schedule.traces) {
    Json bounds = Json::array();
    for (const ScheduleBound& bound : trace.bounds)
      bounds.push_back({{"resource", bound.resource}, {"words", bound.words}});
    traces.push_back({{"first_word", trace.first_word},
                      {"words_before", trace.words_before},
                      {"words", trace.words},
                      {"bound", trace.bound()},
                      {"optimal", trace.optimal()},
                      {"bounds", std::move(bounds)}});
  }
  return {{"words_before", schedule.words_before},
          {"words", schedule.words},
          {"bound", schedule.bound},
          {"prefetch", schedule.prefetch},
          {"traces", std::move(traces)}};
}

Diagnostics notes_on_merging(const MergeAdvice& merging) {
  Diagnostics notes{note("RG300", counted(merging.groups, "group") + ", " + std::to_string(merging.groups_before) +
                                      " before merging; " + quality(merging.groups, bound_of(merging)))};
  if (merging.parts.size() < 2) return notes;
  for (const OrderedGroups& part : merging.parts)
    notes.push_back(note("RG300", "from byte " + std::to_string(part.offset) + " on: " + counted(part.groups, "group") +
                                      ", " + std::to_string(part.groups_before) + " before merging; " +
                                      quality(part.groups, part.bound)));
  return notes;
}

Json merging_json(const MergeAdvice& merging) {
  Json parts = Json::array();
  for (const OrderedGroups& part : merging.parts)
    parts.push_back({{"offset", part.offset},
                     {"groups_before", part.groups_before},
                     {"groups", part.groups},
                     {"bound", part.bound},
                     {"optimal", part.optimal()}});
  return {{"groups_before", merging.groups_before},
          {"groups", merging.groups},
          {"bound", bound_of(merging)},
          {"parts", std::move(parts)}};
}

std::function<void(std::uint64_t done, std::uint64_t total)> in_thousands(ProgressOfPart& progress) {
  return [&progress](std::uint64_t done, std::uint64_t total) { progress.show(done / 1000, total / 1000); };
}

}  // namespace mobula::cli
