/// The winners of `minimod tune`, which `--kernel auto` tries beside its own sets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/extents.hpp"
#include "src/base/precision.hpp"
#include "src/choice/cache_file.hpp"

namespace minimod {

/// Subject and result of a tuning.
struct TunedTile {
  std::string device;  ///< name of the GPU
  int order = 0;
  Precision precision = Precision::float32;
  std::string family;
  Extent3 grid;
  std::string kernel;    ///< the fastest tile
  double gpt_per_s = 0;  ///< rate of its inner kernel
};

/// Results of all tunings on this machine, the last of each family on each grid.
class TunedTiles {
 public:
  explicit TunedTiles(std::filesystem::path file);
  [[nodiscard]] static TunedTiles of_user();

  void keep(const TunedTile& tile) const;
  /// Tiles for a GPU, an order and a precision, each once, the fastest first, `most_tuned` at most; only such
  /// as some GPU runs.
  [[nodiscard]] std::vector<std::string> fastest(const std::string& device, int order,
                                                 Precision precision) const;

 private:
  CacheFile file_;
};

/// A trial takes some steps for each.
inline constexpr std::size_t most_tuned = 4;

}  // namespace minimod
