#include "src/bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <numbers>
#include <numeric>

#include <fnmatch.h>
#include <nlohmann/json.hpp>

#include "kernels/random_field.hpp"
#include "kernels/registry.hpp"
#include "src/device_choice.hpp"
#include "src/error.hpp"
#include "src/paper_tables.hpp"
#include "src/propagator.hpp"
#include "src/run_record.hpp"
#include "src/time_step.hpp"

namespace minimod {

namespace {

using Json = nlohmann::ordered_json;

constexpr double velocity = 2000;  // m/s
constexpr double tolerance = 1e-6;
constexpr int default_edge = 200;
constexpr int default_width = 27;
constexpr int default_steps = 1000;
constexpr int most_check_steps = 20;  // of the verification; a shorter benchmark takes its own number
constexpr int timed_steps = 15;       // for the times of the single launches
constexpr int run_start = most_launches + 1, run_end = most_launches + 2;  // time marks

/// What is measured, the same for all shapes.
struct Setup {
  Extent3 n;
  Point3 spacing;
  int pml_width = 0;
  double dt = 0;
  int steps = 0;
  BoundaryKind kind = BoundaryKind::pml;
  bool free_surface = false;
  Decomposition decomposition = Decomposition::seven;

  [[nodiscard]] BoundarySpec boundary() const {
    return make_boundary_spec(kind, pml_width, free_surface, velocity, frequency());
  }
  /// Of a wavelet with five points per wavelength at f_max.
  [[nodiscard]] double frequency() const { return velocity / (5 * 2.5 * spacing.x); }
  [[nodiscard]] Regions regions() const { return boundary().regions(n); }
  [[nodiscard]] Grid grid() const { return make_grid(n, spacing, regions().inner.begin.x); }
  [[nodiscard]] std::vector<RegionLaunch> launches() const {
    return make_launches(grid(), regions(), decomposition);
  }
  [[nodiscard]] Propagator propagator(Backend& backend, const KernelSet& kernels) const {
    return {backend, grid(), make_boundary(boundary(), n, spacing, dt), kernels, decomposition};
  }
};

struct Spread {
  double min = 0, median = 0, max = 0;
};

Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

/// What was found of one shape, or of a set of shapes.
struct Measurement {
  std::string name;
  KernelSet kernels;
  double error = 0;              ///< relative L2 against the reference
  Spread seconds;                ///< of a run
  std::vector<TimedPart> parts;  ///< of a step, with their median seconds
  Measurement(std::string of, const KernelSet& set) : name(std::move(of)), kernels(set) {}
  [[nodiscard]] bool verified() const { return error <= tolerance; }
};

Setup make_setup(const Options& o) {
  Setup setup;
  setup.n = o.grid.value_or(Extent3{default_edge, default_edge, default_edge});
  setup.spacing = o.spacing.value_or(Point3{20, 20, 20});
  const int least = std::min({setup.n.x, setup.n.y, setup.n.z});
  setup.pml_width = o.pml_width.value_or(std::min(default_width, least / 3));
  check_extents(setup.n, setup.pml_width);
  setup.dt = default_dt_fraction * stable_dt_limit(velocity, setup.spacing);
  setup.steps = o.steps.value_or(default_steps);
  setup.decomposition = o.decomposition;
  setup.kind = o.boundary;
  setup.free_surface = o.free_surface;
  return setup;
}

/// What is measured: the shapes that match, in the order of the registry, or the set that a run would take.
/// Why others that match do not run here goes into `not_run`.
std::vector<Measurement> matching_kernels(const Options& o, const DeviceChoice& choice, Json& not_run) {
  if (o.kernel == "auto") return {Measurement("auto", choice.kernels)};
  const std::string pattern = o.kernel == "all" ? "*" : o.kernel;
  std::vector<Measurement> found;
  for (const CodeShape& shape : all_shapes()) {
    const bool is_family = shape.family == pattern && shape.is_default_tile;
    if (!is_family && fnmatch(pattern.c_str(), shape.name.c_str(), 0) != 0) continue;
    if (const std::string reason = why_not(shape, choice.device, o.decomposition); !reason.empty()) {
      not_run.push_back({{"name", shape.name}, {"why", reason}});
      continue;
    }
    if (o.schedule == Schedule::two_steps && choice.backend->launches_of(shape).two_steps == nullptr) {
      not_run.push_back({{"name", shape.name}, {"why", "has no launch of two steps"}});
      continue;
    }
    const CodeShape& pml = o.pml_kernel.empty() ? shape : *choice.kernels.pml;
    found.emplace_back(shape.name, make_kernel_set(o, *choice.backend, shape, pml));
  }
  if (found.empty() && not_run.empty()) static_cast<void>(find_shape(pattern));  // says what is near
  if (found.empty()) {
    throw Error(ExitCode::unavailable,
                text("none of the ", not_run.size(),
                     " shapes that match runs here: ", not_run[0]["why"].get<std::string>()),
                "minimod kernels lists those that do");
  }
  return found;
}

void set_constant_velocity(Propagator& propagator, const Setup& setup) {
  propagator.set_velocity(setup.dt, [&](int, float* plane) {
    std::fill_n(plane, std::int64_t{setup.n.x} * setup.n.y, static_cast<float>(velocity));
  });
}

int check_steps(const Setup& setup) {
  return std::min(most_check_steps, setup.steps);
}

/// The medium of a check: as it is, or as a shape has it that reads 16-bit codes of it.
enum class Medium { exact, rounded_to_codes };

/// The wavefield of a small awkward grid after some steps from random fields in a random medium.
std::vector<float> small_wavefield(Backend& backend, const KernelSet& kernels, Setup setup,
                                   Medium medium = Medium::exact) {
  setup.n = {61, 45, 38};
  setup.spacing = {20, 16, 12.5};
  setup.pml_width = 7;
  setup.dt = default_dt_fraction * stable_dt_limit(1.3 * velocity, setup.spacing);
  Propagator propagator = setup.propagator(backend, kernels);
  propagator.set_velocity(setup.dt, [&](int z, float* plane) {
    for (int y = 0; y < setup.n.y; ++y) {
      for (int x = 0; x < setup.n.x; ++x) {
        plane[y * setup.n.x + x] = static_cast<float>(velocity * (1 + 0.3 * random_value(2, x, y, z)));
      }
    }
  });
  if (medium == Medium::rounded_to_codes) propagator.round_velocity_to_codes();
  propagator.set_random_field(1);
  for (int i = 0; i < check_steps(setup); ++i) propagator.step();
  return propagator.wavefield({{0, 0, 0}, {setup.n.x, setup.n.y, setup.n.z}});
}

/// What a right shape computes there, by the host's reference in the medium that the shape has.
class Expected {
 public:
  /// The setup in the decomposition `seven`.
  explicit Expected(const Setup& setup) : setup_(setup) { setup_.decomposition = Decomposition::seven; }

