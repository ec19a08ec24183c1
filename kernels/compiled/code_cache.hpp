/// Compiled code of shapes, kept between runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace minimod {

/// A folder of machine code, a file for each key. What is damaged, or not of this user alone, is as if it
/// were not there; a folder that cannot be written keeps nothing.
class CodeCache {
 public:
  /// An empty name keeps nothing.
  explicit CodeCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// compiled_shapes in ~/.cache/minimod or below $XDG_CACHE_HOME; nothing where neither is set.
  [[nodiscard]] static CodeCache of_user();

  /// The code that was kept under that key, 64 hexadecimal digits.
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;
  void keep(const std::string& key, std::string_view code) const;

  /// Where a text about something that could not be compiled goes; empty where it went nowhere.
  [[nodiscard]] std::filesystem::path keep_log(const std::string& name, std::string_view text) const;

 private:
  [[nodiscard]] bool make_folder() const;

  std::filesystem::path folder_;
};

}  // namespace minimod
