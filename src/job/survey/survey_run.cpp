#include "src/job/survey/survey_run.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "kernels/host/emulated_work.hpp"
#include "kernels/registry.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/json.hpp"
#include "src/base/notes.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/base/timer.hpp"
#include "src/choice/device_choice.hpp"
#include "src/io/survey/folder_lock.hpp"
#include "src/io/survey/journal.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/outputs/run_facts.hpp"
#include "src/job/outputs/shot_bytes.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/domain_cut.hpp"
#include "src/job/shot/shot_checkpoints.hpp"
#include "src/job/survey/shot_output.hpp"
#include "src/job/survey/survey_folder.hpp"
#include "src/job/survey/survey_record.hpp"
#include "src/job/workers/shot_failures.hpp"
#include "src/job/workers/survey_devices.hpp"
#include "src/job/workers/worker_pool.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

/// The folder where none is named.
constexpr const char* default_folder = "survey";

/// A shot that is written, and one that computes meanwhile.
constexpr std::size_t shots_in_hand = 2;

/// Refuses options that a single shot takes, and a survey does not or does otherwise.
void check_options(const ShotOptions& options) {
  const OutputOptions& output = options.output;
  if (options.time.profile_range) {
    throw Error(ErrorKind::parameter, text(option("profile-range"), " is given with ", option("sources")),
                "leave it out: a profiler looks at a single shot");
  }
  if (names_file(output)) {
    throw Error(
        ErrorKind::parameter,
        text(option("output"), " ", shown(output.gather), " is the name of a file, a survey has a folder"),
        text("give a folder, and ", option("format"), " ", names_of(gather_formats()), " for ",
             titles_of({gather_formats().begin() + 1, gather_formats().end()})));
  }
  static_cast<void>(formats_of(output));
  if (!output.json.empty()) {
    throw Error(ErrorKind::parameter, text(option("json"), " is given with ", option("sources")),
                "leave it out: survey.json is the record of a survey");
  }
}

/// A shot that this run is to see to.
struct WantedShot {
  int index = 0;  ///< among the selected
  int id = 0;
  std::string hash;  ///< hash of its configuration
};

/// A survey in its folder: which shots are to be done, and what became of them.
class SurveyRun {
 public:
  explicit SurveyRun(const ShotOptions& options)
      : options_(options),
        survey_(make_survey_plan(options, options.work.ranks())),
        specs_(workers_of(options)),
        cut_(cut_domain(survey_.shared.problem, survey_, options.ranks, options.work.ranks())),
        shared_(shared_configuration(survey_.shared)),
        mine_(find_mine()),
        folder_(begin_folder()),
        journal_(folder_, worker_number()),
        record_(survey_, options, folder_) {
    find_shots_to_do();
  }

  void run() {
    make_folder(folder_ / "shots");
    make_folder(folder_ / "checkpoints");
    journal_.plan(selected_numbers());
    tell(survey_.shared.notes);
    tell(survey_.arrivals);
    tell(echo_notes(survey_.shared, survey_.echo));
    print_facts();
    StopRequests::note();
    if (!to_do_.empty()) {
      announce_emulated();
      run_shots();
    }
    record_.write();
    print_result();
    failures_.check(left_, to_do_.size());
  }

 private:
  [[nodiscard]] WorkerNumber worker_number() const {
    return options_.work.share ? WorkerNumber(options_.work.share->index) : WorkerNumber();
  }

  /// Numbers of all selected shots, also those that other workers have.
  [[nodiscard]] std::vector<int> selected_numbers() const {
    std::vector<int> numbers;
    for (std::size_t i = 0; i < survey_.selected.size(); ++i) numbers.push_back(survey_.shot(i).id);
    return numbers;
  }

  /// Also checks that the devices hold them.
  std::vector<WantedShot> find_mine() {
    const std::optional<WorkerShare>& share = options_.work.share;
    std::vector<WantedShot> mine;
    for (int i = 0; i < static_cast<int>(survey_.selected.size()); ++i) {
      if (!share || i % share->count == share->index) mine.push_back({i, survey_.shot(i).id, ""});
    }
    check_devices(survey_, cut_, options_, specs_, mine.size(), shared_);
    for (WantedShot& shot : mine) {
      const Shot placed = place_shot(survey_.shared, survey_.shot(shot.index));
      check_receivers_of_cut(cut_, placed);
      shot.hash = hash_of(with_shot(shared_, placed));
    }
    return mine;
  }

