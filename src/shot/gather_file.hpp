/// What writing and reading a gather's file share, and the temporary file that becomes it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "src/base/error.hpp"
#include "src/shot/gather.hpp"

namespace minimod::gather_file {

/// Text of the root's attribute "format".
inline constexpr std::string_view format_name = "minimod shot gather 1";
inline constexpr std::string_view sections_format_name = "minimod model sections 1";

/// In quotes, printable and cut to a line's share.
[[nodiscard]] std::string shown(const std::filesystem::path& path);

/// The system's words for `error`, a value of errno.
[[nodiscard]] std::string reason(int error);

/// Exit code 74.
[[nodiscard]] Error write_error(const std::filesystem::path& file, const std::string& what);

/// Refuses a name that no file can have and a file that stands in the way of the new one.
void check_target(const std::filesystem::path& file, bool overwrite);

/// An empty file next to `target`, which is removed unless it has been renamed to it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile(TemporaryFile&&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() { remove_temporary(); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Puts the file on disk and gives it its name.
  void publish();

 private:
  void sync(const std::filesystem::path& path, int flags) const;

  std::filesystem::path target_, path_;
};

}  // namespace minimod::gather_file
