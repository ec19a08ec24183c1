#include "src/measure/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include <nlohmann/json.hpp>

#include "src/base/error.hpp"
#include "src/base/output_file.hpp"
#include "src/base/screen.hpp"
#include "src/choice/device_choice.hpp"
#include "src/measure/measurement.hpp"
#include "src/measure/paper_tables.hpp"
#include "src/shot/record.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t name_columns = 31;  // of the tables
constexpr int timed_steps = 15;           // for the times of the single launches
constexpr int run_start = most_launches + 1, run_end = most_launches + 2;  // time marks

/// What was found of one shape, or of a set of shapes.
struct Measurement {
  std::string name;
  KernelSet kernels;
  double error = 0;              ///< relative L2 against the reference
  Spread seconds;                ///< of a run
  std::vector<TimedPart> parts;  ///< of a step, with their median seconds
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

void measure(Measurement& m, Backend& backend, Propagator& propagator, const Setup& setup, int warm_up,
             int repeats) {
  run_seconds(backend, propagator, warm_up);
  std::vector<double> seconds;
  seconds.reserve(repeats);
  for (int i = 0; i < repeats; ++i) seconds.push_back(run_seconds(backend, propagator, setup.steps));
  m.seconds = spread(seconds);

  for (const PartTimes& times : time_parts(propagator, std::min(timed_steps, setup.steps))) {
    m.parts.push_back(times.part);
  }
}

/// Points a second of the parts with that formula, in units of 10^9; null where they have no time of their
/// own.
Json rate_of(const std::vector<TimedPart>& parts, Formula formula) {
  double points = 0, seconds = 0;
  for (const TimedPart& part : parts) {
    if (part.formula != formula) continue;
    points += static_cast<double>(part.points);
    seconds += part.seconds;
  }
  return seconds > 0 ? Json(points / seconds * 1e-9) : Json(nullptr);
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
  const double bytes = setup.steps * bytes_of_a_step(setup.grid(), setup.boundary(), m.kernels) * 1e-9;
  const Spread& s = m.seconds;
  record["seconds"] = to_record(s);
  record["seconds_per_1000_steps"] = s.median * 1000 / setup.steps;
  record["gpt_per_s"] = to_record(Spread{points / s.max, points / s.median, points / s.min});
  record["gpt_per_s_inner"] = rate_of(m.parts, Formula::inner);
  const bool has_pml = setup.kind == BoundaryKind::pml;
  record["gpt_per_s_pml"] = has_pml ? rate_of(m.parts, Formula::pml) : Json(nullptr);
  if (!has_pml) record["gpt_per_s_layer"] = rate_of(m.parts, Formula::pml);  // over the points of its layers
  record["gb_per_s"] = bytes / s.median;
  record["share_of_ceiling"] = bytes / s.median / stream.three_reads_one_write;
  record["regions"] = regions_record(m.parts);
  record["launch"] = plan != nullptr ? launch_record(*plan) : Json(nullptr);
  record["paper_seconds"] = paper_seconds(m.name);
  return record;
}

// ---- the tables ----

void print_head(const Setup& setup, const DeviceChoice& choice, const StreamRates& stream, int repeats) {
  std::printf("%s\n", wrapped(text(choice.device.name, "; ", setup.n.x, " x ", setup.n.y, " x ", setup.n.z,
                                   " points, ", boundary_name(setup.kind), ' ', setup.pml_width,
                                   setup.free_surface ? " under a free surface" : "", ", ", setup.steps,
                                   " steps, ", repeats, " runs each"))
                          .c_str());
  const double bytes = bytes_of_a_step(setup.grid(), setup.boundary(), choice.kernels);
  std::printf("streaming 3 reads + 1 write: %.0f GB/s, copy %.0f GB/s; counted bytes a point: %.4g\n",
              stream.three_reads_one_write, stream.copy, bytes / static_cast<double>(setup.n.points()));
  std::printf("%-31s %8s %26s %8s %8s %8s\n", "", "seconds", "Gpt/s", "inner", "PML", "of the");
  std::printf("%-31s %8s %8s %8s %8s %8s %8s %8s\n", "shape", "median", "min", "median", "max", "Gpt/s",
              "Gpt/s", "ceiling");
}

void print_row(const Json& r) {
  const std::string name = r["name"];
  if (!r["verified"].get<bool>()) {
    std::printf("%-31s wrong: relative L2 error %.2e, not timed\n", name.c_str(), r["error"].get<double>());
    return;
  }
  std::printf("%-31s %8s", name.c_str(), three_digits(r["seconds"]["median"]).c_str());
  for (const char* part : {"min", "median", "max"}) {
    std::printf(" %8s", three_digits(r["gpt_per_s"][part]).c_str());
  }
  const auto rate = [&](const char* key) { return r[key].is_null() ? "-" : three_digits(r[key]); };
  std::printf(" %8s %8s %7.1f%%\n", rate("gpt_per_s_inner").c_str(), rate("gpt_per_s_pml").c_str(),
              100 * r["share_of_ceiling"].get<double>());
  std::fflush(stdout);
}

/// What the inner launch of each shape takes of a GPU; nothing is known of the host's.
void print_launches(const Json& shapes) {
  bool has_head = false;
  for (const Json& r : shapes) {
    const Json launch = r.value("launch", Json());
    if (launch.is_null() || launch.empty()) continue;
    if (!has_head) std::printf("\n%-31s %9s %10s %9s\n", "inner launch", "registers", "shared", "occupancy");
    has_head = true;
    const Json& inner = launch.front();
    std::printf("%-31s %9d %8d B %8.0f%%\n", r["name"].get<std::string>().c_str(),
                inner.value("registers", 0), inner.value("shared_bytes", 0),
                100 * inner.value("theoretical_occupancy", 0.0));
  }
}

/// The paper's seconds beside ours, for the shapes that it has.
void print_paper(const Json& shapes) {
  bool has_head = false;
  for (const Json& r : shapes) {
    const Json seconds = r.value("paper_seconds", Json());
    if (seconds.is_null()) continue;
    if (!has_head) {
      std::printf("\n%-31s %9s %9s %9s %9s\n", "seconds of 1000 steps", "here", "V100", "P100", "NVS510");
    }
    has_head = true;
    std::printf("%-31s %9s", r["name"].get<std::string>().c_str(),
                three_digits(r["seconds_per_1000_steps"]).c_str());
    for (const char* gpu : {"V100", "P100", "NVS510"}) std::printf(" %9.2f", seconds[gpu].get<double>());
    std::printf("\n");
  }
}

// ---- the files ----

const FileKind csv_table{"a table of minimod bench", [](const std::filesystem::path& file) {
                           return begins_with(file, "name,verified,seconds_min,");
                         }};

std::string csv_of(const Json& shapes) {
  std::ostringstream csv;
  csv << "name,verified,seconds_min,seconds_median,seconds_max,gpt_per_s_min,gpt_per_s_median,gpt_per_s_max,"
         "gpt_per_s_inner,gpt_per_s_pml,gb_per_s,share_of_ceiling,registers,shared_bytes,local_bytes,"
         "occupancy\n";
  for (const Json& r : shapes) {
    csv << r["name"].get<std::string>() << ',' << r["verified"];
    if (r["verified"].get<bool>()) {
      for (const char* key : {"seconds", "gpt_per_s"}) {
        for (const char* part : {"min", "median", "max"}) csv << ',' << r[key][part];
      }
      for (const char* key : {"gpt_per_s_inner", "gpt_per_s_pml", "gb_per_s", "share_of_ceiling"})
        csv << ',' << r[key];
      if (!r["launch"].is_null()) {
        for (const char* key : {"registers", "shared_bytes", "local_bytes", "theoretical_occupancy"}) {
          csv << ',' << r["launch"].front()[key];
        }
      }
    }
    csv << '\n';
  }
  return csv.str();
}

/// Before anything runs.
void check_outputs(const BenchOptions& options) {
  check_distinct({options.json, options.csv});
  if (!options.json.empty()) check_can_create(options.json, json_record, options.force);
  if (!options.csv.empty()) check_can_create(options.csv, csv_table, options.force);
}

}  // namespace