  fs::path find_folder() {
    const OutputOptions& output = options_.output;
    return find_survey_folder(output.gather == "." ? default_folder : output.gather, shared_, output.force,
                              [&](const fs::path& there) {
                                const std::string other = other_shot_in(Journal(there, {}));
                                return other.empty() ? other_checkpoint_in(there) : other;
                              });
  }

  /// All is found again under the lock: others may have been there before. What is refused leaves nothing.
  fs::path begin_folder() {
    fs::path folder = find_folder();
    while (true) {
      made_.emplace(folder);
      lock_.emplace(folder, worker_number());
      fs::path found = find_folder();
      if (found == folder) break;
      lock_.reset();
      folder = std::move(found);
    }
    if (!is_begun(folder)) {
      check_disk(mine_, folder);
      begin_survey(folder, shared_);
    }
    return folder;
  }

  void find_shots_to_do() {
    std::vector<WantedShot> left;
    for (const WantedShot& shot : mine_) {
      if (journal_.is_done(shot.id, shot.hash)) {
        record_.add_done_before(shot.id, shot.hash);
        // One that was made again, to the same bytes, may have been killed before it could remove them.
        ShotCheckpoints(checkpoints_of_shot(folder_, shot.id)).remove();
      } else {
        left.push_back(shot);
      }
    }
    remove_what_workers_left(folder_);
    check_disk(left, folder_);
    for (const WantedShot& shot : left) check_files_of(shot.id);
    for (const WantedShot& shot : left) {
      remove_damaged(shot.id);
      to_do_.push_back({shot.index, shot.hash});
    }
  }

  /// A survey of the same model and times may have shots of other sources or receivers under the same
  /// numbers.
  [[nodiscard]] std::string other_shot_in(const Journal& journal) const {
    for (const WantedShot& shot : mine_) {
      const auto [first, last] = journal.shots().equal_range(shot.id);
      const auto is_this = [&](const auto& line) { return line.second.configuration == shot.hash; };
      if (first != last && std::none_of(first, last, is_this))
        return text("shot ", shot.id, " has another source, wavelet, receivers or snapshots");
    }
    return "";
  }

  /// The same of shots that were interrupted.
  [[nodiscard]] std::string other_checkpoint_in(const fs::path& folder) const {
    for (const WantedShot& shot : mine_) {
      const fs::path base = checkpoints_of_shot(folder, shot.id);
      if (std::ranges::none_of(checkpoint_names(base), is_there)) continue;
      const Shot placed = place_shot(survey_.shared, survey_.shot(shot.index));
      if (std::string other = ShotCheckpoints(base).other_shot(with_shot(shared_, placed)); !other.empty())
        return other;
    }
    return "";
  }

  void check_disk(const std::vector<WantedShot>& shots, const fs::path& folder) const {
    const std::size_t at_once = std::min(specs_.size(), shots.size());
    SurveyBytes bytes(survey_, options_, at_once);
    for (const WantedShot& shot : shots) bytes.add(survey_.shot(shot.index));
    for (std::size_t i = 0; i < at_once; ++i)  // the first shots give room when they are done
      bytes.add_there(bytes_of_checkpoints(checkpoints_of_shot(folder, shots[i].id)));
    bytes.check_room(folder);
  }

  static bool is_there(const fs::path& path) {
    std::error_code none;
    return fs::symlink_status(path, none).type() != fs::file_type::not_found;
  }

  /// Whether it is a file that a shot has left, damaged or not.
  [[nodiscard]] bool is_of_journal(int id, const fs::path& path) const {
    std::error_code none;
    if (!fs::is_regular_file(fs::symlink_status(path, none))) return false;
    const auto [first, last] = journal_.shots().equal_range(id);
    return std::any_of(first, last, [&](const auto& line) {
      return std::ranges::any_of(line.second.files,
                                 [&](const FinishedFile& file) { return folder_ / file.name == path; });
    });
  }

