#include "models/file_coordinates.hpp"

namespace minimod {

Point3 FileCoordinates::to_file(Point3 model) const {
  const auto [cosine, sine] = x_axis;
  return {origin.x + cosine * model.x - sine * model.y, origin.y + sine * model.x + cosine * model.y,
          origin.z + model.z};
}

Point3 FileCoordinates::to_model(Point3 file) const {
  const auto [cosine, sine] = x_axis;
  const double x = file.x - origin.x, y = file.y - origin.y;
  return {cosine * x + sine * y, cosine * y - sine * x, file.z - origin.z};
}

}  // namespace minimod
