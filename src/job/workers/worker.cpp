#include "src/job/workers/worker.hpp"

#include <future>

#include "src/base/error.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/json.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/base/process/threads.hpp"
#include "src/base/timer.hpp"
#include "src/io/survey/journal.hpp"
#include "src/job/outputs/model_sections.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/domain_cut.hpp"
#include "src/job/shot/shot_checkpoints.hpp"
#include "src/job/shot/shot_job.hpp"
#include "src/job/survey/shot_output.hpp"
#include "src/job/workers/survey_devices.hpp"
#include "src/job/workers/worker_process.hpp"

namespace minimod {

namespace {

/// How the shots are cut, for what the survey is told before the first of them.
void add_cut(Json& ready, const DomainCut& cut, Transport transport) {
  ready["transport"] = name_in(transport_names, transport);
  ready["slabs"] = Json::array();
  for (const Slab& slab : cut.slabs) ready["slabs"].push_back(slab.planes());
  ready["measured_layer_cost"] = cut.layer_cost ? Json(*cut.layer_cost) : Json(nullptr);
}

class Worker {
 public:
  /// `job` has started. `date`: of the survey's start, for the shots that are begun.
  Worker(const ShotOptions& options, const SurveyPlan& survey, ShotJob& job, Configuration shared,
         std::string date)
      : options_(options), survey_(survey), job_(job), shared_(std::move(shared)), date_(std::move(date)) {}

  void run(const OrderedShot& shot) {
    const int index = shot.index;
    say({{"begun", index}});
    try {
      compute(index, shot.configuration);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::stopped) wait_for_files();  // so do all ranks: the signal is agreed on
      // 73: what is there of the shot is another's.
      if (error.kind() != ErrorKind::data && error.kind() != ErrorKind::cannot_create) throw;
      say_failed(index, error);
    }
  }

  /// Waits for the files of the shot before, which the first rank writes. Error 74.
  void wait_for_files() {
    ranks_.on_first([&] {
      if (!writing_.valid()) return;
      try {
        say(writing_.get());
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::cannot_create && error.kind() != ErrorKind::permission) throw;
        say_failed(written_, error);
      }
    });
  }

 private:
  void compute(int index, const std::string& expected) {
    const Timer since_begin;
    const Shot shot = place_shot(survey_.shared, survey_.shot(index));
    Configuration configuration = with_shot(shared_, shot);
    ranks_.together([&] { require_same(expected, configuration); });
    const std::string hash = hash_of(configuration);
    const auto checkpoints = checkpoints_for(shot.number, configuration);
    ComputedShot computed = run(shot, std::move(configuration), *checkpoints);
    say({{"computed", index}});
    Json message{{"finished", index},
                 {"hash", hash},
                 {"kernel_seconds", computed.result.seconds},
                 {"gpt_per_s", computed.result.gpt_per_s},
                 {"min", computed.result.extremes.min},
                 {"max", computed.result.extremes.max}};
    const Timer waiting;
    wait_for_files();
    message["waited_for_files"] = waiting.seconds();
    if (!ranks_.is_first()) return;
    written_ = index;
    writing_ = std::async(std::launch::async,
                          [this, since_begin, id = shot.number, at = shot.sources.front().node, checkpoints,
                           message = std::move(message), gather = std::move(computed.gather)]() mutable {
                            const Unbound unbound;
                            if (ranks_.is_alone())
                              gather.sections = take_sections(*survey_.shared.medium, at);
                            message["files"] = write(gather, id, message["hash"].get<std::string>());
                            const hdf5::LibraryLock held;
                            checkpoints->remove();
                            message["seconds"] = since_begin.seconds();
                            return message;
                          });
  }

  std::shared_ptr<ShotCheckpoints> checkpoints_for(int number, const Configuration& configuration) {
    return ranks_.all_make([&] {
      auto checkpoints =
          std::make_shared<ShotCheckpoints>(checkpoints_of_shot(options_.output.gather, number));
      const hdf5::LibraryLock held;
      checkpoints->check(configuration, job_.choice().is_among_others);
      return checkpoints;
    });
  }

  /// Until its last step, with its snapshots written.
  ComputedShot run(const Shot& shot, Configuration configuration, ShotCheckpoints& checkpoints) {
    const auto tell = [](int steps) { say({{"steps", steps}}); };
    std::optional<SnapshotPaths> paths;
    if (ranks_.is_first()) paths = snapshots_of_shot(options_.output.gather, shot.number, options_.output);
    ComputedShot computed =
        job_.compute(shot, {checkpoints.begin(std::move(configuration), date_), ""},
                     {{}, {}, tell, &checkpoints, options_.output.checkpoint_every}, paths, true);
    ranks_.on_first([&] {
      if (computed.snapshots) computed.snapshots->finish();
    });
    return computed;
  }

  /// Writes the shot's files, and says which they are.
  Json write(const ShotGather& gather, int id, const std::string& hash) const {
    const hdf5::LibraryLock held;
    write_shot(gather, id, options_.output.gather, options_.output);
    const FinishedShot finished =
        finished_shot(id, hash, options_.output.gather, shot_file_names(id, options_));
    Json files = Json::array();
    for (const FinishedFile& file : finished.files) {
      files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"crc32", file.crc32}});
    }
    return files;
  }

  Ranks& ranks_ = Ranks::world();
  const ShotOptions& options_;
  const SurveyPlan& survey_;
  ShotJob& job_;
  Configuration shared_;
  std::string date_;
  std::future<Json> writing_;
  int written_ = 0;  ///< number of the shot that `writing_` is of
};

/// Words of this worker to the survey before the first shot, when the device is still empty.
Json readiness(const DeviceChoice& choice) {
  Json ready{{"ready", choice.device.name},
             {"kernels", text(choice.kernels.inner->name, ", ", choice.kernels.schedule->name())}};
  if (choice.device.is_gpu()) {  // takes milliseconds there, a third of a second on a CPU
    const StreamRates stream = choice.stream_rates(Thoroughness::of_a_run);
    ready["copy_gb_per_s"] = stream.copy;
    ready["three_reads_one_write_gb_per_s"] = stream.three_reads_one_write;
  }
  return ready;
}

void run_ordered_shots(Worker& worker, Ranks& ranks) {
  while (const auto shot = next_shot(ranks)) {
    if (shot->index == no_shot) {
      worker.wait_for_files();
    } else {
      worker.run(*shot);
    }
  }
  worker.wait_for_files();
}

}  // namespace

void work_on_survey(ShotOptions options, const std::string& device) {
  Ranks& ranks = Ranks::world();
  options.kernels.device = device_option(device);
  const Json first = first_message(ranks, {"folder", "date", "configuration"});
  if (first.is_null()) return;
  const SurveyPlan survey = ranks.all_make([&] { return make_survey_plan(options, ranks.size()); });
  const Problem cut =
      ranks.all_make([&] { return cut_domain(survey.shared.problem, survey, options.ranks, ranks.size()); });
  options.output.gather = first["folder"].get<std::string>();
  ShotJob job(survey, cut, options, 2);
  Configuration shared = shared_configuration(survey.shared);
  add_kernels_of_survey(shared, job.choice());
  ranks.together([&] { require_same(first["configuration"].get<std::string>(), shared); });
  StopRequests::note();
  Json ready = readiness(job.choice());
  job.start();
  if (const auto transport = job.transport()) add_cut(ready, job.cut(), *transport);
  say(ready);
  Worker worker(options, survey, job, std::move(shared), first["date"].get<std::string>());
  run_ordered_shots(worker, ranks);
}

}  // namespace minimod
