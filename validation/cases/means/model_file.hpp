/// A model file for a case.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kernels/grid.hpp"
#include "validation/cases/means/hdf5_writer.hpp"

namespace minimod {

/// /vp [z, y, x] of that many nodes, `spacing` m apart. The file's name.
inline std::string write_model(const std::filesystem::path& file, Extent3 n, double spacing,
                               const std::function<float(Index3)>& velocity) {
  std::vector<float> values;
  values.reserve(n.points());
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) values.push_back(velocity({x, y, z}));
    }
  }
  const Hdf5Writer writer(file);
  const hdf5::Handle dataset =
      writer.dataset("vp", {static_cast<hsize_t>(n.z), static_cast<hsize_t>(n.y), static_cast<hsize_t>(n.x)},
                     values, H5T_IEEE_F32LE);
  Hdf5Writer::attribute(dataset, "spacing", std::vector{spacing, spacing, spacing});
  return file.string();
}

}  // namespace minimod
