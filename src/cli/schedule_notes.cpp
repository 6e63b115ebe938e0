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

Diagnostic note(std::string message) { return {Severity::note, "GP300", {}, std::move(message), {}}; }

}  // namespace

Diagnostics notes_on_length(const ScheduledProgram& schedule) {
  Diagnostics notes{note(words(schedule.words, schedule.words_before) + quality(schedule.words, schedule.bound) +
                         "; prefetch " + std::to_string(schedule.prefetch))};
  for (const ScheduledTrace& trace : schedule.traces)
    notes.push_back(note("trace of word " + std::to_string(trace.first_word) + ": " +
                         words(trace.words, trace.words_before) + quality(trace.words, trace.bound()) + " by " +
                         trace.bounds.front().resource));
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

std::function<void(std::uint64_t done, std::uint64_t total)> in_thousands(ProgressOfPart& progress) {
  return [&progress](std::uint64_t done, std::uint64_t total) { progress.show(done / 1000, total / 1000); };
}

}  // namespace mobula::cli