  const std::vector<float>& wavefield(const CodeShape& shape) {
    std::vector<float>& field = shape.needs_v16 ? rounded_ : exact_;
    if (field.empty()) {
      const CodeShape& reference = find_shape("reference");
      field = small_wavefield(*make_host_backend(), {&reference, &reference}, setup_,
                              shape.needs_v16 ? Medium::rounded_to_codes : Medium::exact);
    }
    return field;
  }

 private:
  Setup setup_;
  std::vector<float> exact_, rounded_;
};

double relative_l2(const std::vector<float>& field, const std::vector<float>& expected) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    difference += std::pow(double{field[i]} - expected[i], 2);
    size += std::pow(double{expected[i]}, 2);
  }
  const double error = std::sqrt(difference / size);
  return std::isfinite(error) ? error : std::numeric_limits<double>::max();
}

/// Fills the wavefield: with noise, or with the wave of a source that has crossed half the grid.
void set_field(Propagator& propagator, const Setup& setup, BenchField field) {
  if (field == BenchField::random) return propagator.set_random_field(1);
  const double f = setup.frequency();
  const double crossing = std::max({setup.n.x, setup.n.y, setup.n.z}) * setup.spacing.x / (2 * velocity);
  const int steps = static_cast<int>((crossing + 3 / f) / setup.dt);
  std::vector<double> samples(steps);
  for (int i = 0; i < steps; ++i) {
    const double a = std::pow(std::numbers::pi * f * (i * setup.dt - 1.5 / f), 2);
    samples[i] = (1 - 2 * a) * std::exp(-a);
  }
  propagator.set_source({setup.n.x / 2, setup.n.y / 2, setup.n.z / 2}, samples);
  for (int i = 0; i < steps; ++i) propagator.step();
}

