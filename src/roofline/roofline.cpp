#include "src/roofline/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "kernels/registry.hpp"
#include "src/base/error.hpp"
#include "src/base/output_file.hpp"
#include "src/base/screen.hpp"
#include "src/roofline/checks.hpp"
#include "src/roofline/child_process.hpp"
#include "src/roofline/launch_order.hpp"
#include "src/roofline/profiled_run.hpp"
#include "src/roofline/profilers.hpp"
#include "src/roofline/report.hpp"
#include "src/shot/record.hpp"

namespace minimod {

namespace {

using Json = nlohmann::ordered_json;

constexpr int default_warmup = 10;     ///< steps before those that are timed or counted
constexpr int timed_launches = 30;     ///< launches of each kernel
constexpr int perf_steps = 10;         ///< between two runs under perf
constexpr double probe_limit = 60;     ///< seconds that the counter test may take; it takes about two
constexpr double counter_limit = 180;  ///< seconds that the counters of one shape may take
constexpr std::size_t batch_size = 8;  ///< shapes of one run under ncu, which takes seconds to begin
constexpr int paper_edge = 1000;       ///< of the grid on a GPU

std::vector<Ceiling> measured_ceilings(const DeviceOption& device) {
  const auto backend = goes_to_gpu(device) ? make_cuda_backend(device.index) : make_host_backend();
  return backend->measure_ceilings();
}

Setup roofline_setup(MeasureOptions sized) {
  const bool on_gpu = goes_to_gpu(sized.kernels.device);
  if (!sized.grid.grid && on_gpu) sized.grid.grid = Extent3{paper_edge, paper_edge, paper_edge};
  sized.steps = timed_launches;
  return make_setup(sized);
}

/// All that one call measures.
class RooflineRun {
 public:
  RooflineRun(const RooflineOptions& options, const Setup& setup, DeviceChoice choice,
              std::vector<Ceiling> ceilings)
      : options_(options),
        asked_(options.measure),
        setup_(setup),
        choice_(std::move(choice)),
        ceilings_(std::move(ceilings)) {}

  void probe();
  void measure_times(const std::vector<NamedKernels>& kernels);
  void count(const std::vector<NamedKernels>& kernels);
  void finish(const std::vector<NotRun>& not_run);

 private:
  void add_row(const NamedKernels& set, const PartTimes& times, const StepPlan& plan);
  [[nodiscard]] bool count_on_gpu(Batch batch);
  void count_on_cpu(const NamedKernels& set);
  void take_peaks(const std::vector<KernelCounters>& launches);
  [[nodiscard]] bool on_gpu() const { return choice_.device.kind == "cuda"; }
  [[nodiscard]] bool has_counters() const { return !counted_.empty() || !perf_.empty(); }
  [[nodiscard]] Json state() const;
  void note(const std::string& line) {
    std::cout << wrapped(line, "note: ") << '\n';
    notes_.push_back(line);
  }

