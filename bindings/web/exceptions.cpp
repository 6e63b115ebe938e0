// Exceptions in WebAssembly. Debian's C++ library for it comes without the functions that clang calls for throw and
// catch (-fwasm-exceptions; the names and the tables are those of the Itanium C++ ABI), nor what it calls for variables
// of a thread: here they are, for one thread.
//
// Caught are objects, by their class or by one that they derive from alone; not pointers, and not bases among others.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <typeinfo>

namespace __cxxabiv1 {  // NOLINT: what the C++ library has of it
class __class_type_info : public std::type_info {
 public:
  ~__class_type_info() override;
};
class __si_class_type_info : public __class_type_info {
 public:
  ~__si_class_type_info() override;
  const __class_type_info* base;
};
}  // namespace __cxxabiv1

namespace {

/// What stands in front of an object that is thrown.
struct alignas(16) Thrown {
  const std::type_info* type;
  void* (*destroy)(void*);  ///< destructors give back what they are called with
  Thrown* below;            ///< what was being handled before it
  std::uint32_t handlers;   ///< that are at work on it
  bool again;               ///< it was thrown again, so that it outlives them
};
Thrown* handled = nullptr;

Thrown& in_front_of(void* object) { return static_cast<Thrown*>(object)[-1]; }

bool is_caught_by(const std::type_info* caught, const std::type_info* thrown) {
  while (thrown != nullptr) {
    if (*thrown == *caught) return true;
    const auto* derived = dynamic_cast<const __cxxabiv1::__si_class_type_info*>(thrown);
    thrown = derived == nullptr ? nullptr : derived->base;
  }
  return false;
}

std::uint32_t unsigned_number(const std::uint8_t*& at) {
  std::uint32_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    value |= static_cast<std::uint32_t>(*at & 127) << shift;
    if ((*at++ & 128) == 0) return value;
  }
}
std::int32_t signed_number(const std::uint8_t*& at) {
  std::uint32_t value = 0;
  for (unsigned shift = 0;;) {
    const std::uint8_t byte = *at++;
    value |= static_cast<std::uint32_t>(byte & 127) << shift;
    shift += 7;
    if ((byte & 128) != 0) continue;
    if ((byte & 64) != 0 && shift < 32) value |= ~std::uint32_t{0} << shift;
    return static_cast<std::int32_t>(value);
  }
}

/// Which handler of a place takes what is thrown: the number of its type in the function's table; 0 if none does.
std::uint32_t handler_of(const std::uint8_t* table, std::uint32_t place, const std::type_info* thrown) {
  constexpr std::uint8_t none = 255;
  const std::uint8_t* at = table;
  if (*at++ != none) std::abort();       // no landing pads of their own
  const bool has_types = *at++ != none;  // addresses, as they are
  const std::uint32_t types_after = has_types ? unsigned_number(at) : 0;
  const std::uint8_t* const types = at + types_after;
  ++at;  // how places are written, which is always the same
  const std::uint32_t length = unsigned_number(at);
  const std::uint8_t* const actions = at + length;
  std::uint32_t action = 0;
  for (std::uint32_t each = 0; each <= place; ++each) {
    unsigned_number(at);  // its own number
    action = unsigned_number(at);
  }
  if (action == 0) return 0;
  for (const std::uint8_t* next = actions + action - 1; next != nullptr;) {
    const std::int32_t number = signed_number(next);
    const std::uint8_t* const from = next;
    const std::int32_t distance = signed_number(next);
    next = distance == 0 ? nullptr : from + distance;
    if (number <= 0) continue;
    const std::type_info* caught = nullptr;
    std::memcpy(&caught, types - sizeof caught * static_cast<std::uint32_t>(number), sizeof caught);
    if (caught == nullptr || is_caught_by(caught, thrown)) return static_cast<std::uint32_t>(number);
  }
  return 0;
}

}  // namespace

extern "C" {

/// Where code says what it asks for, and finds which handler takes it.
thread_local struct { std::uintptr_t place, table, handler; } __wasm_lpad_context;  // NOLINT

int _Unwind_CallPersonality(void* object) {  // NOLINT
  __wasm_lpad_context.handler = handler_of(reinterpret_cast<const std::uint8_t*>(__wasm_lpad_context.table),
                                           __wasm_lpad_context.place, in_front_of(object).type);
  return 0;
}

void* __cxa_allocate_exception(std::size_t bytes) noexcept {  // NOLINT
  auto* const made = static_cast<Thrown*>(std::calloc(1, sizeof(Thrown) + bytes));
  if (made == nullptr) std::terminate();
  return made + 1;
}
void __cxa_free_exception(void* object) noexcept { std::free(&in_front_of(object)); }  // NOLINT

[[noreturn]] void __cxa_throw(void* object, std::type_info* type, void* (*destroy)(void*)) {  // NOLINT
  in_front_of(object).type = type;
  in_front_of(object).destroy = destroy;
  __builtin_wasm_throw(0, object);
}
[[noreturn]] void __cxa_rethrow() {  // NOLINT
  if (handled == nullptr) std::terminate();
  handled->again = true;
  __builtin_wasm_throw(0, handled + 1);
}

void* __cxa_get_exception_ptr(void* object) noexcept { return object; }  // NOLINT
void* __cxa_begin_catch(void* object) noexcept {                         // NOLINT
  Thrown& caught = in_front_of(object);
  caught.again = false;
  if (caught.handlers++ == 0) {
    caught.below = handled;
    handled = &caught;
  }
  return object;
}
void __cxa_end_catch() {  // NOLINT
  Thrown& caught = *handled;
  if (--caught.handlers != 0) return;
  handled = caught.below;
  if (caught.again) return;
  if (caught.destroy != nullptr) caught.destroy(&caught + 1);
  std::free(&caught);
}

/// What a thread has of its own ends with it, and the only one never ends.
int __cxa_thread_atexit(void (*)(void*), void*, void*) noexcept { return 0; }  // NOLINT
}
