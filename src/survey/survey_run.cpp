#include "src/survey/survey_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

#include "kernels/registry.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/progress.hpp"
#include "src/base/stop_requests.hpp"
#include "src/base/threads.hpp"
#include "src/choice/device_choice.hpp"
#include "src/shot/outputs.hpp"
#include "src/shot/placing.hpp"
#include "src/survey/folder_lock.hpp"
#include "src/survey/journal.hpp"
#include "src/survey/shot_output.hpp"
#include "src/survey/survey_folder.hpp"
#include "src/survey/survey_plan.hpp"
#include "src/survey/survey_record.hpp"
#include "src/survey/worker_pool.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;
using Kind = DeviceOption::Kind;

/// The folder where none is named.
constexpr const char* default_folder = "survey";

bool takes_gpus(const KernelOptions& options) {
  if (options.device.kind == Kind::cpu || options.emulate) return false;
  return options.device.kind == Kind::cuda || find_cuda_devices().count > 0;
}

std::vector<int> gpus_of(const DeviceOption& device) {
  const int count = find_cuda_devices().count;
  std::vector<int> gpus;
  if (device.all) {
    for (int i = 0; i < count; ++i) gpus.push_back(i);
  } else {
    gpus = device.others;
    gpus.insert(gpus.begin(), device.index);
  }
  if (gpus.empty() || std::ranges::max(gpus) >= count) {
    throw Error(ExitCode::unavailable,
                count == 0 ? find_cuda_devices().why_none
                           : text("GPU ", std::ranges::max(gpus), " is asked for, there are ", count),
                count == 0 ? "use --device cpu" : text("number them from 0 to ", count - 1));
  }
  return gpus;
}

std::vector<WorkerSpec> workers_of(const ShotOptions& options) {
  std::vector<WorkerSpec> specs;
  if (takes_gpus(options.kernels)) {
    if (options.work.workers) {
      throw Error(ExitCode::usage, "--workers is given with GPUs, each of which has one worker",
                  "name the GPUs with --device cuda:0,1 or cuda:all");
    }
    for (const int gpu : gpus_of(options.kernels.device)) specs.push_back({text("cuda:", gpu), 0});
    return specs;
  }
  const int cores = available_threads(), workers = options.work.workers.value_or(1);
  if (workers > cores) {
    throw Error(ExitCode::usage, text("--workers is ", workers, ", there are ", cores, " cores"),
                "take fewer");
  }
  for (int i = 0; i < workers; ++i) specs.push_back({text("cpu:", i), workers == 1 ? 0 : cores / workers});
  return specs;
}

/// What the kernels of the options change of the bits; those that `auto` takes change none.
Configuration configuration_of(const SurveyPlan& survey, const ShotOptions& options) {
  const std::string& kernel = options.kernels.kernel;
  const bool named = kernel != "auto" && (takes_gpus(options.kernels) || options.kernels.emulate);
  Configuration configuration = shared_configuration(survey.shared);
  add_kernels(configuration, {&find_shape(named ? kernel : "kokkos"), nullptr, nullptr});
  return configuration;
}

/// What a single shot takes and a survey does otherwise.
void check_output(const OutputOptions& output) {
  static_cast<void>(formats_of(output));
  if (!output.json.empty()) {
    throw Error(ExitCode::usage, "--json is given with --sources",
                "leave it out: survey.json is the record of a survey");
  }
  const std::string suffix = fs::path(output.gather).extension().string();
  if (suffix == ".h5" || suffix == ".sgy" || suffix == ".segy") {
    throw Error(ExitCode::usage,
                text("--output ", shown(output.gather), " is the name of a file, a survey has a folder"),
                "give a folder, and --format hdf5,segy for SEG-Y");
  }
}

/// A survey in its folder: which shots are to be done, and what became of them.
class SurveyRun {
 public:
  explicit SurveyRun(const ShotOptions& options)
      : options_(options),
        survey_(make_survey_plan(options)),
        specs_(workers_of(options)),
        shared_(configuration_of(survey_, options)),
        folder_(take_survey_folder(options.output.gather == "." ? default_folder : options.output.gather,
                                   shared_, options.output.force)),
        lock_(folder_, worker_number()),
        journal_(folder_, worker_number()),
        record_(survey_, options, folder_) {
    find_shots_to_do();
  }

  void run() {
    make_folder(folder_ / "shots");
    make_folder(folder_ / "checkpoints");
    for (const std::string& note : survey_.shared.notes) std::cerr << "minimod: " << note << '\n';
    print_facts();
    StopRequests::note();
    if (!to_do_.empty()) run_shots();
    record_.write();
    print_result();
    check();
  }

 private:
  [[nodiscard]] WorkerNumber worker_number() const {
    return options_.work.share ? WorkerNumber(options_.work.share->index) : WorkerNumber();
  }

  void find_shots_to_do() {
    const std::optional<WorkerShare>& share = options_.work.share;
    for (int i = 0; i < static_cast<int>(survey_.selected.size()); ++i) {
      if (share && i % share->count != share->index) continue;
      place_shot(survey_.shared, survey_.shot(i));
      Configuration configuration = shared_;
      add_shot(configuration, survey_.shared);
      const std::string hash = hash_of(configuration);
      ++mine_;
      if (journal_.is_done(survey_.shot(i).id, hash)) {
        record_.add_done_before(survey_.shot(i).id, hash);
      } else {
        refuse_another_shot(survey_.shot(i).id, hash);
        remove_damaged(survey_.shot(i).id);
        to_do_.push_back(i);
        hashes_[i] = hash;
      }
    }
  }

