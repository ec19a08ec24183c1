/// Whether the other ranks of this machine live: not every launcher ends them all when one dies.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace minimod {

class RankWatch {
 public:
  RankWatch() = default;
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;
  ~RankWatch() { end(); }

  /// Looks after `processes`, of which this one is `mine`. Where one ends before the watch does, and the
  /// launcher has not ended all within three seconds, `lost` is called, in a thread of the watch's own, with
  /// its place among them, or -1 where one before this one calls it, too.
  void start(const std::vector<pid_t>& processes, int mine, std::function<void(int)> lost);
  /// Before this process ends.
  void end();

 private:
  std::thread thread_;
  int end_ = -1;  ///< an eventfd that is written to when the watch ends
};

/// The number of the namespace that process numbers are of; those of two containers are not to be compared.
[[nodiscard]] unsigned long process_namespace();

}  // namespace minimod
