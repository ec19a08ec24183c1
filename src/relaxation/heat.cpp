#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <tuple>

#include "src/base/files/output_claims.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/json.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/precision_names.hpp"
#include "src/base/process/host_memory.hpp"
#include "src/base/process/screen.hpp"
#include "src/job/outputs/record.hpp"
#include "src/measure/measurement.hpp"
#include "src/relaxation/heat_measurement.hpp"

namespace minimod::relaxation {

namespace {

// ---- Options

Extent3 grid_of(const HeatOptions& o) {
  const Extent3 by_default = std::end(named_grids)[-1].n, emulated = named_grids[0].n;
  return o.grid.value_or(o.kernels.emulate ? emulated : by_default);
}

HeatProblem problem_of(const HeatOptions& o) {
  HeatProblem problem = make_heat_problem(grid_of(o));
  problem.sides = o.sides;
  if (o.lengths) std::tie(problem.length_x, problem.length_y) = *o.lengths;
  constexpr double flattest = 1000;
  if (const double beta = problem.beta(); !(beta <= flattest && beta >= 1 / flattest)) {
    throw Error(ErrorKind::parameter, text("a cell of the plate is ", beta, " times as long as it is high"),
                text("take a ", option("size"), " and a ", option("grid"), " that keep that between 1/",
                     flattest, " and ", flattest));
  }
  return problem;
}

/// Defect that rounding leaves. The rounding of an iteration, ε, adds up at random while the error goes
/// through the plate. That takes as many iterations as the longer axis has nodes. 1000 and 2000 nodes square
/// come to a half of it.
double rounding_of(const HeatProblem& problem, Precision precision) {
  const double epsilon = precision == Precision::float32 ? std::numeric_limits<float>::epsilon()
                                                         : std::numeric_limits<double>::epsilon();
  return epsilon * std::sqrt(std::max(problem.n.x, problem.n.y));
}

double default_tolerance(const HeatProblem& problem, Precision precision) {
  constexpr double far_below_any_grid = 1e-12;
  return std::max(rounding_of(problem, precision), precision == Precision::float64 ? far_below_any_grid : 0);
}

HeatSetup setup_of(const HeatOptions& o) {
  if (o.tables && o.kernels.emulate) {
    throw Error(ErrorKind::parameter,
                text(option("tables"), " is given with ", option("emulate"),
                     ", and emulated threads tell nothing of speed"),
                "leave one of them out");
  }
  HeatSetup setup;
  setup.problem = problem_of(o);
  setup.omega = o.omega.value_or(best_omega(setup.problem));
  setup.precision = o.precision;
  setup.tolerance = o.tolerance.value_or(default_tolerance(setup.problem, o.precision));
  setup.iterations = o.iterations;
  setup.repeats = o.repeats;
  if (const double least = rounding_of(setup.problem, o.precision) / 4; setup.tolerance < least) {
    throw Error(ErrorKind::parameter,
                text(option("tolerance"), " is ", setup.tolerance, ", ", precision_name(o.precision),
                     " precision comes to ", least, " at most"),
                o.precision == Precision::float32 ? text("take ", option("precision"), " double")
                                                  : "take a larger one");
  }
  return setup;
}

// ---- Device and kernels

std::unique_ptr<Backend> backend_of(const KernelOptions& o) {
  if (o.emulate && o.device.kind == DeviceOption::Kind::gpu) {
    throw Error(ErrorKind::parameter,
                text(option("emulate"), " is given with ", option("device"), ' ', gpu_kind),
                "give one of them");
  }
  if (o.emulate && o.kernel == "auto") {
    throw Error(ErrorKind::parameter,
                text(option("emulate"), " is given without ", option("kernel"),
                     ", and auto takes none that is emulated"),
                "name one, or leave it out");
  }
  DeviceOption device = o.device;
  if (o.emulate) device.kind = DeviceOption::Kind::cpu;
  return make_sole_backend(device, "a plate");
}

std::string why_no_kernel(const Kernel& kernel, bool on_gpu, bool emulate) {
  if (!runs_on(kernel, on_gpu)) return on_gpu ? "runs on the CPU alone" : "needs a GPU";
  return !on_gpu && kernel.emulated && !emulate ? "needs a GPU, or " + option("emulate") : "";
}

/// `auto`: the fastest kernel of the device. Error 64 for a kernel that is not there, or not for it, or where
/// the program has none for it.
std::vector<const Kernel*> kernels_of(const KernelOptions& o, bool on_gpu) {
  std::vector<const Kernel*> kernels;
  if (o.kernel == "all") {
    for (const Kernel& kernel : all_kernels()) {
      if (why_no_kernel(kernel, on_gpu, o.emulate).empty()) kernels.push_back(&kernel);
    }
  }
  if (!kernels.empty()) return kernels;
  const bool names_none = o.kernel == "auto" || o.kernel == "all";
  const std::string fastest = on_gpu ? "colours_apart" : portable_kernel;
  for (const std::string_view name : split(names_none ? fastest : o.kernel, ',')) {
    const Kernel& kernel = find_kernel(name);
    if (const std::string why = why_no_kernel(kernel, on_gpu, o.emulate); !why.empty()) {
      throw Error(ErrorKind::parameter, text(kernel.name, ' ', why),
                  text("take another ", option("kernel"), ", or another ", option("device")));
    }
    kernels.push_back(&kernel);
  }
  return kernels;
}

void check_plate_memory(const Backend& backend, const std::vector<const Kernel*>& kernels,
                        const HeatSetup& setup) {
  PlateBytes most;
  for (const Kernel* kernel : kernels) {
    const PlateBytes bytes = plate_bytes(backend, setup.problem, kernel->storage, setup.precision);
    most = {std::max(most.on_device, bytes.on_device), std::max(most.on_host, bytes.on_host)};
  }
  const bool one_memory = !backend.info().is_gpu();
  const auto on_host = static_cast<double>(most.on_host);
  check_free(backend, "the plate", static_cast<double>(most.on_device) + (one_memory ? on_host : 0));
  check_free("the plate", on_host, static_cast<double>(available_host_memory()), "the host");
}

// ---- Tables

void print_title(const HeatSetup& setup, const DeviceInfo& device, const StreamRates& stream) {
  const HeatProblem& p = setup.problem;
  const StopRule rule = setup.stop_rule();
  print_wrapped(text(device.name, device.is_gpu() ? "" : text(", ", device.units, " threads"), "; ", p.n.x,
                     " x ", p.n.y, " nodes, ", precision_name(setup.precision), " precision; sides west ",
                     p.sides.west, ", east ", p.sides.east, ", south ", p.sides.south, ", north ",
                     p.sides.north, " °C"));
  char omega[32];
  std::snprintf(omega, sizeof omega, "%.6g", setup.omega);
  print_wrapped(text("ω ", omega, " (best ", best_omega(p), "), β ", p.beta(), "; to a defect of ",
                     setup.tolerance, ", for which theory expects ",
                     std::round(expected_iterations(p, setup.omega, 1 / setup.tolerance)),
                     " iterations; looked for every ", rule.look_every));
  print_wrapped(text("streaming copy ", three_digits(stream.copy), " GB/s; ", setup.repeats,
                     " timed runs of ", setup.iterations, " iterations each, without copies"));
  print_head(table_of_heat);
}

Json setup_record(const HeatSetup& setup) {
  const HeatProblem& p = setup.problem;
  const StopRule rule = setup.stop_rule();
  return {
      {"n", {p.n.x, p.n.y}},
      {"lengths_m", {p.length_x, p.length_y}},
      {"sides_celsius",
       {{"west", p.sides.west}, {"east", p.sides.east}, {"south", p.sides.south}, {"north", p.sides.north}}},
      {"precision", precision_name(setup.precision)},
      {"omega", setup.omega},
      {"best_omega", best_omega(p)},
      {"tolerance", setup.tolerance},
      {"look_every", rule.look_every},
      {"expected_iterations", expected_iterations(p, setup.omega, 1 / setup.tolerance)}};
}

void require_right(Backend& backend, const std::vector<const Kernel*>& kernels, Precision precision) {
  for (const Kernel* kernel : kernels) {
    if (is_right(backend, *kernel, precision)) continue;
    throw Error(ErrorKind::data, text(kernel->name, " disagrees with ", portable_kernel),
                "nothing was timed; please report this");
  }
}

void require_convergence(const Json& records) {
  for (const Json& r : records) {
    if (r["converged"].get<bool>()) continue;
    throw Error(ErrorKind::data,
                text(r["name"].get<std::string>(), " has a defect of ", r["defect"].get<double>(), " after ",
                     r["iterations"].get<int>(), " iterations"),
                text("take another ", option("omega"), ", a larger ", option("tolerance"), " or ",
                     option("precision"), " double"));
  }
}

}  // namespace

void run_heat(const HeatOptions& options) {
  const HeatSetup setup = setup_of(options);
  OutputClaims claims;
  claims.add(options.json, json_record, options.force);
  const std::unique_ptr<Backend> backend = backend_of(options.kernels);
  const DeviceInfo device = backend->info();
  const std::vector<const Kernel*> kernels = kernels_of(options.kernels, device.is_gpu());
  check_plate_memory(*backend, kernels, setup);
  require_right(*backend, kernels, setup.precision);
  const StreamRates stream = backend->measure_stream_rates(Thoroughness::of_figures);
  print_title(setup, device, stream);
  Json records = Json::array();
  for (const Kernel* kernel : kernels) {
    records.push_back(measure_heat(*backend, *kernel, setup, stream.copy));
    print_row(table_of_heat, kernel->name, records.back());
  }
  Json record{
      {"schema", "minimod.heat/1"},     {"build", build_record()},  {"device", device_record(device, stream)},
      {"problem", setup_record(setup)}, {"repeats", setup.repeats}, {"kernels", records}};
  if (options.tables) {
    const auto rate = [](const Json& r) { return r["mcell_per_s"]["median"].get<double>(); };
    const auto fastest = std::ranges::max_element(records, {}, rate) - records.begin();
    record["tables"] = make_heat_tables(*backend, kernels, *kernels[fastest], setup);
  }
  if (!options.json.empty()) write_record(record, options.json, options.force);
  require_convergence(records);
}

}  // namespace minimod::relaxation
