/// Runs the program as a user does: its own process, output caught in files.
#pragma once

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace minimod {

/// For `in_child`: threads that wait for each other are slow where other programs run too.
inline void one_thread() {
  setenv("OMP_NUM_THREADS", "1", 1);
}

[[nodiscard]] inline nlohmann::json read_json(const std::filesystem::path& file) {
  return nlohmann::json::parse(std::ifstream(file));
}

struct ProgramResult {
  int exit_code = -1;  ///< negative: the number of the signal that ended it
  std::string out, err;
  double seconds = 0;       ///< time of the processor
  long peak_kibibytes = 0;  ///< peak of memory

  /// A refusal takes no more.
  [[nodiscard]] bool is_cheap() const { return seconds < 1 && peak_kibibytes < 256 << 10; }
};

/// A process of the program in `folder`, whose files out and err it fills.
class ProgramRun {
 public:
  /// `in_child` runs before the program starts, for limits and identities.
  ProgramRun(
      const std::vector<std::string>& arguments, const std::filesystem::path& folder,
      const std::function<void()>& in_child = [] {})
      : out_(folder / "stdout.txt"), err_(folder / "stderr.txt") {
    std::vector<char*> argv{const_cast<char*>(MINIMOD_PROGRAM)};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    process_ = fork();
    if (process_ != 0) return;
    if (freopen(out_.c_str(), "w", stdout) == nullptr || freopen(err_.c_str(), "w", stderr) == nullptr ||
        chdir(folder.c_str()) != 0) {
      _exit(126);
    }
    in_child();
    execv(MINIMOD_PROGRAM, argv.data());
    _exit(127);
  }

  void send(int signal) const { kill(process_, signal); }
  /// Waits until the program is there and catches SIGTERM.
  void wait_for_handlers() const {
    const std::string place = "/proc/" + std::to_string(process_);
    const auto is_there = [&] {
      std::error_code gone;
      if (!std::filesystem::equivalent(place + "/exe", MINIMOD_PROGRAM, gone)) return false;
      std::ifstream status(place + "/status");
      for (std::string line; std::getline(status, line);) {
        if (line.rfind("SigCgt:", 0) == 0)
          return (std::stoull(line.substr(7), nullptr, 16) >> (SIGTERM - 1) & 1) != 0;
      }
      return false;
    };
    while (!is_there()) usleep(500);
  }
  [[nodiscard]] std::string out() const { return content(out_); }

  /// Waits for its end, and removes the two files.
  ProgramResult wait() {
    int status = 0;
    rusage used{};
    wait4(process_, &status, 0, &used);
    const auto seconds_of = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    ProgramResult result{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), content(out_),
                         content(err_), seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
                         used.ru_maxrss};
    std::filesystem::remove(out_);
    std::filesystem::remove(err_);
    return result;
  }

 private:
  static std::string content(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  std::filesystem::path out_, err_;
  pid_t process_;
};

inline ProgramResult run_program(
    const std::vector<std::string>& arguments, const std::filesystem::path& folder,
    const std::function<void()>& in_child = [] {}) {
  return ProgramRun(arguments, folder, in_child).wait();
}

/// The words of a command line, split at blanks.
inline std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

}  // namespace minimod
