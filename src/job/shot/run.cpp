#include "src/job/shot/run.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/notes.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/choice/device_of_rank.hpp"
#include "src/job/outputs/model_sections.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/outputs/record.hpp"
#include "src/job/outputs/run_facts.hpp"
#include "src/job/outputs/shot_bytes.hpp"
#include "src/job/shot/configuration.hpp"
#include "src/job/shot/domain_cut.hpp"
#include "src/job/shot/shot_job.hpp"
#include "src/ranks/start.hpp"

namespace minimod {

namespace {

void write_gather(const ShotGather& gather, int shot, const ShotOutputs& outputs,
                  const OutputOptions& options) {
  for (const auto& [format, path] : outputs.files())
    format->write(gather, shot, options.of_formats, path, options.force);
}

/// Everything is there, or the shot can go on with its last step, whatever comes in between.
void write_outputs(const RunPlan& plan, const DeviceChoice& choice, const ShotGather& gather,
                   const RunResult& result, const ShotOutputs& outputs, const OutputOptions& output) {
  if (takes_long_to_write(plan)) {
    StopRequests::end_at_once("stopped by a signal while writing; the same command goes on from there");
  }
  write_gather(gather, plan.shot.number, outputs, output);
  StopRequests::note();
  if (!output.json.empty()) write_record(make_record(plan, choice, result), output.json, output.force);
}

/// While several files get their names, one after the other, a checkpoint says whose they are. It goes where
/// none of them has come to it.
template <class Write>
void with_identity(ShotCheckpoints& checkpoints, const ShotOutputs& outputs, Write write_all) {
  if (!outputs.are_several() || checkpoints.step()) return write_all();
  checkpoints.save_identity();
  try {
    write_all();
  } catch (const Error&) {
    const auto is_own = [&](const auto& file) { return checkpoints.are_of(file); };
    if (std::ranges::none_of(outputs.files(), is_own, &GatherFile::path) && !is_own(outputs.snapshots().hdf5))
      checkpoints.remove();
    throw;
  }
}

/// From the options to the files, and what is said of it.
class SingleRun {
 public:
  explicit SingleRun(const ShotOptions& options) : options_(options), output_(options.output) {
    ranks_.together([&] { plan_ = make_plan(options, ranks_.size()); });
    cut_domain(plan_, options.ranks, ranks_.size());
    configuration_ = shared_configuration(plan_);
    add_shot(configuration_, plan_, plan_.shot);
  }

  void run() {
    claim_files();
    ShotJob job(plan_, options_, shot_size(plan_),
                [&](const ShotJob&) { check_receivers_of_cut(plan_, plan_.shot); });
    begin(job);
    const DeviceChoice& choice = job.choice();
    const StreamRates stream = stream_rates_of(choice, ranks_, Patience::of_a_run);
    StopRequests::note();
    job.start();
    print_ranks(plan_, job.transport());
    ComputedShot shot =
        job.compute(plan_, {{}, options_.time.profile_range, {}, &*checkpoints_, output_.checkpoint_every},
                    outputs_ ? std::optional(outputs_->snapshots()) : std::nullopt, output_.force);
    shot.result.stream = stream;
    print_velocity_error(shot.result.velocity_code);
    ShotGather gather = job.gather_of(plan_, std::move(shot.traces));
    if (ranks_.is_alone()) gather.sections = take_sections(plan_);
    write(job, shot, gather);
    print_result(plan_, choice, shot.result);
    if (ranks_.is_first()) print_files(shot.snapshots != nullptr);
  }

 private:
  /// Nobody else makes them from here on, and they may be made: what a killed call of the same shot has left
  /// is replaced.
  void claim_files() {
    ranks_.on_first([&] { outputs_.emplace(options_); });
    ranks_.together([&] { checkpoints_.emplace(checkpoints_of(output_)); });
    ranks_.on_first([&] {
      bool has_left = false;
      outputs_->check([&](const std::filesystem::path& file) {
        const bool is_own = checkpoints_->belong_to(file, configuration_);
        has_left = has_left || is_own;
        return is_own || options_.output.force;
      });
      output_.force = output_.force || has_left;
      checkpoints_->check(configuration_, output_.force);
    });
    require_one_run(hash_of(configuration_), ranks_);
  }

  /// When kernels and slabs are chosen: looks that there is room for all, and says what will be run.
  void begin(ShotJob& job) {
    const DeviceChoice& choice = job.choice();
    add_kernels(configuration_, choice.kernels);
    ranks_.on_first([&] { checkpoints_->check(configuration_, output_.force); });
    std::size_t bytes = 0;
    ranks_.together([&] {
      bytes = job.check_memory(shot_size(plan_), 1);
      job.look_for_idle(options_.kernels);
    });
    ranks_.on_first([&] { check_disk(plan_, options_, outputs_->first()); });
    tell(choice.notes);
    tell(plan_.notes);
    print_facts(plan_, choice, bytes);
    print_growth(plan_);
    ranks_.on_first([&] { announce_played(plan_, choice); });
    tell(checkpoints_->notes());
    plan_.configuration = hash_of(configuration_);
    begin_checkpoints(*checkpoints_, std::move(configuration_), plan_);
    print_goes_on(checkpoints_->step());
  }

  void write(const ShotJob& job, const ComputedShot& shot, const ShotGather& gather) {
    ranks_.on_first([&] {
      with_identity(*checkpoints_, *outputs_, [&] {
        if (shot.snapshots) shot.snapshots->finish();
        write_outputs(plan_, job.choice(), gather, shot.result, *outputs_, output_);
      });
    });
    checkpoints_->remove();
  }

  void print_files(bool has_snapshots) const {
    if (has_snapshots) std::cout << "snapshots " << outputs_->snapshots().hdf5.string() << '\n';
    for (const GatherFile& file : outputs_->files()) std::cout << "gather " << file.path.string() << '\n';
  }

  Ranks& ranks_ = Ranks::world();
  const ShotOptions& options_;
  OutputOptions output_;  ///< which replace what the same shot has left
  RunPlan plan_;
  Configuration configuration_;
  std::optional<ShotOutputs> outputs_;  ///< of the first rank
  std::optional<ShotCheckpoints> checkpoints_;
};

}  // namespace

void run_shot(const ShotOptions& options) {
  check_kernels(options.kernels);
  SingleRun(options).run();
}

}  // namespace minimod
