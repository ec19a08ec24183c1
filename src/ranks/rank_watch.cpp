#include "src/ranks/rank_watch.hpp"

#include <algorithm>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace minimod {

namespace {

constexpr int grace_of_launcher = 3000;  ///< ms; Open MPI's mpirun takes one second

/// Says which of the first `count` have ended, each a pidfd or -1, where `timeout` ms bring one.
std::vector<bool> ended_of(std::vector<pollfd>& watched, std::size_t count, int timeout) {
  while (poll(watched.data(), watched.size(), timeout) < 0) {
  }
  std::vector<bool> ended(count);
  for (std::size_t i = 0; i < count; ++i) ended[i] = watched[i].revents != 0;
  return ended;
}

void watch_processes(const std::vector<pid_t>& processes, int mine, int end,
                     const std::function<void(int)>& lost) {
  const std::size_t count = processes.size();
  std::vector<pollfd> watched;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_other = static_cast<int>(i) != mine;
    const long file = is_other ? syscall(SYS_pidfd_open, processes[i], 0) : -1;
    watched.push_back({static_cast<int>(file), POLLIN, 0});
  }
  watched.push_back({end, POLLIN, 0});
  std::vector<bool> ended = ended_of(watched, count, -1);
  pollfd of_end{end, POLLIN, 0};
  if (watched.back().revents == 0 && poll(&of_end, 1, grace_of_launcher) == 0) {
    ended = ended_of(watched, count, 0);
    const bool is_first = std::find(ended.begin(), ended.begin() + mine, false) == ended.begin() + mine;
    lost(is_first ? static_cast<int>(std::ranges::find(ended, true) - ended.begin()) : -1);
  }
  for (const pollfd& file : watched) {
    if (file.fd >= 0 && file.fd != end) close(file.fd);
  }
}

}  // namespace

void RankWatch::start(const std::vector<pid_t>& processes, int mine, std::function<void(int)> lost) {
  end_ = eventfd(0, EFD_CLOEXEC);
  if (end_ < 0) return;
  thread_ = std::thread(watch_processes, processes, mine, end_, std::move(lost));
}

void RankWatch::end() {
  if (!thread_.joinable()) return;
  eventfd_write(end_, 1);
  thread_.join();
  close(end_);
}

unsigned long process_namespace() {
  struct stat of {};
  return stat("/proc/self/ns/pid", &of) == 0 ? of.st_ino : 0;
}

}  // namespace minimod
