// Any text as the result of a shard: an error that says what is wrong, or results that are put together or refused.
// seeds: tests/data/shards/*
#include <cstdlib>

#include "cli/shards/shard_file.h"
#include "fuzz/target.h"

using namespace mobula;

FUZZ_TARGET(shard_fuzz) {
  auto shard = cli::read_shard("input", {reinterpret_cast<const char*>(data), size});
  if (!shard) {
    if (!has_errors(shard.error())) std::abort();
    return 0;
  }
  // Diagnostics of a file are printed as they are.
  for (const auto& [piece, named] : shard->pieces) (void)render(named.second.diagnostics);
  const std::vector<ShardFile> alone{{shard->shard, "input"}};
  if (!expect_all(alone)) return 0;
  const auto pieces = shard->work.at("pieces").get<std::uint64_t>();
  const auto whole = cli::put_together({{"input", *shard}});
  if (whole ? whole->names.size() != pieces : !has_errors(whole.error())) std::abort();
  return 0;
}
