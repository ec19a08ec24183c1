#include "src/tune/tune.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>

#include "src/base/error.hpp"
#include "src/base/files/output_claims.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/json.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/on_all_cores.hpp"
#include "src/base/process/progress.hpp"
#include "src/base/process/screen.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/base/timer.hpp"
#include "src/choice/tuned_tiles.hpp"
#include "src/job/outputs/record.hpp"
#include "src/measure/runs_record.hpp"
#include "src/tune/ranking.hpp"
#include "src/tune/searched.hpp"
#include "src/tune/tune_record.hpp"
#include "src/tune/tune_tables.hpp"

namespace minimod {

namespace {

constexpr double default_cutoff = 5;           // percent, as the paper has it
constexpr std::size_t most_run_unasked = 100;  // candidates, beyond which the model chooses
constexpr double enough_seconds = 0.01;        // length of a timed run, for clocks that tell a microsecond
constexpr double kept_every_seconds = 1;

void check_tune_options(const TuneOptions& o) {
  const auto contradict = [](const std::string& what, const std::string& remedy) {
    throw Error(ErrorKind::parameter, what, remedy);
  };
  if (o.exhaustive && o.model)
    contradict(text(option("exhaustive"), " and ", option("model"), " are given"), "give one of them");
  if (o.cutoff && o.exhaustive) {
    contradict(text(option("cutoff"), " is given with ", option("exhaustive")),
               text("give ", option("model"), " with it"));
  }
  if (o.from.empty() && !o.stencil && o.kernels.kernel == "auto") {
    contradict("tune is given no family", text("name one, as ", option("kernel"), " in_plane_full (",
                                               command("kernels"), " lists them)"));
  }
}

bool matches_one(const std::string& name, const std::string& patterns) {
  if (patterns.empty()) return true;
  const auto parts = split(patterns, ',');
  return std::ranges::any_of(
      parts, [&](std::string_view pattern) { return matches_pattern(name, std::string(pattern)); });
}

/// Candidates that are asked for, each once.
std::vector<TuneCandidate> candidates_of(const Searched& searched, const TuneOptions& options) {
  std::vector<TuneCandidate> all;
  for (const TuneCandidate& candidate : searched.candidates) {
    const bool is_there = std::ranges::find(all, candidate.name, &TuneCandidate::name) != all.end();
    if (!is_there && matches_one(candidate.name, options.patterns)) all.push_back(candidate);
  }
  if (all.empty()) {
    throw Error(
        ErrorKind::parameter,
        text("no candidate of ", searched.problem.family, " matches '", escaped(options.patterns), "'"),
        text("its tiles are named ", searched.naming));
  }
  const auto limit = static_cast<std::size_t>(options.limit.value_or(static_cast<int>(all.size())));
  if (limit >= all.size()) return all;
  std::vector<TuneCandidate> some;
  for (std::size_t i = 0; i < limit; ++i) some.push_back(all[i * all.size() / limit]);
  return some;
}

void refuse(TuneCandidate& candidate, const std::string& why) {
  candidate.state = CandidateState::refused;
  candidate.why = why;
}

/// A device, the problem there, and its record, from which the search goes on.
class Search {
 public:
  explicit Search(const TuneOptions& options)
      : options_(options), searched_(options.stencil ? searched_stencil(options) : searched_waves(options)) {
    if (options.model && !is_on_gpu()) {
      throw Error(ErrorKind::parameter, option("model") + " is given for the host",
                  "the model is one of GPUs: leave it out");
    }
    record_.problem = searched_.problem;
    std::vector<TuneCandidate> wanted = candidates_of(searched_, options);
    if (!options.output.empty()) take_up_record();
    for (TuneCandidate& candidate : wanted) {
      auto known = std::ranges::find(record_.candidates, candidate.name, &TuneCandidate::name);
      if (known == record_.candidates.end()) {
        known = record_.candidates.insert(known, std::move(candidate));
      }
      selected_.push_back(static_cast<std::size_t>(known - record_.candidates.begin()));
    }
    if (options.cutoff && !is_by_model()) {
      throw Error(ErrorKind::parameter,
                  text(option("cutoff"), " is given, and all ", selected_.size(), " candidates run"),
                  text("give ", option("model"), " with it, or leave it out"));
    }
    if (options.objective == Objective::energy) find_power();
    searched_.subject->check_memory();
  }

