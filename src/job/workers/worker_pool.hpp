/// The processes that run shots: one a device, each with a shot in hand, and with one to go on with where it
/// writes the first while it computes that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "src/base/json.hpp"

namespace minimod {

/// How often a shot is begun whose worker ends under it.
inline constexpr int most_attempts = 3;
/// How often a worker is started that others kill before it is ready.
inline constexpr int most_starts = 2;

/// Ordered in place of a shot: the one before is to be ended first.
inline constexpr int no_shot = -1;

/// A shot to run.
struct OrderedShot {
  int index = 0;              ///< among the selected
  std::string configuration;  ///< hash of the configuration, which the worker must come to by itself
};

struct WorkerSpec {
  std::string device;  ///< "cpu:0", "cuda:1", "cuda:2,3" for ranks
  int threads = 0;     ///< threads of the CPU; 0: as many as there are
};

/// Outcome of a shot.
struct ShotOutcome {
  Json finished;     ///< the worker's words (worker_process.hpp); null when it failed
  int code = 0;      ///< exit code of a failure
  std::string what;  ///< words of a failure
  int attempts = 1;
  std::string device;
};

class WorkerPool {
 public:
  /// Starts this program anew, with its own arguments, as a worker for each spec. `first_line` is what each
  /// reads first. A worker has `in_hand` shots at most, one or two. Error 69, 71 a process that cannot be
  /// started.
  WorkerPool(const std::vector<WorkerSpec>& specs, const std::string& first_line, std::size_t in_hand);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  /// Ends those that still run.
  ~WorkerPool();

  struct Callbacks {
    std::function<void(const std::string& device, const Json& ready)> ready;
    std::function<void(int shot, const ShotOutcome&)> ended;
  };

  /// Runs the shots, each of `steps` steps of `points` points, and shows how far they are, as Progress has
  /// it. A worker that ends under a shot is started anew, and the shot begun again, up to most_attempts times
  /// in all, alone in its worker, so that no other shot pays for it. How many have ended: all, unless
  /// StopRequests noted a signal; then the workers have left checkpoints. Errors: the exit code of the last
  /// worker when none can go on.
  [[nodiscard]] std::size_t run(std::deque<OrderedShot> shots, int steps, std::int64_t points,
                                const Callbacks& callbacks);

 private:
  struct Worker;
  void start(Worker& worker) const;
  void hand_out(Worker& worker);
  static void settle(Worker& worker);
  void read(Worker& worker);
  void hear(Worker& worker, const Json& message);
  void end_shot(int shot, const ShotOutcome& outcome);
  void bury(Worker& worker);
  void take_back(Worker& worker, int code);
  [[nodiscard]] bool is_suspect(int shot) const { return deaths_.contains(shot); }
  [[nodiscard]] bool listen(int milliseconds);
  void stop();
  void wait_for_all();
  [[nodiscard]] bool is_busy() const;
  [[nodiscard]] double shots_under_way() const;

  std::vector<std::unique_ptr<Worker>> workers_;
  std::string first_line_;
  std::size_t most_in_hand_;
  std::deque<OrderedShot> waiting_;
  std::map<int, int> deaths_;  ///< deaths of workers under a shot
  std::size_t ended_ = 0;      ///< shots that have ended
  int steps_ = 0, last_code_ = 0;
  std::string last_end_;  ///< end of a worker, in words
  bool last_has_spoken_ = false, is_stopping_ = false;
  const Callbacks* callbacks_ = nullptr;
};

}  // namespace minimod
