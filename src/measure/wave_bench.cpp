#include <algorithm>
#include <cstdio>
#include <optional>

#include <nlohmann/json.hpp>

#include "src/base/error.hpp"
#include "src/base/precision_names.hpp"
#include "src/base/screen.hpp"
#include "src/base/spawn.hpp"
#include "src/choice/device_of_rank.hpp"
#include "src/choice/layer_cost.hpp"
#include "src/measure/bench.hpp"
#include "src/measure/bench_report.hpp"
#include "src/measure/measurement.hpp"
#include "src/measure/paper_tables.hpp"
#include "src/ranks/start.hpp"
#include "src/shot/record.hpp"

namespace minimod {

namespace {

constexpr int timed_steps = 15;  // for the times of the single launches

const ReportForm wave_form{
    {"shape",
     31,
     {{"seconds", "median", 8, "/seconds/median"},
      {"", "min", 8, "/gpt_per_s/min"},
      {"", "median", 8, "/gpt_per_s/median"},
      {"Gpt/s", "max", 8, "/gpt_per_s/max"},
      {"inner", "Gpt/s", 8, "/gpt_per_s_inner"},
      {"PML", "Gpt/s", 8, "/gpt_per_s_pml"},
      {"of the", "ceiling", 8, "/share_of_ceiling", NumberForm::fixed, 1, 100, "%"}}},
    "name,verified,seconds_min,seconds_median,seconds_max,gpt_per_s_min,gpt_per_s_median,gpt_per_s_max,"
    "gpt_per_s_inner,gpt_per_s_pml,gb_per_s,share_of_ceiling,registers,shared_bytes,local_bytes,occupancy,"
    "ranks,transport,rank_planes,rank_seconds,rank_bytes_sent,rank_exchange_seconds,rank_wait_seconds_a_step",
    {"a table of minimod bench",
     [](const std::filesystem::path& file) { return begins_with(file, "name,verified,seconds_min,"); }},
    "shapes",
    "the reference"};

const Table table_of_launches{
    "inner launch",
    31,
    {{"", "registers", 9, "/registers", NumberForm::fixed},
     {"", "shared", 10, "/shared_bytes", NumberForm::fixed, 0, 1, " B"},
     {"", "occupancy", 9, "/theoretical_occupancy", NumberForm::fixed, 0, 100, "%"}}};

const Table table_of_paper{"seconds of 1000 steps",
                           31,
                           {{"", "here", 9, "/here"},
                            {"", "V100", 9, "/V100", NumberForm::fixed, 2},
                            {"", "P100", 9, "/P100", NumberForm::fixed, 2},
                            {"", "NVS510", 9, "/NVS510", NumberForm::fixed, 2}}};

/// The paper's seconds of 1000 steps on its three GPUs, null where it does not have the shape.
Json paper_seconds(const std::string& name) {
  static const Json tables = Json::parse(paper_tables);
  for (const Json& row : tables["table2"]["rows"]) {
    if (row["name"] == name) return row["seconds"];
  }
  return nullptr;
}

/// Points a second, in units of 10^9, of those parts of a step that have the formula, by the slowest rank;
/// null where they have no time of their own.
Json rate_of(const std::vector<TimedPart>& parts, Formula formula, const DomainCut& cut) {
  struct Sum {
    double points = 0, seconds = 0;
  };
  Sum mine, all;
  for (const TimedPart& part : parts) {
    if (part.formula != formula) continue;
    mine.points += static_cast<double>(part.points);
    mine.seconds += part.seconds;
  }
  for (const Sum& of_rank : cut.gather(mine)) {
    all = {all.points + of_rank.points, std::max(all.seconds, of_rank.seconds)};
  }
  return all.seconds > 0 ? Json(all.points / all.seconds * 1e-9) : Json(nullptr);
}

class WaveBench {
 public:
  explicit WaveBench(const BenchOptions& options)
      : options_(options), asked_(options.measure), report_(wave_form, options.files) {}

