#include "src/commands/stencil_runs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/files/output_claims.hpp"
#include "src/base/json.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/screen.hpp"
#include "src/choice/device_of_rank.hpp"
#include "src/job/outputs/record.hpp"
#include "src/measure/bench_tables.hpp"
#include "src/measure/measurement.hpp"
#include "src/measure/stencils/stencil_measurement.hpp"
#include "src/measure/stencils/stencil_verification.hpp"
#include "src/measure/subject.hpp"
#include "src/ranks/start.hpp"
#include "src/stencil/kernel_source.hpp"
#include "src/stencil/language/shipped.hpp"
#include "src/stencil/start_file.hpp"

namespace minimod {

namespace {

using stencil::Specification;

std::vector<Specification> specifications_of(const std::vector<std::string>& names,
                                             const StencilRunOptions& options) {
  StencilMeasureOptions measured;
  measured.stencils = joined(names, ",");
  measured.precision = options.precision;
  return measured_specifications(measured);
}

// ---- verify ----

/// With planes enough for each rank's slab.
stencil::Problem awkward_problem(const std::vector<Specification>& specifications, const Ranks& ranks) {
  stencil::Problem problem;
  for (const Specification& specification : specifications) {
    problem.n.z = std::max(problem.n.z, ranks.size() * least_planes_of_slab(specification));
  }
  return problem;
}

stencil::Problem problem_of(const StencilRunOptions& options,
                            const std::vector<Specification>& specifications, const Ranks& ranks) {
  constexpr std::int64_t most_points = 1 << 21;  // points of the interpreter, on each core
  stencil::Problem problem = awkward_problem(specifications, ranks);
  problem.n = options.grid.value_or(problem.n);
  problem.steps = options.steps.value_or(problem.steps);
  const Extent3 n = problem.n;
  if (double{1} * n.x * n.y * n.z > most_points) {
    throw Error(ErrorKind::parameter, text("--grid has ", n.x, " x ", n.y, " x ", n.z, " points"),
                text("give at most ", most_points, " to stencil verify"));
  }
  return problem;
}

void print_verdict(const Specification& specification, const std::string& kernel, const Verdict& verdict) {
  std::array<char, 64> head{};
  std::snprintf(head.data(), head.size(), "%-16s %-28s ", escaped(specification.name, 16).c_str(),
                kernel.c_str());
  if (verdict.is_left_out()) return print_wrapped("none: " + verdict.why_not, head.data());
  std::printf("%s%9.2e <= %g  %s\n", head.data(), verdict.error, verdict.tolerance,
              verdict.is_right ? "pass" : ("FAIL " + verdict.fault).c_str());
}

Json verdict_record(const Specification& specification, const std::string& kernel, const Verdict& verdict) {
  Json record{{"stencil", escaped(specification.name)},
              {"kernel", kernel},
              {"precision", precision_text(specification)}};
  if (verdict.is_left_out()) {
    record["left_out"] = verdict.why_not;
    return record;
  }
  record["error"] = verdict.error;
  record["tolerance"] = verdict.tolerance;
  record["passed"] = verdict.passed();
  record["checksum"] = hexadecimal(verdict.checksum);
  return record;
}

/// On all ranks the same specifications, whose files may differ.
void require_one_run_of(const std::vector<Specification>& specifications, Ranks& ranks) {
  if (ranks.is_alone()) return;
  std::string run = words_of_call();
  for (const Specification& specification : specifications) run += stencil::equations_text(specification);
  require_one_run(run, ranks);
}

// ---- run ----

/// Error 64 where the list names several.
std::vector<stencil::KernelName> sole_kernel(const std::string& list) {
  auto kernels = stencil::parse_kernel_names(list);
  if (kernels.size() == 1) return kernels;
  throw Error(ErrorKind::parameter,
              text("--kernel names ", kernels.size(), " kernels, stencil run takes one"), "name one");
}

/// On a small grid, which is cut evenly. Error 65 where it is wrong.
Verdict verified(const Specification& specification, const stencil::KernelName& name,
                 const StencilDevice& device, const RankOptions& options, Ranks& ranks) {
  RankOptions evenly = options;
  evenly.planes.clear();
  const stencil::Problem problem = awkward_problem({specification}, ranks);
  const DomainCut cut = cut_for(specification, problem.n.z, evenly, ranks);
  auto verdict = stencil::verify(specification, {name}, problem, device.gpu(), cut).front();
  if (verdict.passed()) return verdict;
  throw Error(ErrorKind::data,
              text("the kernel ", name.text(), " of ", escaped(specification.name, 40),
                   " disagrees with its equations: ", verdict.error, " of ", verdict.tolerance,
                   verdict.fault.empty() ? "" : ", " + verdict.fault),
              "it was not timed");
}

EmulatedWork work_of_run(const StencilRunOptions& options, const StencilDevice& device,
                         const Specification& specification, std::span<const stencil::KernelName> kernels,
                         Extent3 n, int steps) {
  EmulatedWork work;
  const stencil::Problem verified;
  if (!options.unverified) add_emulated(work, device, specification, kernels, verified.n, verified.steps);
  const double timed = warm_up_steps(steps) + double{1} * options.timed_runs() * steps;
  add_emulated(work, device, specification, kernels, n, timed + (options.fields.file.empty() ? 0 : steps));
  return work;
}

void claim_writing(OutputClaims& claims, const StencilFieldOptions& fields,
                   const Specification& specification, Extent3 n, const DomainCut& cut) {
  if (fields.file.empty()) {
    if (fields.slices.empty() && !fields.force) return;
    throw Error(ErrorKind::parameter, "--slices or --force is given without --write", "name the file");
  }
  if (cut.ranks != nullptr) {
    throw Error(ErrorKind::parameter, "--write is given with several ranks",
                "write the fields of one rank's run");
  }
  claim_fields(claims, fields, specification, n);
}

/// `gpt`: points a second, in units of 10^9; `ceiling`: nothing for emulated threads, which have none.
Json rates_record(double gpt, const stencil::Facts& facts, std::optional<double> ceiling) {
  const double gbyte = gpt * facts.compulsory_bytes;
  return {{"gpt_per_s", gpt},
          {"gflop_per_s", gpt * facts.operations()},
          {"gb_per_s", gbyte},
          {"share_of_ceiling", ceiling ? Json(gbyte / *ceiling) : Json()}};
}

void print_rates(const char* name, const Json& rates) {
  const auto digits = [&](const char* which) { return three_digits(rates[which].get<double>()); };
  std::printf("  %-8s %8s Gpt/s %9s Gflop/s %9s GB/s", name, digits("gpt_per_s").c_str(),
              digits("gflop_per_s").c_str(), digits("gb_per_s").c_str());
  if (const Json& share = rates["share_of_ceiling"]; !share.is_null()) {
    std::printf(" %7.1f %%", 100 * share.get<double>());
  }
  std::printf("\n");
}

void print_run(const Json& record) {
  const Json& grid = record["grid"];
  print_wrapped(text(record["stencil"].get<std::string>(), ", ", record["kernel"].get<std::string>(), " in ",
                     record["precision"].get<std::string>(), "; ", grid[0], " x ", grid[1], " x ", grid[2],
                     " points, ", record["steps"], " steps, ", record["seconds"].size(), " runs"));
  if (record["error"].is_null()) {
    std::printf("  not verified\n");
  } else {
    std::printf("  relative L2 error against the equations in double: %.2e\n", record["error"].get<double>());
  }
  if (record.contains("ranks")) {
    const Json& ranks = record["ranks"];
    print_wrapped(text(ranks["rows"].size(), " ranks (", ranks["mpi"].get<std::string>(), "), ",
                       ranks["transport"].is_null() ? "nothing to tell each other"
                                                    : "halos by " + ranks["transport"].get<std::string>()),
                  "  ");
  }
  if (const Json& launch = record["launch"]; !launch.is_null()) {
    std::printf("  %d threads a block, %d registers a thread, %d B of shared memory, occupancy %.0f %%\n",
                launch["threads"].get<int>(), launch["registers"].get<int>(),
                launch["shared_bytes"].get<int>(), 100 * launch["theoretical_occupancy"].get<double>());
  }
  if (record["played"].get<bool>()) {
    std::printf("  %s\n", emulated_rate);
  } else {
    std::printf("  bytes that must move over a ceiling of %.0f GB/s (3 reads + 1 write)\n",
                record["ceiling_gb_per_s"].get<double>());
  }
  for (const char* which : {"slowest", "median", "fastest"}) print_rates(which, record[which]);
  if (record.contains("fields")) std::printf("  fields %s\n", record["fields"].get<std::string>().c_str());
  if (!record.contains("ranks")) return;
  Json shape = record;
  shape["name"] = record["kernel"];
  print_ranks(Json::array({shape}), record["steps"].get<int>());
}

}  // namespace

void verify_stencils(const std::vector<std::string>& names, const StencilRunOptions& options) {
  if (options.is_of_run()) {
    throw Error(ErrorKind::parameter,
                "stencil verify is given --write, --slices, --force, --repeats or --unverified",
                "give it to stencil run");
  }
  const std::string kernel_list = options.kernel.empty() ? "all" : options.kernel;
  static_cast<void>(stencil::parse_kernel_names(kernel_list));  // before a device is asked for
  const auto specifications = specifications_of(names, options);
  Ranks& ranks = Ranks::world();
  require_one_run_of(specifications, ranks);
  const stencil::Problem problem = problem_of(options, specifications, ranks);
  std::vector<DomainCut> cuts;
  cuts.reserve(specifications.size());
  for (const Specification& specification : specifications) {
    cuts.push_back(cut_for(specification, problem.n.z, options.ranks, ranks));
  }
  const StencilDevice device = choose_stencil_device(options.device.device, options.ranks, ranks);
  const auto kernels = stencil::parse_kernel_names(kernel_list, device.usual_kernels());
  EmulatedWork work;
  for (const Specification& specification : specifications) {
    add_emulated(work, device, specification, kernels, problem.n, problem.steps);
  }
  ranks.on_first([&] { work.announce(); });
  if (!options.as_json) print_wrapped(device.title(kernels));
  Json records = Json::array();
  std::size_t verified = 0, failed = 0;
  const auto tell = [&](std::size_t i, const std::vector<Verdict>& verdicts) {
    for (std::size_t k = 0; k < verdicts.size(); ++k) {
      verified += verdicts[k].is_left_out() ? 0 : 1;
      failed += verdicts[k].passed() ? 0 : 1;
      records.push_back(verdict_record(specifications[i], kernels[k].text(), verdicts[k]));
      if (!options.as_json) print_verdict(specifications[i], kernels[k].text(), verdicts[k]);
    }
    std::fflush(stdout);
  };
  if (ranks.is_alone()) {
    stencil::verify_all(specifications, kernels, problem, device.gpu(), tell);
  } else {
    for (std::size_t i = 0; i < specifications.size(); ++i)
      tell(i, stencil::verify(specifications[i], kernels, problem, device.gpu(), cuts[i]));
  }
  if (options.as_json) {
    std::cout << Json{{"schema", "minimod.stencil.verify/1"},
                      {"build", build_record()},
                      {"device", device_record(device.backend->info())},
                      {"grid", {problem.n.x, problem.n.y, problem.n.z}},
                      {"steps", problem.steps},
                      {"ranks", ranks.size()},
                      {"kernels", records}}
                     .dump(2)
              << '\n';
  } else if (failed == 0) {
    const std::size_t stencils = specifications.size();
    std::printf("%s%zu kernel%s of %zu stencil%s agree%s with %s equations\n", verified == 1 ? "" : "all ",
                verified, verified == 1 ? "" : "s", stencils, stencils == 1 ? "" : "s",
                verified == 1 ? "s" : "", verified == 1 ? "its" : "their");
  }
  if (failed > 0) {
    throw Error(ErrorKind::data, text(failed, " of ", verified, " kernels disagree with their equations"),
                "");
  }
}

void run_stencil(const std::vector<std::string>& names, const StencilRunOptions& options) {
  if (names.size() != 1 || names.front() == "all") {
    throw Error(ErrorKind::parameter, text("stencil run is given ", names.size(), " stencils or 'all'"),
                "name one");
  }
  std::vector<stencil::KernelName> kernels;
  if (!options.kernel.empty()) kernels = sole_kernel(options.kernel);
  const Specification specification = std::move(specifications_of(names, options).front());
  if (!kernels.empty()) stencil::require(kernels.front(), specification);
  Ranks& ranks = Ranks::world();
  require_one_run_of({specification}, ranks);
  const auto shared = std::make_shared<const StencilDevice>(
      choose_stencil_device(options.device.device, options.ranks, ranks));
  const StencilDevice& device = *shared;
  if (kernels.empty()) kernels = sole_kernel(device.is_gpu ? "naive" : "rows");
  const bool is_emulated = device.emulates(kernels.front());
  const auto of_file = stencil::grid_of_files(specification);
  const Extent3 n = options.grid.value_or(of_file.value_or(device.usual_grid(kernels)));
  const int steps = options.steps.value_or(device.usual_steps(kernels));
  const DomainCut cut = cut_for(specification, n.z, options.ranks, ranks);
  const Extent3 slab{n.x, n.y, cut.slab(n.z).planes()};
  cut.together([&] { check_stencil_memory(specification, slab, device); });
  OutputClaims claims;
  claim_writing(claims, options.fields, specification, n, cut);
  ranks.on_first([&] { work_of_run(options, device, specification, kernels, n, steps).announce(); });
  Json error, checksum;
  if (!options.unverified) {
    const auto verdict = verified(specification, kernels.front(), device, options.ranks, ranks);
    error = verdict.error;
    checksum = hexadecimal(verdict.checksum);
  }
  const StreamRates stream = stream_rates_of(*device.backend, ranks, Thoroughness::of_figures);
  const double ceiling = stream.three_reads_one_write;
  const auto subject =
      make_stencil_subject(specification, n, shared, cut);  // takes memory behind the ceiling's
  if (const std::string why = subject->take(kernels.front().text()); !why.empty()) {
    throw Error(ErrorKind::resource, why, "");
  }
  const TimedRuns runs = subject->timed_runs(steps, warm_up_steps(steps), {.exactly = options.timed_runs()});
  const Spread gpt = minimod::rates(static_cast<double>(n.points()) * steps * 1e-9, spread(runs.seconds));
  Json figures{{"gpt_per_s", to_record(gpt)}};
  subject->add_figures(figures, runs, steps, stream);
  subject->end();
  const stencil::Facts facts = stencil::facts_of(specification);
  const auto rates = [&](double of_run) {
    return rates_record(of_run, facts, is_emulated ? std::nullopt : std::optional(ceiling));
  };
  Json record{{"schema", "minimod.stencil.run/1"},
              {"build", build_record()},
              {"device", device_record(device.backend->info())},
              {"stencil", escaped(specification.name)},
              {"kernel", kernels.front().text()},
              {"precision", precision_text(specification)},
              {"grid", {n.x, n.y, n.z}},
              {"steps", steps},
              {"error", error},
              {"checksum", checksum},
              {"seconds", runs.seconds},
              {"launch", figures["launch"]},
              {"ceiling_gb_per_s", ceiling},
              {"played", is_emulated},
              {"slowest", rates(gpt.min)},
              {"median", rates(gpt.median)},
              {"fastest", rates(gpt.max)}};
  if (figures.contains("ranks")) record["ranks"] = figures["ranks"];
  if (!options.fields.file.empty()) {
    const auto kernel = compile_together(specification, kernels, n, cut, device.gpu()).front();
    write_fields(options.fields, specification, kernels.front(), kernel, n, steps, device.gpu());
    record["fields"] = options.fields.file.string();
  }
  if (options.as_json) {
    std::cout << record.dump(2) << '\n';
    return;
  }
  print_wrapped(device.title(kernels));
  print_run(record);
}

}  // namespace minimod