void run_bench(const BenchOptions& options) {
  const MeasureOptions& asked = options.measure;
  const Setup setup = make_setup(asked);
  check_outputs(options);
  const DeviceChoice choice = choose_measured_device(asked.kernels, setup);
  std::vector<NotRun> not_run;
  const auto kernels = matching_kernels(asked.kernels, setup, choice, not_run);
  check_measured_memory(setup, *choice.backend, kernels);

  const StreamRates stream = choice.stream_rates();
  Verification verification(setup);
  print_head(setup, choice, stream, options.repeats);
  Propagator propagator = make_measured_propagator(setup, choice);
  set_field(propagator, asked.kernels, setup, choice, asked.field);

  Json records = Json::array();
  int wrong = 0;
  for (const NamedKernels& candidate : kernels) {
    Measurement m(candidate);
    const auto leave_out = [&](const std::string& why) {
      not_run.push_back({m.name, why});
      std::string name = m.name;
      name.resize(std::max(name.size(), name_columns) + 1, ' ');
      std::printf("%s\n", wrapped(why, name).c_str());
    };
    const Verification::Outcome outcome = verification.of(*choice.backend, m.kernels);
    if (!outcome.why_not.empty()) {
      leave_out(outcome.why_not);
      continue;
    }
    m.error = outcome.error;
    if (m.verified()) {
      if (const std::string why = why_not_taken(propagator, m.kernels); !why.empty()) {
        leave_out(why);
        continue;
      }
      measure(m, *choice.backend, propagator, setup, warm_up_steps(setup, asked), options.repeats);
      if (const std::string why = why_not_measured(propagator); !why.empty()) {
        leave_out(why);
        set_field(propagator, asked.kernels, setup, choice, asked.field);
        continue;
      }
    }
    wrong += m.verified() ? 0 : 1;
    const bool on_gpu = choice.device.kind == "cuda";
    records.push_back(shape_record(m, setup, stream, on_gpu ? &propagator.plan() : nullptr));
    print_row(records.back());
  }
  print_launches(records);
  print_paper(records);
  if (!propagator.extremes().finite) {
    throw Error(ExitCode::internal, "the benchmark's wavefield is not finite", "please report this");
  }
  if (!options.json.empty()) {
    write_record({{"schema", "minimod.bench/1"},
                  {"build", build_record()},
                  {"device", device_record(choice.device, stream)},
                  {"grid", to_record(setup, asked.field)},
                  {"time", {{"dt_s", setup.dt}, {"steps", setup.steps}}},
                  {"decomposition", decomposition_name(setup.decomposition)},
                  {"repeats", options.repeats},
                  {"shapes", records},
                  {"not_run", to_record(not_run)}},
                 options.json, options.force);
  }
  if (!options.csv.empty()) write_text(csv_of(records), options.csv, csv_table, options.force);
  if (wrong > 0) {
    throw Error(ExitCode::data, text(wrong, " of ", kernels.size(), " shapes disagree with the reference"),
                "they were not timed");
  }
}

}  // namespace minimod
