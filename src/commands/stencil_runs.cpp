#include "src/commands/stencil_runs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "src/base/error.hpp"
#include "src/base/screen.hpp"
#include "src/choice/device_choice.hpp"
#include "src/measure/measurement.hpp"
#include "src/shot/record.hpp"
#include "src/stencil/shipped.hpp"
#include "src/stencil/verification.hpp"

namespace minimod {

namespace {

using Json = nlohmann::ordered_json;
using stencil::Specification;

/// The device of a run: where it is the host, threads are played on it.
struct StencilDevice {
  std::unique_ptr<Backend> backend;
  bool is_gpu = false;
  [[nodiscard]] Backend* gpu() const { return is_gpu ? backend.get() : nullptr; }
};

StencilDevice stencil_device(const DeviceOption& option) {
  using Kind = DeviceOption::Kind;
  if (option.all || !option.others.empty()) {
    throw Error(ExitCode::usage, "--device names several GPUs, a stencil takes one", "give cuda or cuda:N");
  }
  const bool is_gpu =
      option.kind == Kind::cuda || (option.kind == Kind::automatic && find_cuda_devices().count > 0);
  return {is_gpu ? make_cuda_backend(option.index) : make_host_backend(), is_gpu};
}

std::vector<Specification> specifications_of(std::vector<std::string> names,
                                             const StencilRunOptions& options) {
  if (names == std::vector<std::string>{"all"}) names = stencil::shipped_names();
  std::vector<Specification> specifications;
  for (const std::string& name : names) {
    Specification found = stencil::find_specification(name);
    specifications.push_back(options.precision ? stencil::with_precision(std::move(found), *options.precision)
                                               : std::move(found));
  }
  return specifications;
}

std::string device_text(const StencilDevice& device) {
  const std::string name = device.backend->info().name;
  return device.is_gpu ? name : name + ", which plays the GPU's threads one by one";
}

// ---- verify ----

stencil::Problem problem_of(const StencilRunOptions& options) {
  constexpr std::int64_t most_points = 1 << 21;  // of the interpreter, on each core
  stencil::Problem problem;
  problem.n = options.grid.value_or(problem.n);
  problem.steps = options.steps.value_or(problem.steps);
  const Extent3 n = problem.n;
  if (double{1} * n.x * n.y * n.z > most_points) {
    throw Error(ExitCode::usage, text("--grid has ", n.x, " x ", n.y, " x ", n.z, " points"),
                text("give at most ", most_points, " to stencil verify"));
  }
  return problem;
}

void print_verdicts(const Specification& specification, const std::vector<stencil::Verdict>& verdicts) {
  for (const stencil::Verdict& verdict : verdicts) {
    const std::string kernel = verdict.kernel.text();
    std::array<char, 64> head{};
    std::snprintf(head.data(), head.size(), "%-16s %-28s ", escaped(specification.name, 16).c_str(),
                  kernel.c_str());
    if (verdict.is_left_out) {
      std::printf("%s\n", wrapped("none: " + verdict.why_not, head.data()).c_str());
    } else {
      std::printf("%s%9.2e <= %g  %s\n", head.data(), verdict.error, verdict.tolerance,
                  verdict.passed() ? "pass" : ("FAIL " + verdict.why_not).c_str());
    }
  }
  std::fflush(stdout);
}

Json verdict_record(const Specification& specification, const stencil::Verdict& verdict) {
  Json record{{"stencil", escaped(specification.name)},
              {"kernel", verdict.kernel.text()},
              {"precision", name_in(stencil::precisions, specification.arrays.front().precision)}};
  if (verdict.is_left_out) {
    record["left_out"] = verdict.why_not;
    return record;
  }
  record["error"] = verdict.error;
  record["tolerance"] = verdict.tolerance;
  record["passed"] = verdict.passed();
  return record;
}

// ---- run ----

/// Seconds of `steps` steps.
double seconds_of_steps(const StencilDevice& device, const stencil::Kernel& kernel, stencil::ArraySet& arrays,
                        int steps) {
  constexpr int first = 0, last = 1;  // time marks
  Backend& backend = *device.backend;
  backend.mark(first);
  for (int step = 0; step < steps; ++step) {
    kernel.run(arrays.args());
    arrays.hand_on();
  }
  backend.mark(last);
  return backend.seconds_between(first, last);
}

/// Error 65 where it is wrong.
double verified_error(const Specification& specification, const stencil::KernelName& name,
                      const StencilDevice& device) {
  const auto verdict = stencil::verify(specification, {name}, {}, device.gpu()).front();
  if (verdict.passed()) return verdict.error;
  throw Error(ExitCode::data,
              text("the kernel ", name.text(), " of ", escaped(specification.name, 40),
                   " disagrees with its equations: ", verdict.error, " of ", verdict.tolerance,
                   verdict.why_not.empty() ? "" : ", " + verdict.why_not),
              "it was not timed");
}

void check_stencil_memory(const Specification& specification, Extent3 n, const Backend& backend) {
  const double needed = stencil::bytes_of_arrays(specification, n);
  const auto there = static_cast<double>(backend.free_bytes());
  if (needed <= there) return;
  throw Error(ExitCode::resource,
              text("the arrays of ", escaped(specification.name, 40), " need ", three_digits(needed * 1e-9),
                   " GB, ", three_digits(there * 1e-9), " GB are free"),
              "take a smaller --grid");
}

/// Of all steps of a run, 10^9 a second.
struct StencilRates {
  double gpt = 0, gflop = 0, gbyte = 0;
};

StencilRates rates_of(const stencil::Facts& facts, Extent3 n, int steps, double seconds) {
  const double gpt = static_cast<double>(n.points()) * steps / seconds * 1e-9;
  return {gpt, gpt * (facts.additions + facts.multiplications + facts.divisions),
          gpt * facts.compulsory_bytes};
}

Json rates_record(const StencilRates& rates, double ceiling) {
  return {{"gpt_per_s", rates.gpt},
          {"gflop_per_s", rates.gflop},
          {"gb_per_s", rates.gbyte},
          {"share_of_ceiling", rates.gbyte / ceiling}};
}

void print_rates(const char* name, const StencilRates& rates, double ceiling) {
  std::printf("  %-8s %8s Gpt/s %9s Gflop/s %9s GB/s %7.1f %%\n", name, three_digits(rates.gpt).c_str(),
              three_digits(rates.gflop).c_str(), three_digits(rates.gbyte).c_str(),
              100 * rates.gbyte / ceiling);
}

void print_run(const Json& record, const std::array<StencilRates, 3>& rates, double ceiling) {
  const Json& grid = record["grid"];
  std::printf(
      "%s\n",
      wrapped(text(record["stencil"].get<std::string>(), ", ", record["kernel"].get<std::string>(), " in ",
                   record["precision"].get<std::string>(), "; ", grid[0], " x ", grid[1], " x ", grid[2],
                   " points, ", record["steps"], " steps, ", record["seconds"].size(), " runs"))
          .c_str());
  if (record["error"].is_null()) {
    std::printf("  not verified\n");
  } else {
    std::printf("  relative L2 error against the equations in double: %.2e\n", record["error"].get<double>());
  }
  if (const Json& launch = record["launch"]; !launch.is_null()) {
    std::printf("  %d threads a block, %d registers a thread, %d B of shared memory, occupancy %.0f %%\n",
                launch["threads"].get<int>(), launch["registers"].get<int>(),
                launch["shared_bytes"].get<int>(), 100 * launch["occupancy"].get<double>());
  }
  std::printf("  bytes that must move over a ceiling of %.0f GB/s (3 reads + 1 write)\n", ceiling);
  print_rates("slowest", rates[0], ceiling);
  print_rates("median", rates[1], ceiling);
  print_rates("fastest", rates[2], ceiling);
}

Json launch_facts_record(const std::optional<LaunchFacts>& facts) {
  if (!facts) return nullptr;
  return {{"blocks", {facts->blocks.x, facts->blocks.y, facts->blocks.z}},
          {"threads", facts->threads},
          {"registers", facts->registers},
          {"shared_bytes", facts->shared_bytes},
          {"local_bytes", facts->local_bytes},
          {"occupancy", facts->occupancy}};
}

std::vector<double> timed_runs(const StencilDevice& device, const stencil::Kernel& kernel,
                               stencil::ArraySet& arrays, int steps, int repeats) {
  static_cast<void>(seconds_of_steps(device, kernel, arrays, std::max(1, steps / 10)));
  std::vector<double> seconds;
  seconds.reserve(repeats);
  for (int run = 0; run < repeats; ++run) {
    seconds.push_back(seconds_of_steps(device, kernel, arrays, steps));
  }
  return seconds;
}

}  // namespace

void verify_stencils(const std::vector<std::string>& names, const StencilRunOptions& options) {
  const bool takes_all = options.kernel.empty() || options.kernel == "all";
  auto kernels = stencil::parse_kernel_names(takes_all ? "all" : options.kernel);
  const auto specifications = specifications_of(names, options);
  const stencil::Problem problem = problem_of(options);
  const StencilDevice device = stencil_device(options.device.device);
  if (takes_all && !device.is_gpu) std::erase_if(kernels, &stencil::KernelName::read_only);
  if (!options.as_json) std::printf("%s\n", wrapped(device_text(device)).c_str());
  Json records = Json::array();
  std::size_t verified = 0, failed = 0;
  stencil::verify_all(specifications, kernels, problem, device.gpu(),
                      [&](std::size_t i, const std::vector<stencil::Verdict>& verdicts) {
                        for (const stencil::Verdict& verdict : verdicts) {
                          verified += verdict.is_left_out ? 0 : 1;
                          failed += verdict.passed() ? 0 : 1;
                          records.push_back(verdict_record(specifications[i], verdict));
                        }
                        if (!options.as_json) print_verdicts(specifications[i], verdicts);
                      });
  if (options.as_json) {
    std::cout << Json{{"schema", "minimod.stencil.verify/1"},
                      {"build", build_record()},
                      {"device", device_record(device.backend->info())},
                      {"grid", {problem.n.x, problem.n.y, problem.n.z}},
                      {"steps", problem.steps},
                      {"kernels", records}}
                     .dump(2)
              << '\n';
  } else if (failed == 0) {
    std::printf("all %zu kernels of %zu stencils agree with their equations\n", verified,
                specifications.size());
  }
  if (failed > 0) {
    throw Error(ExitCode::data, text(failed, " of ", verified, " kernels disagree with their equations"), "");
  }
}

void run_stencil(const std::vector<std::string>& names, const StencilRunOptions& options) {
  if (names.size() != 1 || names.front() == "all") {
    throw Error(ExitCode::usage, text("stencil run is given ", names.size(), " stencils or 'all'"),
                "name one");
  }
  const auto kernels = stencil::parse_kernel_names(options.kernel.empty() ? "naive" : options.kernel);
  if (kernels.size() != 1) {
    throw Error(ExitCode::usage, text("--kernel names ", kernels.size(), " kernels, stencil run takes one"),
                "name one");
  }
  const Specification specification = std::move(specifications_of(names, options).front());
  stencil::require(kernels.front(), specification);
  const StencilDevice device = stencil_device(options.device.device);
  const int edge = device.is_gpu ? 512 : 48;
  const Extent3 n = options.grid.value_or(Extent3{edge, edge, edge});
  const int steps = options.steps.value_or(device.is_gpu ? 100 : 2);
  check_stencil_memory(specification, n, *device.backend);
  Json error;
  if (!options.unverified) error = verified_error(specification, kernels.front(), device);
  const double ceiling = device.backend->measure_stream_rates().three_reads_one_write;
  const stencil::Kernel kernel = stencil::compile_kernels(specification, kernels, n, device.gpu()).front();
  stencil::ArraySet arrays(specification, n, device.gpu());
  const auto seconds = timed_runs(device, kernel, arrays, steps, options.repeats);
  const Spread its = spread(seconds);
  const stencil::Facts facts = stencil::facts_of(specification);
  const std::array<StencilRates, 3> rates{rates_of(facts, n, steps, its.max),
                                          rates_of(facts, n, steps, its.median),
                                          rates_of(facts, n, steps, its.min)};
  const Json record{{"schema", "minimod.stencil.run/1"},
                    {"build", build_record()},
                    {"device", device_record(device.backend->info())},
                    {"stencil", escaped(specification.name)},
                    {"kernel", kernels.front().text()},
                    {"precision", name_in(stencil::precisions, specification.arrays.front().precision)},
                    {"grid", {n.x, n.y, n.z}},
                    {"steps", steps},
                    {"error", error},
                    {"seconds", seconds},
                    {"launch", launch_facts_record(kernel.facts)},
                    {"ceiling_gb_per_s", ceiling},
                    {"slowest", rates_record(rates[0], ceiling)},
                    {"median", rates_record(rates[1], ceiling)},
                    {"fastest", rates_record(rates[2], ceiling)}};
  if (options.as_json) {
    std::cout << record.dump(2) << '\n';
    return;
  }
  std::printf("%s\n", wrapped(device_text(device)).c_str());
  print_run(record, rates, ceiling);
}

}  // namespace minimod
