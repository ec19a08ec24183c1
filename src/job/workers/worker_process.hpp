/// A process that runs shots on one device, as the process that began them (worker_pool.hpp) asks for them;
/// or the ranks that do so together, of which the first one hears and speaks.
///
/// The process reads from stdin a JSON object, then numbers of selected shots with the hash of each one's
/// configuration, a line each, until its end. On stdout it says what it does, a JSON object a line:
///
///     {"ready": "NVIDIA H200", …}
///     {"begun": 17}   {"steps": 640}   {"computed": 17}
///     {"finished": 17, …}
///     {"failed": 17, "code": 65, "what": "…"}
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "src/base/error.hpp"
#include "src/job/shot/configuration.hpp"
#include "src/job/workers/worker_pool.hpp"
#include "src/ranks/ranks.hpp"

namespace minimod {

/// Role of this process by its environment: a worker on that device ("cpu:0", "cuda:1"), or a rank of one, or
/// nothing. Its parent's number is there, too: a worker whose parent has gone ends at once, and so does a
/// rank without mpirun.
[[nodiscard]] std::optional<std::string> worker_device(const Ranks& ranks);

/// "MINIMOD_WORKER=…" for the environment of a worker of this process.
[[nodiscard]] std::string worker_environment(const std::string& device);

/// First words of the parent, an object with those names; null where the parent has ended before. Error 74.
[[nodiscard]] Json first_message(Ranks& ranks, std::initializer_list<const char*> names);
/// The next of the shots that are ordered; nothing when there are no more.
[[nodiscard]] std::optional<OrderedShot> next_shot(Ranks& ranks);

/// Says a line to its parent.
void say(const Json& message);
/// Says that a shot has failed.
void say_failed(int index, const Error& error);

/// Error 65 where the parent, which read the same files before, came to another configuration.
void require_same(const std::string& hash, const Configuration& here);

}  // namespace minimod
