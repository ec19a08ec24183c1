/// Bytes that a process keeps on disk for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace minimod {

/// A file without a name, which goes with the process, however that ends.
class ScratchFile {
 public:
  /// With room for so many bytes, where the file system can promise that. Errors: 73 a folder that is not
  /// there or not to be written, 74 too little room, 77.
  ScratchFile(const std::filesystem::path& folder, std::uint64_t bytes);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  /// Error 74.
  void write(std::uint64_t at, std::span<const std::byte> bytes);
  /// Takes what was written there. Error 74.
  void read(std::uint64_t at, std::span<std::byte> bytes) const;

 private:
  std::filesystem::path folder_;
  int descriptor_ = -1;
};

/// Bytes that the file system of a folder has left. Error 73 a folder that is not there.
[[nodiscard]] std::uint64_t room_in(const std::filesystem::path& folder);

}  // namespace minimod
