/// A cache between runs: a JSON file in the user's cache, of entries by a key that names all that they depend
/// on.
#pragma once

#include <filesystem>
#include <string>

#include "src/base/json.hpp"

namespace minimod {

/// A file that is not there, not readable or of another kind has no entries; what cannot be written is not
/// kept.
class CacheFile {
 public:
  /// `schema`: what kind of file it is; `name`: of the member that has the entries.
  CacheFile(std::filesystem::path file, std::string schema, std::string name)
      : file_(std::move(file)), schema_(std::move(schema)), name_(std::move(name)) {}

  /// $XDG_CACHE_HOME/minimod/<file>, or under ~/.cache; empty where there is no home.
  [[nodiscard]] static std::filesystem::path of_user(const char* file);

  /// All entries, an object.
  [[nodiscard]] Json entries() const;
  void keep(const std::string& key, const Json& entry) const;

 private:
  std::filesystem::path file_;
  std::string schema_, name_;
};

/// A member of an entry; "" or 0 where it has none of that kind.
[[nodiscard]] std::string text_in(const Json& entry, const char* name);
[[nodiscard]] double number_in(const Json& entry, const char* name);

}  // namespace minimod
