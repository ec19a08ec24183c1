#include "src/base/progress.hpp"

#include <cstdio>
#include <string>

#include <unistd.h>

namespace minimod {

namespace {
constexpr int bar_width = 30;
constexpr std::chrono::milliseconds terminal_interval{100};
constexpr std::chrono::seconds plain_interval{10};
}  // namespace

Progress::Progress(int steps, std::int64_t points)
    : steps_(steps), points_(static_cast<double>(points)), terminal_(isatty(STDERR_FILENO) == 1) {
  next_ = start_ + (terminal_ ? Clock::duration(terminal_interval) : Clock::duration(plain_interval));
}

Progress::~Progress() {
  if (terminal_ && shown_) std::fputc('\n', stderr);
}

void Progress::update(int steps_done) {
  const auto now = Clock::now();
  const bool last_of_bar = terminal_ && shown_ && steps_done == steps_;
  if (now < next_ && !last_of_bar) return;
  next_ = now + (terminal_ ? Clock::duration(terminal_interval) : Clock::duration(plain_interval));
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = steps_done * points_ / seconds * 1e-9;
  const double left = seconds / steps_done * (steps_ - steps_done);
  if (terminal_) {
    const int filled = static_cast<int>(std::int64_t{bar_width} * steps_done / steps_);
    const std::string bar = std::string(filled, '#') + std::string(bar_width - filled, '.');
    std::fprintf(stderr, "\r[%s] %d/%d  %.3g Gpt/s  ETA %.0f s \033[K", bar.c_str(), steps_done, steps_, rate,
                 left);
  } else {
    std::fprintf(stderr, "step %d/%d  %.3g Gpt/s  ETA %.0f s\n", steps_done, steps_, rate, left);
  }
}

}  // namespace minimod
