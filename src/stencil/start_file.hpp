/// A dataset of a file that an input starts from.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "src/base/extents.hpp"
#include "src/base/reals.hpp"
#include "src/stencil/language/specification.hpp"

namespace minimod::stencil {

/// Values [z, y, x] of an HDF5 file, which is read when it is first needed. For several threads.
class StartFile {
 public:
  /// `name`: "FILE[:/DATASET]", from `folder` where it does not begin with /; the dataset is `array`
  /// otherwise.
  StartFile(std::string name, const std::filesystem::path& folder, const std::string& array);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Errors: 65 no dataset of three axes with at most `longest` points each, 66, 77.
  [[nodiscard]] Extent3 extent() const;
  /// Reads all of it, once. Errors: those of extent(), 71.
  void load() const;
  /// When it has been loaded: what it has at a point of a grid of `n` points, or nearest to it where grid and
  /// file differ, and around the grid.
  [[nodiscard]] double at(Index3 point, Extent3 n) const;

 private:
  static constexpr int longest = 1 << 20;

  std::string name_;
  std::filesystem::path file_;
  std::string dataset_;
  mutable std::mutex mutex_;
  mutable Extent3 extent_;
  mutable Reals values_;
};

/// The points of the files that inputs start from; nothing where none does. Errors: those of
/// StartFile::extent, 65 files of several grids.
[[nodiscard]] std::optional<Extent3> grid_of_files(const Specification& specification);

}  // namespace minimod::stencil
