#include "src/job/gradient/gradient_run.hpp"

#include <algorithm>
#include <deque>
#include <iostream>
#include <numeric>
#include <set>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/files/output_claims.hpp"
#include "src/base/notes.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/progress.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/io/checkpoint/checkpoint_file.hpp"
#include "src/io/survey/folder_lock.hpp"
#include "src/job/gradient/imaging.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/outputs/run_facts.hpp"
#include "src/job/shot/domain_cut.hpp"
#include "src/job/workers/shot_failures.hpp"
#include "src/job/workers/survey_devices.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

/// Observed traces with a misfit, or its derivative.
void check_traces(const GradientOptions& gradient) {
  if (gradient.adjoint_sources.empty()) {
    if (!gradient.observed.empty()) return;
    throw Error(ErrorKind::parameter, text(option("observed"), " is missing"),
                "give the observed gather, or the folder of a survey");
  }
  const auto refuse_beside = [](bool is_given, const char* name) {
    if (!is_given) return;
    throw Error(ErrorKind::parameter,
                text(option(name), " and ", option("adjoint-sources"), " are both given"),
                "give one of them");
  };
  refuse_beside(!gradient.observed.empty(), "observed");
  refuse_beside(gradient.misfit.kind != MisfitKind::l2, "misfit");
  refuse_beside(gradient.misfit.window.has_value(), "window");
  refuse_beside(!gradient.trace_weights.empty(), "trace-weights");
  refuse_beside(!gradient.residuals.empty(), "write-residuals");
}

void check_options(const ShotOptions& options, const GradientOptions& gradient) {
  check_traces(gradient);
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    const std::string whose = text(gradient.image ? "an " : "a ", gradient.name());
    throw Error(ErrorKind::parameter, text(what, ", which ", whose, " does not have"), remedy);
  };
  if (options.kernels.equation != Equation::wave)
    refuse(text(option("equation"), " is ", equation_name(options.kernels.equation)), "take wave");
  if (!options.acquisition.inject.empty()) refuse(option("inject") + " is given", "give a wavelet");
  if (options.snapshots.wanted()) refuse(option("snapshot-every") + " is given", "leave it out");
  if (!options.output.json.empty()) refuse(option("json") + " is given", "leave it out");
  if (options.output.formats) refuse(option("format") + " is given", "leave it out: it is HDF5");
  if (formats_of(options.output).front() != gather_formats().front())
    refuse(text(option("output"), ' ', shown(options.output.gather), " says a format"), "give a name in .h5");
  if (options.acquisition.sources.empty() && options.work.ranks() == 1 &&
      options.kernels.device.names_several()) {
    throw Error(
        ErrorKind::parameter, option("device") + " names several GPUs, a single shot runs on one",
        text("name one, cut the shot with ", option("ranks"), ", or give a survey with ", option("sources")));
  }
}

class GradientRun {
 public:
  GradientRun(const ShotOptions& options, const GradientOptions& gradient)
      : shots_(options, gradient, options.work.ranks()),
        folder_(shots_.parts()),
        lock_(std::in_place, shots_.parts(), share() ? WorkerNumber(share()->index) : WorkerNumber()),
        specs_(workers_of(options)),
        cut_(cut_domain(plan().problem, shots_.plan(), options.ranks, options.work.ranks())),
        shared_(shots_.configuration()) {
    if (!share()) claims_.add(shots_.output(), gradient_kind, options.output.force);
    for (std::size_t i = 0; i < shots_.size(); ++i) {
      if (!share() || static_cast<int>(i) % share()->count == share()->index) mine_.push_back(i);
    }
    specs_.resize(std::min(specs_.size(), mine_.size()));
    check_memory();
    find_shots_to_do();
  }

  void run() {
    tell(plan().notes);
    print_plan(shots_.plan());
    print_sum();
    print_fact("shots", text(shots_.size(), ", ", mine_.size(), " of them wanted, ",
                             mine_.size() - to_do_.size(), " done before"));
    print_fact("workers", text(specs_.size(), " (", joined(specs_, ", ", &WorkerSpec::device), ')'));
    std::cout << std::flush;
    StopRequests::note();
    do {
      if (!to_do_.empty()) run_shots();
    } while (!share() && !write_sum());
    if (!share()) return;
    std::cout << "parts of " << mine_.size() << " shots are in " << shots_.parts().string()
              << "; the same command without " << option("worker") << " sums those of all\n";
  }