double run_seconds(Backend& backend, Propagator& propagator, int steps) {
  backend.mark(run_start);
  for (int i = 0; i < steps; ++i) propagator.step();
  backend.mark(run_end);
  return backend.seconds_between(run_start, run_end);
}

/// Goes on with these kernels; some have limits, which the grid may be beyond.
bool takes(const Measurement& m, Propagator& propagator, Json& not_run) {
  try {
    propagator.set_kernels(m.kernels);
    return true;
  } catch (const Error& refusal) {
    if (refusal.code() != ExitCode::resource) throw;
    not_run.push_back({{"name", m.name}, {"why", refusal.what()}});
    std::printf("%-24s %s\n", m.name.c_str(), refusal.what());
    return false;
  }
}

void measure(Measurement& m, Backend& backend, Propagator& propagator, const Setup& setup, int repeats) {
  run_seconds(backend, propagator, std::max(1, setup.steps / 10));  // warm-up
  std::vector<double> seconds;
  seconds.reserve(repeats);
  for (int i = 0; i < repeats; ++i) seconds.push_back(run_seconds(backend, propagator, setup.steps));
  m.seconds = spread(seconds);

  std::vector<std::vector<double>> samples;
  for (int i = 0; i < std::min(timed_steps, setup.steps); ++i) {
    propagator.step(true);
    m.parts = propagator.timed_parts();
    samples.resize(m.parts.size());
    for (std::size_t k = 0; k < m.parts.size(); ++k) samples[k].push_back(m.parts[k].seconds);
  }
  for (std::size_t k = 0; k < m.parts.size(); ++k) m.parts[k].seconds = spread(samples[k]).median;
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

Json to_json(const Spread& s) {
  return {{"min", s.min}, {"median", s.median}, {"max", s.max}};
}

Json facts_record(const LaunchFacts& facts) {
  return {{"blocks", {facts.blocks.x, facts.blocks.y, facts.blocks.z}},
          {"threads", facts.threads},
          {"registers", facts.registers},
          {"shared_bytes", facts.shared_bytes},
          {"local_bytes", facts.local_bytes},
          {"active_blocks", facts.active_blocks},
          {"theoretical_occupancy", facts.occupancy}};
}

/// What each launch of a step takes of the GPU.
Json launch_record(const KernelSet& kernels, const std::vector<RegionLaunch>& launches) {
  Json record = Json::object();
  for (const RegionLaunch& launch : launches) {
    const Launches& device = kernels.of(launch.formula).device;
    const bool two = launch.formula == Formula::inner && kernels.schedule == Schedule::two_steps;
    record[launch.name] =
        facts_record((two ? device.describe_two_steps : device.describe(launch.formula))(launch.box));
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

Json shape_record(const Measurement& m, const Setup& setup, const StreamRates& stream, bool on_gpu) {
  Json record{{"name", m.name},
              {"family", m.kernels.inner->family},
              {"kernels", {{"inner", m.kernels.inner->name}, {"pml", m.kernels.pml->name}}},
              {"schedule", schedule_name(m.kernels.schedule)},
              {"verified", m.verified()},
              {"error", m.error}};
  if (!m.verified()) return record;
  const double points = setup.steps * static_cast<double>(setup.n.points()) * 1e-9;
  const double bytes = setup.steps * bytes_of_a_step(setup.grid(), setup.boundary(), m.kernels) * 1e-9;
  const Spread& s = m.seconds;
  record["seconds"] = to_json(s);
  record["seconds_per_1000_steps"] = s.median * 1000 / setup.steps;
  record["gpt_per_s"] = to_json(Spread{points / s.max, points / s.median, points / s.min});
  record["gpt_per_s_inner"] = rate_of(m.parts, Formula::inner);
  record["gpt_per_s_pml"] = rate_of(m.parts, Formula::pml);
  record["gb_per_s"] = bytes / s.median;
  record["share_of_ceiling"] = bytes / s.median / stream.three_reads_one_write;
  record["regions"] = regions_record(m.parts);
  record["launch"] = on_gpu ? launch_record(m.kernels, setup.launches()) : Json(nullptr);
  record["paper_seconds"] = paper_seconds(m.name);
  return record;
}

// ---- the table ----

std::string paper_text(const Json& seconds, const char* gpu) {
  if (seconds.is_null()) return "-";
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, "%.2f", seconds[gpu].get<double>());
  return buffer;
}

void print_head(const Setup& setup, const DeviceChoice& choice, const StreamRates& stream, int repeats) {
  std::printf("%s; %d x %d x %d points, PML %d, %d steps, %d runs each\n", choice.device.name.c_str(),
              setup.n.x, setup.n.y, setup.n.z, setup.pml_width, setup.steps, repeats);
  std::printf(
      "streaming 3 reads + 1 write: %.0f GB/s, copy %.0f GB/s; counted bytes a point: inner %d, PML %d\n",
      stream.three_reads_one_write, stream.copy, inner_bytes_per_point, pml_bytes_per_point);
  std::printf("%-24s %28s %28s %6s %6s %7s %16s %23s\n", "", "seconds", "Gpt/s", "inner", "PML", "of the",
              "inner launch", "paper, s/1000 steps");
  std::printf("%-24s %9s %9s %8s  %8s %9s %8s  %6s %6s %7s %5s %6s %3s %8s %7s %7s\n", "shape", "min",
              "median", "max", "min", "median", "max", "Gpt/s", "Gpt/s", "ceiling", "regs", "shared", "occ",
              "V100", "P100", "NVS510");
}

std::string one_decimal(double value) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, "%.1f", value);
  return buffer;
}

