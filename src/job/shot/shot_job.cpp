#include "src/job/shot/shot_job.hpp"

#include <utility>

#include "src/base/hdf5/hdf5.hpp"
#include "src/choice/device_of_rank.hpp"
#include "src/choice/layer_cost.hpp"
#include "src/job/outputs/model_sections.hpp"
#include "src/job/outputs/record.hpp"
#include "src/job/outputs/water_depth.hpp"
#include "src/job/shot/domain_cut.hpp"
#include "src/job/shot/memory_check.hpp"

namespace minimod {

namespace {

/// Facts of the gather, but for what is done to traces alone.
ShotGather snapshot_facts(ShotGather gather) {
  for (auto& [name, value] : gather.metadata) {
    if (name == time_dispersion_attribute) value = name_in(time_dispersion_names, TimeDispersion::as_is);
  }
  return gather;
}

}  // namespace

ShotJob::ShotJob(const SurveyPlan& plan, Problem cut, const ShotOptions& options, int gathers)
    : plan_(plan),
      problem_(std::move(cut)),
      medium_(plan.shared.medium),
      options_(options),
      gathers_(gathers),
      choice_(choose_devices(options.kernels, options.ranks, problem_.part(), plan.largest, ranks_)) {
  if (problem_.cut.slabs.empty()) return;
  if (options.ranks.planes.empty()) cut_by_measured_cost();
  ranks_.together([&] {
    const Grid grid = problem_.part().with_ghosts(choice_.kernels.schedule->ghosts()).grid;
    auto held = std::make_shared<SampledMedium>(*medium_);  // without values yet
    held->hold(grid.first_z, grid.first_z + grid.n.z);
    medium_ = std::move(held);
  });
}

/// Where that can be measured, and all ranks have room for the new cut.
void ShotJob::cut_by_measured_cost() {
  const StepProblem& domain = problem_.domain;
  const std::optional<double> cost = measured_layer_cost(*choice_.backend, domain, choice_.kernels, ranks_);
  if (!cost) return;
  Problem other = problem_;
  other.cut.slabs = cut_by_cost(domain, ranks_.size(), *cost, planes_amid_receivers(problem_, plan_));
  other.cut.layer_cost = cost;
  try {
    ranks_.together([&] { check_cut(other); });
    problem_ = std::move(other);
  } catch (const Error&) {  // the cut stays as it was
  }
}

void ShotJob::check_cut(const Problem& problem) const {
  check_receivers_of_cut(problem, plan_);
  check_memory(problem);
}

std::size_t ShotJob::check_memory(const Problem& problem) const {
  const bool have_one_memory = !choice_.device.is_gpu() || options_.ranks.share_gpu;
  const int here = ranks_.size_of_node();
  return minimod::check_memory(problem, plan_, choice_, {have_one_memory ? here : 1, here, gathers_});
}

void ShotJob::look_for_idle() {
  choice_.idle = idle_facts(options_.kernels, problem_.part(), choice_);
}

void ShotJob::start() {
  if (const auto& change = plan_.shared.change) {
    linearised_.emplace(problem_, medium_, choice_, *change);
  } else {
    runner_.emplace(problem_, medium_, choice_);
  }
}

ComputedShot ShotJob::compute(const Shot& shot, const ShotIdentity& identity, ShotHooks hooks,
                              const std::optional<SnapshotPaths>& paths, bool overwrite) {
  const RunPlan& shared = plan_.shared;
  ShotGather gather = make_gather(shared, shot, identity, choice_);
  std::unique_ptr<SnapshotRecorder> snapshots;
  if (const SnapshotPlan& wanted = shared.snapshots; !wanted.empty()) {
    const hdf5::LibraryLock held;
    std::unique_ptr<SnapshotFile> file;
    ranks_.on_first(
        [&] { file = std::make_unique<SnapshotFile>(wanted, snapshot_facts(gather), *paths, overwrite); });
    snapshots = std::make_unique<SnapshotRecorder>(wanted, problem_, shot.scale, choice_, std::move(file));
    hooks.observers.push_back(snapshots.get());
  }
  hooks.warmup = options_.time.warmup.value_or(0);
  ModeledShot modeled = linearised_ ? linearised_->run(shot, hooks) : runner_->run(shot, hooks);
  gather.traces = std::move(modeled.traces);
  set_water_depths(gather, water_depths(*medium_, problem_.cut, shot, ranks_));
  if (!ranks_.is_alone())
    gather.sections = take_sections(*medium_, problem_.slab(), shot.sources.front().node, ranks_);
  return {std::move(modeled.result), std::move(gather), std::move(snapshots)};
}

}  // namespace minimod
