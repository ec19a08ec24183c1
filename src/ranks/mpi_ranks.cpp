/// Ranks of a program that was built with MPI.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <thread>

#include <mpi.h>
#include <unistd.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include "src/base/process/exit_codes.hpp"
#include "src/ranks/launched_by_mpi.hpp"
#include "src/ranks/messages.hpp"
#include "src/ranks/rank_watch.hpp"
#include "src/ranks/ranks.hpp"

namespace minimod {

namespace {

/// Over TCP, ranks of MPICH before 4.2 may wait in MPI_Finalize for ever: one for an acknowledgement, the one
/// that owes it for all, deaf (github.com/pmodels/mpich, pull request 6596). UCX takes TCP within a machine,
/// too, where the kernel lets no process read another's memory, and can do without.
void keep_off_tcp(int launched) {
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40200000
  const char* const here = std::getenv("MPI_LOCALNRANKS");           // ranks of its mpirun here
  const char* const machines = std::getenv("SLURM_STEP_NUM_NODES");  // machines of srun
  const bool on_one = here != nullptr       ? std::atoi(here) == launched
                      : machines != nullptr ? std::atoi(machines) == 1
                                            : false;
  if (on_one) setenv("UCX_TLS", "^tcp", 0);
#else
  static_cast<void>(launched);
#endif
}

/// The same between machines, which there may be no other way than TCP: whoever waits so has done its work.
void end_mpi(int code) {
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40200000
  static volatile std::sig_atomic_t code_of_end = 0;
  constexpr unsigned seconds = 4;
  code_of_end = code;
  std::signal(SIGALRM, [](int) { _exit(code_of_end); });
  std::cout << std::flush;
  alarm(seconds);
  MPI_Finalize();
  alarm(0);
#else
  static_cast<void>(code);
  MPI_Finalize();
#endif
}

/// A process, of a namespace of their numbers.
struct Process {
  unsigned long space;
  pid_t number;
};

/// The communicator of errors: what is under way on the other one does not touch it.
class MpiRanks final : public Ranks {
 public:
  /// MPI's own handler of errors stays: it ends all ranks.
  MpiRanks() {
    const int launched = launched_processes();
    if (launched == 1) return;
    keep_off_tcp(launched);
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &number_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    if (size_ < launched) {
      throw Error(ErrorKind::unavailable,
                  text("started as one of ", launched, " processes by another MPI than ", mpi_library()),
                  "take that one's mpirun, or build with the other's mpicc first on the PATH");
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &errors_);
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, number_, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &number_on_node_);
    MPI_Comm_size(node, &size_of_node_);
    node_ = number_;
    MPI_Bcast(&node_, 1, MPI_INT, 0, node);
    watch_others(node);
    MPI_Comm_free(&node);
    is_started_ = true;
  }

  [[nodiscard]] bool takes_gpu_memory() const override {
#if defined(MPIX_CUDA_AWARE_SUPPORT)  // Open MPI
    return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)  // MPICH
    int takes = 0;
    MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &takes);
    return takes != 0;
#else
    return false;
#endif
  }

  void send(int to, std::span<const std::byte> bytes) override {
    in_messages(bytes,
                [to](auto part) { MPI_Send(part.data(), count_of(part), MPI_BYTE, to, 0, MPI_COMM_WORLD); });
  }
  void receive(int from, std::span<std::byte> bytes) override {
    in_messages(bytes, [from](auto part) {
      MPI_Recv(part.data(), count_of(part), MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
  }

  void start_exchange(std::span<const Message> messages) override {
    requests_.clear();
    for (const Message& m : messages) {
      in_messages(std::span(static_cast<std::byte*>(m.in), m.in_bytes), [&](auto part) {
        MPI_Irecv(part.data(), count_of(part), MPI_BYTE, m.rank, 1, MPI_COMM_WORLD,
                  &requests_.emplace_back());
      });
      in_messages(std::span(static_cast<const std::byte*>(m.out), m.out_bytes), [&](auto part) {
        MPI_Isend(part.data(), count_of(part), MPI_BYTE, m.rank, 1, MPI_COMM_WORLD,
                  &requests_.emplace_back());
      });
    }
  }
  void finish_exchange() override {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  void finish() override {
    if (!is_started_) return;
    watch_.end();
    MPI_Barrier(MPI_COMM_WORLD);  // no other watch is to see this process end
    end_mpi(0);
  }

  [[nodiscard]] int leave(int code, const std::string& line) override {
    std::vector<int> codes(size_, code);
    int all_came = size_ == 1;
    watch_.end();
    if (!all_came) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Iallgather(&code, 1, MPI_INT, codes.data(), 1, MPI_INT, errors_, &request);
      const auto now = [] { return std::chrono::steady_clock::now(); };
      const auto end = now() + std::chrono::seconds(1);
      while (MPI_Test(&request, &all_came, MPI_STATUS_IGNORE), !all_came && now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    if (!all_came || is_first()) std::fputs(line.c_str(), stderr);
    if (!all_came) MPI_Abort(MPI_COMM_WORLD, code);
    if (is_started_) end_mpi(codes.front());
    return codes.front();
  }

 private:
  [[nodiscard]] static int count_of(std::span<const std::byte> message) {
    return static_cast<int>(message.size());
  }

  /// Where another rank of the machine dies, all are ended, whatever MPI they wait in.
  void watch_others(MPI_Comm node) {
    const Process mine{process_namespace(), getpid()};
    std::vector<Process> all(size_of_node_);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, node);
    std::vector<pid_t> processes;
    for (const Process& process : all) {
      if (process.space != mine.space) return;
      processes.push_back(process.number);
    }
    watch_.start(processes, number_on_node_, [](int lost) {
      if (lost >= 0) {
        std::fputs(text("minimod: error: rank ", lost, " of this machine has died; run it again\n").c_str(),
                   stderr);
      }
      MPI_Abort(MPI_COMM_WORLD, exit_code(ErrorKind::resource));
    });
  }

  void gather_bytes(const void* mine, void* all, std::size_t bytes) override {
    if (!is_started_) {
      std::copy_n(static_cast<const char*>(mine), bytes, static_cast<char*>(all));
      return;
    }
    const int count = static_cast<int>(bytes);
    MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, MPI_COMM_WORLD);
  }
  void broadcast_bytes(int from, void* value, std::size_t bytes) override {
    if (!is_started_) return;
    in_messages(std::span(static_cast<std::byte*>(value), bytes), [from](auto part) {
      MPI_Bcast(part.data(), count_of(part), MPI_BYTE, from, MPI_COMM_WORLD);
    });
  }

  bool is_started_ = false;
  MPI_Comm errors_ = MPI_COMM_NULL;
  RankWatch watch_;
  std::vector<MPI_Request> requests_;  ///< requests of the exchange under way
};

}  // namespace

Ranks& Ranks::world() {
  static MpiRanks ranks;
  return ranks;
}

/// The beginning of what it says of itself: "Open MPI v4.1.4", "MPICH Version: 4.0.2".
std::string mpi_library() {
  char name[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(name, &length);
  std::istringstream words(
      std::string(name, length).substr(0, std::string(name, length).find_first_of(",\n")));
  std::string line, word;
  while (words >> word) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace minimod