 private:
  [[nodiscard]] const std::optional<WorkerShare>& share() const { return shots_.options().work.share; }
  [[nodiscard]] const RunPlan& plan() const { return shots_.plan().shared; }
  [[nodiscard]] const GradientOptions& gradient() const { return shots_.gradient(); }

  /// Memory of each device, of shots and of their transposes; adds to the configuration what the kernels say.
  void check_memory() {
    HistoryOptions history = shots_.history(static_cast<int>(specs_.size()) * shots_.options().work.ranks());
    const auto transposes = [&](const Problem& part, const DeviceChoice& choice, const ShotsAtOnce& at_once) {
      if (part.cut.number() == 0) tell(choice.notes);
      history.on_device = at_once.on_device;
      check_gradient_memory(part, shots_.plan(), choice, history, at_once.on_device);
    };
    check_devices(shots_.plan(), cut_, shots_.options(), specs_, mine_.size(), shared_, transposes);
  }

  /// Checks the traces of all of them, and that nothing is in the way of what they leave.
  void find_shots_to_do() {
    const auto& residuals = shots_.residuals();
    std::uint64_t residual_bytes = 0;
    for (const std::size_t i : mine_) {
      const std::string hash = shots_.hash_of_part(i, shared_);
      if (shots_.is_done(i, hash)) continue;
      static_cast<void>(shots_.traces(i));
      check_receivers_of_cut(cut_, shots_.shot(i));
      check_can_create(shots_.part(i), gradient_kind, true);
      to_do_.push_back({static_cast<int>(i), hash});
      if (!residuals) continue;
      const ShotGeometry& shot = shots_.plan().shot(i);
      shots_.check_residuals(i);
      residual_bytes += residuals->bytes(plan().problem, shot);
    }
    check_disk();
    if (residuals) residuals->check_room(residual_bytes);
  }

  /// The parts are there until the sum is, which one alone becomes.
  void check_disk() const {
    constexpr std::size_t fields = 3;
    const auto bytes_of = [&](std::size_t shots) {
      return gradient_file_bytes(gradient_nodes(*plan().medium), fields, plan().grid().precision, shots);
    };
    check_room(shots_.output(),
               (shots_.is_alone() ? 0 : bytes_of(shots_.size())) + to_do_.size() * bytes_of(1),
               text("make room, also for the parts of its shots, or take fewer ", option("shots")));
  }

  void print_sum() const {
    const SampledMedium& medium = *plan().medium;
    const bool has_the_files_nodes = medium.model().from_file && medium.band_spacing() == 0;
    const auto& image = gradient().image;
    print_fact(gradient().name(),
               text(image                                   ? name_in(imaging_names, image->condition)
                    : gradient().by == GradientBy::velocity ? "by V"
                                                            : "by 1/V^2",
                    image && image->compensates ? ", over the source illumination," : "",
                    has_the_files_nodes ? " of the model's nodes that the run has"
                                        : " of the run's nodes, of which the model is resampled"));
  }

  void run_shots() {
    specs_.resize(std::min(specs_.size(), to_do_.size()));
    const Json first{{"date", shots_.plan().date},
                     {"configuration", hash_of(shared_)},
                     {"at_once", static_cast<int>(specs_.size()) * shots_.options().work.ranks()}};
    const WhatWorkersLeave leavings{shots_};  // until they have ended
    WorkerPool pool(specs_, first.dump(), 1);
    // A shot is about a quarter of its gradient: the transposed steps are not counted.
    const int steps = 4 * plan().time().steps;
    ShotFailures failures;
    const WorkerPool::Callbacks callbacks{[&](const std::string&, const Json& ready) { print_ready(ready); },
                                          [&](int shot, const ShotOutcome& outcome) {
                                            end_shot(shots_.plan().shot(static_cast<std::size_t>(shot)).id,
                                                     outcome, failures);
                                          }};
    const std::size_t ended = pool.run(to_do_, steps, 0, callbacks);
    failures.check(to_do_.size() - ended, to_do_.size());
    for (const OrderedShot& shot : std::exchange(to_do_, {})) done_here_.insert(shot.index);
  }

