#include "src/base/process/stop_requests.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/files/leftovers.hpp"
#include "src/base/process/exit_codes.hpp"

namespace minimod {

namespace {

constexpr std::array stop_signals = {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGXCPU};

volatile std::sig_atomic_t stop_was_noted = 0;
std::atomic<const char*> last_line = nullptr;
std::atomic<int> told_too = 0;  // a process; 0: none
std::atomic<int> told_by = 0;

void print(const char* words) {
  static_cast<void>(::write(STDERR_FILENO, words, std::strlen(words)) == 0);
}

void tell_other() {
  if (const int process = told_too; process != 0) kill(process, told_by);
}

void leave_process(int /*signal*/) {
  tell_other();
  remove_leftovers();
  if (const char* const line = last_line) {
    print("minimod: error: ");
    print(line);
    print("\n");
  }
  _exit(exit_code(ErrorKind::stopped));
}

void note_stop(int /*signal*/) {
  stop_was_noted = 1;
  tell_other();
}

sigset_t set_of_stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : stop_signals) sigaddset(&set, signal);
  return set;
}

void handle_with(void (*handler)(int)) {
  for (const int signal : stop_signals) {
    struct sigaction present {};
    if (signal == SIGHUP && sigaction(signal, nullptr, &present) == 0 && present.sa_handler == SIG_IGN)
      continue;
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    action.sa_mask = set_of_stop_signals();
    sigaction(signal, &action, nullptr);
  }
  const sigset_t all = set_of_stop_signals();
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
}

}  // namespace

void StopRequests::end_at_once(const char* line) {
  last_line = line;
  handle_with(leave_process);
}

void StopRequests::note() {
  handle_with(note_stop);
}

void StopRequests::tell(int process, int by_signal) {
  told_by = by_signal;
  told_too = process;
}

bool StopRequests::came() {
  return stop_was_noted != 0;
}

}  // namespace minimod
