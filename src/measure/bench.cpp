#include "src/measure/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>

#include "kernels/equation_names.hpp"
#include "src/base/error.hpp"
#include "src/base/files/output_claims.hpp"
#include "src/base/json.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/precision_names.hpp"
#include "src/base/process/on_all_cores.hpp"
#include "src/base/process/progress.hpp"
#include "src/base/process/screen.hpp"
#include "src/base/process/spawn.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/choice/device_of_rank.hpp"
#include "src/choice/layer_cost.hpp"
#include "src/job/outputs/provenance.hpp"
#include "src/job/outputs/record.hpp"
#include "src/measure/bench_tables.hpp"
#include "src/measure/runs_record.hpp"
#include "src/measure/subject.hpp"
#include "src/ranks/start.hpp"

namespace minimod {

namespace {

/// Kernels of subjects, measured one after the other.
class Bench {
 public:
  Bench(const BenchOptions& options, ReportForm form) : options_(options), form_(std::move(form)) {}

  /// The report's files, before anything runs. Errors: 73, 74, 77.
  void claim() {
    const ReportFiles& files = options_.files;
    check_distinct({files.json, files.csv});
    claims_.add(files.json, json_record, files.force);
    claims_.add(files.csv, form_.csv_kind, files.force);
  }

  void print_title(const std::string& what, int steps) const {
    const RunsWanted& runs = options_.runs;
    print_wrapped(
        text(what, ", ", steps, " steps, ", runs.exactly.value_or(runs.least),
             runs.exactly ? " runs each" : text(" runs or more, ", runs.seconds, " s each at most")));
  }
  /// Has runs last for as long as the device's figures of energy take, where it has some.
  void measure_power(std::unique_ptr<PowerSource> source) { power_ = std::move(source); }
  static void print_ceilings(const StreamRates& stream) {
    std::printf("streaming 3 reads + 1 write: %.0f GB/s, copy %.0f GB/s", stream.three_reads_one_write,
                stream.copy);
  }

  /// Measures all, or, where there is a file to keep them, as many as come before a request to stop.
  void measure(const std::vector<MeasuredGroup>& groups, int steps, const StreamRates& stream) {
    if (has_files()) StopRequests::note();
    const int warm_up = warm_up_steps(steps, options_.measure.warmup);
    EmulatedWork work;
    const double timed = 1.0 * steps * options_.runs.exactly.value_or(options_.runs.least);
    for (const auto& [subject, names] : groups) {
      for (const auto& name : names) subject->add_emulated(work, name, warm_up + timed);
    }
    Ranks::world().on_first([&] { work.announce(); });
    const auto verdicts = verdicts_of(groups);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      Subject& subject = *groups[i].subject;
      if (const std::string heading = subject.heading(); !heading.empty()) {
        std::printf("\n");
        print_wrapped(heading);
      }
      print_head(form_.table);
      for (std::size_t k = 0; k < groups[i].names.size(); ++k) {
        const std::string& name = groups[i].names[k];
        if (is_stopped_now()) {
          not_run_.push_back(subject.identity(name))["why"] = stopped;
          continue;
        }
        const Verdict verdict = verdicts.empty() ? verdict_of(subject, name) : verdicts[i][k];
        Json figures = Json::object();
        std::string why = verdict.why_not;
        if (why.empty() && verdict.is_right)
          why = time_kernel(subject, name, steps, warm_up, stream, figures);
        if (why.empty() && is_stopped_now()) why = stopped;
        why.empty() ? add(subject, name, verdict, figures) : leave_out(subject, name, why);
      }
      subject.end();
    }
  }

  /// Power of the kernels, or why there is none.
  void print_power_or_why() const {
    print_power(rows_);
    if (power_ != nullptr && !power_->tells_energy()) {
      std::printf("\n");
      print_wrapped(power_->why_no_energy(), "no figures of energy: ");
    }
  }

  /// `facts`: what the record has before its rows. Nothing is written of a bench that was stopped before its
  /// first.
  void write(Json facts) const {
    if (rows_.empty() && is_stopped_) return;
    facts["date"] = utc_now();
    facts["repeats"] = options_.runs.exactly ? Json(*options_.runs.exactly) : Json(nullptr);
    facts["energy"] = power_ != nullptr ? power_source_record(*power_) : Json(nullptr);
    facts[form_.rows] = rows_;
    facts["not_run"] = not_run_;
    const ReportFiles& files = options_.files;
    if (!files.json.empty()) write_record(facts, files.json, files.force);
    if (files.csv.empty()) return;
    Json rows = Json::array();
    for (const Json& row : rows_) rows.push_back(flat_row(row));
    write_text(csv_of(form_.csv, rows), files.csv, form_.csv_kind, files.force);
  }

