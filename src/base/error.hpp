/// The one error that host code throws; only `main` catches it.
#pragma once

#include <filesystem>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace minimod {

/// Kinds of errors. Comments name a kind by the code that the program ends with, "Error 65".
enum class ErrorKind {
  none,
  parameter,      ///< 64: an option or an argument is wrong, or contradicts another
  data,           ///< 65: a file's content or the physics is wrong
  missing_input,  ///< 66: a file is not there or not a file
  unavailable,    ///< 69: device, driver or tool
  internal,       ///< 70: a bug of ours
  resource,       ///< 71: memory or a device resource
  cannot_create,  ///< 73: the output cannot be made
  io,             ///< 74: reading or writing failed midway
  stopped,        ///< 75: by a signal, such as SIGTERM
  permission,     ///< 77
};

/// An error: what went wrong (with the value and the limit) and what to do instead, one line for the user.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& what, const std::string& remedy)
      : std::runtime_error(remedy.empty() ? what : what + "; " + remedy), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// All arguments after each other as text; numbers with the digits that a person reads (%g).
template <class... Args>
[[nodiscard]] std::string text(const Args&... args) {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  (stream << ... << args);
  return stream.str();
}

/// `raw` with every byte that is not printable ASCII written as \xNN and cut to `limit` characters: what
/// comes from a file or the command line stands in one line of a terminal.
[[nodiscard]] std::string escaped(std::string_view raw, std::size_t limit = 80);

/// `path` in quotes, escaped and cut to 80 characters: how messages name a file.
[[nodiscard]] std::string shown(const std::filesystem::path& path);

/// The system's words for `error`, a value of errno.
[[nodiscard]] std::string reason(int error);

/// The `count` entries of `names` that `name` was most likely meant to be, joined by ", ": first those that
/// begin like it, by edit distance; of equally near ones those that end there, then those that stand first.
[[nodiscard]] std::string nearest_names(std::string_view name, const std::vector<std::string>& names,
                                        std::size_t count = 3);

}  // namespace minimod