  /// Checks that nothing is in the way which a worker would not replace. Errors: 73, 77.
  void check_files_of(int id) const {
    const OutputOptions& output = options_.output;
    const auto is_in_the_way = [&](const fs::path& path) {
      return is_there(path) && !is_of_journal(id, path);
    };
    for (const auto& [format, path] : gathers_of_shot(id, output)) {
      if (is_in_the_way(folder_ / path)) check_can_create(folder_ / path, *format->kind, true);
    }
    const SnapshotPaths snapshots = snapshots_of_shot(folder_, id, output);
    if (options_.snapshots.wanted() && (is_in_the_way(snapshots.hdf5) || is_in_the_way(snapshots.xdmf)))
      check_can_create(snapshots, true);
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

  /// Says for how long the host emulates the threads of a kernel, where it does and for long.
  void announce_emulated() const {
    const KernelOptions& kernels = options_.kernels;
    if (!kernels.emulate || kernels.kernel == KernelOptions{}.kernel) return;
    const double steps = double{1} * survey_.shared.time().steps * to_do_.size() / specs_.size();
    EmulatedWork work;
    work.add_steps(find_shape(kernels.kernel, kernels.radius(), kernels.precision), survey_.shared.grid().n,
                   steps);
    work.announce();
  }

  void run_shots() {
    const int steps = survey_.shared.time().steps;
    const Json first{
        {"folder", folder_.string()}, {"date", survey_.date}, {"configuration", hash_of(shared_)}};
    const std::size_t count = to_do_.size();
    specs_.resize(std::min(specs_.size(), count));
    const WhatWorkersLeave leavings{folder_};  // until they have ended
    WorkerPool pool(specs_, first.dump(), shots_in_hand);
    const WorkerPool::Callbacks callbacks{
        [&](const std::string& device, const Json& ready) { record_.add_worker(device, ready); },
        [&](int shot, const ShotOutcome& outcome) { end_shot(shot, outcome); }};
    const Timer timer;
    left_ = count - pool.run(to_do_, steps, survey_.shared.grid().n.points(), callbacks);
    record_.set_seconds(timer.seconds());
  }

  void end_shot(int shot, const ShotOutcome& outcome) {
    const int id = survey_.shot(shot).id;
    if (outcome.finished.is_null()) {
      failures_.add(id, outcome);
    } else {
      journal_.add(finished_shot_of(id, outcome.finished));
    }
    record_.add(id, outcome);
  }

  void print_facts() const {
    const RunPlan& plan = survey_.shared;
    const TimeAxis& time = plan.time();
    const Extent3 n = plan.grid().n;
    const std::string devices = joined(specs_, ", ", &WorkerSpec::device);
    std::cout << text("minimod ", build_info().version, " (", build_info().git_hash, ")\n", "  survey    ",
                      survey_.shots.size(), " shots, ", mine_.size(), " of them wanted, ",
                      mine_.size() - to_do_.size(), " done before, in ", folder_.string(), "\n  grid      ",
                      n.x, " x ", n.y, " x ", n.z, " points, spacing (", plan.grid().spacing.x, ", ",
                      plan.grid().spacing.y, ", ", plan.grid().spacing.z, ") m\n  model     ",
                      plan.medium->model().name, ", ", plan.medium->v_min(), " to ", plan.medium->v_max(),
                      " m/s\n  time      dt ", time.dt * 1e3, " ms, ", time.steps, " steps, ", time.samples(),
                      " samples every ", time.record_dt() * 1e3, " ms; ", dispersion_fact(time),
                      "\n  workers   ", specs_.size(), " (", devices, ")", ranks_text(), '\n')
              << std::flush;
  }

  [[nodiscard]] std::string ranks_text() const {
    if (cut_.cut.slabs.empty()) return "";
    return text(", ", options_.work.ranks(), " ranks a shot (", mpi_library(), "), slabs ",
                options_.ranks.planes.empty() ? "by the cost of the layer, which each worker measures"
                                              : text("of ", planes_text(cut_.cut.slabs), " planes"));
  }

  void print_result() const {
    std::cout << record_.summary() << "survey " << (folder_ / "survey.json").string() << '\n' << std::flush;
  }

  static void remove_what_workers_left(const fs::path& folder) {
    for (const char* part : {"shots", "checkpoints"}) remove_dead_temporaries_in(folder / part);
  }

  /// Workers that are killed because the survey ends with an error leave what they were writing.
  struct WhatWorkersLeave {
    fs::path folder;
    ~WhatWorkersLeave() { remove_what_workers_left(folder); }
  };

  ShotOptions options_;
  const SurveyPlan survey_;
  std::vector<WorkerSpec> specs_;
  const Problem cut_;
  Configuration shared_;
  std::vector<WantedShot> mine_;
  std::optional<OutputFolder> made_;
  std::optional<FolderLock> lock_;
  fs::path folder_;
  Journal journal_;
  SurveyRecord record_;
  std::deque<OrderedShot> to_do_;
  ShotFailures failures_;
  std::size_t left_ = 0;
};

}  // namespace

void run_survey(const ShotOptions& options) {
  check_kernels(options.kernels);
  check_options(options);
  SurveyRun(options).run();
}

}  // namespace minimod
