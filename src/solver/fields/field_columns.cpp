/// The media that an equation has beyond (V Δt)², of what a model says of them.
#include "src/solver/fields/fields.hpp"

namespace minimod {

double Fields::modulus_at(Index3 p) const {
  const Index3 place = columns_.place({p.x, p.y, p.z + grid_.first_z});
  return equation_->modulus(values_at(columns_, equation_->columns.size(), place));
}

/// Plane by plane with the halo, in which the columns' own grid goes on as the equation has it.
void Fields::set_columns(const MediumColumns& columns) {
  if (equation_->columns.empty()) return;
  columns_ = columns;
  const Grid whole = make_grid(columns.n, grid_.spacing, 0, grid_.difference());
  const std::vector<std::vector<double>> media = equation_->further_media(whole, columns);
  const int halo = grid_.radius;
  with_real(grid_.precision, [&]<class Real>() {
    std::vector<Real> plane(grid_.layout.stride_z);
    for (std::size_t number = 0; number < media.size(); ++number) {
      const FieldPlanes medium = planes_of(*find(FieldRole::medium, number + 1));
      for (int z = -halo; z < grid_.n.z + halo; ++z) {
        for (int y = -halo; y < grid_.n.y + halo; ++y) {
          for (int x = -halo; x < grid_.n.x + halo; ++x) {
            const Index3 p = columns.place({x, y, z + grid_.first_z});
            plane[grid_.layout.index(x, y, 0) - halo * grid_.layout.stride_z] =
                static_cast<Real>(media[number][whole.layout.index(p.x, p.y, p.z)]);
          }
        }
        medium.put(z, 1, plane.data());
      }
    }
  });
}

}  // namespace minimod
