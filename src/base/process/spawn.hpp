/// Starting other programs, with pipes to them.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace minimod {

/// Both ends of a pipe, of which a program that is started has those that it is given alone.
class Pipe {
 public:
  /// Error 71.
  Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() { close_both(); }

  [[nodiscard]] int read_end() const { return read_end_; }
  [[nodiscard]] int write_end() const { return write_end_; }
  void close_read_end() { close_end(read_end_); }
  void close_write_end() { close_end(write_end_); }

 private:
  static void close_end(int& end);
  void close_both() {
    close_read_end();
    close_write_end();
  }

  int read_end_ = -1, write_end_ = -1;
};

/// The arguments that this program was started with, its name first. Errors: 69, 71 where they cannot be
/// read.
[[nodiscard]] std::vector<std::string> own_arguments();

/// How a program is started.
struct Spawn {
  std::string program;                 ///< a path, or a name on PATH
  std::vector<std::string> arguments;  ///< the first is what it is called
  std::vector<std::string> settings;   ///< "NAME=value", in place of what the environment says
  int input = -1;                      ///< -1: /dev/null
  int output = -1, errors = -1;        ///< -1: as those of this process
  bool apart = false;  ///< in a process group of its own, signals doing there what they do by default
};

/// Gives `process` its number. Returns errno, or 0.
[[nodiscard]] int spawn(const Spawn& how, pid_t& process);

/// The program takes the place of this process, with its number, input and output, and with the signal that
/// it gets when its parent ends. Returns errno where it cannot.
[[nodiscard]] int become(const Spawn& how);

/// This process is killed when its parent ends, however that ends, and so is what takes its place. `parent`:
/// the number of the parent, which has ended already where this process has another.
void end_with_parent(pid_t parent);

/// Waits for its end. Returns its exit code, or the negative number of the signal that ended it.
int wait_for(pid_t process);
/// The same of the status that the system gives.
[[nodiscard]] int exit_code_of(int status);

}  // namespace minimod
