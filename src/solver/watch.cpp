#include "src/solver/watch.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

std::string found(const Peak& peak, double scale, int step) {
  const Index3 node = peak.node;
  return text("|u| is ", scale * peak.magnitude(), " at node (", node.x, ", ", node.y, ", ", node.z,
              ") after step ", step);
}

/// The launch that has the node.
const RegionLaunch* launch_of(const StepPlan& plan, Index3 node) {
  for (const RegionLaunch& launch : plan.launches()) {
    if (launch.box.contains(node)) return &launch;
  }
  return nullptr;
}

/// Where threads are emulated shared memory is NaN until something is written: the first thing to look at.
void refuse_poisoned(const StepPlan& plan, Index3 node, const std::string& what) {
  const RegionLaunch* const launch = launch_of(plan, node);
  if (launch == nullptr) return;
  const CodeShape& shape = plan.kernels().of(launch->formula);
  if (!shape.emulated || shape.needs.shared_bytes == 0) return;
  const Index3 from = launch->box.begin;
  const Extent3 tile = shape.tile;
  const int block_z = tile.z > 0 ? (node.z - from.z) / tile.z : 0;
  throw Error(ErrorKind::data,
              text("unwritten shared memory in ", shape.name, "? ", what, ", ", launch->name, ", block (",
                   (node.x - from.x) / tile.x, ", ", (node.y - from.y) / tile.y, ", ", block_z, ')'),
              text("look for a missing barrier or copy by ", command("verify kernels"), " ",
                   option("emulate"), ", then at wavelet and ", option("dt")));
}

}  // namespace

void Watch::look(const Propagator& propagator) {
  const Fields& fields = propagator.fields();
  backend_.field_kernels().start_peak(fields.observed(), fields.grid().own());
  step_ = propagator.steps_done();
}

/// A launch that has given up is told of first: it may be the reason.
void Watch::judge(const Propagator& propagator, bool wait) {
  const bool has_neighbours = propagator.neighbours() != nullptr;
  if (has_neighbours && !wait) return;  // all slabs judge at once
  std::optional<Peak> peak = backend_.field_kernels().take_peak(wait);
  if (!peak) return;
  const Index3 own_node = peak->node;
  peak->node.z += propagator.fields().grid().first_z;
  if (has_neighbours) peak = propagator.neighbours()->of_all(*peak);
  if (!std::isfinite(peak->magnitude())) {
    propagator.check_status();
    if (!has_neighbours && !backend_.info().is_gpu()) {
      refuse_poisoned(propagator.plan(), own_node, found(*peak, scale_, step_));
    }
    throw Error(
        ErrorKind::data, text("the wavefield is not finite: ", found(*peak, scale_, step_)),
        text("check the wavelet's samples, or take a smaller ", option("dt"), "; no gather was written"));
  }
  if (state_.is_settled && state_.reference > 0 && peak->magnitude() > most_growth * state_.reference) {
    propagator.check_status();
    throw Error(ErrorKind::data,
                text("the wavefield grows without a source: ", found(*peak, scale_, step_), ", over ",
                     most_growth, " times the ", scale_ * state_.reference, " before"),
                remedy_ + "; no gather was written");
  }
  if (!state_.is_settled) state_.reference = std::max(state_.reference, peak->magnitude());
  state_.is_settled = step_ >= source_end_;
}

void Watch::after_step(const Propagator& propagator) {
  const bool is_due = propagator.steps_done() % steps_between_looks == 0;
  if (is_due) {
    judge(propagator, true);
    look(propagator);
  }
  judge(propagator, false);
}

void Watch::after_last_step(const Propagator& propagator) {
  judge(propagator, true);
  look(propagator);
  judge(propagator, true);
}

}  // namespace minimod