  void run() {
    describe_device();
    print_search(record_);
    std::fflush(stdout);
    announce_emulated();
    StopRequests::note();
    compile();
    if (!StopRequests::came()) measure(those_that_run());
    if (StopRequests::came()) stop();
    report();
  }

 private:
  [[nodiscard]] bool is_on_gpu() const { return !searched_.problem.is_emulated(); }

  /// Error 69 where the device does not tell its energy, 64 for emulated threads, which have none.
  void find_power() {
    const std::string what = text(option("objective"), " energy is given");
    if (!is_on_gpu())
      throw Error(ErrorKind::parameter, what + " for emulated threads", "leave it out, or take a GPU");
    power_ = make_power_source(searched_.subject->backend().info());
    if (power_->tells_energy()) return;
    throw Error(ErrorKind::unavailable, text(what, ", and ", power_->why_no_energy()), "leave it out");
  }

  /// Takes up the record that is there, where it is of this search.
  void take_up_record() {
    const std::filesystem::path file = options_.output;
    check_no_folder(file);
    claims_.lock(file);
    if (std::filesystem::exists(file) && !options_.force) {
      TuneRecord kept = read_tune_record(file);
      if (const std::string other = difference(kept.problem, record_.problem); !other.empty()) {
        throw Error(ErrorKind::cannot_create, text(shown(file), " has another search: ", other),
                    text("give another ", option("output"), ", or ", option("force"), " to begin anew"));
      }
      record_ = std::move(kept);
      goes_on_ = true;
    }
    check_can_create(file, json_record, goes_on_ || options_.force);
  }

  void describe_device() {
    if (goes_on_) return;
    const DeviceInfo device = searched_.subject->backend().info();
    record_.build = build_record().dump();
    if (!is_on_gpu()) {
      record_.device = device_record(device).dump();
      return;
    }
    const StreamRates stream = searched_.subject->stream_rates();
    record_.device = device_record(device, stream).dump();
    record_.gpu = GpuFacts{device.units,      1e9 * stream.three_reads_one_write,
                           device.clock_hz,   assumed_latency_cycles,
                           device.most_warps, device.warp_threads};
  }

  /// A candidate that is not done has two steps, and one at least in each run.
  void announce_emulated() const {
    EmulatedWork work;
    for (const std::size_t i : selected_) {
      const TuneCandidate& candidate = record_.candidates[i];
      if (!candidate.is_done()) searched_.subject->add_emulated(work, candidate.name, 2 + options_.repeats);
    }
    work.announce();
  }

  /// Whether the model chooses which of the candidates run.
  [[nodiscard]] bool is_by_model() const {
    return options_.model || (!options_.exhaustive && is_on_gpu() && selected_.size() > most_run_unasked);
  }

  /// Where the model chooses, the first of those that are asked for, by its rank.
  [[nodiscard]] std::vector<std::size_t> those_that_run() const {
    if (!is_by_model()) return selected_;
    std::vector<std::size_t> ranked;
    for (const Ranked& r : ranked_by_model(record_, ModelForm::mended)) {
      if (std::ranges::count(selected_, r.candidate) > 0) ranked.push_back(r.candidate);
    }
    ranked.resize(count_within(options_.cutoff.value_or(default_cutoff), ranked.size()));
    return ranked;
  }

  void compile_one(TuneCandidate& candidate) const {
    if (const std::string why = searched_.subject->why_not_here(candidate.name); !why.empty()) {
      return refuse(candidate, why);
    }
    const auto facts = searched_.subject->compile(candidate.name);
    candidate.state = CandidateState::compiled;
    if (!facts) return;
    if (facts->active_blocks == 0)
      return refuse(candidate, "a multiprocessor does not hold one of its blocks");
    candidate.compiled = facts;
  }