  const RooflineOptions& options_;
  const MeasureOptions& asked_;  ///< of these
  const Setup& setup_;
  DeviceChoice choice_;
  CounterAccess access_;
  std::vector<Ceiling> ceilings_;
  std::vector<Row> rows_;
  std::vector<std::string> notes_;
  std::vector<NotRun> refused_;
  int wrong_ = 0;  ///< of these, that disagree with the reference
  Json perf_ = Json::object(), before_, after_;
  std::set<std::string> counted_;       ///< shapes that have their counters
  double dram_peak_ = 0, l2_peak_ = 0;  ///< by the counters, GB/s
};

Json RooflineRun::state() const {
  if (!on_gpu()) return nullptr;
  const GpuState now = gpu_state(choice_.device.pci_bus_id);
  return {{"sm_mhz", now.sm_mhz},
          {"memory_mhz", now.memory_mhz},
          {"celsius", now.celsius},
          {"driver", now.driver}};
}

void RooflineRun::probe() {
  std::string head =
      text(choice_.device.name, ", ", choice_.device.units, on_gpu() ? " multiprocessors" : " threads");
  if (on_gpu()) {
    head += text(", compute capability ", choice_.device.compute_capability.text(), ", driver ",
                 choice_.device.driver);
  }
  std::cout << wrapped(text(head, "; ", setup_.n.x, " x ", setup_.n.y, " x ", setup_.n.z, " points, PML ",
                            setup_.pml_width))
            << '\n';
  if (options_.no_counters) {
    access_.why = "--no-counters";
  } else if (on_gpu()) {
    Setup small = setup_;
    small.n = {45, 35, 27};
    small.pml_width = 5;
    const NamedKernels reference{"reference", {&find_shape("reference"), &find_shape("reference")}};
    access_ = probe_ncu(find_ncu(), profiled_command(small, asked_, {&reference, 1}, {0, 1}), probe_limit);
  } else {
    access_ = probe_perf(find_program("perf"), probe_limit);
  }
  const std::string mode =
      access_.usable ? "counters, " + access_.tool + ' ' + access_.version : "analytic: " + access_.why;
  std::cout << wrapped(mode, "mode: ") << '\n';
  if (!access_.fix.empty()) note(text("for counters: ", access_.fix));
  std::cout << '\n' << ceilings_text(ceilings_) << std::flush;
}

void RooflineRun::add_row(const NamedKernels& set, const PartTimes& times, const StepPlan& plan) {
  std::vector<LaunchFacts> launches;
  for (std::size_t i = 0; on_gpu() && i < plan.launches().size(); ++i) {
    const RegionLaunch& launch = plan.launches()[i];
    if (launch.box.empty() || set.kernels.schedule->part_of(launch) != times.part.name) continue;
    launches.push_back(plan.facts(i));
  }
  rows_.push_back(make_row(set.name, times, model_of(times.part, set.kernels, setup_.regions()), launches));
}

void RooflineRun::measure_times(const std::vector<NamedKernels>& kernels) {
  Verification verification(setup_);
  const DomainPart whole = make_measured_part(setup_, choice_);
  Propagator& propagator = *whole.propagator;
  set_field(propagator, asked_.kernels, setup_, choice_, asked_.field);
  before_ = state();
  for (const NamedKernels& set : kernels) {
    const Verification::Outcome outcome = verification.of(*choice_.backend, set.kernels);
    if (!outcome.why_not.empty()) {
      refused_.push_back({set.name, outcome.why_not});
      continue;
    }
    if (outcome.error > Verification::tolerance) {
      refused_.push_back({set.name, text("disagrees with the reference by ", outcome.error)});
      ++wrong_;
      continue;
    }
    if (const std::string why = why_not_taken(propagator, set.kernels); !why.empty()) {
      refused_.push_back({set.name, why});
      continue;
    }
    renew_noise(propagator, asked_.field);
    for (int i = 0; i < asked_.warmup.value_or(default_warmup); ++i) propagator.step();
    const int period = set.kernels.schedule->order_of(propagator.plan().launches()).steps;
    const std::vector<PartTimes> parts = time_parts(propagator, timed_launches * period);
    if (const std::string why = why_not_measured(propagator); !why.empty()) {
      refused_.push_back({set.name, why});
      set_field(propagator, asked_.kernels, setup_, choice_, asked_.field);
      continue;
    }
    for (const PartTimes& times : parts) {
      if (times.part.points > 0) add_row(set, times, propagator.plan());
    }
  }
  after_ = state();
  if (!propagator.extremes().finite) {
    throw Error(ExitCode::internal, "the measured wavefield is not finite", "please report this");
  }
}

/// The peaks of memory and L2 that the counters know, beside the measured ceilings.
void RooflineRun::take_peaks(const std::vector<KernelCounters>& launches) {
  const auto peak = [](const CounterReadings& readings, const std::string& bytes, const std::string& cycles) {
    const auto a = readings.find(bytes), b = readings.find(cycles);
    return a == readings.end() || b == readings.end() ? 0 : a->second * b->second * 1e-9;
  };
  for (const KernelCounters& launch : launches) {
    dram_peak_ = std::max(dram_peak_, peak(launch.readings, "dram__bytes.sum.peak_sustained",
                                           "dram__cycles_elapsed.avg.per_second"));
    l2_peak_ = std::max(l2_peak_, peak(launch.readings, "lts__t_bytes.sum.peak_sustained",
                                       "lts__cycles_elapsed.avg.per_second"));
  }
}

/// Whether all of the batch were counted. What a run that broke off had delivered of whole steps is kept.
bool RooflineRun::count_on_gpu(Batch batch) {
  std::vector<LaunchOrder> orders;
  for (const NamedKernels& set : batch) {
    const Schedule& schedule = *set.kernels.schedule;
    orders.push_back(schedule.order_of(schedule.launches(setup_.problem())));
  }
  const int steps = std::ranges::max_element(orders, {}, &LaunchOrder::steps)->steps;  // 1, or a pair
  const int warmup = asked_.warmup.value_or(default_warmup);
  const StepRange counted{warmup, warmup + steps};
  CollectedCounters collected = collect_with_ncu(
      access_.tool, pinned_metrics(choice_.device.compute_capability.text()),
      profiled_command(setup_, asked_, batch, counted), counter_limit * static_cast<double>(batch.size()));
  if (!collected.note.empty()) note(text(batch[0].name, batch.size() > 1 ? ", …: " : ": ", collected.note));
  std::erase_if(collected.kernels, [](const KernelCounters& launch) { return !is_part(launch); });
  take_peaks(collected.kernels);
  const auto each = launches_of_each(orders, steps, collected.kernels, !collected.note.empty());
  bool all = true;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::string& shape = batch[i].name;
    if (each[i].empty()) {
      all = false;
      if (batch.size() == 1) {
        note(text(shape, ": ", collected.kernels.size(), " launches counted, its rows stay analytic"));
      }
      continue;
    }
    for (Row& row : rows_) {
      if (row.shape == shape) add_counters(row, readings_of(row.part, orders[i], each[i]));
    }
    counted_.insert(shape);
  }
  return all;
}

/// A process's counters tell no steps apart: two runs of different length do.
void RooflineRun::count_on_cpu(const NamedKernels& set) {
  const auto run = [&](int steps) {
    return count_with_perf(access_.tool, profiled_command(setup_, asked_, {&set, 1}, {0, steps}),
                           counter_limit);
  };
  const CounterReadings shorter = run(perf_steps), longer = run(2 * perf_steps);
  const double updates = static_cast<double>(setup_.n.points()) * perf_steps;
  Json per_point = Json::object();
  for (const auto& [event, count] : longer) {
    if (const auto found = shorter.find(event); found != shorter.end()) {
      per_point[event] = (count - found->second) / updates;
    }
  }
  if (per_point.empty()) return note(text(set.name, ": perf counted nothing"));
  perf_[set.name] = per_point;
  std::cout << wrapped(text(set.name, ", perf, whole step, a point: ", per_point.dump(0))) << '\n';
}

void RooflineRun::count(const std::vector<NamedKernels>& kernels) {
  if (!access_.usable) return;
  std::vector<NamedKernels> timed;
  for (const NamedKernels& set : kernels) {
    if (std::ranges::any_of(rows_, [&](const Row& row) { return row.shape == set.name; }))
      timed.push_back(set);
  }
  if (!on_gpu()) {
    for (const NamedKernels& set : timed) count_on_cpu(set);
  }
  for (std::size_t first = 0; on_gpu() && first < timed.size(); first += batch_size) {
    const Batch batch = Batch(timed).subspan(first, std::min(batch_size, timed.size() - first));
    if (count_on_gpu(batch) || batch.size() == 1) continue;
    for (const NamedKernels& set : batch) {  // behind one that broke the others' run off
      if (counted_.count(set.name) == 0) static_cast<void>(count_on_gpu({&set, 1}));
    }
  }
  for (Ceiling& ceiling : ceilings_) {
    if (ceiling.level == Level::l2 && ceiling.theoretical == 0) ceiling.theoretical = l2_peak_;
  }
}

void RooflineRun::finish(const std::vector<NotRun>& not_run) {
  for (const Ceiling& ceiling : ceilings_) {
    const double best = spread(ceiling.rates).max;
    if (ceiling.theoretical > 0 && best > ceiling.theoretical) {
      note(text(ceiling.name, ": ", best, " measured, above the theoretical ", ceiling.theoretical));
    }
  }
  int failed = 0;
  for (Row& row : rows_) {
    derive(row, ceilings_);
    row.flags = failed_checks(row, static_cast<double>(choice_.device.l2_bytes));
    failed += row.flags.empty() ? 0 : 1;
  }
  std::vector<NotRun> absent = not_run;
  absent.insert(absent.end(), refused_.begin(), refused_.end());
  const Json facts = {
      {"schema", "minimod.roofline/1"},
      {"build", build_record()},
      {"device", device_record(choice_.device)},
      {"mode", has_counters() ? "counters" : "analytic"},
      {"profiler",
       {{"tool", access_.tool},
        {"version", access_.version},
        {"why_not", access_.why},
        {"fix", access_.fix}}},
      {"metrics", on_gpu() ? Json(pinned_metrics(choice_.device.compute_capability.text())) : Json::array()},
      {"grid", to_record(setup_, asked_.field)},
      {"decomposition", decomposition_name(setup_.decomposition)},
      {"timed_steps", timed_launches},
      {"state_before", before_},
      {"state_after", after_},
      {"counter_peaks_gb_per_s", {{"dram", dram_peak_}, {"l2", l2_peak_}}},
      {"perf_a_point", perf_},
      {"notes", notes_},
      {"not_run", to_record(absent)}};
  write_report(facts, ceilings_, rows_, options_.folder);
  std::cout << '\n' << tables_text(rows_);
  std::cout << "report " << (std::filesystem::path(options_.folder) / "roofline.json").string() << '\n';
  if (wrong_ > 0) {
    throw Error(ExitCode::data, text(wrong_, " shapes disagree with the reference"),
                "the report is without them; minimod bench says more");
  }
  if (failed > 0 && options_.strict) {
    throw Error(ExitCode::data, text(failed, " of ", rows_.size(), " kernels fail a check"),
                "the report says which");
  }
}

/// A run for a profiler that the user drives makes no report.
void check_profiled_options(const RooflineOptions& o) {
  if (!o.profile_range || !(o.no_counters || o.strict || o.measure.warmup || o.folder != ".")) return;
  throw Error(ExitCode::usage, "--profile-range is given with --warmup, --no-counters, --strict or --output",
              "leave these out: it only runs those steps, and writes no report");
}

}  // namespace

void run_roofline(const RooflineOptions& options) {
  check_profiled_options(options);
  const KernelOptions& asked = options.measure.kernels;
  const Setup setup = roofline_setup(options.measure);
  std::optional<OutputFolder> folder;
  if (!options.profile_range) {
    folder.emplace(options.folder);
    check_report(options.folder);
  }
  // Before a trial: behind its large allocations a GPU streams a tenth slower.
  std::vector<Ceiling> ceilings;
  if (asked.kernel == "auto" && !options.profile_range) ceilings = measured_ceilings(asked.device);
  DeviceChoice choice = choose_measured_device(asked, setup);
  std::vector<NotRun> not_run;
  const auto kernels = matching_kernels(asked, setup, choice, not_run);
  check_measured_memory(setup, *choice.backend, kernels);
  if (options.profile_range) return run_for_profiler(options, setup, choice, kernels);
  if (ceilings.empty()) ceilings = choice.backend->measure_ceilings();
  RooflineRun run(options, setup, std::move(choice), std::move(ceilings));
  run.probe();
  run.measure_times(kernels);
  run.count(kernels);
  run.finish(not_run);
}

}  // namespace minimod
