#include "mobula/lab/environment.h"

namespace mobula {
namespace {
Fault refuse(const char* what) { return {std::string("this run provides no ") + what}; }
}  // namespace

Fault Environment::load_memory(const Thread&, std::uint64_t, std::span<std::uint8_t>) { return refuse("memory"); }
Fault Environment::store_memory(const Thread&, std::uint64_t, std::span<const std::uint8_t>) {
  return refuse("memory");
}
Fault Environment::atomic(const Thread&, ir::AtomicOp, std::uint64_t, std::uint32_t, std::uint64_t, std::uint64_t,
                          std::uint64_t&) {
  return refuse("memory");
}
Fault Environment::load_uniform(const Thread&, std::uint32_t buffer, std::uint32_t, std::span<std::uint8_t>) {
  return {"this run provides no uniform buffer " + std::to_string(buffer)};
}
Fault Environment::attribute(const Thread&, const ir::Call&, std::uint32_t number, std::uint32_t,
                             std::span<std::uint8_t>) {
  return {"this run provides no attribute " + std::to_string(number)};
}
Fault Environment::varying(const Thread&, const ir::Call&, std::uint32_t number, std::span<std::uint8_t>) {
  return {"this run provides no varying " + std::to_string(number)};
}
Fault Environment::store_varying(const Thread&, const ir::Call&, std::uint32_t, std::span<const std::uint8_t>) {
  return refuse("varying outputs");
}
Fault Environment::texture(const Thread&, const TextureRequest& request, std::array<std::uint32_t, 4>&) {
  return {"this run provides no texture " + std::to_string(request.texture)};
}
Fault Environment::load_image(const Thread&, const ir::Call&, std::uint32_t image, std::array<std::int32_t, 3>,
                              std::span<std::uint8_t>) {
  return {"this run provides no image " + std::to_string(image)};
}
Fault Environment::store_image(const Thread&, const ir::Call&, std::uint32_t image, std::array<std::int32_t, 3>,
                               std::span<const std::uint8_t>) {
  return {"this run provides no image " + std::to_string(image)};
}
Fault Environment::fragment_out(const Thread&, std::array<std::uint32_t, 4>, std::uint32_t, std::uint32_t,
                                std::uint32_t, bool&) {
  return refuse("fragment output");
}
Fault Environment::tile_ready(const Thread&, bool&) { return refuse("tile buffer"); }
Fault Environment::load_tile(const Thread&, const ir::Call&, std::uint32_t, std::uint32_t, std::span<std::uint8_t>) {
  return refuse("tile buffer");
}
Fault Environment::store_tile(const Thread&, const ir::Call&, std::uint32_t, std::uint32_t,
                              std::span<const std::uint8_t>) {
  return refuse("tile buffer");
}
Fault Environment::image_address(const Thread&, std::uint32_t image, std::array<std::int32_t, 3>, std::uint64_t&) {
  return {"this run provides no image " + std::to_string(image)};
}
Fault Environment::load_special(const Thread&, const ir::Call&, std::uint32_t selector, std::span<std::uint8_t>) {
  return {"this run provides no special value " + std::to_string(selector)};
}
Fault Environment::store_special(const Thread&, const ir::Call&, std::uint32_t selector,
                                 std::span<const std::uint8_t>) {
  return {"this run takes no special value " + std::to_string(selector)};
}
Fault Environment::device_read(const Thread&, const ir::Call&, std::uint32_t, std::span<std::uint8_t>) {
  return refuse("device registers");
}
Fault Environment::device_write(const Thread&, const ir::Call&, std::uint32_t, std::span<const std::uint8_t>) {
  return refuse("device registers");
}

}  // namespace mobula
