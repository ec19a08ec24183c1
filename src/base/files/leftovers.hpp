/// Files and folders that must not stay behind where a signal ends the process.
#pragma once

namespace minimod {

/// Names one of them while it lives. A process has a few dozen at most; those beyond stay behind.
class Leftover {
 public:
  /// `path` must last as long; a folder comes before what is in it.
  explicit Leftover(const char* path);
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;
  ~Leftover();

 private:
  const char* path_;
};

/// Removes what is named now, folders where they are empty. Safe in a signal handler.
void remove_leftovers() noexcept;

}  // namespace minimod
