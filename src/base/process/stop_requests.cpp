#include "src/base/process/stop_requests.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <vector>

#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/files/leftovers.hpp"
#include "src/base/process/exit_codes.hpp"
#include "src/base/process/process.hpp"

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

/// The process, if it runs this program, or those below it that do. What these have started hears of them.
std::vector<pid_t> of_this_program(pid_t process) {
  if (runs_this_program(process)) return {process};
  std::vector<pid_t> all;
  for (const pid_t child : living_children(process).value_or(std::vector<pid_t>())) {
    const std::vector<pid_t> below = of_this_program(child);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

/// Whether the process runs this program, or has a child that lives; so, too, where the system does not tell.
bool is_at_work(pid_t process) {
  if (runs_this_program(process)) return true;
  const auto children = living_children(process);
  return !children || !children->empty();
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

void StopHandedOn::go_on() {
  const auto now = std::chrono::steady_clock::now();
  if (told_.empty() || is_at_work(process_)) alive_ = now;
  std::vector<pid_t> all = of_this_program(process_);
  if (told_.empty() && all.empty()) all.push_back(process_);
  for (const pid_t one : all) {
    if (told_.insert(one).second) kill(one, SIGUSR1);
  }
  if (now - alive_ > std::chrono::seconds(5)) kill(process_, SIGKILL);
}

}  // namespace minimod
