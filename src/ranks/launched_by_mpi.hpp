/// Whether this process is one of several that mpirun, srun or the like has started.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace minimod {

/// How many processes the launcher says to have started: 1 without one, 0 where it does not say. Open MPI,
/// MPICH and Intel MPI (PMI), and Slurm's steps under PMIx or PMI-2.
[[nodiscard]] inline int launched_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}) {
    if (const char* value = std::getenv(name)) return std::max(1, std::atoi(value));
  }
  const bool is_step = std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr;
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  return !is_step ? 1 : tasks != nullptr ? std::max(1, std::atoi(tasks)) : 0;
}

/// Number of tasks that srun has started with a process that is alone, and that do not know of each other, as
/// without --mpi (Slurm's default is `none`).
[[nodiscard]] inline int tasks_apart() {
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  return launched_processes() > 1 || tasks == nullptr ? 1 : std::max(1, std::atoi(tasks));
}

}  // namespace minimod
