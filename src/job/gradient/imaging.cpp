#include "src/job/gradient/imaging.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/stencil.hpp"
#include "src/base/process/on_all_cores.hpp"

namespace minimod {

namespace {

/// The point of an axis that one beyond its ends has the value of.
int mirrored(int i, int n) {
  return i < 0 ? -i : i < n ? i : 2 * (n - 1) - i;
}

}  // namespace

std::vector<double> minus_half_laplacian(const std::vector<double>& values, const Grid& grid,
                                         IndexRange there, IndexRange wanted) {
  const DifferenceWeights weights = difference_weights(grid.difference());
  const Extent3 n = grid.n;
  const Point3 h = grid.spacing;
  const auto at = [&](int x, int y, int z) {
    return values[(std::size_t(z - there.begin) * n.y + y) * n.x + x];
  };
  const auto planes = static_cast<std::size_t>(wanted.size());
  std::vector<double> made(planes * n.y * n.x);
  on_all_cores("minimod::laplacian", planes, [&](std::size_t plane) {
    const int z = wanted.begin + static_cast<int>(plane);
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) {
        const double here = weights.centre * at(x, y, z);
        double along_x = here, along_y = here, along_z = here;
        for (int m = 1; m <= grid.radius; ++m) {
          const double weight = weights.second[m - 1];
          along_x += weight * (at(mirrored(x - m, n.x), y, z) + at(mirrored(x + m, n.x), y, z));
          along_y += weight * (at(x, mirrored(y - m, n.y), z) + at(x, mirrored(y + m, n.y), z));
          along_z += weight * (at(x, y, mirrored(z - m, n.z)) + at(x, y, mirrored(z + m, n.z)));
        }
        made[(plane * n.y + y) * n.x + x] =
            -(along_x / (h.x * h.x) + along_y / (h.y * h.y) + along_z / (h.z * h.z)) / 2;
      }
    }
  });
  return made;
}

std::vector<double> migrated_traces(const std::vector<double>& residual, std::size_t samples, double dt) {
  std::vector<double> traces(residual.size());
  for (std::size_t begin = 0; begin < residual.size(); begin += samples) {
    for (std::size_t k = begin + samples - 1; k > begin; --k)
      traces[k - 1] = traces[k] - dt * (residual[k - 1] + residual[k]) / 2;
  }
  return traces;
}

Misfit migration_of(const Reals& modelled, const Reals& observed, const SampleTimes& times,
                    MisfitOptions options, bool keeps_direct) {
  options.keeps_residual = true;
  const Reals none(modelled.precision(), modelled.size());
  Misfit migration = misfit_of(keeps_direct ? none : modelled, observed, times, options);
  migration.derivative = migrated_traces(migration.residual, times.count, times.dt);
  return migration;
}

void compensate(Reals& image, const Reals& illumination) {
  with_real(image.precision(), [&]<class Real>() {
    Reals::Values<Real>& values = image.of<Real>();
    const Reals::Values<Real>& divisors = illumination.of<Real>();
    const double mean =
        std::accumulate(divisors.begin(), divisors.end(), 0.0) / static_cast<double>(divisors.size());
    for (std::size_t i = 0; mean > 0 && i < values.size(); ++i)
      values[i] = static_cast<Real>(values[i] / (divisors[i] + mean / 100));
  });
}

}  // namespace minimod
