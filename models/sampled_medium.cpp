#include "models/sampled_medium.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "models/plausibility.hpp"
#include "src/base/error.hpp"
#include "src/base/parse.hpp"

namespace minimod {

namespace {

/// The mean of 1/V² of layers from depth `top` to `bottom` (m).
double mean_between(const std::vector<Layer>& layers, double top, double bottom) {
  double sum = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const double from = i == 0 ? top : std::max(top, layers[i].top);
    const double to = i + 1 < layers.size() ? std::min(bottom, layers[i + 1].top) : bottom;
    if (to > from) sum += squared_slowness(layers[i].v) * (to - from);
  }
  return sum / (bottom - top);
}

float velocity_at(const VelocityModel& model, double depth) {
  const auto v = static_cast<float>(model.gradient->at_zero + model.gradient->slope * depth);
  if (v > 0 && std::isnormal(v)) return v;
  throw Error(ExitCode::data,
              text("'", escaped(model.name, 60), "' has velocity ", v, " m/s at a depth of ", depth, " m"),
              "take another gradient, or a --grid that ends above");
}

std::vector<Shares> shares_of_axis(int points, double spacing, double model_spacing, int nodes) {
  std::vector<Shares> all;
  const double ratio = spacing / model_spacing;
  all.reserve(points);
  for (int i = 0; i < points; ++i) all.push_back(shares_of_cell(i * ratio, ratio, nodes));
  return all;
}

}  // namespace

SampledMedium::SampledMedium(VelocityModel model, Extent3 n, const Box3& inner, Point3 spacing, int parts)
    : model_(std::move(model)), n_(n), inner_(inner), spacing_(spacing) {
  if (model_.from_file) {
    place_nodes();
    find_extremes(parts);
  } else {
    sample_depths();
    const auto [least, greatest] = std::ranges::minmax(depths_);
    v_min_ = least;
    v_max_ = greatest;
  }
}

void SampledMedium::sample_depths() {
  const double h = spacing_.z;
  for (int z = 0; z < inner_.extent().z; ++z) {
    depths_.push_back(model_.gradient
                          ? velocity_at(model_, z * h)
                          : velocity_of_mean(mean_between(model_.layers, (z - 0.5) * h, (z + 0.5) * h)));
  }
}

void SampledMedium::place_nodes() {
  const Extent3 points = inner_.extent();
  x_ = shares_of_axis(points.x, spacing_.x, model_.spacing.x, model_.n.x);
  y_ = shares_of_axis(points.y, spacing_.y, model_.spacing.y, model_.n.y);
  z_ = shares_of_axis(points.z, spacing_.z, model_.spacing.z, model_.n.z);
  has_the_files_nodes_ = are_nodes(x_) && are_nodes(y_) && are_nodes(z_);
}

/// Of the inner box, the nearest to plane `z` of the grid.
int SampledMedium::plane_inside(int z) const {
  return std::clamp(z, inner_.begin.z, inner_.end.z - 1) - inner_.begin.z;
}

void SampledMedium::hold(int begin, int end) {
  if (!model_.from_file) return;
  const PlaneRange wanted{z_[plane_inside(begin)].front().node, z_[plane_inside(end - 1)].back().node + 1};
  if (model_.held.begin > wanted.begin || model_.held.end < wanted.end) hold_planes(model_, wanted);
}

void SampledMedium::find_extremes(int parts) {
  const Extent3 points = inner_.extent();
  const bool all =
      points.x == model_.n.x && points.z == model_.n.z && (model_.n.y == 1 || points.y == model_.n.y);
  if (all && has_the_files_nodes_) {
    v_min_ = model_.v_min;
    v_max_ = model_.v_max;
    return;
  }
  double least = std::numeric_limits<double>::infinity(), greatest = 0;
  for (int part = 0; part < parts; ++part) {
    const auto first_of = [&](std::int64_t i) { return static_cast<int>(i * points.z / parts); };
    const int begin = first_of(part), end = first_of(part + 1);
    if (begin == end) continue;
    hold(inner_.begin.z + begin, inner_.begin.z + end);
    const Range found = extremes_of(begin, end);
    least = std::min(least, found.least);
    greatest = std::max(greatest, found.greatest);
  }
  v_min_ = velocity_of_mean(greatest);
  v_max_ = velocity_of_mean(least);
}

/// Of these planes of the inner box.
SampledMedium::Range SampledMedium::extremes_of(int begin, int end) const {
  double least = std::numeric_limits<double>::infinity(), greatest = 0;
  for (int z = begin; z < end; ++z) {
    for_each_row(z, [&](int y, std::span<const double> row) {
      if (y > 0 && y_[y] == y_[y - 1]) return;
      const auto [low, high] = std::ranges::minmax(row);
      least = std::min(least, low);
      greatest = std::max(greatest, high);
    });
  }
  return {least, greatest};
}

/// Of the model's nodes.
const float* SampledMedium::plane_of_nodes(int node) const {
  if (node < model_.held.begin || node >= model_.held.end) {
    throw Error(ExitCode::internal, text("plane ", node, " of the model was not read"), "please report this");
  }
  return model_.v.data() + std::size_t(model_.n.x) * model_.n.y * (node - model_.held.begin);
}