void print_row(const Json& r) {
  const std::string name = r["name"];
  if (!r["verified"].get<bool>()) {
    std::printf("%-24s wrong: relative L2 error %.2e, not timed\n", name.c_str(), r["error"].get<double>());
    return;
  }
  const auto number = [&](const char* key, const char* part) { return r[key][part].get<double>(); };
  const Json launch = r["launch"].is_null() ? Json::object() : r["launch"].front();
  const auto rate = [&](const char* key) {
    return r[key].is_null() ? std::string("-") : one_decimal(r[key].get<double>());
  };
  std::printf("%-24s %9.3f %9.3f %8.3f  %8.1f %9.1f %8.1f  %6s %6s %6.1f%% %5d %6d %3.0f %8s %7s %7s\n",
              name.c_str(), number("seconds", "min"), number("seconds", "median"), number("seconds", "max"),
              number("gpt_per_s", "min"), number("gpt_per_s", "median"), number("gpt_per_s", "max"),
              rate("gpt_per_s_inner").c_str(), rate("gpt_per_s_pml").c_str(),
              100 * r["share_of_ceiling"].get<double>(), launch.value("registers", 0),
              launch.value("shared_bytes", 0), 100 * launch.value("theoretical_occupancy", 0.0),
              paper_text(r["paper_seconds"], "V100").c_str(), paper_text(r["paper_seconds"], "P100").c_str(),
              paper_text(r["paper_seconds"], "NVS510").c_str());
  std::fflush(stdout);
}