  /// Error 65 where kernels were wrong, 75 where not all were measured before a request to stop, 69 where
  /// none runs.
  void require_right() const {
    const auto wrong = std::ranges::count_if(rows_, [](const Json& r) { return !r["verified"].get<bool>(); });
    if (wrong > 0) {
      throw Error(ErrorKind::data,
                  text(wrong, " of ", rows_.size(), ' ', form_.rows, " disagree with ", form_.right),
                  "they were not timed");
    }
    if (is_stopped_) {
      const auto left = std::ranges::count_if(not_run_, [](const Json& r) { return r["why"] == stopped; });
      throw Error(
          ErrorKind::stopped,
          text(stopped, "; ", rows_.size(), " of ", rows_.size() + left, ' ', form_.rows, " were measured"),
          rows_.empty() ? "nothing was left, run it again" : "the record has them");
    }
    if (!rows_.empty()) return;
    throw Error(ErrorKind::unavailable,
                text("none of the ", not_run_.size(), ' ', form_.rows,
                     " runs here: ", escaped(not_run_[0]["why"].get<std::string>(), 120)),
                "each one's reason stands above");
  }

  [[nodiscard]] const Json& rows() const { return rows_; }
  [[nodiscard]] Json& not_run() { return not_run_; }

 private:
  static constexpr const char* stopped = "stopped by a signal";

  [[nodiscard]] bool has_files() const { return !options_.files.json.empty() || !options_.files.csv.empty(); }
  /// All ranks hear of it together.
  [[nodiscard]] bool is_stopped_now() {
    is_stopped_ = is_stopped_ || Ranks::world().any(StopRequests::came());
    return is_stopped_;
  }

  static Verdict verdict_of(Subject& subject, const std::string& name) {
    const std::string why = subject.why_not_here(name);
    return why.empty() ? subject.verify(name) : Verdict{.why_not = why};
  }

  /// Verdicts of several subjects, verified side by side. A single subject has none: its kernels are verified
  /// when their turn comes.
  static std::vector<std::vector<Verdict>> verdicts_of(const std::vector<MeasuredGroup>& groups) {
    std::vector<std::vector<Verdict>> verdicts;
    if (groups.size() == 1) return verdicts;
    verdicts.resize(groups.size());
    Progress progress(static_cast<std::int64_t>(groups.size()), 0, 0, "verified");
    std::mutex mutex;
    std::int64_t done = 0;
    on_all_cores("minimod::verify", groups.size(), [&](std::size_t i) {
      for (const std::string& name : groups[i].names) {
        verdicts[i].push_back(verdict_of(*groups[i].subject, name));
      }
      const std::scoped_lock lock(mutex);
      progress.update(++done, "stencils  ");
    });
    return verdicts;
  }

  /// Why there is no measurement, empty where there is.
  std::string time_kernel(Subject& subject, const std::string& name, int steps, int warm_up,
                          const StreamRates& stream, Json& figures) const {
    if (std::string why = subject.take(name); !why.empty()) return why;
    RunsWanted wanted = options_.runs;
    const bool has_power = power_ != nullptr && power_->tells_energy() && !subject.emulates(name);
    wanted.power = has_power ? power_.get() : nullptr;
    const TimedRuns runs = subject.timed_runs(steps, warm_up, wanted);
    figures = runs_record(runs, 1.0 * steps * static_cast<double>(subject.grid().points()), wanted.power);
    subject.add_figures(figures, runs, steps, stream);
    return subject.why_not_measured();
  }

  void leave_out(const Subject& subject, const std::string& name, const std::string& why) {
    not_run_.push_back(subject.identity(name))["why"] = why;
    print_words(form_.table, subject.row_name(name), why);
  }

  /// A kernel that was measured, or one that is wrong.
  void add(const Subject& subject, const std::string& name, const Verdict& verdict, const Json& figures) {
    Json& record = rows_.push_back(subject.identity(name));
    record.update(subject.described(name));
    record.update({{"verified", verdict.is_right}, {"error", verdict.error}});
    record.update(figures);
    const std::string row = subject.row_name(name) + (record.value("played", false).get<bool>() ? " *" : "");
    if (verdict.is_right) return print_row(form_.table, row, record);
    if (!verdict.fault.empty()) record["why"] = verdict.fault;
    print_wrong(form_.table, row, verdict.error, verdict.fault);
  }

  const BenchOptions& options_;
  const ReportForm form_;
  std::unique_ptr<PowerSource> power_;  ///< null: of several devices, or not asked for
  OutputClaims claims_;
  Json rows_ = Json::array(), not_run_ = Json::array();
  bool is_stopped_ = false;  ///< before all were measured
};

}  // namespace

