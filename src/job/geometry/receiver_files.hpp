/// A file of receivers for each shot, whose names have the shot's number in them.
#pragma once

#include <string>

namespace minimod {

/// "receivers_%05d.csv": a name with one place for a number, which is never a format of printf.
class FilePattern {
 public:
  /// Whether `spec` has such a place, right or wrong.
  [[nodiscard]] static bool is_one(const std::string& spec) { return spec.find('%') != std::string::npos; }

  /// Error 64 for anything but one %d or %0Nd, N from 1 to 9.
  explicit FilePattern(const std::string& spec);

  /// The name for shot `number`, with zeros in front where it has fewer digits than the place.
  [[nodiscard]] std::string name(int number) const;

 private:
  std::string before_, after_;
  std::size_t digits_ = 1;
};

}  // namespace minimod
