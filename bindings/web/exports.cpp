// The functions of the module. The page writes a request, and bytes behind it, where web_room says, and reads the
// answer where web_answer says: four numbers of 32 bits, where its JSON is and how long, where its bytes are and how
// many.
#include <exception>
#include <vector>

#include "reply.h"

namespace {

std::vector<std::uint8_t> room;
mobula::web::Answer last;
std::uint32_t where[4];

std::uint32_t address(const void* pointer) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(pointer));
}

}  // namespace

extern "C" {

[[clang::export_name("web_room")]] void* web_room(std::uint32_t bytes) {
  room.resize(bytes);
  return room.data();
}

[[clang::export_name("web_answer")]] const std::uint32_t* web_answer(std::uint32_t json_bytes) {
  const std::span<const std::uint8_t> all(room);
  const auto json = all.first(json_bytes);
  try {
    last = mobula::web::answer({reinterpret_cast<const char*>(json.data()), json.size()}, all.subspan(json_bytes));
  } catch (const std::exception& problem) {
    last = mobula::web::refuse({{mobula::Severity::error, "", {}, problem.what(), ""}});
  }
  where[0] = address(last.json.data());
  where[1] = static_cast<std::uint32_t>(last.json.size());
  where[2] = address(last.bytes.data());
  where[3] = static_cast<std::uint32_t>(last.bytes.size());
  return where;
}

// What the stack protector of Debian's libraries calls.
std::uintptr_t __stack_chk_guard = 0x5bd1e995;              // NOLINT
[[noreturn]] void __stack_chk_fail() { __builtin_trap(); }  // NOLINT
}
