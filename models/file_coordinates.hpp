/// Where a model lies in the coordinates of its file: those of a map, say.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// A shift and a turn about z. Lengths in m.
struct FileCoordinates {
  Point3 origin;  ///< the model's (0, 0, 0) in the file's coordinates
  double x_axis[2] = {1,
                      0};  ///< direction of the model's x axis there, of length 1; its y axis is (-[1], [0])

  [[nodiscard]] Point3 to_file(Point3 model) const;
  [[nodiscard]] Point3 to_model(Point3 file) const;
};

}  // namespace minimod
