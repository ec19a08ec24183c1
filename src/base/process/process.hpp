/// Processes that there are, and their machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace minimod {

[[nodiscard]] std::string host_name();

/// Where a number of a process means what it means here: machine, its start, namespace of processes.
[[nodiscard]] std::string place_of_processes();

/// Whether it has ended on this machine, also where its parent has not asked for its exit code.
[[nodiscard]] bool has_ended(pid_t process);

/// When it began, in ticks since the machine's start; empty where that is not known. Two processes that had
/// one number after each other differ in it.
[[nodiscard]] std::string beginning_of(pid_t process);

/// Processes that it has started and that have not ended; none where the system does not tell.
[[nodiscard]] std::optional<std::vector<pid_t>> living_children(pid_t process);

/// Whether it runs the very file that this process runs, as far as the system tells.
[[nodiscard]] bool runs_this_program(pid_t process);

}  // namespace minimod