  /// The folder's survey has the same model and times; its shots may have other sources or receivers.
  void refuse_another_shot(int id, const std::string& hash) const {
    const auto [first, last] = journal_.shots().equal_range(id);
    const bool is_known =
        std::any_of(first, last, [&](const auto& line) { return line.second.configuration == hash; });
    if (first == last || is_known) return;
    throw Error(
        ExitCode::cannot_create,
        text("shot ", id, " in ", shown(folder_), " has another source, wavelet, receivers or snapshots"),
        "take another --output, so that it is kept");
  }

  /// Files that the journal knows, and that are no more what it says.
  void remove_damaged(int id) const {
    const auto [first, last] = journal_.shots().equal_range(id);
    for (auto line = first; line != last; ++line) {
      for (const FinishedFile& file : line->second.files) {
        const fs::path path = folder_ / file.name;
        std::error_code ignored;
        if (path.parent_path() == folder_ / "shots" && fs::is_regular_file(path, ignored))
          fs::remove(path, ignored);
      }
    }
  }

  void run_shots() {
    const RunPlan& plan = survey_.shared;
    const nlohmann::json first{{"folder", folder_.string()}, {"date", plan.date}};
    const std::size_t count = to_do_.size();
    specs_.resize(std::min(specs_.size(), count));
    WorkerPool pool(specs_, first.dump());
    Progress progress(static_cast<std::int64_t>(count) * plan.steps, plan.grid.n.points());
    std::size_t ended = 0;
    const WorkerPool::Callbacks callbacks{
        [&](const std::string& device, const nlohmann::ordered_json& ready) {
          record_.add_worker(device, ready);
        },
        [&](int shot, const ShotOutcome& outcome) {
          ++ended;
          end_shot(shot, outcome);
        },
        [&](double under_way) {
          const double shots = static_cast<double>(ended) + under_way;
          if (shots > 0)
            progress.update(std::llround(shots * plan.steps), text("shots ", ended, '/', count, "  "));
        }};
    const auto began = std::chrono::steady_clock::now();
    pool.run(to_do_, plan.steps, callbacks);
    record_.set_seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    left_ = count - ended;
  }

  void end_shot(int shot, const ShotOutcome& outcome) {
    const int id = survey_.shot(shot).id;
    if (outcome.finished.is_null()) {
      failures_.push_back({id, outcome.code, outcome.what});
      std::fprintf(stderr, "\nminimod: shot %d failed: %s\n", id, outcome.what.c_str());
    } else {
      const auto done = finished_shot_of(id, outcome.finished);
      if (done.configuration != hashes_[shot]) {
        throw Error(ExitCode::internal,
                    text("the worker on ", outcome.device, " ran another shot ", id, " than was planned"),
                    "have the input files changed? run it again");
      }
      journal_.add(done);
    }
    record_.add(id, outcome);
  }

  void print_facts() const {
    const RunPlan& plan = survey_.shared;
    const Extent3 n = plan.grid.n;
    std::string devices;
    for (const WorkerSpec& spec : specs_) devices += (devices.empty() ? "" : ", ") + spec.device;
    std::cout << text("minimod ", build_info().version, " (", build_info().git_hash, ")\n", "  survey    ",
                      survey_.shots.size(), " shots, ", mine_, " of them wanted, ", mine_ - to_do_.size(),
                      " done before, in ", folder_.string(), "\n  grid      ", n.x, " x ", n.y, " x ", n.z,
                      " points, spacing (", plan.grid.spacing.x, ", ", plan.grid.spacing.y, ", ",
                      plan.grid.spacing.z, ") m\n  model     ", plan.medium.model().name, ", ",
                      plan.medium.v_min(), " to ", plan.medium.v_max(), " m/s\n  time      dt ",
                      plan.dt * 1e3, " ms, ", plan.steps, " steps, ", plan.samples(), " samples every ",
                      plan.dt * plan.record_every * 1e3, " ms\n  workers   ", specs_.size(), " (", devices,
                      ")\n")
              << std::flush;
  }

  void print_result() const {
    std::cout << record_.summary() << "survey " << (folder_ / "survey.json").string() << '\n' << std::flush;
  }

  void check() const {
    if (left_ > 0) {
      throw Error(ExitCode::stopped,
                  text("stopped by a signal, ", left_, " of ", to_do_.size(), " shots are left"),
                  "the same command goes on");
    }
    if (failures_.empty()) return;
    std::string ids;
    for (const Failure& failure : failures_) ids += text(ids.empty() ? "" : ", ", failure.shot);
    throw Error(static_cast<ExitCode>(failures_.front().code),
                text(failures_.size(), " of ", to_do_.size(), " shots failed: ", escaped(ids, 60), "; shot ",
                     failures_.front().shot, ": ", escaped(failures_.front().what, 100)),
                "the same command tries them again");
  }

  struct Failure {
    int shot, code;
    std::string what;
  };

  ShotOptions options_;
  SurveyPlan survey_;
  std::vector<WorkerSpec> specs_;
  Configuration shared_;
  fs::path folder_;
  FolderLock lock_;
  Journal journal_;
  SurveyRecord record_;
  std::deque<int> to_do_;
  std::map<int, std::string> hashes_;
  std::vector<Failure> failures_;
  std::size_t mine_ = 0, left_ = 0;
};

}  // namespace

void run_survey(const ShotOptions& options) {
  check_kernels(options.kernels);
  check_output(options.output);
  SurveyRun(options).run();
}

}  // namespace minimod