  /// Compiles, on all cores, those that are waiting.
  void compile() {
    std::vector<std::size_t> waiting;
    for (const std::size_t i : selected_) {
      if (record_.candidates[i].state == CandidateState::waiting) waiting.push_back(i);
    }
    if (waiting.empty()) return;
    Progress progress(static_cast<std::int64_t>(waiting.size()), 0, 0, "compiled");
    std::mutex mutex;
    std::int64_t done = 0;
    on_all_cores("minimod::compile", waiting.size(), [&](std::size_t k) {
      if (StopRequests::came()) return;
      TuneCandidate& candidate = record_.candidates[waiting[k]];
      try {
        compile_one(candidate);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable && error.kind() != ErrorKind::resource) throw;
        refuse(candidate, error.what());
      }
      const std::scoped_lock lock(mutex);
      progress.update(++done, "candidates  ");
    });
    keep();
  }

  /// Why it is refused, empty where it has its seconds.
  std::string time_runs(TuneCandidate& candidate) {
    if (std::string why = searched_.subject->take(candidate.name); !why.empty()) return why;
    static_cast<void>(searched_.subject->seconds_of_steps(1));
    const double enough = std::ceil(enough_seconds / searched_.subject->seconds_of_steps(1));
    const int steps = static_cast<int>(std::clamp(enough, 1.0, static_cast<double>(record_.problem.steps)));
    if (power_ != nullptr) return time_energy(candidate, steps);
    std::vector<double> seconds;
    for (int run = 0; run < options_.repeats && !StopRequests::came(); ++run) {
      seconds.push_back(searched_.subject->seconds_of_steps(steps) / steps);
    }
    if (std::string why = searched_.subject->why_not_measured(); !why.empty()) return why;
    if (static_cast<int>(seconds.size()) < options_.repeats) return "";  // stopped: it is measured again
    candidate.seconds = seconds;
    candidate.state = CandidateState::measured;
    return "";
  }

  /// Measures the energy of a candidate, by runs that last a second each.
  std::string time_energy(TuneCandidate& candidate, int steps) {
    Subject& subject = *searched_.subject;
    const TimedRuns runs = subject.timed_runs(steps, 0, {.exactly = options_.repeats, .power = power_.get()});
    if (std::string why = subject.why_not_measured(); !why.empty()) return why;
    if (static_cast<int>(runs.seconds.size()) < options_.repeats) return "";  // stopped: it is measured again
    const Json power =
        power_record(runs, *power_, 1.0 * steps * static_cast<double>(subject.grid().points()));
    if (power["mpt_per_j"].is_null()) return "the GPU told no energy of it";
    candidate.seconds = runs.seconds;
    for (double& seconds : candidate.seconds) seconds /= steps;
    candidate.mpt_per_j = power["mpt_per_j"].get<double>();
    candidate.watts = power["watts"].get<double>();
    candidate.clock_mhz = power["clock_mhz"].is_null() ? 0 : power["clock_mhz"]["mean"].get<double>();
    candidate.state = CandidateState::measured;
    return "";
  }

  void measure_one(TuneCandidate& candidate) {
    const Timer timer;
    const Verdict verdict = searched_.subject->verify(candidate.name);
    candidate.error = verdict.error;
    if (!verdict.why_not.empty()) return refuse(candidate, verdict.why_not);
    if (!verdict.is_right) {
      candidate.state = CandidateState::wrong;
    } else if (const std::string why = time_runs(candidate); !why.empty()) {
      return refuse(candidate, why);
    }
    candidate.spent_seconds = timer.seconds();
  }

