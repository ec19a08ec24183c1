#include "src/base/process/progress.hpp"

#include <cstdio>
#include <string>
#include <utility>

#include <unistd.h>

namespace minimod {

namespace {
constexpr int bar_width = 30;
constexpr std::chrono::milliseconds terminal_interval{100};
constexpr std::chrono::seconds plain_interval{10};

bool stands = false;  ///< a bar stands on the terminal, behind which nothing else is written
}  // namespace

Progress::Progress(std::int64_t steps, std::int64_t points, std::int64_t first, const char* what)
    : steps_(steps),
      first_(first),
      points_(static_cast<double>(points)),
      what_(what),
      terminal_(isatty(STDERR_FILENO) == 1) {
  next_ = start_ + (terminal_ ? Clock::duration(terminal_interval) : Clock::duration(plain_interval));
}

Progress::~Progress() {
  break_line();
}

void Progress::break_line() {
  if (std::exchange(stands, false)) std::fputc('\n', stderr);
}

void Progress::update(std::int64_t steps_done, const std::string& note) {
  const auto now = Clock::now();
  const bool last_of_bar = terminal_ && shown_ && steps_done == steps_;
  if (now < next_ && !last_of_bar) return;
  next_ = now + (terminal_ ? Clock::duration(terminal_interval) : Clock::duration(plain_interval));
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const auto done_now = static_cast<double>(steps_done - first_);
  const double rate = done_now * points_ / seconds * 1e-9;
  char rate_text[32] = "";
  if (points_ > 0) std::snprintf(rate_text, sizeof rate_text, "%.3g Gpt/s  ", rate);
  const double left = seconds / done_now * static_cast<double>(steps_ - steps_done);
  if (terminal_) {
    stands = true;
    const int filled = static_cast<int>(bar_width * steps_done / steps_);
    const std::string bar = std::string(filled, '#') + std::string(bar_width - filled, '.');
    std::fprintf(stderr, "\r[%s] %lld/%lld  %s%sETA %.0f s \033[K", bar.c_str(),
                 static_cast<long long>(steps_done), static_cast<long long>(steps_), note.c_str(), rate_text,
                 left);
  } else {
    std::fprintf(stderr, "%s %lld/%lld  %s%sETA %.0f s\n", what_, static_cast<long long>(steps_done),
                 static_cast<long long>(steps_), note.c_str(), rate_text, left);
  }
}

}  // namespace minimod
