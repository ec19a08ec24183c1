#include "src/job/plan/snapshot_plan.hpp"

#include <cmath>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/io/snapshots/snapshot_file.hpp"

namespace minimod {

namespace {

/// Steps nearest to the multiples of the interval, counted in time from t = 0 and in steps from the first
/// one.
std::vector<int> snapshot_steps(const SnapshotOptions& o, const TimeAxis& times) {
  const double dt = times.dt;
  const int steps = times.steps;
  const double interval = o.seconds ? *o.seconds / dt : *o.steps;
  if (interval < 1 - 1e-6) {
    throw Error(
        ErrorKind::parameter,
        text(option("snapshot-every"), " ", *o.seconds, " s is less than the time step of ", dt, " s"),
        text("give ", dt, "s or more, or 1steps"));
  }
  std::vector<int> found;
  const double before = o.seconds ? -times.first / dt : 0;  // steps to t = 0
  const int passed = static_cast<int>(std::floor(before / interval));
  for (int i = -passed; std::round(before + i * interval) <= steps; ++i) {
    if (const double step = std::round(before + i * interval); step > 0) {
      found.push_back(static_cast<int>(step));
    }
  }
  if (found.empty()) {
    throw Error(
        ErrorKind::parameter,
        text(option("snapshot-every"), " ", o.seconds ? text(*o.seconds, " s") : text(*o.steps, " steps"),
             " takes none in a run of ", steps, " steps, ", steps * dt, " s"),
        text("give at most ", steps, "steps"));
  }
  return found;
}

/// One axis of the box that is kept.
struct KeptAxis {
  int first = 0, count = 0;
};

/// The nodes nearest to the ends, both included; `points` of the grid lie along the axis, those of the model
/// from `begin` to `end`.
KeptAxis kept_axis(char axis, const CoordinateRange& ends, int begin, int end, int points, double h,
                   int stride) {
  const double least = -begin * h, greatest = (points - 1 - begin) * h;
  const double first = ends.first.value_or(0), last = ends.last.value_or((end - 1 - begin) * h);
  if (first > last) {
    throw Error(ErrorKind::parameter,
                text(option("snapshot-box"), " goes from ", axis, " = ", first, " to ", last, " m"),
                "give the lesser end first");
  }
  if (first < least - h / 2 || last > greatest + h / 2) {
    throw Error(ErrorKind::data,
                text(option("snapshot-box"), " goes from ", axis, " = ", first, " to ", last,
                     " m; the grid with its layer from ", least, " to ", greatest, " m"),
                "give a box inside it");
  }
  const int from = begin + static_cast<int>(std::lround(first / h)),
            to = begin + static_cast<int>(std::lround(last / h));
  return {from, (to - from) / stride + 1};
}

}  // namespace

std::string fact_of(const SnapshotPlan& plan) {
  const std::vector<int>& steps = plan.steps;
  const Extent3 n = plan.nodes.n;
  const double megabytes = std::ceil(1e-6 * static_cast<double>(snapshot_file_bytes(plan)));
  const auto intervals = static_cast<int>(steps.size()) - 1;
  const bool even = intervals < 1 || steps.back() - steps[0] == intervals * (steps[1] - steps[0]);
  const double apart =
      (intervals < 1 ? steps[0] : double(steps.back() - steps[0]) / intervals) * plan.times.dt;
  return text(steps.size(), " every ", even ? "" : "about ", apart * 1e3, " ms, ", n.x, " x ", n.y, " x ",
              n.z, " nodes; ",
              megabytes < 1000 ? text(megabytes, " MB") : text(std::round(megabytes / 10) / 100, " GB"),
              " on disk");
}

SnapshotPlan make_snapshot_plan(const SnapshotOptions& o, const Grid& grid, const Box3& model_box,
                                const TimeAxis& times) {
  SnapshotPlan plan;
  if (!o.wanted()) {
    if (!o.box && !o.stride) return plan;
    throw Error(ErrorKind::parameter,
                text(o.box ? option("snapshot-box") : option("snapshot-stride"), " is given without ",
                     option("snapshot-every")),
                "say how often, or leave it out");
  }
  plan.steps = snapshot_steps(o, times);
  plan.times = times;
  plan.precision = grid.precision;
  const SnapshotBox box = o.box.value_or(SnapshotBox{});
  const Index3 stride = o.stride.value_or(Index3{1, 1, 1}), begin = model_box.begin, end = model_box.end;
  const Point3 h = grid.spacing;
  const KeptAxis x = kept_axis('x', box[0], begin.x, end.x, grid.n.x, h.x, stride.x),
                 y = kept_axis('y', box[1], begin.y, end.y, grid.n.y, h.y, stride.y),
                 z = kept_axis('z', box[2], begin.z, end.z, grid.n.z, h.z, stride.z);
  plan.nodes = {{x.first, y.first, z.first}, stride, {x.count, y.count, z.count}};
  plan.origin = {(x.first - begin.x) * h.x, (y.first - begin.y) * h.y, (z.first - begin.z) * h.z};
  plan.spacing = {stride.x * h.x, stride.y * h.y, stride.z * h.z};
  return plan;
}

}  // namespace minimod
