#include "src/measure/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/output_claims.hpp"
#include "src/base/output_file.hpp"
#include "src/base/precision_names.hpp"
#include "src/base/screen.hpp"
#include "src/base/spawn.hpp"
#include "src/choice/device_of_rank.hpp"
#include "src/choice/layer_cost.hpp"
#include "src/measure/bench_tables.hpp"
#include "src/measure/measurement.hpp"
#include "src/measure/paper_tables.hpp"
#include "src/ranks/start.hpp"
#include "src/shot/record.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

constexpr std::size_t name_columns = 31;  // of the tables
constexpr int timed_steps = 15;           // for the times of the single launches
constexpr int run_start = most_launches + 1, run_end = most_launches + 2;  // time marks

/// The parts of a step that have a formula: their points, and the seconds of the slowest rank.
struct FormulaTime {
  double points = 0, seconds = 0;
  /// Points a second in units of 10^9; null where they have no time of their own.
  [[nodiscard]] Json rate() const { return seconds > 0 ? Json(points / seconds * 1e-9) : Json(nullptr); }
};

/// What was found of one shape, or of a set of shapes.
struct Measurement {
  std::string name;
  KernelSet kernels;
  double error = 0;              ///< relative L2 against the reference
  Spread seconds;                ///< of a run, by the slowest rank
  std::vector<TimedPart> parts;  ///< of a step of this rank, with their median seconds
  FormulaTime inner, pml;
  std::vector<RankShare> ranks;  ///< what each has of a run; empty where the grid is not cut
  Transport transport = Transport::mpi;
  explicit Measurement(const NamedKernels& of) : name(of.name), kernels(of.kernels) {}
  [[nodiscard]] bool verified() const { return error <= Verification::tolerance; }
};

double run_seconds(Backend& backend, Propagator& propagator, int steps) {
  backend.mark(run_start);
  for (int i = 0; i < steps; ++i) propagator.step();
  backend.mark(run_end);
  return backend.seconds_between(run_start, run_end);
}

int warm_up_steps(const Setup& setup, const MeasureOptions& options) {
  return options.warmup.value_or(std::max(1, setup.steps / 10));
}

/// Over all ranks.
FormulaTime time_of(const std::vector<TimedPart>& parts, Formula formula, const DomainCut& cut) {
  FormulaTime mine, all;
  for (const TimedPart& part : parts) {
    if (part.formula != formula) continue;
    mine.points += static_cast<double>(part.points);
    mine.seconds += part.seconds;
  }
  for (const FormulaTime& time : cut.gather(mine)) {
    all = {all.points + time.points, std::max(all.seconds, time.seconds)};
  }
  return all;
}

void measure(Measurement& m, Backend& backend, const DomainPart& part, const Setup& setup, int warm_up,
             int repeats) {
  Propagator& propagator = *part.propagator;
  static_cast<void>(setup.cut.gather(run_seconds(backend, propagator, warm_up)));  // all have warmed up
  const ExchangeCount before = part.exchanged();
  std::vector<double> mine, slowest;
  for (int i = 0; i < repeats; ++i) {
    mine.push_back(run_seconds(backend, propagator, setup.steps));
    slowest.push_back(std::ranges::max(setup.cut.gather(mine.back())));
  }
  m.seconds = spread(slowest);
  const ExchangeCount after = part.exchanged();
  for (const PartTimes& times : time_parts(propagator, std::min(timed_steps, setup.steps))) {
    m.parts.push_back(times.part);
  }
  if (part.neighbours) {
    m.ranks =
        setup.cut.gather(RankShare{setup.slab(), spread(mine).median, (after.bytes - before.bytes) / repeats,
                                   (after.seconds - before.seconds) / repeats, m.parts.back().seconds});
    m.transport = part.neighbours->transport();
  }
  m.inner = time_of(m.parts, Formula::inner, setup.cut);
  m.pml = time_of(m.parts, Formula::pml, setup.cut);
}

// ---- the record ----

/// What each launch of a step takes of the GPU.
Json launch_record(const StepPlan& plan) {
  Json record = Json::object();
  for (std::size_t i = 0; i < plan.launches().size(); ++i) {
    record[plan.launches()[i].name] = to_record(plan.facts(i));
  }
  return record;
}

/// The paper's seconds of 1000 steps on its three GPUs, null where it does not have the shape.
Json paper_seconds(const std::string& name) {
  static const Json tables = Json::parse(paper_tables);
  for (const Json& row : tables["table2"]["rows"]) {
    if (row["name"] == name) return row["seconds"];
  }
  return nullptr;
}

