/// The media that an equation has beyond (V Δt)², of what a model says of them.
#include <algorithm>

#include <Kokkos_Core.hpp>

#include "src/base/work/wanted_work.hpp"
#include "src/solver/fields/fields.hpp"

namespace minimod {

double Fields::modulus_at(Index3 p) const {
  const Index3 place = columns_.place({p.x, p.y, p.z + grid_.first_z});
  return equation_->modulus(values_at(columns_, equation_->columns.size(), place));
}

/// Plane by plane with the halo, in which the columns' own grid goes on as the equation has it. Where columns
/// are of depth, planes that are alike are made once.
void Fields::set_columns(const MediumColumns& columns) {
  if (equation_->columns.empty()) return;
  columns_ = columns;
  const Grid whole = make_grid(columns.n, grid_.spacing, 0, grid_.difference());
  const std::vector<std::vector<double>> media = equation_->further_media(whole, columns);
  const int halo = grid_.radius, end = grid_.n.z + halo, width = grid_.n.x + 2 * halo;
  using Rows = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>;
  with_real(grid_.precision, [&]<class Real>() {
    std::vector<Real> plane(grid_.layout.stride_z);
    for (std::size_t number = 0; number < media.size(); ++number) {
      const FieldPlanes medium = planes_of(*find(FieldRole::medium, number + 1));
      const auto value = [&](int x, int y, int z) {
        const Index3 p = columns.place({x, y, z + grid_.first_z});
        return static_cast<Real>(media[number][whole.layout.index(p.x, p.y, p.z)]);
      };
      const auto repeats = [&](int z) {
        return columns.are_of_depth() && value(0, 0, z) == value(0, 0, z - 1);
      };
      int z = -halo;
      while (z < end) {
        require_wanted();
        Kokkos::parallel_for("minimod::columns", Rows(0, grid_.n.y + 2 * halo), [&](int number_of_row) {
          const int y = number_of_row - halo;
          Real* const row = plane.data() + grid_.layout.index(-halo, y, 0) - halo * grid_.layout.stride_z;
          if (columns.are_of_depth()) return static_cast<void>(std::fill_n(row, width, value(0, 0, z)));
          for (int x = 0; x < width; ++x) row[x] = value(x - halo, y, z);
        });
        medium.put(z, 1, plane.data());
        const int first = ++z;
        while (z < end && repeats(z)) ++z;
        medium.repeat(first, z - first, halo);
      }
    }
  });
}

}  // namespace minimod
