#include "validation/cases/means/homogeneous_shot.hpp"

#include <cmath>

#include "validation/cases/means/ricker_error.hpp"

namespace minimod {

double distance(Point3 a, Point3 b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

std::vector<double> HomogeneousShot::trace(Point3 receiver, const std::vector<double>& times) const {
  const double r = distance(source, receiver);
  std::vector<double> values;
  values.reserve(times.size());
  for (const double t : times) values.push_back(point_source(r, velocity, t, frequency, t0));
  return values;
}

std::vector<double> HomogeneousShot::trace_under_surface(Point3 receiver,
                                                         const std::vector<double>& times) const {
  HomogeneousShot image = *this;
  image.source.z = -source.z;
  std::vector<double> values = trace(receiver, times);
  const std::vector<double> ghost = image.trace(receiver, times);
  for (std::size_t n = 0; n < values.size(); ++n) values[n] -= ghost[n];
  return values;
}

}  // namespace minimod
