/// Opening and reading a file from outside, with the exit codes that a wrong path deserves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "src/base/error.hpp"

namespace minimod {

/// A regular file open for reading.
class InputFile {
 public:
  /// Errors: 66 missing, a directory or no regular file; 77 unreadable.
  explicit InputFile(std::filesystem::path path);
  InputFile(const InputFile&) = delete;
  InputFile(InputFile&&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// In bytes, when the file was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Fills `bytes` from `offset` on. Errors: 74 when reading fails or the file has shrunk meanwhile.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

/// Error 65 about the content of a file.
[[nodiscard]] Error file_error(const std::filesystem::path& path, const std::string& wrong,
                               const std::string& remedy);

}  // namespace minimod