  /// Words of the first worker; those of others are alike.
  void print_ready(const Json& ready) {
    if (std::exchange(has_printed_, true)) return;
    for (const char* name : {"ranks", "kernels", "adjoint", "drives"})
      if (ready.contains(name)) print_fact(name, ready[name].get<std::string>());
    std::cout << std::flush;
  }

  static void end_shot(int shot, const ShotOutcome& outcome, ShotFailures& failures) {
    const Json& finished = outcome.finished;
    if (finished.is_null()) return failures.add(shot, outcome);
    const auto number = [&](const char* name) { return finished[name].get<double>(); };
    Progress::break_line();
    std::cout << "shot " << shot << ": misfit " << number("misfit") << ", " << number("seconds")
              << " s, of which the shot with its drives " << number("shot_seconds") << " and its transpose "
              << number("transpose_seconds") << std::endl;
  }

  /// In the order of the shots, whenever each was computed, and by whom. False where parts of earlier calls
  /// are damaged, whose shots are to be done again.
  [[nodiscard]] bool write_sum() {
    GradientSums sums;
    GradientFile shots;
    for (std::size_t i = 0; i < shots_.size(); ++i) {
      if (!shots_.is_alone() || !is_done_here(i)) add_part(i, sums, shots);
    }
    if (!to_do_.empty()) return false;
    if (shots_.is_alone()) {
      shots.misfits = read_gradient(shots_.part(0), {}).misfits;
      rename_whole(shots_.part(0), shots_.output(), gradient_kind, shots_.options().output.force);
    } else {
      write_gradient(shots_.whole(std::move(sums), shots, hash_of(shared_)), shots_.output(),
                     shots_.options().output.force);
    }
    const double misfit = std::accumulate(shots.misfits.begin(), shots.misfits.end(), 0.0);
    remove_parts();
    std::cout << "misfit " << misfit << " of " << shots_.size() << (shots_.size() == 1 ? " shot" : " shots")
              << "\n"
              << gradient().name() << ' ' << shots_.output().string() << '\n';
    return true;
  }

  /// Adds a part, or has it computed once more where it is damaged. Those that this call has written were
  /// read back then.
  void add_part(std::size_t i, GradientSums& sums, GradientFile& shots) {
    try {
      shots_.add_part(i, sums, shots);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data || is_done_here(i)) throw;
      tell(text(error.what(), "; shot ", shots_.plan().shot(i).id, " is computed once more"));
      to_do_.push_back({static_cast<int>(i), shots_.hash_of_part(i, shared_)});
    }
  }
  [[nodiscard]] bool is_done_here(std::size_t i) const { return done_here_.contains(static_cast<int>(i)); }

  void remove_parts() {
    for (std::size_t i = 0; i < shots_.size(); ++i) {
      fs::remove(shots_.part(i));
      CheckpointPair(shots_.checkpoints(i)).remove();
    }
    lock_.reset();
    std::error_code not_empty;
    fs::remove(shots_.parts(), not_empty);
  }

  /// Workers that are killed leave what they were writing.
  struct WhatWorkersLeave {
    const GradientShots& shots;
    ~WhatWorkersLeave() {
      remove_dead_temporaries_in(shots.parts());
      if (shots.residuals()) shots.residuals()->remove_dead();
    }
  };

  const GradientShots shots_;
  OutputFolder folder_;  ///< folder of the parts; goes when it is empty
  std::optional<FolderLock> lock_;
  OutputClaims claims_;
  std::vector<WorkerSpec> specs_;
  Problem cut_;  ///< the problem as a shot's ranks have it
  Configuration shared_;
  std::vector<std::size_t> mine_;  ///< shots that this call is to see to
  std::deque<OrderedShot> to_do_;
  std::set<int> done_here_;  ///< shots that this call has computed
  bool has_printed_ = false;
};

}  // namespace

void run_gradient(const ShotOptions& options, const GradientOptions& gradient) {
  check_options(options, gradient);
  check_kernels(options.kernels);
  GradientRun(options, gradient).run();
}

}  // namespace minimod
