#include "src/solver/layer_corrections.hpp"

#include <algorithm>

namespace minimod {

double LayerCorrections::bytes_moved(const Grid& grid, const BoundarySpec& spec, Equation equation) {
  return layer_of(spec).values_moved(grid, spec) *
         static_cast<double>(facts_of(equation).wavefields.size() * bytes_of(grid.precision));
}

namespace {
std::vector<RealsAt> values_of(const std::vector<PlacedField>& fields) {
  std::vector<RealsAt> values(fields.size());
  std::ranges::transform(fields, values.begin(), &PlacedField::values);
  return values;
}
}  // namespace

LayerFields layer_fields(const Fields& fields, const BoundarySpec& spec) {
  return {fields.grid(),
          spec,
          fields.equation().equation,
          values_of(fields.all(FieldRole::state)),
          values_of(fields.all(FieldRole::before)),
          values_of(fields.all(FieldRole::medium)),
          [&](const std::string& name) { return fields.at(name); }};
}

bool LayerCorrections::run(WorkOfFields& known, const Fields& fields, MakeWork make) {
  if (!absorbs()) return false;
  const auto where = std::pair(fields.at(FieldRole::state).data, fields.at(FieldRole::before).data);
  const auto [found, is_new] = known.try_emplace(where);
  if (is_new) found->second = (layer_of(spec_).*make)(layer_fields(fields, spec_));
  for (const LayerWork& work : found->second) do_work(work);
  return !found->second.empty();
}

void LayerCorrections::do_work(const LayerWork& work) {
  FieldKernels& kernels = backend_.field_kernels();
  if (const auto* pass = std::get_if<CpmlWork>(&work)) kernels.correct(*pass);
  if (const auto* points = std::get_if<PointsOfBox>(&work)) kernels.for_each_point(points->box, points->work);
  const auto* const transposed = std::get_if<CpmlAdjointWork>(&work);
  if (transposed == nullptr || (transposed->face && kernels.correct(*transposed->face))) return;
  for (const PointsOfBox& points : transposed->points) kernels.for_each_point(points.box, points.work);
}

/// The image above a free surface follows what has changed below it.
bool LayerCorrections::prepare(const Fields& fields) {
  const bool has_changed = run(before_, fields, &LayerOperator::work_before);
  if (has_changed) close_surface(fields.observed());
  return has_changed;
}

void LayerCorrections::close_surface(const PlacedField& u) const {
  if (!spec_.free_surface) return;
  u.visit([&]<class Real, class At>(Real* values, const At& at) {
    backend_.field_kernels().for_each_point({{0, 0, 0}, {grid_.n.x, grid_.n.y, 1}},
                                            OddImage<Real, At>{at, values, grid_.radius});
  });
}

}  // namespace minimod
