#include "src/solver/layer_corrections.hpp"

namespace minimod {

double LayerCorrections::bytes_moved(const Grid& grid, const BoundarySpec& spec, Equation equation) {
  return layer_of(spec.kind).values_moved(grid, spec, equation) *
         static_cast<double>(facts_of(equation).wavefields.size() * bytes_of(grid.precision));
}

void LayerCorrections::absorb(const Fields& fields) {
  if (!absorbs()) return;
  const auto where = std::pair(fields.at(FieldRole::state).data, fields.at(FieldRole::before).data);
  const auto [found, is_new] = work_.try_emplace(where);
  if (is_new) {
    found->second = layer_of(spec_.kind)
                        .work({fields.grid(), spec_, fields.equation().equation, fields.all(FieldRole::state),
                               fields.all(FieldRole::before), fields.all(FieldRole::medium),
                               [&](const std::string& name) { return fields.at(name); }});
  }
  for (const LayerWork& work : found->second) {
    if (const auto* pass = std::get_if<CpmlWork>(&work)) backend_.field_kernels().correct(*pass);
    if (const auto* points = std::get_if<PointsOfBox>(&work))
      backend_.field_kernels().for_each_point(points->box, points->work);
  }
}

void LayerCorrections::close_surface(const Fields& fields, RealsAt u) const {
  if (!spec_.free_surface) return;
  with_real(u.precision, [&]<class Real>() {
    backend_.field_kernels().for_each_point({{0, 0, 0}, {grid_.n.x, grid_.n.y, 1}},
                                            OddImage<Real>{fields.grid().layout, u.of<Real>(), grid_.radius});
  });
}

}  // namespace minimod
