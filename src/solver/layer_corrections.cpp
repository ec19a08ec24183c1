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

namespace {
const CpmlPass<float>* pass_across_x(const LayerWork& work) {
  const auto* const any = std::get_if<CpmlWork>(&work);
  const auto* const pass = any != nullptr ? std::get_if<CpmlPass<float>>(any) : nullptr;
  return pass != nullptr && pass->axis == 0 ? pass : nullptr;
}
}  // namespace

/// None where layers meet, one of which is corrected behind the other.
LayerArgs layers_across_x(const std::vector<LayerWork>& work) {
  LayerArgs layers;
  for (const LayerWork& one : work) {
    const CpmlPass<float>* const pass = pass_across_x(one);
    if (pass == nullptr) continue;
    if (layers.across_x != nullptr) return {};
    layers.across_x = pass;
  }
  return layers;
}

std::vector<LayerWork> work_without_fields(const Grid& grid, const BoundarySpec& spec, Equation equation) {
  const RealsAt nowhere{nullptr, grid.precision};
  const std::vector<RealsAt> none(facts_of(equation).media.size() + facts_of(equation).wavefields.size(),
                                  nowhere);
  return layer_of(spec).work(
      {grid, spec, equation, none, none, none, [&](const std::string& /*name*/) { return nowhere; }});
}

std::int64_t LayerCorrections::points(bool without_x) const {
  std::int64_t points = layer_of(spec_).points(grid_, spec_);
  if (!without_x) return points;
  const std::vector<LayerWork> work = work_without_fields(grid_, spec_, Equation::wave);
  const CpmlPass<float>& pass = *layers_across_x(work).across_x;
  for (int i = 0; i < pass.box.end.z; ++i) {
    const CpmlLayer& layer = pass.layers[i];
    points -= std::int64_t{layer.end_corrected - layer.begin_corrected} * pass.box.end.x * pass.box.end.y;
  }
  return points;
}

const std::vector<LayerWork>& LayerCorrections::work_of(WorkOfFields& known, const Fields& fields,
                                                        MakeWork make) {
  const auto where = std::pair(fields.at(FieldRole::state).data, fields.at(FieldRole::before).data);
  const auto [found, is_new] = known.try_emplace(where);
  if (is_new) found->second = (layer_of(spec_).*make)(layer_fields(fields, spec_));
  return found->second;
}

LayerArgs LayerCorrections::across_x(const Fields& fields) {
  return is_left_out_ ? LayerArgs() : layers_across_x(work_of(behind_, fields, &LayerOperator::work));
}

void LayerCorrections::absorb(const Fields& fields, bool without_x) {
  if (is_left_out_ || !absorbs()) return;
  for (const LayerWork& work : work_of(behind_, fields, &LayerOperator::work)) {
    if (!without_x || pass_across_x(work) == nullptr) do_work(work);
  }
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
  if (!absorbs()) return false;
  const std::vector<LayerWork>& all = work_of(before_, fields, &LayerOperator::work_before);
  for (const LayerWork& work : all) do_work(work);
  if (all.empty()) return false;
  close_surface(fields.observed());
  return true;
}

void LayerCorrections::close_surface(const PlacedField& u) const {
  if (!spec_.free_surface) return;
  u.visit([&]<class Real, class At>(Real* values, const At& at) {
    backend_.field_kernels().for_each_point({{0, 0, 0}, {grid_.n.x, grid_.n.y, 1}},
                                            OddImage<Real, At>{at, values, grid_.radius});
  });
}

}  // namespace minimod
