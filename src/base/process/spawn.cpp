#include "src/base/process/spawn.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/process/exit_codes.hpp"
#include "src/base/process/limits.hpp"
#include "src/base/process/threads.hpp"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace minimod {

namespace {

constexpr std::array defaults_apart = {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM};

std::vector<std::string> environment_with(const std::vector<std::string>& settings) {
  std::vector<std::string> all = settings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name(*entry, std::string_view(*entry).find('=') + 1);
    if (std::ranges::none_of(settings, [&](const std::string& s) { return s.starts_with(name); })) {
      all.emplace_back(*entry);
    }
  }
  return all;
}

std::vector<char*> pointers_of(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Objects that POSIX wants to have made and destroyed.
struct FileActions {
  posix_spawn_file_actions_t actions;
  explicit FileActions(const Spawn& how) {
    posix_spawn_file_actions_init(&actions);
    if (how.input < 0) {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    } else {
      posix_spawn_file_actions_adddup2(&actions, how.input, STDIN_FILENO);
    }
    if (how.output >= 0) posix_spawn_file_actions_adddup2(&actions, how.output, STDOUT_FILENO);
    if (how.errors >= 0) posix_spawn_file_actions_adddup2(&actions, how.errors, STDERR_FILENO);
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
};

struct SpawnAttributes {
  posix_spawnattr_t attributes;
  explicit SpawnAttributes(bool apart) {
    posix_spawnattr_init(&attributes);
    if (!apart) return;
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    sigset_t defaults, none;
    sigemptyset(&defaults);
    sigemptyset(&none);
    for (const int signal : defaults_apart) sigaddset(&defaults, signal);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &none);
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes); }
};

}  // namespace

Pipe::Pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    constexpr const char* what = "cannot make a pipe to another program";
    throw shortage(errno, what)
        .value_or(Error(ErrorKind::resource, text(what, ": ", reason(errno)), "close some files"));
  }
  read_end_ = ends[0];
  write_end_ = ends[1];
}

void Pipe::close_end(int& end) {
  if (end >= 0) close(end);
  end = -1;
}

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> arguments;
  const int failure = errno;
  for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  if (!arguments.empty()) return arguments;
  constexpr const char* what = "cannot read this program's own arguments";
  throw shortage(failure, what).value_or(Error(ErrorKind::unavailable, what, "is /proc there?"));
}

int spawn(const Spawn& how, pid_t& process) {
  const FileActions files(how);
  const SpawnAttributes attributes(how.apart);
  const std::vector<std::string> environment = environment_with(how.settings);
  const Unbound unbound;
  return posix_spawnp(&process, how.program.c_str(), &files.actions, &attributes.attributes,
                      pointers_of(how.arguments).data(), pointers_of(environment).data());
}

int become(const Spawn& how) {
  if (how.apart) {
    setpgid(0, 0);
    for (const int signal : defaults_apart) std::signal(signal, SIG_DFL);
  }
  const std::vector<std::string> environment = environment_with(how.settings);
  const Unbound unbound;
  execvpe(how.program.c_str(), pointers_of(how.arguments).data(), pointers_of(environment).data());
  return errno;
}

void end_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::_Exit(exit_code(ErrorKind::stopped));
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_code_of(status);
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace minimod