void write_csv(const Json& shapes, const std::string& file) {
  std::ofstream csv(file);
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
  csv.close();
  if (!csv) throw Error(ExitCode::io, text("cannot write ", escaped(file)), "is the disk full?");
}

Json setup_record(const Setup& setup, const Options& o) {
  const Regions regions = setup.regions();
  return {{"n", {setup.n.x, setup.n.y, setup.n.z}},
          {"spacing_m", {setup.spacing.x, setup.spacing.y, setup.spacing.z}},
          {"pml_width", setup.pml_width},
          {"points_inner", regions.inner.points()},
          {"points_pml", regions.pml_points()},
          {"field", o.field == BenchField::random ? "random" : "source"}};
}

void check_bench_memory(const Setup& setup, const Backend& backend, const std::vector<Measurement>& all) {
  std::size_t needed = 0;
  for (const Measurement& m : all) {
    needed = std::max(
        needed, Propagator::bytes_needed(setup.grid(), setup.boundary(), m.kernels, setup.decomposition));
  }
  if (needed <= backend.free_bytes()) return;
  throw Error(ExitCode::resource,
              text("the benchmark needs ", needed, " bytes, ", backend.free_bytes(), " are free"),
              "take a smaller --grid");
}

}  // namespace

void run_bench(const Options& options) {
  const Setup setup = make_setup(options);
  for (const std::string& file : {options.json, options.csv}) {
    if (!file.empty()) check_can_write_record(file);
  }
  Options on_device = options;
  if (options.kernel != "auto") {  // a shape that runs everywhere holds the place of the pattern
    on_device.kernel = "reference";
    on_device.schedule = Schedule::sequence;
  }
  const DeviceChoice choice = choose_device(on_device, {setup.grid(), setup.boundary(), setup.decomposition});
  Json not_run = Json::array();
  auto measurements = matching_kernels(options, choice, not_run);
  check_bench_memory(setup, *choice.backend, measurements);

  const StreamRates stream = choice.stream_rates();
  Expected expected(setup);
  print_head(setup, choice, stream, options.repeats);
  Propagator propagator = setup.propagator(*choice.backend, choice.kernels);
  set_constant_velocity(propagator, setup);
  set_field(propagator, setup, options.field);

  Json records = Json::array();
  int wrong = 0;
  for (Measurement& m : measurements) {
    m.error =
        relative_l2(small_wavefield(*choice.backend, m.kernels, setup), expected.wavefield(*m.kernels.inner));
    if (m.verified() && !takes(m, propagator, not_run)) continue;
    if (m.verified()) measure(m, *choice.backend, propagator, setup, options.repeats);
    wrong += m.verified() ? 0 : 1;
    records.push_back(shape_record(m, setup, stream, choice.device.kind == "cuda"));
    print_row(records.back());
  }
  if (!propagator.extremes().finite) {
    throw Error(ExitCode::internal, "the benchmark's wavefield is not finite", "please report this");
  }
  if (!options.json.empty()) {
    write_record({{"schema", "minimod.bench/1"},
                  {"build", build_record()},
                  {"device", device_record(choice.device, stream)},
                  {"grid", setup_record(setup, options)},
                  {"time", {{"dt_s", setup.dt}, {"steps", setup.steps}}},
                  {"decomposition", decomposition_name(setup.decomposition)},
                  {"repeats", options.repeats},
                  {"shapes", records},
                  {"not_run", not_run}},
                 options.json);
  }
  if (!options.csv.empty()) write_csv(records, options.csv);
  if (wrong > 0) {
    throw Error(ExitCode::data,
                text(wrong, " of ", measurements.size(), " shapes disagree with the reference"),
                "they were not timed");
  }
}

}  // namespace minimod