/// The means of 1/V² along z, of plane `z` of the inner box, at the model's nodes along x and y.
void SampledMedium::mean_plane(int z, std::vector<double>& plane) const {
  const std::size_t size = std::size_t(model_.n.x) * model_.n.y;
  plane.assign(size, 0);
  for (const Share& share : z_[z]) {
    const float* const from = plane_of_nodes(share.node);
    for (std::size_t i = 0; i < size; ++i) plane[i] += share.weight * squared_slowness(from[i]);
  }
}

/// Calls visit(y, row) with the means of 1/V² of each row of plane `z` of the inner box.
template <class Visit>
void SampledMedium::for_each_row(int z, Visit visit) const {
  std::vector<double> plane, along_x(model_.n.x), row(x_.size());
  mean_plane(z, plane);
  for (int y = 0; y < inner_.extent().y; ++y) {
    if (y == 0 || y_[y] != y_[y - 1]) {
      std::ranges::fill(along_x, 0.0);
      for (const Share& share : y_[y]) {
        const double* const from = plane.data() + std::size_t(model_.n.x) * share.node;
        for (int x = 0; x < model_.n.x; ++x) along_x[x] += share.weight * from[x];
      }
      for (std::size_t x = 0; x < row.size(); ++x) {
        row[x] = 0;
        for (const Share& share : x_[x]) row[x] += share.weight * along_x[share.node];
      }
    }
    visit(y, std::span<const double>(row));
  }
}

/// The rows of the inner box of a run that has the file's nodes.
void SampledMedium::copy_rows(int z, std::span<float> values) const {
  const float* const plane = plane_of_nodes(z_[z].front().node);
  for (int y = 0; y < inner_.extent().y; ++y) {
    const float* const from = plane + std::size_t(model_.n.x) * y_[y].front().node + x_.front().front().node;
    std::copy_n(from, x_.size(), values.begin() + std::size_t(n_.x) * (y + inner_.begin.y) + inner_.begin.x);
  }
}

void SampledMedium::sample_plane(int z, std::span<float> values) const {
  const int inside = plane_inside(z);
  if (!model_.from_file) {
    std::ranges::fill(values, depths_[inside]);
    return;
  }
  if (has_the_files_nodes_) {
    copy_rows(inside, values);
  } else {
    for_each_row(inside, [&](int y, std::span<const double> row) {
      std::ranges::transform(row, values.begin() + std::size_t(n_.x) * (y + inner_.begin.y) + inner_.begin.x,
                             velocity_of_mean);
    });
  }
  const auto row_at = [&](int y) { return values.begin() + std::size_t(n_.x) * y; };
  for (int y = inner_.begin.y; y < inner_.end.y; ++y) {
    const auto row = row_at(y);
    std::fill_n(row, inner_.begin.x, row[inner_.begin.x]);
    std::fill(row + inner_.end.x, row + n_.x, row[inner_.end.x - 1]);
  }
  for (int y = 0; y < inner_.begin.y; ++y) std::copy_n(row_at(inner_.begin.y), n_.x, row_at(y));
  for (int y = inner_.end.y; y < n_.y; ++y) std::copy_n(row_at(inner_.end.y - 1), n_.x, row_at(y));
}

bool SampledMedium::repeats(int z) const {
  const int here = plane_inside(z), before = plane_inside(z - 1);
  return here == before || (!model_.from_file && depths_[here] == depths_[before]);
}

/// The sums run in the order of a plane's, so that they have its bits.
float SampledMedium::at(Index3 node) const {
  const auto inside = [](int i, int begin, int end) { return std::clamp(i, begin, end - 1) - begin; };
  const int z = plane_inside(node.z);
  if (!model_.from_file) return depths_[z];
  const Shares& along_x = x_[inside(node.x, inner_.begin.x, inner_.end.x)];
  const Shares& along_y = y_[inside(node.y, inner_.begin.y, inner_.end.y)];
  const auto value = [&](int i, int j, int k) { return plane_of_nodes(k)[std::size_t(j) * model_.n.x + i]; };
  if (has_the_files_nodes_) return value(along_x.front().node, along_y.front().node, z_[z].front().node);
  double mean = 0;
  for (const Share& of_x : along_x) {
    double mean_of_y = 0;
    for (const Share& of_y : along_y) {
      double mean_of_z = 0;
      for (const Share& of_z : z_[z]) {
        mean_of_z += of_z.weight * squared_slowness(value(of_x.node, of_y.node, of_z.node));
      }
      mean_of_y += of_y.weight * mean_of_z;
    }
    mean += of_x.weight * mean_of_y;
  }
  return velocity_of_mean(mean);
}

void require_plausible(const ModelSpec& spec, const SampledMedium& medium) {
  const bool unit_said = !spec.unit.empty() || !medium.model().cut.unit.empty();
  require_plausible_velocities(medium.model().name, medium.v_min(), medium.v_max(), unit_said);
}

}  // namespace minimod
