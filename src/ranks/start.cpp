#include "src/ranks/start.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include <sched.h>
#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/threads.hpp"

namespace minimod {

namespace {

/// The cores that a process may have.
struct Cores {
  int node;
  cpu_set_t set;
  [[nodiscard]] bool are(const Cores& other) const {
    return node == other.node && CPU_EQUAL(&set, &other.set);
  }
};

void share_cores(Ranks& ranks) {
  Cores mine{ranks.node(), {}};
  sched_getaffinity(0, sizeof mine.set, &mine.set);
  const auto all = ranks.gather(mine);
  const auto sharers = std::ranges::count_if(all, [&](const Cores& theirs) { return theirs.are(mine); });
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return;
  use_threads(std::max(1, available_threads() / static_cast<int>(sharers)));
}

std::vector<std::string> own_command() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  words.front() = std::filesystem::read_symlink("/proc/self/exe").string();
  return words;
}

/// Of mpirun. Open MPI binds a process to one core, refuses root and more ranks than cores, and kills a
/// second after a signal, unless it is told otherwise.
std::vector<std::string> command_of_mpirun(int count) {
  std::vector<std::string> command{MINIMOD_MPIRUN, "-n", text(count)};
  if (!mpi_library().starts_with("Open MPI")) return command;
  for (const char* word : {"--oversubscribe", "--bind-to", "none", "--quiet"}) command.emplace_back(word);
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
  setenv("OMPI_MCA_odls_base_sigkill_timeout", "10", 0);
  return command;
}

}  // namespace

void settle_rank(Ranks& ranks) {
  if (ranks.is_alone()) return;
  share_cores(ranks);
  setenv("KOKKOS_DISABLE_WARNINGS", "1", 0);  // of more ranks than cores
  if (ranks.is_first()) return;
  std::cerr.rdbuf(nullptr);  // an error's line goes past it (Ranks::leave)
  if (std::freopen("/dev/null", "w", stdout) == nullptr) std::cout.rdbuf(nullptr);
}

void start_ranks(const RankOptions& options, const Ranks& ranks) {
  const int count = options.count.value_or(ranks.size());
  if (count == ranks.size()) return;
  if (!ranks.is_alone()) {
    throw Error(ExitCode::usage, text("--ranks is ", count, ", mpirun has started ", ranks.size()),
                "give one of them");
  }
  if (mpi_library().empty()) {
    throw Error(ExitCode::unavailable, "--ranks is given, the program was built without MPI",
                "install it (Debian: libopenmpi-dev openmpi-bin) and build anew");
  }
  std::vector<std::string> command = command_of_mpirun(count), own = own_command();
  command.insert(command.end(), own.begin(), own.end());
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  throw Error(ExitCode::unavailable, text("cannot start ", MINIMOD_MPIRUN, ": ", reason(errno)),
              "install MPI (Debian: openmpi-bin)");
}

void refuse_without_ranks(const RankOptions& options) {
  const char* const option = !options.planes.empty() ? "--slabs"
                             : options.transport     ? "--transport"
                                                     : "--share-gpu";
  if (options.planes.empty() && !options.transport && !options.share_gpu) return;
  throw Error(ExitCode::usage, text(option, " is given, the domain is not cut"), "give --ranks 2 or more");
}

}  // namespace minimod