  /// Verifies and times those that are not done, of these, in that order.
  void measure(const std::vector<std::size_t>& candidates) {
    std::vector<std::size_t> to_do;
    for (const std::size_t i : candidates) {
      if (!record_.candidates[i].is_done()) to_do.push_back(i);
    }
    if (to_do.empty()) return;
    Progress progress(static_cast<std::int64_t>(to_do.size()), 0, 0, "measured");
    double best = 0;
    Timer since_kept;
    for (std::size_t k = 0; k < to_do.size() && !StopRequests::came(); ++k) {
      TuneCandidate& candidate = record_.candidates[to_do[k]];
      measure_one(candidate);
      if (candidate.state == CandidateState::measured && !record_.problem.is_emulated())
        best = std::max(best, record_.merit(candidate));
      // A record of hundreds of candidates takes longer to write than one of them to measure.
      if (since_kept.seconds() > kept_every_seconds) {
        keep();
        since_kept = Timer();
      }
      progress.update(static_cast<std::int64_t>(k + 1),
                      best > 0 ? text("candidates, best ", three_digits(best), ' ', merit_unit(record_), "  ")
                               : "candidates  ");
    }
    keep();
  }

  void keep() const {
    if (!options_.output.empty()) write_record(to_json(record_), options_.output, true);
  }

  [[noreturn]] void stop() const {
    const auto done =
        std::ranges::count_if(selected_, [&](std::size_t i) { return record_.candidates[i].is_done(); });
    throw Error(ErrorKind::stopped,
                text("stopped by a signal; ", done, " of ", selected_.size(), " candidates are done"),
                options_.output.empty() ? text("with ", option("output"), " they would be kept")
                                        : "the same command goes on with the record");
  }

  /// For `--kernel auto`, which computes waves, fast.
  void keep_winner() const {
    const TuneProblem& of = searched_.problem;
    const TuneCandidate* const best = best_of(record_);
    if (best == nullptr || power_ != nullptr || of.stencil || of.equation != Equation::wave) return;
    TunedTiles::of_user().keep(
        {of.device, of.order, of.precision, of.family, of.grid, best->name, record_.gpt_per_s(*best)});
    std::printf("%s is among what %s auto tries on this GPU\n", best->name.c_str(), option("kernel").c_str());
  }

  /// Errors: 65 candidates that were wrong, 69 none that runs.
  void report() const {
    print_candidates(record_);
    print_winner(record_);
    keep_winner();
    print_model(record_, options_.cutoff.value_or(default_cutoff));
    if (!options_.output.empty()) std::printf("record %s\n", options_.output.c_str());
    const auto count = [&](CandidateState state) {
      return static_cast<std::size_t>(std::ranges::count_if(
          selected_, [&](std::size_t i) { return record_.candidates[i].state == state; }));
    };
    if (const std::size_t wrong = count(CandidateState::wrong); wrong > 0) {
      throw Error(
          ErrorKind::data,
          text(wrong, " of ", selected_.size(), " candidates disagree with the ", searched_.subject->right()),
          "they were not timed");
    }
    if (count(CandidateState::refused) == selected_.size()) {
      throw Error(ErrorKind::unavailable, text("none of the ", selected_.size(), " candidates runs here"),
                  "each one's reason stands above");
    }
  }

  const TuneOptions& options_;
  Searched searched_;
  TuneRecord record_;
  OutputClaims claims_;
  std::unique_ptr<PowerSource> power_;  ///< null in a search for speed
  bool goes_on_ = false;
  std::vector<std::size_t> selected_;  ///< candidates of the record that are asked for
};

/// Reports a record, on a machine that need have no GPU.
void report_kept(const TuneOptions& options) {
  const TuneRecord record = read_tune_record(options.from);
  if (options.kernels.kernel != "auto" && options.kernels.kernel != record.problem.family) {
    throw Error(ErrorKind::parameter,
                text(shown(options.from), " is of ", record.problem.family, ", not of ",
                     escaped(options.kernels.kernel)),
                text("leave ", option("kernel"), " out"));
  }
  if (options.model && !record.gpu) {
    throw Error(ErrorKind::data, text(shown(options.from), " is no record of a GPU, which the model is of"),
                text("leave ", option("model"), " out"));
  }
  print_search(record);
  print_candidates(record);
  print_winner(record);
  print_model(record, options.cutoff.value_or(default_cutoff));
}

}  // namespace

void run_tune(const TuneOptions& options) {
  check_tune_options(options);
  if (!options.from.empty()) return report_kept(options);
  Search search(options);
  search.run();
}

}  // namespace minimod
