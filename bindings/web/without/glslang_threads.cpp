// What glslang asks of a system with threads, where there is one thread: values of its own are simply values, and
// nobody else holds the lock.
#include <cstdint>
#include <vector>

#include "glslang/OSDependent/osinclude.h"

namespace glslang {
namespace {

std::vector<void*> values;
void*& value_of(OS_TLSIndex index) { return values[reinterpret_cast<std::uintptr_t>(index) - 1]; }

}  // namespace

OS_TLSIndex OS_AllocTLSIndex() {
  values.push_back(nullptr);
  return reinterpret_cast<OS_TLSIndex>(values.size());
}
bool OS_FreeTLSIndex(OS_TLSIndex index) { return OS_SetTLSValue(index, nullptr); }
bool OS_SetTLSValue(OS_TLSIndex index, void* value) {
  value_of(index) = value;
  return true;
}
void* OS_GetTLSValue(OS_TLSIndex index) { return value_of(index); }

void InitGlobalLock() {}
void GetGlobalLock() {}
void ReleaseGlobalLock() {}
void OS_DumpMemoryCounters() {}

}  // namespace glslang
