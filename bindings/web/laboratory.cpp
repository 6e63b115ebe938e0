// The module with everything.
#include "laboratory.h"

#include <algorithm>

namespace mobula::web {

std::vector<std::span<const Question>> questions() {
  return {program_questions(), view_questions(),     file_questions(),
          run_questions(),     workload_questions(), firmware_questions(),
#ifdef MOBULA_COMPILE
          compile_questions()
#endif
  };
}

namespace {
[[clang::import_module("page"), clang::import_name("progress")]] void page_progress(double part);
}
void show_progress(std::uint64_t done, std::uint64_t total) {
  page_progress(static_cast<double>(done) / static_cast<double>(std::max<std::uint64_t>(total, 1)));
}

Work& work() {
  if (desk().work == nullptr) desk().work = std::make_shared<Work>();
  return *static_cast<Work*>(desk().work.get());
}

Json register_row(std::string_view name, std::string_view value, bool is_changed) {
  return {{"name", name}, {"value", value}, {"changed", is_changed}};
}

void Rows::on(const TimelineEvent& event) {
  if (event.kind == EventKind::dependency) return;
  Json& row = rows_[event.execution];
  if (row.is_null())
    row = {{"thread", event.thread},
           {"word", info_->words[event.word].address},
           {"parts", Json::array()},
           {"end", event.cycle}};
  row["end"] = event.cycle;
  if (event.kind == EventKind::stall_begin || event.kind == EventKind::execute_begin) {
    const bool waits = event.kind == EventKind::stall_begin;
    const std::string_view unit = event.unit == no_index ? std::string_view() : info_->units[event.unit];
    row["parts"].push_back({{"from", event.cycle},
                            {"to", nullptr},
                            {"what", waits ? info(event.reason).name : unit},
                            {"waits", waits},
                            {"sentence", waits ? info(event.reason).sentence : std::string_view()}});
  } else if (event.kind == EventKind::stall_end || event.kind == EventKind::execute_end) {
    const bool waits = event.kind == EventKind::stall_end;
    for (Json& part : row["parts"])
      if (part["to"].is_null() && part["waits"] == waits) part["to"] = event.cycle;
  }
}

Json Rows::take() {
  Json list = Json::array();
  for (auto& [execution, row] : rows_) list.push_back(std::move(row));
  return {{"cycles", cycles_}, {"rows", std::move(list)}};
}

}  // namespace mobula::web
