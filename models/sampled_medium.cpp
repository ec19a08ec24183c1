#include "models/sampled_medium.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "models/plausibility.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/host_memory.hpp"
#include "src/base/process/threads.hpp"
#include "src/base/work/wanted_work.hpp"

namespace minimod {

SampledMedium::SampledMedium(VelocityModel model, Extent3 n, const Box3& inner, Point3 spacing, int parts)
    : model_(std::move(model)), n_(n), inner_(inner), spacing_(spacing) {
  if (model_.from_file) {
    place_nodes();
    if (model_.distant && !has_all_nodes()) copy_distant();
    find_extremes(parts);
  } else if (model_.gradient) {
    sample_gradient();
  } else {
    sample_layers();
  }
}

/// Takes the extremes of the model, and of the nodes.
void SampledMedium::set_extremes(float least, float greatest, float lowest, float highest) {
  v_min_ = std::max(least, lowest);
  v_max_ = std::min(greatest, highest);
  v_highest_ = highest;
}

void SampledMedium::place_nodes() {
  const Extent3 points = inner_.extent();
  const Point3 &h = spacing_, &of_nodes = model_.spacing;
  x_ = ResampledAxis::over(points.x, h.x / of_nodes.x, model_.n.x);
  y_ = ResampledAxis::over(points.y, h.y / of_nodes.y, model_.n.y);
  z_ = ResampledAxis::over(points.z, h.z / of_nodes.z, model_.n.z);
  has_the_files_nodes_ = x_.copies && y_.copies && z_.copies;
  bounds_ = SlownessBounds::around(model_.v_min, model_.v_max);
  const Index3 step = model_.cut.decimate;
  const auto band_along = [this](const ResampledAxis& axis, int every, double run, double nodes) {
    if (!axis.copies || every > 1) band_spacing_ = std::max({band_spacing_, run, nodes});
  };
  band_along(x_, step.x, h.x, of_nodes.x);
  band_along(y_, step.y, h.y, of_nodes.y);
  band_along(z_, step.z, h.z, of_nodes.z);
}

/// The inner box's nearest plane to plane `z` of the grid.
int SampledMedium::plane_inside(int z) const {
  return std::clamp(z, inner_.begin.z, inner_.end.z - 1) - inner_.begin.z;
}

/// Brings the nodes to the host, where the run's are made of them.
void SampledMedium::copy_distant() {
  hold_planes(model_, {0, model_.n.z});
  model_.distant.reset();
}

std::optional<PlacedNodes> SampledMedium::distant_nodes() const {
  if (!model_.distant) return {};
  return PlacedNodes{*model_.distant, inner_.begin};
}

void SampledMedium::hold(int begin, int end) {
  if (!model_.from_file || model_.distant || !samples_.empty()) return;
  const IndexRange nodes = z_.nodes({plane_inside(begin), plane_inside(end - 1) + 1});
  if (model_.held.begin > nodes.begin || model_.held.end < nodes.end) {
    hold_planes(model_, {nodes.begin, nodes.end});
  }
}

/// Whether the nodes are all of the file's, which are in range already.
bool SampledMedium::has_all_nodes() const {
  const Extent3 points = inner_.extent();
  return has_the_files_nodes_ && model_.cut.decimate == Index3{1, 1, 1} && points.x == model_.n.x &&
         points.z == model_.n.z && (model_.n.y == 1 || points.y == model_.n.y);
}

/// Rows of a plane that differ from each other.
IndexRange SampledMedium::different_rows() const {
  return {0, model_.n.y == 1 ? 1 : inner_.extent().y};
}

/// Whether the values of all nodes are kept once they are sampled: in an eighth of the memory that is free,
/// of which a run's own fields take at least three times as much.
bool SampledMedium::can_keep_samples() const {
  const Extent3 points = inner_.extent();
  const double values = static_cast<double>(points.x) * different_rows().size() * points.z;
  return sizeof(float) * values <= static_cast<double>(available_host_memory()) / 8;
}

void SampledMedium::find_extremes(int parts) {
  if (has_all_nodes()) return set_extremes(model_.v_min, model_.v_max, model_.v_min, model_.v_max);
  const bool keeps = parts == 1 && !has_the_files_nodes_ && can_keep_samples();
  const int points = inner_.extent().z;
  SlownessBounds found{std::numeric_limits<double>::infinity(), 0};
  for (int part = 0; part < parts; ++part) {
    const auto first_of = [&](std::int64_t i) { return static_cast<int>(i * points / parts); };
    const int begin = first_of(part), end = first_of(part + 1);
    if (begin == end) continue;
    hold(inner_.begin.z + begin, inner_.begin.z + end);
    const SlownessBounds here = extremes_of(begin, end, keeps);
    found = {std::min(found.least, here.least), std::max(found.greatest, here.greatest)};
  }
  set_extremes(model_.v_min, model_.v_max, velocity_of_slowness(found.greatest),
               velocity_of_slowness(found.least));
  if (!keeps) return;
  model_.held = {};
  model_.v = std::vector<float>();
}

/// Extremes of these planes of the inner box, whose velocities are kept where asked for.
SlownessBounds SampledMedium::extremes_of(int begin, int end, bool keeps) {
  const Rows all{different_rows(), {0, inner_.extent().x}};
  const Rows nodes{y_.nodes(all.y), x_.nodes(all.x)};
  SlownessBounds found{std::numeric_limits<double>::infinity(), 0};
  if (keeps) samples_.reserve(all.size() * static_cast<std::size_t>(end - begin));
  AlongZ planes;
  for (int z = begin; z < end; ++z) {
    require_wanted();
    move_along_z(planes, z, nodes);
    const std::vector<double> plane = along_y_and_x(settled_along_z(planes, nodes), all, nodes);
    const auto [least, greatest] = std::ranges::minmax(plane);
    found = {std::min(found.least, least), std::max(found.greatest, greatest)};
    if (keeps) std::ranges::transform(plane, std::back_inserter(samples_), velocity_of_slowness);
  }
  return found;
}

/// A plane of the model's nodes.
const float* SampledMedium::plane_of_nodes(int node) const {
  if (node < model_.held.begin || node >= model_.held.end) {
    throw Error(ErrorKind::internal, text("plane ", node, " of the model was not read"),
                "please report this");
  }
  return model_.v.data() + std::size_t(model_.n.x) * model_.n.y * (node - model_.held.begin);
}

/// 1/V² of plane `z` of the inner box at these nodes of the model along x and y, not settled.
std::vector<double> SampledMedium::along_z(int z, const Rows& nodes) const {
  const Shares& shares = z_.shares[z];
  static_cast<void>(plane_of_nodes(shares.first));  // threads must not throw
  static_cast<void>(plane_of_nodes(shares.end() - 1));
  const int width = nodes.x.size();
  std::vector<double> plane(nodes.size(), 0);
  for_all(nodes.y.size(), nodes.size() > many_values, [&](int row) {
    const std::size_t first = std::size_t(model_.n.x) * (nodes.y.begin + row) + nodes.x.begin;
    double* const to = plane.data() + std::size_t(width) * row;
    for (int node = shares.first; node < shares.end(); ++node) {
      const float* const from = plane_of_nodes(node) + first;
      const double weight = shares.weights[node - shares.first];
      for (int x = 0; x < width; ++x) to[x] += weight * squared_slowness(from[x]);
    }
  });
  return plane;
}

/// Has `planes` be those around plane `z`: from those around the one before, if it has them, only the next is
/// sampled.
void SampledMedium::move_along_z(AlongZ& planes, int z, const Rows& nodes) const {
  const IndexRange around = z_.with_neighbours({z, z + 1});
  if (planes.here.empty()) {
    planes.here = along_z(z, nodes);
    if (around.begin < z) planes.before = along_z(z - 1, nodes);
  } else {
    planes.before = std::move(planes.here);
    planes.here = planes.after.empty() ? along_z(z, nodes) : std::move(planes.after);
  }
  planes.after = z + 1 < around.end ? along_z(z + 1, nodes) : std::vector<double>();
}

/// The middle one of `planes`, settled between the others.
std::vector<double> SampledMedium::settled_along_z(const AlongZ& planes, const Rows& nodes) const {
  if (z_.copies) return planes.here;
  std::vector<double> settled_plane(nodes.size());
  const std::size_t width = nodes.x.size();
  for_all(nodes.y.size(), nodes.size() > many_values, [&](int row) {
    const auto row_of = [&](const std::vector<double>& plane) {
      return std::span(plane.empty() ? planes.here : plane).subspan(width * row, width);
    };
    settle_rows(row_of(planes.before), row_of(planes.here), row_of(planes.after), bounds_,
                std::span(settled_plane).subspan(width * row, width));
  });
  return settled_plane;
}

/// The rows `wanted` of the inner box, their neighbours' included, at the same nodes along x.
std::vector<double> SampledMedium::along_y(const std::vector<double>& plane, IndexRange wanted,
                                           const Rows& nodes) const {
  const IndexRange all = y_.with_neighbours(wanted);
  const std::size_t width = nodes.x.size();
  std::vector<double> rows(width * all.size(), 0);
  for_all(all.size(), rows.size() > many_values, [&](int row) {
    const Shares& shares = y_.shares[all.begin + row];
    double* const to = rows.data() + width * row;
    for (int node = shares.first; node < shares.end(); ++node) {
      const double* const from = plane.data() + width * (node - nodes.y.begin);
      const double weight = shares.weights[node - shares.first];
      for (std::size_t x = 0; x < width; ++x) to[x] += weight * from[x];
    }
  });
  return rows;
}

/// 1/V² of part of plane `z` of the inner box: along z, then y, then x, each in the same order whatever the
/// part, so that all parts have the same bits.
std::vector<double> SampledMedium::slownesses(int z, const Rows& wanted) const {
  const Rows nodes{y_.nodes(wanted.y), x_.nodes(wanted.x)};
  AlongZ planes;
  move_along_z(planes, z, nodes);
  return along_y_and_x(settled_along_z(planes, nodes), wanted, nodes);
}

/// `wanted` of a plane that has its place along z, at these nodes along x and y.
std::vector<double> SampledMedium::along_y_and_x(const std::vector<double>& plane, const Rows& wanted,
                                                 const Rows& nodes) const {
  const std::vector<double> rows = along_y(plane, wanted.y, nodes);
  const IndexRange all = y_.with_neighbours(wanted.y);
  const std::size_t width = nodes.x.size();
  std::vector<double> samples(wanted.size());
  for_all(wanted.y.size(), samples.size() > many_values, [&](int i) {
    const int y = wanted.y.begin + i;
    const auto row_at = [&](int index) {
      const int inside = std::clamp(index, all.begin, all.end - 1) - all.begin;
      return std::span(rows.data() + width * inside, width);
    };
    std::vector<double> row(row_at(y).begin(), row_at(y).end());
    if (!y_.copies) settle_rows(row_at(y - 1), row_at(y), row_at(y + 1), bounds_, row);
    resample_row(x_, wanted.x, row, nodes.x.begin, bounds_,
                 std::span(samples).subspan(std::size_t(wanted.x.size()) * i, wanted.x.size()));
  });
  return samples;
}

/// Copies kept velocities of part of plane `z` of the inner box, row after row.
void SampledMedium::copy_samples(int z, const Rows& wanted, std::span<float> values) const {
  const std::size_t row = inner_.extent().x, rows = different_rows().size();
  auto to = values.begin();
  for (int y = wanted.y.begin; y < wanted.y.end; ++y) {
    to = std::copy_n(samples_.data() + row * (rows * z + y) + wanted.x.begin, wanted.x.size(), to);
  }
}

/// Velocities of part of some planes of the inner box from distant nodes, which a section has once for all y.
void SampledMedium::read_distant(IndexRange z, const Rows& wanted, std::span<float> values) const {
  ModelNodes nodes = *model_.distant;
  if (nodes.n.y == 1) nodes.stride_y = 0;
  const Box3 box{{wanted.x.begin, wanted.y.begin, z.begin}, {wanted.x.end, wanted.y.end, z.end}};
  model_.spec.array->distant->read(nodes.part(box), values);
}

/// Velocities of part of plane `z` of the inner box, row after row.
void SampledMedium::sample_rows(int z, const Rows& wanted, std::span<float> values) const {
  if (model_.distant) return read_distant({z, z + 1}, wanted, values);
  const int width = wanted.x.size();
  if (!model_.from_file) {
    std::ranges::fill(values, depths_[z]);
    return;
  }
  if (has_the_files_nodes_) {
    const float* const plane = plane_of_nodes(z_.shares[z].first);
    for (int y = wanted.y.begin; y < wanted.y.end; ++y) {
      const float* const row = plane + std::size_t(model_.n.x) * y_.shares[y].first;
      std::copy_n(row + wanted.x.begin, width, values.begin() + std::ptrdiff_t{width} * (y - wanted.y.begin));
    }
    return;
  }
  const bool section = model_.n.y == 1;
  const Rows different{section ? IndexRange{0, 1} : wanted.y, wanted.x};
  if (samples_.empty()) {
    std::ranges::transform(slownesses(z, different), values.begin(), velocity_of_slowness);
  } else {
    copy_samples(z, different, values);
  }
  if (!section) return;
  for (int y = 1; y < wanted.y.size(); ++y) {
    std::copy_n(values.begin(), width, values.begin() + std::ptrdiff_t{width} * y);
  }
}

void SampledMedium::sample_plane(int z, std::span<float> values) const {
  const int inside = plane_inside(z);
  if (!model_.from_file) {
    std::ranges::fill(values, depths_[inside]);
    return;
  }
  const Extent3 points = inner_.extent();
  std::vector<float> samples(std::size_t(points.x) * points.y);
  sample_rows(inside, {{0, points.y}, {0, points.x}}, samples);
  const auto row_at = [&](int y) { return values.begin() + std::size_t(n_.x) * y; };
  for (int y = inner_.begin.y; y < inner_.end.y; ++y) {
    const auto row = row_at(y);
    std::copy_n(samples.begin() + std::ptrdiff_t{points.x} * (y - inner_.begin.y), points.x,
                row + inner_.begin.x);
    std::fill_n(row, inner_.begin.x, row[inner_.begin.x]);
    std::fill(row + inner_.end.x, row + n_.x, row[inner_.end.x - 1]);
  }
  for (int y = 0; y < inner_.begin.y; ++y) std::copy_n(row_at(inner_.begin.y), n_.x, row_at(y));
  for (int y = inner_.end.y; y < n_.y; ++y) std::copy_n(row_at(inner_.end.y - 1), n_.x, row_at(y));
}

bool SampledMedium::repeats(int z) const {
  const int here = plane_inside(z), before = plane_inside(z - 1);
  const auto is_same = [&](const auto& values) { return values[here] == values[before]; };
  return here == before || (!model_.from_file && is_same(depths_) && std::ranges::all_of(columns_, is_same));
}

std::vector<float> SampledMedium::values(const Box3& box) const {
  const Extent3 n = box.extent();
  const Index3& first = inner_.begin;
  const Rows rows{{box.begin.y - first.y, box.end.y - first.y}, {box.begin.x - first.x, box.end.x - first.x}};
  std::vector<float> all(n.points());
  const IndexRange planes{plane_inside(box.begin.z), plane_inside(box.end.z - 1) + 1};
  if (model_.distant && planes.size() == n.z) {
    read_distant(planes, rows, all);
    return all;
  }
  for (int z = 0; z < n.z; ++z) {
    sample_rows(plane_inside(box.begin.z + z), rows, std::span(all).subspan(rows.size() * z, rows.size()));
  }
  return all;
}

Point3 SampledMedium::extent() const {
  const Extent3 n = inner_.extent();
  return {n.x * spacing_.x, n.y * spacing_.y, n.z * spacing_.z};
}

FileCoordinates SampledMedium::file_coordinates() const {
  FileCoordinates place = model_.cut.coordinates;
  const int middle = model_.n.y == 1 ? inner_.extent().y / 2 : 0;
  place.origin = place.to_file({0, -middle * spacing_.y, 0});
  return place;
}

void require_plausible(const ModelSpec& spec, const SampledMedium& medium) {
  const bool unit_said = !spec.unit.empty() || !medium.model().cut.unit.empty();
  require_plausible_velocities(medium.model().name, medium.v_min(), medium.v_max(), unit_said);
}

}  // namespace minimod