void bench_waves(const BenchOptions& options) {
  const MeasureOptions& asked = options.measure;
  Ranks& ranks = Ranks::world();
  require_one_run(words_of_call(), ranks);
  Problem setup = make_measured_problem(asked);
  DomainCut& cut = setup.cut;
  cut = cut_for(setup.domain, options.ranks, ranks, ranks.size());
  Bench bench(options, wave_form());
  cut.on_first([&] { bench.claim(); });
  DeviceChoice choice = choose_measured_device(asked.kernels, setup, options.ranks);
  std::vector<NamedKernels> kernels;
  cut.together([&] {
    std::vector<NotRun> not_run;
    kernels = matching_kernels(asked.kernels, setup, choice, not_run);
    bench.not_run() = to_record(not_run);
    const bool have_one_memory = !choice.device.is_gpu() || options.ranks.share_gpu;
    const int sharers = cut.ranks != nullptr && have_one_memory ? cut.ranks->size_of_node() : 1;
    check_measured_memory(setup, *choice.backend, kernels, sharers);
  });
  const StreamRates stream = stream_rates_of(choice, ranks, Thoroughness::of_figures);
  if (kernels.size() == 1 && cut.ranks != nullptr && options.ranks.planes.empty()) {
    cut.layer_cost = measured_layer_cost(*choice.backend, setup.domain, kernels.front().kernels, *cut.ranks);
    if (cut.layer_cost) cut.slabs = cut_by_cost(setup.domain, cut.count(), *cut.layer_cost);
  }
  const DeviceInfo device = choice.device;
  if (!options.no_energy && cut.ranks == nullptr) bench.measure_power(make_power_source(device));
  const double bytes = counted_bytes(setup, choice.kernels) / static_cast<double>(setup.grid().n.points());
  std::vector<MeasuredGroup> groups(1);
  for (const NamedKernels& set : kernels) groups[0].names.push_back(set.name);
  groups[0].subject = make_wave_subject(setup, std::move(choice), asked.kernels, asked.field, kernels);
  const std::string equation =
      setup.domain.equation == Equation::wave ? "" : equation_name(setup.domain.equation) + ", ";
  bench.print_title(text(device.name, "; ", points_text(setup.grid().n), ", ", equation,
                         boundary_name(setup.domain.boundary.kind), ' ', setup.layer_width(),
                         setup.domain.boundary.free_surface ? " under a free surface" : ""),
                    setup.time.steps);
  groups[0].subject->prepare(groups[0].names);
  if (const auto transport = groups[0].subject->transport()) {
    print_wrapped(ranks_fact(cut.slabs, *transport, cut.layer_cost), "ranks ");
  }
  Bench::print_ceilings(stream);
  std::printf("; counted bytes a point: %.4g\n", bytes);
  bench.measure(groups, setup.time.steps, stream);
  print_ranks(bench.rows(), setup.time.steps);
  print_launches_and_paper(bench.rows());
  bench.print_power_or_why();
  cut.on_first([&] {
    bench.write({{"schema", "minimod.bench/1"},
                 {"build", build_record()},
                 {"device", device_record(device, stream)},
                 {"grid", to_record(setup, asked.field)},
                 {"time", {{"dt_s", setup.time.dt}, {"steps", setup.time.steps}}},
                 {"order", 2 * setup.grid().radius},
                 {"precision", precision_name(setup.grid().precision)},
                 {"decomposition", decomposition_name(setup.domain.decomposition)}});
  });
  bench.require_right();
}

void bench_stencils(const BenchOptions& options) {
  const MeasuredStencils asked(*options.stencil);
  Bench bench(options, stencil_form());
  bench.claim();
  asked.check_memory();
  if (!options.no_energy) bench.measure_power(make_power_source(asked.device->backend->info()));
  const int steps = options.stencil->steps.value_or(asked.device->usual_steps(asked.kernels));
  const StreamRates stream = asked.device->backend->measure_stream_rates(Thoroughness::of_figures);
  bench.print_title(text(asked.device->title(asked.kernels), "; ", points_text(asked.n)), steps);
  Bench::print_ceilings(stream);
  std::printf("\n");
  if (asked.device->emulates_one_of(asked.kernels)) std::printf("* %s\n", emulated_rate);
  std::vector<MeasuredGroup> groups;
  for (const stencil::Specification& specification : asked.specifications) {
    MeasuredGroup& group = groups.emplace_back();
    group.subject = make_stencil_subject(specification, asked.n, asked.device);
    for (const stencil::KernelName& kernel : asked.kernels) group.names.push_back(kernel.text());
  }
  if (groups.size() == 1) groups[0].subject->prepare(groups[0].names);
  bench.measure(groups, steps, stream);
  bench.print_power_or_why();
  bench.write({{"schema", "minimod.stencil.bench/1"},
               {"build", build_record()},
               {"device", device_record(asked.device->backend->info(), stream)},
               {"grid", {{"n", {asked.n.x, asked.n.y, asked.n.z}}}},
               {"time", {{"steps", steps}}}});
  bench.require_right();
}

}  // namespace minimod