  void run() {
    prepare();
    print_title();
    set_field(*part_.propagator, asked_.kernels, setup_, choice_, asked_.field);
    for (const NamedKernels& candidate : kernels_) {
      Json record{{"name", candidate.name}};
      const std::string why = verify_and_measure(candidate.kernels, record);
      if (why.empty()) {
        report_.add(candidate.name, record);
      } else {
        report_.leave_out(candidate.name, {{"name", candidate.name}}, why);
      }
    }
    print_ranks(report_.rows(), setup_.steps);
    print_launches_and_paper();
    if (!part_.propagator->extremes().finite) {
      throw Error(ExitCode::internal, "the benchmark's wavefield is not finite", "please report this");
    }
    setup_.cut.on_first([&] { report_.write(facts()); });
    report_.require_right();
  }

 private:
  void prepare() {
    Ranks& ranks = Ranks::world();
    require_one_run(words_of_call(), ranks);
    setup_ = make_setup(asked_);
    DomainCut& cut = setup_.cut;
    cut = cut_for(setup_.domain(), options_.ranks, ranks);
    cut.on_first([&] { report_.claim(); });
    choice_ = choose_measured_device(asked_.kernels, setup_, options_.ranks);
    cut.together([&] {
      std::vector<NotRun> not_run;
      kernels_ = matching_kernels(asked_.kernels, setup_, choice_, not_run);
      report_.not_run() = to_record(not_run);
      check_measured_memory(setup_, *choice_.backend, kernels_, sharers_of_memory());
    });
    stream_ = stream_rates_of(choice_, ranks, Patience::of_figures);
    if (kernels_.size() == 1 && cut.ranks != nullptr && options_.ranks.planes.empty()) cut_by_measured_cost();
    verification_.emplace(setup_);
    part_ = make_measured_part(setup_, choice_);
  }

  /// Ranks whose fields are in one memory.
  [[nodiscard]] int sharers_of_memory() const {
    const bool have_one_memory = choice_.device.kind == "cpu" || options_.ranks.share_gpu;
    return setup_.cut.ranks != nullptr && have_one_memory ? setup_.cut.ranks->size_of_node() : 1;
  }

  /// By that of the only kernels.
  void cut_by_measured_cost() {
    DomainCut& cut = setup_.cut;
    cut.layer_cost =
        measured_layer_cost(*choice_.backend, setup_.domain(), kernels_.front().kernels, *cut.ranks);
    if (cut.layer_cost) cut.slabs = cut_by_cost(setup_.domain(), cut.count(), *cut.layer_cost);
  }

  void print_title() const {
    const std::string equation = setup_.equation == Equation::jacobi
                                     ? "Jacobi iterations"
                                     : text(boundary_name(setup_.kind), ' ', setup_.pml_width,
                                            setup_.free_surface ? " under a free surface" : "");
    std::printf("%s\n", wrapped(text(choice_.device.name, "; ", points_text(setup_.n), ", ", equation, ", ",
                                     setup_.steps, " steps, ", options_.repeats, " runs each"))
                            .c_str());
    if (const auto transport = part_.transport()) {
      const std::string fact = ranks_fact(setup_.cut.slabs, *transport, setup_.cut.layer_cost);
      std::printf("%s\n", wrapped(fact, "ranks ").c_str());
    }
    const double bytes = counted_bytes(setup_, choice_.kernels);
    std::printf("streaming 3 reads + 1 write: %.0f GB/s, copy %.0f GB/s; counted bytes a point: %.4g\n",
                stream_.three_reads_one_write, stream_.copy, bytes / static_cast<double>(setup_.n.points()));
    print_head(wave_form.table);
  }

  /// Fills the record. Why the shape is left out, empty where it is not.
  [[nodiscard]] std::string verify_and_measure(const KernelSet& kernels, Json& record) {
    const Verdict verdict = verification_->of(*choice_.backend, kernels);
    record.update({{"family", kernels.inner->family},
                   {"kernels", {{"inner", kernels.inner->name}, {"pml", kernels.pml->name}}},
                   {"schedule", kernels.schedule->name()},
                   {"verified", verdict.is_right},
                   {"error", verdict.error}});
    if (!verdict.is_right) return verdict.why_not;
    std::string none = why_no_slab(part_, kernels, asked_.kernels, setup_, choice_, asked_.field);
    if (!none.empty()) return none;
    Propagator& propagator = *part_.propagator;
    if (std::string why = why_not_taken(propagator, kernels, setup_.cut); !why.empty()) return why;
    measure(kernels, record);
    std::string why = why_not_measured(propagator, setup_.cut);
    if (!why.empty()) set_field(propagator, asked_.kernels, setup_, choice_, asked_.field);
    return why;
  }