/// `plan`: of the last of its steps, on a GPU; null elsewhere.
Json shape_record(const Measurement& m, const Setup& setup, const StreamRates& stream, const StepPlan* plan) {
  Json record{{"name", m.name},
              {"family", m.kernels.inner->family},
              {"kernels", {{"inner", m.kernels.inner->name}, {"pml", m.kernels.pml->name}}},
              {"schedule", m.kernels.schedule->name()},
              {"verified", m.verified()},
              {"error", m.error}};
  if (!m.verified()) return record;
  const double points = setup.steps * static_cast<double>(setup.n.points()) * 1e-9;
  const double bytes = setup.steps * counted_bytes(setup, m.kernels) * 1e-9;
  const Spread& s = m.seconds;
  record["seconds"] = to_record(s);
  record["seconds_per_1000_steps"] = s.median * 1000 / setup.steps;
  record["gpt_per_s"] = to_record(Spread{points / s.max, points / s.median, points / s.min});
  record["gpt_per_s_inner"] = m.inner.rate();
  const bool has_pml = setup.kind == BoundaryKind::pml;
  record["gpt_per_s_pml"] = has_pml ? m.pml.rate() : Json(nullptr);
  if (!has_pml) record["gpt_per_s_layer"] = m.pml.rate();  // over the points of its layers
  record["gb_per_s"] = bytes / s.median;
  record["share_of_ceiling"] = bytes / s.median / ceiling_of(setup, stream);
  record["regions"] = regions_record(m.parts);
  record["launch"] = plan != nullptr ? launch_record(*plan) : Json(nullptr);
  record["paper_seconds"] = paper_seconds(m.name);
  if (!m.ranks.empty()) record["ranks"] = ranks_record(m.ranks, m.transport, setup.cut.layer_cost, setup.n);
  return record;
}

std::string equation_text(const Setup& setup) {
  if (setup.equation == Equation::jacobi) return "Jacobi iterations";
  return text(boundary_name(setup.kind), ' ', setup.pml_width,
              setup.free_surface ? " under a free surface" : "");
}

void print_head(const Setup& setup, const DeviceChoice& choice, const StreamRates& stream, int repeats,
                std::optional<Transport> transport) {
  std::printf("%s\n", wrapped(text(choice.device.name, "; ", setup.n.x, " x ", setup.n.y, " x ", setup.n.z,
                                   " points, ", equation_text(setup), ", ", setup.steps, " steps, ", repeats,
                                   " runs each"))
                          .c_str());
  if (transport) {
    const std::string fact = ranks_fact(setup.cut.slabs, *transport, setup.cut.layer_cost);
    std::printf("%s\n", wrapped(fact, "ranks ").c_str());
  }
  const double bytes = counted_bytes(setup, choice.kernels);
  std::printf("streaming 3 reads + 1 write: %.0f GB/s, copy %.0f GB/s; counted bytes a point: %.4g\n",
              stream.three_reads_one_write, stream.copy, bytes / static_cast<double>(setup.n.points()));
  std::printf("%-31s %8s %26s %8s %8s %8s\n", "", "seconds", "Gpt/s", "inner", "PML", "of the");
  std::printf("%-31s %8s %8s %8s %8s %8s %8s %8s\n", "shape", "median", "min", "median", "max", "Gpt/s",
              "Gpt/s", "ceiling");
}

const FileKind csv_table{"a table of minimod bench", [](const std::filesystem::path& file) {
                           return begins_with(file, "name,verified,seconds_min,");
                         }};

/// Before anything runs.
void claim_outputs(OutputClaims& claims, const BenchOptions& options) {
  check_distinct({options.json, options.csv});
  claims.add(options.json, json_record, options.force);
  claims.add(options.csv, csv_table, options.force);
}

void leave_out(std::string name, const std::string& why, std::vector<NotRun>& not_run) {
  not_run.push_back({name, why});
  name.resize(std::max(name.size(), name_columns) + 1, ' ');
  std::printf("%s\n", wrapped(why, name).c_str());
}

/// Verifies and measures. Why the shape is left out, empty where it is not.
std::string verify_and_measure(Measurement& m, Verification& verification, const Setup& setup,
                               const DeviceChoice& choice, DomainPart& part, const BenchOptions& options) {
  const MeasureOptions& asked = options.measure;
  const Verification::Outcome outcome = verification.of(*choice.backend, m.kernels);
  m.error = outcome.error;
  if (!outcome.why_not.empty() || !m.verified()) return outcome.why_not;
  std::string none = why_no_slab(part, m.kernels, asked.kernels, setup, choice, asked.field);
  if (!none.empty()) return none;
  Propagator& propagator = *part.propagator;
  if (std::string why = why_not_taken(propagator, m.kernels, setup.cut); !why.empty()) return why;
  measure(m, *choice.backend, part, setup, warm_up_steps(setup, asked), options.repeats);
  std::string why = why_not_measured(propagator, setup.cut);
  if (!why.empty()) set_field(propagator, asked.kernels, setup, choice, asked.field);
  return why;
}

