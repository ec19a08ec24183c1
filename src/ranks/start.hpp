/// How a run comes to its ranks.
#pragma once

#include <string>

#include "src/ranks/rank_options.hpp"

namespace minimod {

/// For a process that is one of several: the first one alone writes to stdout and the ordinary lines to
/// stderr, and on a CPU the ranks that have the same cores share them, where OMP_NUM_THREADS does not say
/// otherwise. Before Kokkos starts.
void settle_rank(Ranks& ranks);

/// Before the program ends well. Tells the process that waits for the ranks, if there is one.
void end_ranks_well(Ranks& ranks);

/// With --ranks and no mpirun, has mpirun start this program anew, so often, with the same arguments, waits
/// for it, hands requests to stop on to the ranks, and ends with its code. Errors: 64 another number than
/// mpirun has started, or options for ranks where there are none; 69 a program without MPI or without mpirun,
/// or one of several tasks that srun has started without MPI, unless --ranks is 1.
void start_ranks(const RankOptions& options, const Ranks& ranks);

/// This process becomes mpirun, which starts the program anew, so often, with the same arguments,
/// environment, stdin (of the first rank) and stdout, and with what this process gets when its parent ends.
/// Error 69.
[[noreturn]] void become_ranks(int count);

/// Errors where the program cannot start `count` ranks, which `option` asks for: 69 no MPI, 64 more than this
/// machine's threads can serve.
void require_ranks(int count, const std::string& option);

/// Error 64 where options are for ranks and there are none; `parent` is the option that would ask for some.
void refuse_without_ranks(const RankOptions& options, const std::string& parent);

/// All that this process was called with, a word a line: the same on all ranks of one run.
[[nodiscard]] std::string words_of_call();

/// Error 64 where mpirun has started other programs, or this one for another run. `run`: words that say
/// which.
void require_one_run(const std::string& run, Ranks& ranks);

}  // namespace minimod
