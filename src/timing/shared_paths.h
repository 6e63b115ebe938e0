// The ways that threads of a run take, made when one starts to go, once for those that go the same. When there are
// many, the ones that nobody goes any more are forgotten: a thread that has not started or has left costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace mobula {

template <class Path>
class SharedPaths {
 public:
  /// The path of that number; `make` makes it where it is not known.
  template <class Make>
  std::shared_ptr<const Path> of(std::uint32_t path_id, Make make) {
    if (const auto found = known_.find(path_id); found != known_.end()) return found->second;
    if (kept_ > most_) forget_those_gone();
    auto path = std::make_shared<const Path>(make());
    kept_ += cost(*path);
    known_.emplace(path_id, path);
    return path;
  }

 private:
  static std::size_t cost(const Path& path) { return path.size() + 32; }

  void forget_those_gone() {
    std::erase_if(known_, [](const auto& entry) { return entry.second.use_count() == 1; });
    kept_ = 0;
    for (const auto& [path_id, path] : known_) kept_ += cost(*path);
    most_ = always_kept + 2 * kept_;  // so that what is found here was worth the search
  }

  static constexpr std::size_t always_kept = std::size_t{1} << 20;
  std::unordered_map<std::uint32_t, std::shared_ptr<const Path>> known_;
  std::size_t kept_ = 0, most_ = always_kept;  ///< steps of paths
};

}  // namespace mobula
