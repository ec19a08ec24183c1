#include "src/roofline/child_process.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/exit_codes.hpp"
#include "src/base/process/limits.hpp"
#include "src/base/process/spawn.hpp"
#include "src/base/timer.hpp"

namespace minimod {

namespace {

constexpr double grace = 5;  ///< seconds between the request to end and the end

volatile std::sig_atomic_t child_group = 0;

void end_with_child(int /*signal*/) {
  constexpr std::string_view line = "minimod: error: stopped by a signal under a profiler; run it again\n";
  kill(-static_cast<pid_t>(child_group), SIGKILL);
  static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()) == 0);
  _exit(exit_code(ErrorKind::stopped));
}

/// SIGINT and SIGTERM end the child too while it lives; it is in a group that the terminal does not reach.
class SignalsReachChild {
 public:
  explicit SignalsReachChild(pid_t group) {
    child_group = group;
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, end_with_child);
  }
  SignalsReachChild(const SignalsReachChild&) = delete;
  SignalsReachChild& operator=(const SignalsReachChild&) = delete;
  ~SignalsReachChild() {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  }
};

pid_t start(const std::vector<std::string>& command, int output) {
  pid_t child = 0;
  const int failure = spawn({command[0], command, {}, -1, output, output, true}, child);
  if (failure == 0) return child;
  const std::string what = text("cannot start ", escaped(command[0]));
  throw shortage(failure, what)
      .value_or(Error(ErrorKind::unavailable, text(what, ": ", reason(failure)), "is it a program?"));
}

/// Appends what comes within `seconds`; false at the end of the stream.
bool read_some(int from, double seconds, std::string& output) {
  pollfd watched{from, POLLIN, 0};
  if (poll(&watched, 1, static_cast<int>(seconds * 1e3)) <= 0) return true;
  std::array<char, 4096> buffer;
  const ssize_t bytes = read(from, buffer.data(), buffer.size());
  if (bytes > 0) output.append(buffer.data(), static_cast<std::size_t>(bytes));
  return bytes > 0;
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& command, double limit) {
  Pipe pipe;
  const pid_t child = start(command, pipe.write_end());
  pipe.close_write_end();
  const SignalsReachChild signals(child);
  const Timer timer;
  constexpr double turn = 0.05;
  ChildResult result;
  int status = 0;
  bool open = true;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (open) {
      open = read_some(pipe.read_end(), turn, result.output);
    } else {
      usleep(static_cast<useconds_t>(turn * 1e6));
    }
    if (!result.timed_out && timer.seconds() > limit) {
      result.timed_out = true;
      kill(-child, SIGINT);
    }
    if (timer.seconds() > limit + grace) kill(-child, SIGKILL);
  }
  if (result.timed_out) kill(-child, SIGKILL);  // children of the child, too
  std::size_t before = 0;
  do {  // rest of the pipe; a grandchild that holds it open says no more
    before = result.output.size();
    open = open && read_some(pipe.read_end(), 0, result.output);
  } while (open && result.output.size() > before);
  result.exit_code = exit_code_of(status);
  return result;
}

std::string find_program(const std::string& name, const std::vector<std::string>& folders) {
  const char* const path = std::getenv("PATH");
  std::vector<std::string> all;
  for (const std::string_view folder : split(path == nullptr ? "" : path, ':')) all.emplace_back(folder);
  all.insert(all.end(), folders.begin(), folders.end());
  for (const std::string& folder : all) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0)
      return file.string();
  }
  return "";
}

}  // namespace minimod
