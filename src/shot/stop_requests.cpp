#include "src/shot/stop_requests.hpp"

#include <csignal>
#include <string_view>

#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/output_file.hpp"

namespace minimod {

namespace {

volatile std::sig_atomic_t stop_signal = 0;

void set(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, handler);
}

}  // namespace

StopRequests::StopRequests() {
  set([](int number) { stop_signal = number; });
}

StopRequests::~StopRequests() {
  set(SIG_DFL);
}

bool StopRequests::came() {
  return stop_signal != 0;
}

void StopRequests::check(int steps_done, int steps) {
  if (!came()) return;
  throw Error(ExitCode::stopped, text("stopped by a signal after step ", steps_done, " of ", steps),
              "nothing was written; run it again");
}

void StopRequests::stop_at_once() {
  set([](int) {
    constexpr std::string_view line = "minimod: error: stopped by a signal while writing; run it again\n";
    remove_temporaries();
    static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()) == 0);
    _exit(static_cast<int>(ExitCode::stopped));
  });
}

}  // namespace minimod
