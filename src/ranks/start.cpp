#include "src/ranks/start.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/notes.hpp"
#include "src/base/option.hpp"
#include "src/base/process/exit_codes.hpp"
#include "src/base/process/limits.hpp"
#include "src/base/process/spawn.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/base/process/threads.hpp"
#include "src/ranks/launched_by_mpi.hpp"

namespace minimod {

namespace {

/// Set for the ranks of an mpirun that this program has started: they end with it.
constexpr const char* variable_of_ranks = "MINIMOD_RANKS";
/// The number of the process that waits for that mpirun.
constexpr const char* variable_of_starter = "MINIMOD_STARTER";

volatile std::sig_atomic_t ranks_ended_well = 0, a_rank_is_stopped = 0;

/// From a rank that is told to stop to its starter. (A request to stop would go to mpirun, which is ended by
/// it where it is stopping the ranks already.)
int signal_of_stop() {
  return SIGRTMIN;
}

/// The process that waits for the mpirun of this rank; 0: none of this program's does.
int starter_of_ranks() {
  const char* const starter = std::getenv(variable_of_starter);
  return starter == nullptr ? 0 : std::atoi(starter);
}

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

/// mpirun with this program, on this machine: in a job of Slurm's both MPIs would take all of the job's, and
/// MPICH by an srun that waits for what this step has. Open MPI binds a process to one core, and refuses root
/// and more ranks than cores, unless it is told otherwise; what waits for a message leaves its core to those
/// that it waits for only where it knows that they have the same.
Spawn mpirun(int count) {
  Spawn how{MINIMOD_MPIRUN, {MINIMOD_MPIRUN, "-n", text(count)}, {}};
  if (mpi_library().starts_with("Open MPI")) {
    for (const char* word : {"--oversubscribe", "--bind-to", "none", "--quiet", "--host"})
      how.arguments.emplace_back(word);
    how.arguments.push_back(text("localhost:", count));
    how.settings = {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  } else if (mpi_library().starts_with("MPICH")) {
    for (const char* word : {"-launcher", "fork", "-hosts", "localhost"}) how.arguments.emplace_back(word);
  }
  std::vector<std::string> own = own_arguments();
  own.front() = std::filesystem::read_symlink("/proc/self/exe").string();
  how.arguments.insert(how.arguments.end(), own.begin(), own.end());
  how.settings.push_back(text(variable_of_ranks, "=1"));
  how.apart = true;
  return how;
}

[[noreturn]] void refuse_start(int failure) {
  const std::string what = text("cannot start ", MINIMOD_MPIRUN);
  throw shortage(failure, what)
      .value_or(Error(ErrorKind::unavailable, text(what, ": ", reason(failure)),
                      "install MPI (Debian: openmpi-bin)"));
}

/// However this process ends, mpirun ends with it, and the ranks do.
pid_t start_mpirun(int count) {
  Spawn how = mpirun(count);
  const pid_t parent = getpid();
  how.settings.push_back(text(variable_of_starter, "=", parent));
  std::signal(SIGUSR2, [](int) { ranks_ended_well = 1; });
  std::signal(signal_of_stop(), [](int) { a_rank_is_stopped = 1; });
  const pid_t process = fork();
  if (process < 0) refuse_start(errno);
  if (process > 0) return process;
  end_with_parent(parent);
  int failure = std::freopen("/dev/null", "r", stdin) == nullptr ? errno : 0;
  if (failure == 0) failure = become(how);
  std::fputs(text("minimod: error: cannot start ", MINIMOD_MPIRUN, ": ", reason(failure), '\n').c_str(),
             stderr);
  std::_Exit(exit_code(ErrorKind::unavailable));
}

/// The signal that ended mpirun, or a rank, as it says of one; 0: none did.
int killed_by(int code) {
  constexpr int of_rank = 128;
  if (code < 0) return -code;
  return code > of_rank && code < of_rank + NSIG ? code - of_rank : 0;
}

/// Whether a process has such a signal from what it did itself.
bool is_fault(int signal) {
  constexpr std::array faults = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
  return std::ranges::find(faults, signal) != faults.end();
}

/// Whether this process, or a rank, is told to stop. Who tells all processes one after the other may tell
/// this one last, when mpirun has ended: a second is time for that. One under nohup hears of a SIGHUP, which
/// mpirun heeds, from its ranks alone, which mpirun has stopped.
bool is_told_to_stop() {
  const auto is_told = [] { return StopRequests::came() || a_rank_is_stopped != 0; };
  constexpr std::chrono::milliseconds pause(20);
  for (int pauses = 50; pauses > 0 && !is_told(); --pauses) std::this_thread::sleep_for(pause);
  return is_told();
}

/// A request to stop is handed on to the ranks. An mpirun that gets one itself, as where it has no rank yet,
/// or from others, may say 0 whatever the ranks' codes were: that of MPICH before 4.1
/// (github.com/pmodels/mpich, pull request 5930).
int wait_for_ranks(pid_t process) {
  StopHandedOn stop(process);
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (StopRequests::came()) stop.go_on();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const int code = exit_code_of(status);
  if (code == 0 && ranks_ended_well == 0) return exit_code(ErrorKind::stopped);
  const int signal = killed_by(code);
  constexpr int code_of_mpirun = 1;  // where that was told to stop, too, and may have ended first
  if (signal != 0 ? StopRequests::came() : code == code_of_mpirun && is_told_to_stop())
    return exit_code(ErrorKind::stopped);
  if (signal == 0) return code;
  throw Error(is_fault(signal) ? ErrorKind::internal : ErrorKind::stopped,
              text("mpirun or a rank was killed by signal ", signal),
              "the same command goes on from the last checkpoint, or begins again");
}

}  // namespace

void settle_rank(Ranks& ranks) {
  if (ranks.is_alone()) return;
  if (std::getenv(variable_of_ranks) != nullptr) end_with_parent(getppid());
  if (const int starter = starter_of_ranks(); starter != 0) StopRequests::tell(starter, signal_of_stop());
  share_cores(ranks);
  setenv("KOKKOS_DISABLE_WARNINGS", "1", 0);  // Kokkos would warn of more ranks than cores
  if (ranks.is_first()) return;
  StopRequests::end_at_once(nullptr);
  hear_notes(nullptr);  // an error's line goes past it (Ranks::leave)
  if (std::freopen("/dev/null", "w", stdout) == nullptr) std::cout.rdbuf(nullptr);
}

void end_ranks_well(Ranks& ranks) {
  const int starter = starter_of_ranks();
  if (starter != 0 && ranks.is_first()) kill(starter, SIGUSR2);
  ranks.finish();
}

void start_ranks(const RankOptions& options, const Ranks& ranks) {
  if (const int tasks = tasks_apart(); tasks > 1 && options.count != 1) {
    throw Error(ErrorKind::unavailable, text("srun has started ", tasks, " tasks, and no MPI among them"),
                text("give srun --mpi=pmix (MPICH: --mpi=pmi2), or ", option("ranks"),
                     " 1 for a run of each task's own"));
  }
  const int count = options.count.value_or(ranks.size());
  if (count == ranks.size()) {
    if (ranks.is_alone()) refuse_without_ranks(options, option("ranks"));
    return;
  }
  if (!ranks.is_alone()) {
    throw Error(ErrorKind::parameter,
                text(option("ranks"), " is ", count, ", mpirun has started ", ranks.size()),
                "give one of them");
  }
  require_ranks(count, option("ranks"));
  StopRequests::note();
  std::_Exit(wait_for_ranks(start_mpirun(count)));
}

void become_ranks(int count) {
  refuse_start(become(mpirun(count)));
}

void require_ranks(int count, const std::string& option) {
  if (mpi_library().empty()) {
    throw Error(ErrorKind::unavailable, text(option, " is given, the program was built without MPI"),
                "install it (Debian: libopenmpi-dev openmpi-bin) and build anew");
  }
  if (access(MINIMOD_MPIRUN, X_OK) != 0) refuse_start(errno);
  const int most = std::max(64, 16 * available_threads());
  if (count > most) {
    throw Error(ErrorKind::parameter,
                text(option, " is ", count, ", over the ", most, " that may share this machine's threads"),
                "give fewer, or start them by an mpirun of your own");
  }
}

void refuse_without_ranks(const RankOptions& options, const std::string& parent) {
  const std::string given = !options.planes.empty() ? option("slabs")
                            : options.transport     ? option("transport")
                                                    : option("share-gpu");
  if (options.planes.empty() && !options.transport && !options.share_gpu) return;
  throw Error(ErrorKind::parameter, text(given, " is given, the domain is not cut"),
              text("give ", parent, " 2 or more"));
}

std::string words_of_call() {
  std::string words;
  for (const std::string& word : own_arguments()) words += word + '\n';
  return words;
}

void require_one_run(const std::string& run, Ranks& ranks) {
  if (ranks.is_alone()) return;
  const std::string build = build_info().version + " " + build_info().git_hash;
  const std::string first = ranks.from(0, run), first_build = ranks.from(0, build);
  ranks.together([&] {
    if (run == first && build == first_build) return;
    throw Error(ErrorKind::parameter,
                text("rank ", ranks.number(), " has another ", build == first_build ? "run" : "program",
                     " than the first rank (", build, " and ", first_build, ")"),
                "give all ranks the same program, options and files");
  });
}

}  // namespace minimod