void write_files(const Json& shapes, const std::vector<NotRun>& not_run, const Setup& setup,
                 const DeviceChoice& choice, const StreamRates& stream, const BenchOptions& options) {
  if (!options.json.empty()) {
    write_record({{"schema", "minimod.bench/1"},
                  {"build", build_record()},
                  {"device", device_record(choice.device, stream)},
                  {"grid", to_record(setup, options.measure.field)},
                  {"time", {{"dt_s", setup.dt}, {"steps", setup.steps}}},
                  {"order", 2 * setup.radius},
                  {"precision", precision_name(setup.precision)},
                  {"decomposition", decomposition_name(setup.decomposition)},
                  {"repeats", options.repeats},
                  {"shapes", shapes},
                  {"not_run", to_record(not_run)}},
                 options.json, options.force);
  }
  if (!options.csv.empty()) write_text(csv_of(shapes), options.csv, csv_table, options.force);
}

/// Ranks whose fields are in one memory.
int sharers_of_memory(const DeviceChoice& choice, const RankOptions& options, const DomainCut& cut) {
  const bool have_one_memory = choice.device.kind == "cpu" || options.share_gpu;
  return cut.ranks != nullptr && have_one_memory ? cut.ranks->size_of_node() : 1;
}

/// By that of the kernels that are measured, where these are the same throughout.
void cut_by_measured_cost(Setup& setup, const RankOptions& options, const DeviceChoice& choice,
                          const KernelSet& kernels) {
  DomainCut& cut = setup.cut;
  if (cut.ranks == nullptr || !options.planes.empty()) return;
  cut.layer_cost = measured_layer_cost(*choice.backend, setup.domain(), kernels, *cut.ranks);
  if (cut.layer_cost) cut.slabs = cut_by_cost(setup.domain(), cut.count(), *cut.layer_cost);
}

}  // namespace

void run_bench(const BenchOptions& options) {
  const MeasureOptions& asked = options.measure;
  Ranks& ranks = Ranks::world();
  require_one_run(words_of_call(), ranks);
  Setup setup = make_setup(asked);
  setup.cut = cut_for(setup.domain(), options.ranks, ranks);
  const DomainCut& cut = setup.cut;
  OutputClaims claims;
  cut.on_first([&] { claim_outputs(claims, options); });
  const DeviceChoice choice = choose_measured_device(asked.kernels, setup, options.ranks);
  std::vector<NotRun> not_run;
  std::vector<NamedKernels> kernels;
  cut.together([&] {
    kernels = matching_kernels(asked.kernels, setup, choice, not_run);
    const int sharers = sharers_of_memory(choice, options.ranks, cut);
    check_measured_memory(setup, *choice.backend, kernels, sharers);
  });
  const StreamRates stream = stream_rates_of(choice, ranks, Patience::of_figures);
  if (kernels.size() == 1) cut_by_measured_cost(setup, options.ranks, choice, kernels.front().kernels);
  Verification verification(setup);
  DomainPart part = make_measured_part(setup, choice);
  print_head(setup, choice, stream, options.repeats, part.transport());
  set_field(*part.propagator, asked.kernels, setup, choice, asked.field);

  Json records = Json::array();
  for (const NamedKernels& candidate : kernels) {
    Measurement m(candidate);
    const std::string why = verify_and_measure(m, verification, setup, choice, part, options);
    if (!why.empty()) {
      leave_out(m.name, why, not_run);
      continue;
    }
    const bool on_gpu = choice.device.kind == "cuda";
    records.push_back(shape_record(m, setup, stream, on_gpu ? &part.propagator->plan() : nullptr));
    print_row(records.back());
  }
  print_ranks(records, setup.steps);
  print_launches(records);
  print_paper(records);
  if (!part.propagator->extremes().finite) {
    throw Error(ExitCode::internal, "the benchmark's wavefield is not finite", "please report this");
  }
  cut.on_first([&] { write_files(records, not_run, setup, choice, stream, options); });
  const auto wrong = std::ranges::count_if(records, [](const Json& r) { return !r["verified"].get<bool>(); });
  if (wrong > 0) {
    throw Error(ExitCode::data, text(wrong, " of ", kernels.size(), " shapes disagree with the reference"),
                "they were not timed");
  }
}

}  // namespace minimod
