#include "src/job/shot/run.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/notes.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/choice/device_of_rank.hpp"
#include "src/job/outputs/model_sections.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/outputs/power_record.hpp"
#include "src/job/outputs/record.hpp"
#include "src/job/outputs/run_facts.hpp"
#include "src/job/outputs/shot_bytes.hpp"
#include "src/job/shot/configuration.hpp"
#include "src/job/shot/domain_cut.hpp"
#include "src/job/shot/shot_job.hpp"
#include "src/ranks/start.hpp"

namespace minimod {

namespace {

/// The run's record with what the device told of its power meanwhile. `power`: null where it was not asked.
Json record_with_power(const SurveyPlan& run, const std::string& date, const DeviceChoice& choice,
                       const RunResult& result, const PowerSource* power) {
  Json record = make_record(run, date, choice, result);
  record["energy"] = power != nullptr ? power_source_record(*power) : Json(nullptr);
  Json& told = record["result"]["power"];
  if (power == nullptr || !result.power) return record;
  told = power_record(*result.power, *power, 1e9 * result.gpt_per_s);
  told["joules"] = result.power->watts ? Json(*result.power->watts * result.seconds) : Json(nullptr);
  return record;
}

/// Everything is there, or the shot can go on with its last step, whatever comes in between.
void write_outputs(const SurveyPlan& run, const std::string& date, const DeviceChoice& choice,
                   const ComputedShot& shot, const PowerSource* power, const ShotOutputs& outputs,
                   const OutputOptions& output) {
  if (takes_long_to_write(run.shared.problem, run.first)) {
    StopRequests::end_at_once("stopped by a signal while writing; the same command goes on from there");
  }
  for (const auto& [format, path] : outputs.files())
    format->write(shot.gather, run.first.number, output.of_formats, path, output.force);
  StopRequests::note();
  if (!output.json.empty())
    write_record(record_with_power(run, date, choice, shot.result, power), output.json, output.force);
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

/// From the options to the files, and what is said of it: a survey of one shot, which this process runs.
class SingleRun {
 public:
  explicit SingleRun(const ShotOptions& options)
      : options_(options),
        output_(options.output),
        plan_(ranks_.all_make([&] { return make_survey_plan(options, ranks_.size()); })),
        cut_(cut_domain(plan_.shared.problem, plan_, options.ranks, ranks_.size())),
        configuration_(with_shot(shared_configuration(plan_.shared), plan_.first)) {}

  void run() {
    claim_files();
    ShotJob job(plan_, cut_, options_, 1);
    const ShotIdentity identity = begin(job);
    const DeviceChoice& choice = job.choice();
    const std::optional<StreamRates> stream = stream_rates(choice);
    StopRequests::note();
    job.start();
    print_ranks(job.cut(), job.transport());
    ShotHooks hooks{{}, options_.time.profile_range, {}, &*checkpoints_, output_.checkpoint_every};
    if (!output_.json.empty() && ranks_.is_alone()) power_ = make_power_source(choice.device);
    if (power_ != nullptr && power_->tells_energy()) hooks.power = power_.get();
    ComputedShot shot =
        job.compute(plan_.first, identity, std::move(hooks),
                    outputs_ ? std::optional(outputs_->snapshots()) : std::nullopt, output_.force);
    shot.result.stream = stream;
    print_velocity_error(shot.result.velocity_code);
    if (ranks_.is_alone())
      shot.gather.sections = take_sections(*plan_.shared.medium, plan_.first.sources.front().node);
    write(choice, identity.date, shot);
    print_result(choice, shot.result, plan_.shared.time().steps);
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

  /// Rates of memory that the run is held against. They take milliseconds on a GPU and a quarter of a second
  /// on a CPU, where a run that is over sooner, and is not recorded, goes without.
  std::optional<StreamRates> stream_rates(const DeviceChoice& choice) {
    constexpr double few = 1e9;  // points updated, 0.2 to 1 s of a CPU's
    const bool is_long = double(plan_.shared.grid().n.points()) * plan_.shared.time().steps >= few;
    if (!choice.device.is_gpu() && output_.json.empty() && !is_long) return std::nullopt;
    return stream_rates_of(choice, ranks_, Thoroughness::of_a_run);
  }

  /// When kernels and slabs are chosen: looks that there is room for all, and says what will be run.
  ShotIdentity begin(ShotJob& job) {
    const DeviceChoice& choice = job.choice();
    add_kernels(configuration_, choice.kernels);
    ranks_.on_first([&] { checkpoints_->check(configuration_, output_.force); });
    std::size_t bytes = 0;
    ranks_.together([&] {
      bytes = job.check_memory();
      job.look_for_idle();
    });
    const RunPlan& shared = plan_.shared;
    ranks_.on_first([&] { check_disk(plan_, options_, outputs_->first()); });
    tell(choice.notes);
    tell(shared.notes);
    tell(echo_notes(shared, plan_.echo));
    tell(plan_.arrivals);
    print_facts(plan_, choice, bytes);
    print_growth(shared);
    ranks_.on_first([&] { announce_emulated(shared.problem, choice); });
    tell(checkpoints_->notes());
    std::string hash = hash_of(configuration_);
    std::string date = checkpoints_->begin(std::move(configuration_), plan_.date);
    print_goes_on(checkpoints_->step());
    return {std::move(date), std::move(hash)};
  }

  void write(const DeviceChoice& choice, const std::string& date, const ComputedShot& shot) {
    ranks_.on_first([&] {
      with_identity(*checkpoints_, *outputs_, [&] {
        if (shot.snapshots) shot.snapshots->finish();
        write_outputs(plan_, date, choice, shot, power_.get(), *outputs_, output_);
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
  OutputOptions output_;  ///< outputs, which replace what the same shot has left
  const SurveyPlan plan_;
  const Problem cut_;
  Configuration configuration_;
  std::optional<ShotOutputs> outputs_;  ///< outputs of the first rank
  std::optional<ShotCheckpoints> checkpoints_;
  std::unique_ptr<PowerSource> power_;  ///< asked for the record alone
};

}  // namespace

void run_shot(const ShotOptions& options) {
  check_kernels(options.kernels);
  SingleRun(options).run();
}

}  // namespace minimod
