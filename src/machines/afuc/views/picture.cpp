#include "machines/afuc/views/picture.h"

#include <map>
#include <string>

#include "core/counted.h"
#include "core/hexadecimal.h"
#include "machines/afuc/views/views.h"

namespace mobula::afuc {
namespace {

constexpr std::uint32_t boxes_a_row = 6;

/// A box for each handler, in the order of the packets that go there first; the one of all unknown packets is the last.
Picture packets_of(const firmware::CoreInfo& core) {
  Picture picture;
  std::size_t known = 0;
  std::map<std::uint32_t, std::size_t> boxes;  // by handler
  std::size_t ignored = 0;
  std::uint32_t ignoring = 0;
  for (const firmware::PacketInfo& packet : core.packets) {
    std::string line = hexadecimal(packet.opcode, 2) + ' ' + packet.name;
    if (packet.shared) {
      ++ignored;
      ignoring = packet.handler;
      continue;
    }
    ++known;
    const auto [place, is_new] = boxes.emplace(packet.handler, picture.boxes.size());
    if (is_new)
      picture.boxes.push_back({.column = static_cast<std::uint32_t>(place->second) % boxes_a_row,
                               .row = static_cast<std::uint32_t>(place->second) / boxes_a_row,
                               .kind = Picture::Kind::operation,
                               .title = "word " + hexadecimal(packet.handler),
                               .lines = {}});
    picture.boxes[place->second].lines.push_back(std::move(line));
  }
  picture.title = core.name + ": " + counted(core.packets.size(), "entry", "entries") + " of the packet table, " +
                  counted(known, "packet") + " with " + counted(boxes.size(), "handler");
  if (ignored != 0)
    picture.boxes.push_back({.column = 0,
                             .row = (static_cast<std::uint32_t>(boxes.size()) + boxes_a_row - 1) / boxes_a_row,
                             .columns = boxes_a_row,
                             .kind = Picture::Kind::idle,
                             .title = "word " + hexadecimal(ignoring),
                             .lines = {"the other " + counted(ignored, "entry", "entries")}});
  return picture;
}

}  // namespace

std::vector<Picture> pictures(const Program& program) {
  std::vector<Picture> all;
  if (const Result<firmware::Info> info = views::info(program))
    for (const firmware::CoreInfo& core : info->cores)
      if (!core.packets.empty()) all.push_back(packets_of(core));
  return all;
}

}  // namespace mobula::afuc
