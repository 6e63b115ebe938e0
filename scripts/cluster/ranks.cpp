// ranks SHARD-SCRIPT FOLDER COUNT COMMAND...: a rank of MPI runs every n-th of the shards whose results are missing,
// one after the other.
#include <mpi.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern char** environ;

namespace {

/// Those whose results are not there. Only one rank looks: others would see what has come in the meantime.
std::vector<int> missing(const std::string& folder, int count) {
  std::vector<int> shards;
  for (int index = 0; index < count; ++index) {
    const std::string result = folder + '/' + std::to_string(index) + "-of-" + std::to_string(count);
    if (access(result.c_str(), F_OK) != 0) shards.push_back(index);
  }
  return shards;
}

bool run(int index, int count, char** arguments) {
  std::string shard = std::to_string(index) + '/' + std::to_string(count);
  std::vector<char*> words{arguments[1], arguments[2], shard.data()};
  for (char** word = arguments + 4; *word != nullptr; ++word) words.push_back(*word);
  words.push_back(nullptr);
  pid_t process = 0;
  int status = 0;
  if (posix_spawn(&process, words[0], nullptr, nullptr, words.data(), environ) != 0) return false;
  while (waitpid(process, &status, 0) < 0) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int words, char** arguments) {
  MPI_Init(&words, &arguments);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int count = words > 4 ? std::atoi(arguments[3]) : 0;
  if (count <= 0) {
    if (rank == 0) std::fputs("ranks SHARD-SCRIPT FOLDER COUNT COMMAND...\n", stderr);
    MPI_Finalize();
    return 2;
  }
  std::vector<int> shards;
  if (rank == 0) shards = missing(arguments[2], count);
  int left = static_cast<int>(shards.size());
  MPI_Bcast(&left, 1, MPI_INT, 0, MPI_COMM_WORLD);
  shards.resize(static_cast<std::size_t>(left));
  MPI_Bcast(shards.data(), left, MPI_INT, 0, MPI_COMM_WORLD);

  int failed = 0, all_failed = 0;
  for (int at = rank; at < left; at += ranks)
    if (!run(shards[static_cast<std::size_t>(at)], count, arguments)) ++failed;
  MPI_Allreduce(&failed, &all_failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("%d shards: %d were there, %d done, %d failed\n", count, count - left, left - all_failed, all_failed);
  MPI_Finalize();
  return all_failed == 0 ? 0 : 1;
}
