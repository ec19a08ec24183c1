#include "src/job/shot/shot_job.hpp"

#include <utility>

#include "src/base/hdf5/hdf5.hpp"
#include "src/choice/device_of_rank.hpp"
#include "src/job/outputs/model_sections.hpp"
#include "src/job/outputs/record.hpp"
#include "src/job/outputs/water_depth.hpp"
#include "src/job/shot/domain_cut.hpp"
#include "src/job/shot/memory_check.hpp"

namespace minimod {

ShotJob::ShotJob(RunPlan& plan, const ShotOptions& options, const ShotSize& largest,
                 const CheckCut& check_cut)
    : plan_(plan),
      share_gpu_(options.ranks.share_gpu),
      choice_(choose_devices(options.kernels, options.ranks, plan.problem.part(), largest, ranks_)) {
  cut_by_measured_cost(plan, options.ranks, choice_, ranks_, [&] { check_cut(*this); });
  ranks_.together([&] { hold_slab(plan, *choice_.kernels.schedule); });
}

std::size_t ShotJob::check_memory(const ShotSize& largest, int gathers) const {
  const bool have_one_memory = !choice_.device.is_gpu() || share_gpu_;
  const int here = ranks_.size_of_node();
  return minimod::check_memory(plan_, choice_, largest, {have_one_memory ? here : 1, here, gathers});
}

void ShotJob::look_for_idle(const KernelOptions& options) {
  choice_.idle = idle_facts(options, plan_.problem.part(), choice_);
}

void ShotJob::start() {
  runner_.emplace(plan_.problem, plan_.planes(), choice_);
}

ComputedShot ShotJob::compute(const RunPlan& shot, ShotCompany company,
                              const std::optional<SnapshotPaths>& paths, bool overwrite) {
  std::unique_ptr<SnapshotRecorder> snapshots;
  if (!shot.snapshots.empty()) {
    const hdf5::Turn turn;
    snapshots = std::make_unique<SnapshotRecorder>(shot, choice_, paths, overwrite);
    company.observers.push_back(snapshots.get());
  }
  ModeledShot modeled = runner_->run(shot, company);
  return {std::move(modeled.result), std::move(modeled.traces), std::move(snapshots)};
}

ShotGather ShotJob::gather_of(const RunPlan& shot, Reals traces) const {
  ShotGather gather = make_gather(shot, choice_, std::move(traces), {});
  set_water_depths(gather, water_depths(shot, ranks_));
  if (!ranks_.is_alone()) gather.sections = take_sections(shot, ranks_);
  return gather;
}

void begin_checkpoints(ShotCheckpoints& checkpoints, Configuration configuration, RunPlan& plan) {
  plan.date = checkpoints.date().value_or(plan.date);
  checkpoints.begin(std::move(configuration), plan.date);
}

}  // namespace minimod