  void measure(const KernelSet& kernels, Json& record) {
    Propagator& propagator = *part_.propagator;
    TimedRuns runs = timed_runs(
        {*choice_.backend, setup_.cut, [&] { propagator.step(); }, [&] { return part_.exchanged(); }},
        setup_.slab(), setup_.steps, warm_up_steps(setup_.steps, asked_.warmup), options_.repeats);
    std::vector<TimedPart> parts;
    for (const PartTimes& times : time_parts(propagator, std::min(timed_steps, setup_.steps))) {
      parts.push_back(times.part);
    }
    const Spread seconds = spread(runs.seconds);
    const double gbyte = setup_.steps * counted_bytes(setup_, kernels) * 1e-9 / seconds.median;
    record["seconds"] = to_record(seconds);
    record["seconds_per_1000_steps"] = seconds.median * 1000 / setup_.steps;
    record["gpt_per_s"] =
        to_record(rates(setup_.steps * static_cast<double>(setup_.n.points()) * 1e-9, seconds));
    record["gpt_per_s_inner"] = rate_of(parts, Formula::inner, setup_.cut);
    const Json of_layer = rate_of(parts, Formula::pml, setup_.cut);
    const bool has_pml = setup_.kind == BoundaryKind::pml;
    record["gpt_per_s_pml"] = has_pml ? of_layer : Json(nullptr);
    if (!has_pml) record["gpt_per_s_layer"] = of_layer;  // over the points of its layers
    record["gb_per_s"] = gbyte;
    record["share_of_ceiling"] = gbyte / ceiling_of(setup_, stream_);
    record["regions"] = regions_record(parts);
    record["launch"] = launches_record();
    record["paper_seconds"] = paper_seconds(record["name"]);
    if (!part_.neighbours) return;
    runs.mine.wait_seconds = parts.back().seconds;
    record["ranks"] =
        ranks_record(setup_.cut.gather(runs.mine), part_.transport(), setup_.cut.layer_cost, setup_.n);
  }

  /// What each launch of a step takes of the GPU; null on the host.
  [[nodiscard]] Json launches_record() const {
    if (choice_.device.kind != "cuda") return nullptr;
    const StepPlan& plan = part_.propagator->plan();
    Json record = Json::object();
    for (std::size_t i = 0; i < plan.launches().size(); ++i) {
      record[plan.launches()[i].name] = to_record(plan.facts(i));
    }
    return record;
  }

  /// Of the shapes that have them.
  void print_launches_and_paper() const {
    Json launches = Json::array(), paper = Json::array();
    for (const Json& row : report_.rows()) {
      const Json launch = row.value("launch", Json()), seconds = row.value("paper_seconds", Json());
      if (!launch.empty()) {
        launches.push_back(launch.front());
        launches.back()["name"] = row["name"];
      }
      if (!seconds.is_null()) {
        paper.push_back(seconds);
        paper.back().update({{"name", row["name"]}, {"here", row["seconds_per_1000_steps"]}});
      }
    }
    print_table(table_of_launches, launches);
    print_table(table_of_paper, paper);
  }

  [[nodiscard]] Json facts() const {
    return {{"schema", "minimod.bench/1"},
            {"build", build_record()},
            {"device", device_record(choice_.device, stream_)},
            {"grid", to_record(setup_, asked_.field)},
            {"time", {{"dt_s", setup_.dt}, {"steps", setup_.steps}}},
            {"order", 2 * setup_.radius},
            {"precision", precision_name(setup_.precision)},
            {"decomposition", decomposition_name(setup_.decomposition)},
            {"repeats", options_.repeats}};
  }

  const BenchOptions& options_;
  const MeasureOptions& asked_;
  BenchReport report_;
  Setup setup_;
  DeviceChoice choice_;
  std::vector<NamedKernels> kernels_;
  StreamRates stream_;
  std::optional<Verification> verification_;
  DomainPart part_;
};

}  // namespace

void bench_waves(const BenchOptions& options) {
  WaveBench(options).run();
}

}  // namespace minimod
