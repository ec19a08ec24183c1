#include "models/kept_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/process/threads.hpp"
#include "src/base/work/wanted_work.hpp"

namespace minimod {

CheckedPlanes::CheckedPlanes(ModelFile& file, const Picks& picks, double factor)
    : file_(file),
      layout_(file.layout()),
      factor_(factor),
      thickness_(thickness_of(layout_)),
      depth_axis_(std::ranges::find(layout_.axes, 'z') - layout_.axes.begin()) {
  facts_.greatest.assign(picks.z.end - picks.z.begin, 0);
  for (std::size_t i = 0; i < 3; ++i) picks_[i] = picks.along(layout_.axes[i]);
}

int CheckedPlanes::thickness_of(const FileLayout& layout) {
  return std::clamp(layout.slab, 1, layout.dims[2]);
}

const double* CheckedPlanes::at(int node) {
  const std::int64_t size = std::int64_t{layout_.dims[0]} * layout_.dims[1];
  if (node >= first_ + count_) {
    require_wanted();
    first_ = node - node % thickness_;
    count_ = std::min(thickness_, layout_.dims[2] - first_);
    slab_.resize(static_cast<std::size_t>(count_ * size));
    file_.read(first_, count_, slab_);
  }
  const double* const plane = slab_.data() + (node - first_) * size;
  if (node > checked_) check(plane, node);
  return plane;
}

void CheckedPlanes::check(const double* plane, int node) {
  checked_ = node;
  const Pick& rows = picks_[1];
  const int count = rows.end - rows.begin, shares = std::min(count, threads_at_work());
  std::vector<VelocityFacts> found(shares);
  for_all(shares, std::size_t(count) * layout_.dims[0] > many_values, [&](int share) {
    const auto first_of = [&](std::int64_t i) { return rows.begin + static_cast<int>(i * count / shares); };
    found[share].greatest.assign(facts_.greatest.size(), 0);
    for (int j = first_of(share); j < first_of(share + 1); ++j)
      check_row(plane + std::int64_t{j} * layout_.dims[0], j, node, found[share]);
  });
  for (const VelocityFacts& of_share : found) facts_.add(of_share);
}

/// Without a branch a value, for vectors.
void CheckedPlanes::check_row(const double* row, int j, int node, VelocityFacts& found) const {
  constexpr float most = std::numeric_limits<float>::max();
  const int begin = picks_[0].begin, end = picks_[0].end;
  const auto velocity = [&](int i) { return static_cast<float>(factor_ * row[i]); };
  float v_min = most, v_max = 0;
  int good = 0;
  for (int i = begin; i < end; ++i) {
    const float v = velocity(i);
    v_min = std::min(v_min, v);
    v_max = std::max(v_max, v);
    good += is_velocity(v) ? 1 : 0;
  }
  found.v_min = std::min(found.v_min, v_min);
  if (depth_axis_ == 0) {
    float* const greatest = found.greatest.data() - begin;
    for (int i = begin; i < end; ++i) greatest[i] = std::max(greatest[i], velocity(i));
  } else {
    float& greatest = found.greatest[(depth_axis_ == 1 ? j : node) - picks_[depth_axis_].begin];
    greatest = std::max(greatest, v_max);
  }
  if (good == end - begin) return;
  for (int i = begin; i < end; ++i) {
    const float v = velocity(i);
    if (is_velocity(v)) continue;
    Extent3 at;
    const std::array<int, 3> indices{i, j, node};
    for (std::size_t axis = 0; axis < 3; ++axis) along(at, layout_.axes[axis]) = indices[axis];
    found.note_bad(at, v);
  }
}

void VelocityFacts::note_bad(const Extent3& at, float v) {
  const auto order = [](const Extent3& n) { return std::array{n.z, n.y, n.x}; };
  if (bad++ > 0 && order(first_bad) < order(at)) return;
  first_bad = at;
  value = v;
}

void VelocityFacts::add(const VelocityFacts& others) {
  v_min = std::min(v_min, others.v_min);
  std::ranges::transform(greatest, others.greatest, greatest.begin(),
                         [](float a, float b) { return std::max(a, b); });
  if (others.bad == 0) return;
  note_bad(others.first_bad, others.value);
  bad += others.bad - 1;
}

void VelocityFacts::require_velocities(const std::filesystem::path& path) const {
  if (bad == 0) return;
  throw file_error(path,
                   text("holds velocity ", value, " at node (x, y, z) = (", first_bad.x, ", ", first_bad.y,
                        ", ", first_bad.z, "), the first of ", bad, " that are no normal number above 0"),
                   "correct the values");
}

KeptNodes::KeptNodes(const FileLayout& layout, const Picks& picks, double factor,
                     const SlownessBounds& bounds, IndexRange planes)
    : row_(layout.dims[0]), factor_(factor), bounds_(bounds) {
  const std::int64_t x = picks.x.count, y = picks.y.count;
  for (std::size_t i = 0; i < 3; ++i) {
    const char letter = layout.axes[i];
    const Pick& pick = picks.along(letter);
    axes_[i] = {pick.begin, ResampledAxis::over(pick.count, pick.step, pick.end - pick.begin),
                letter == 'z' ? planes : IndexRange{0, pick.count},
                letter == 'x'   ? 1
                : letter == 'y' ? x
                                : x * y};
  }
  all_kept_ = std::ranges::all_of(axes_, [](const Axis& axis) { return axis.of.copies; });
}

double KeptNodes::bytes() const {
  const Axis &fast = axes_[0], &middle = axes_[1], &slow = axes_[2];
  const IndexRange nodes = slow.of.nodes({slow.wanted.begin, slow.wanted.begin + 1});
  return all_kept_ ? 0
                   : static_cast<double>(sizeof(double)) * fast.wanted.size() * middle.wanted.size() *
                         (nodes.size() + 4);
}

/// 1/V² of one of the file's planes at the kept nodes along its two fast axes.
std::vector<double> KeptNodes::decimated(const double* plane) const {
  const Axis &fast = axes_[0], &middle = axes_[1];
  const IndexRange columns = fast.of.nodes(fast.wanted), rows = middle.of.nodes(middle.wanted);
  const std::size_t width = fast.wanted.size();
  std::vector<double> narrow(width * rows.size());
  for_all(rows.size(), true, [&](int j) {
    const double* const from = plane + row_ * (middle.first + rows.begin + j) + fast.first + columns.begin;
    std::vector<double> row(columns.size());
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = squared_slowness(static_cast<float>(factor_ * from[i]));
    resample_row(fast.of, fast.wanted, row, columns.begin, bounds_,
                 std::span(narrow).subspan(width * j, width));
  });
  if (middle.of.copies) return narrow;
  const IndexRange all = middle.of.with_neighbours(middle.wanted);
  std::vector<double> samples(width * all.size(), 0), kept(width * middle.wanted.size());
  for_all(all.size(), true, [&](int j) {
    const Shares& shares = middle.of.shares[all.begin + j];
    double* const to = samples.data() + width * j;
    for (int node = shares.first; node < shares.end(); ++node) {
      const double* const from = narrow.data() + width * (node - rows.begin);
      for (std::size_t i = 0; i < width; ++i) to[i] += shares.weights[node - shares.first] * from[i];
    }
  });
  for (int j = 0; j < middle.wanted.size(); ++j) {
    const auto row_at = [&](int index) {
      return std::span<const double>(samples).subspan(
          width * (std::clamp(index, all.begin, all.end - 1) - all.begin), width);
    };
    const int here = middle.wanted.begin + j;
    settle_rows(row_at(here - 1), row_at(here), row_at(here + 1), bounds_,
                std::span(kept).subspan(width * j, width));
  }
  return kept;
}

/// Along the slowest axis, not settled. `index` never goes down from call to call.
std::vector<double> KeptNodes::sample(CheckedPlanes& planes, int index) {
  const Axis &fast = axes_[0], &middle = axes_[1], &slow = axes_[2];
  const Shares& shares = slow.of.shares[index];
  window_.erase(window_.begin(), window_.lower_bound(shares.first));
  std::vector<double> sum(std::size_t(fast.wanted.size()) * middle.wanted.size(), 0);
  for (int node = shares.first; node < shares.end(); ++node) {
    auto found = window_.find(node);
    if (found == window_.end()) found = window_.emplace(node, decimated(planes.at(slow.first + node))).first;
    const double weight = shares.weights[node - shares.first];
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * found->second[i];
  }
  return sum;
}

/// Index `k` of those wanted of the slowest axis, by all cores: by rows, or, so that of a transposed file
/// whole cache lines are written, by tiles along the fastest axis.
template <class Visit>
void KeptNodes::for_each_of_plane(int k, const Visit& visit) const {
  const Axis &fast = axes_[0], &middle = axes_[1], &slow = axes_[2];
  const int width = fast.wanted.size(), rows = middle.wanted.size(), tile = 16;
  const auto visit_row = [&](int j, int begin, int end) {
    const std::int64_t at = k * slow.stride + j * middle.stride;
    for (int i = begin; i < end; ++i) visit(at + i * fast.stride, i, j);
  };
  const bool many = std::size_t(width) * rows > many_values;
  if (fast.stride == 1) return for_all(rows, many, [&](int j) { visit_row(j, 0, width); });
  for_all((width + tile - 1) / tile, many, [&](int i) {
    for (int j = 0; j < rows; ++j) visit_row(j, i * tile, std::min(i * tile + tile, width));
  });
}

void KeptNodes::copy_all(CheckedPlanes& planes, std::span<float> values) const {
  const Axis &fast = axes_[0], &middle = axes_[1], &slow = axes_[2];
  for (int k = 0; k < slow.wanted.size(); ++k) {
    const auto node_of = [](const Axis& axis, int i) { return axis.first + axis.wanted.begin + i; };
    const double* const plane = planes.at(node_of(slow, k));
    for_each_of_plane(k, [&](std::int64_t at, int i, int j) {
      values[at] = static_cast<float>(factor_ * plane[node_of(middle, j) * row_ + node_of(fast, i)]);
    });
  }
}

void KeptNodes::read(CheckedPlanes& planes, std::span<float> values) {
  if (all_kept_) return copy_all(planes, values);
  const Axis &fast = axes_[0], &slow = axes_[2];
  const IndexRange all = slow.of.with_neighbours(slow.wanted);
  const std::int64_t width = fast.wanted.size();
  std::vector<double> before = sample(planes, all.begin);
  std::vector<double> here = all.begin < slow.wanted.begin ? sample(planes, slow.wanted.begin) : before;
  for (int k = slow.wanted.begin; k < slow.wanted.end; ++k) {
    std::vector<double> after = k + 1 < all.end ? sample(planes, k + 1) : here;
    const auto value = [&](std::size_t i) {
      return slow.of.copies ? here[i] : settled(before[i], here[i], after[i], bounds_);
    };
    for_each_of_plane(k - slow.wanted.begin, [&](std::int64_t at, int i, int j) {
      values[at] = velocity_of_slowness(value(j * width + i));
    });
    before = std::move(here);
    here = std::move(after);
  }
}

}  // namespace minimod
