#include "src/roofline/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/output_claims.hpp"
#include "src/base/output_file.hpp"
#include "src/base/screen.hpp"
#include "src/roofline/checks.hpp"
#include "src/roofline/child_process.hpp"
#include "src/roofline/launch_order.hpp"
#include "src/roofline/profilers.hpp"
#include "src/roofline/report.hpp"
#include "src/roofline/roofline_subject.hpp"
#include "src/shot/record.hpp"

namespace minimod {

namespace {

constexpr int perf_steps = 10;         ///< between two runs under perf
constexpr double probe_limit = 60;     ///< seconds that the counter test may take; it takes about two
constexpr double counter_limit = 180;  ///< seconds that the counters of one shape may take

/// All that one call measures.
class RooflineRun {
 public:
  RooflineRun(const RooflineOptions& options, RooflineSubject& subject)
      : options_(options), subject_(subject), device_(subject.device()), ceilings_(subject.ceilings()) {}

  void probe();
  void measure();
  void count();
  void finish();

 private:
  [[nodiscard]] bool count_on_gpu(const ProfiledBatch& batch);
  void count_on_cpu(const ProfiledShape& shape);
  void take_peaks(const std::vector<KernelCounters>& launches);
  [[nodiscard]] bool on_gpu() const { return device_.kind == "cuda"; }
  [[nodiscard]] bool has_counters() const { return !counted_.empty() || !perf_.empty(); }
  [[nodiscard]] Json state() const;
  void note(const std::string& line) {
    std::cout << wrapped(line, "note: ") << '\n';
    notes_.push_back(line);
  }

  const RooflineOptions& options_;
  RooflineSubject& subject_;
  const DeviceInfo& device_;
  CounterAccess access_;
  std::vector<Ceiling> ceilings_;
  MeasuredRows measured_;
  std::vector<std::string> notes_;
  Json perf_ = Json::object(), before_, after_;
  std::set<std::string> counted_;       ///< shapes that have their counters
  double dram_peak_ = 0, l2_peak_ = 0;  ///< by the counters, GB/s
};

Json RooflineRun::state() const {
  if (!on_gpu()) return nullptr;
  const GpuState now = gpu_state(device_.pci_bus_id);
  return {{"sm_mhz", now.sm_mhz},
          {"memory_mhz", now.memory_mhz},
          {"celsius", now.celsius},
          {"driver", now.driver}};
}

void RooflineRun::probe() {
  std::string head = text(device_.name, ", ", device_.units, on_gpu() ? " multiprocessors" : " threads");
  if (on_gpu()) {
    head += text(", compute capability ", device_.compute_capability.text(), ", driver ", device_.driver);
  }
  std::cout << wrapped(text(head, "; ", subject_.title())) << '\n';
  if (options_.no_counters) {
    access_.why = "--no-counters";
  } else if (const std::string why = subject_.why_not_counted(); !why.empty()) {
    access_.why = why;
  } else if (on_gpu()) {
    access_ = probe_ncu(find_ncu(), subject_.small_command(), probe_limit);
  } else {
    access_ = probe_perf(find_program("perf"), probe_limit);
  }
  const std::string mode =
      access_.usable ? "counters, " + access_.tool + ' ' + access_.version : "analytic: " + access_.why;
  std::cout << wrapped(mode, "mode: ") << '\n';
  if (!access_.fix.empty()) note(text("for counters: ", access_.fix));
  std::cout << '\n' << ceilings_text(ceilings_) << std::flush;
}

void RooflineRun::measure() {
  subject_.prepare();
  before_ = state();
  measured_ = subject_.measure();
  after_ = state();
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
bool RooflineRun::count_on_gpu(const ProfiledBatch& batch) {
  std::vector<LaunchOrder> orders;
  for (const ProfiledShape& shape : batch) orders.push_back(shape.order);
  const int steps = std::ranges::max_element(orders, {}, &LaunchOrder::steps)->steps;  // 1, or a pair
  const int warmup = options_.measure.warmup.value_or(roofline_warmup);
  CollectedCounters collected =
      collect_with_ncu(access_.tool, pinned_metrics(device_.compute_capability.text()),
                       subject_.profiled_command(batch, {warmup, warmup + steps}),
                       counter_limit * static_cast<double>(batch.size()));
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
    for (Row& row : measured_.rows) {
      if (row.shape == shape) add_counters(row, readings_of(row.part, orders[i], each[i]));
    }
    counted_.insert(shape);
  }
  return all;
}

/// A process's counters tell no steps apart: two runs of different length do.
void RooflineRun::count_on_cpu(const ProfiledShape& shape) {
  const auto run = [&](int steps) {
    return count_with_perf(access_.tool, subject_.profiled_command({shape}, {0, steps}), counter_limit);
  };
  const CounterReadings shorter = run(perf_steps), longer = run(2 * perf_steps);
  const double updates = subject_.points() * perf_steps;
  Json per_point = Json::object();
  for (const auto& [event, count] : longer) {
    if (const auto found = shorter.find(event); found != shorter.end()) {
      per_point[event] = (count - found->second) / updates;
    }
  }
  if (per_point.empty()) return note(text(shape.name, ": perf counted nothing"));
  perf_[shape.name] = per_point;
  std::cout << wrapped(text(shape.name, ", perf, whole step, a point: ", per_point.dump(0))) << '\n';
}

void RooflineRun::count() {
  if (!access_.usable) return;
  for (const ProfiledBatch& batch : subject_.batches(measured_.rows)) {
    if (!on_gpu()) {
      for (const ProfiledShape& shape : batch) count_on_cpu(shape);
      continue;
    }
    if (count_on_gpu(batch) || batch.size() == 1) continue;
    for (const ProfiledShape& shape : batch) {  // behind one that broke the others' run off
      if (counted_.count(shape.name) == 0) static_cast<void>(count_on_gpu({shape}));
    }
  }
  for (Ceiling& ceiling : ceilings_) {
    if (ceiling.level == Level::l2 && ceiling.theoretical == 0) ceiling.theoretical = l2_peak_;
  }
}

void RooflineRun::finish() {
  for (const Ceiling& ceiling : ceilings_) {
    const double best = spread(ceiling.rates).max;
    if (ceiling.theoretical > 0 && best > ceiling.theoretical) {
      note(text(ceiling.name, ": ", best, " measured, above the theoretical ", ceiling.theoretical));
    }
  }
  int failed = 0;
  for (Row& row : measured_.rows) {
    derive(row, ceilings_);
    row.flags = failed_checks(row, ceilings_, static_cast<double>(device_.l2_bytes));
    failed += row.flags.empty() ? 0 : 1;
  }
  Json facts = {
      {"schema", "minimod.roofline/1"},
      {"build", build_record()},
      {"device", device_record(device_)},
      {"mode", has_counters() ? "counters" : "analytic"},
      {"profiler",
       {{"tool", access_.tool},
        {"version", access_.version},
        {"why_not", access_.why},
        {"fix", access_.fix}}},
      {"metrics", on_gpu() ? Json(pinned_metrics(device_.compute_capability.text())) : Json::array()},
      {"timed_steps", roofline_launches},
      {"state_before", before_},
      {"state_after", after_},
      {"counter_peaks_gb_per_s", {{"dram", dram_peak_}, {"l2", l2_peak_}}},
      {"perf_a_point", perf_},
      {"notes", notes_},
      {"not_run", to_record(measured_.not_run)}};
  facts.update(subject_.facts());
  write_report(facts, ceilings_, measured_.rows, options_.folder);
  std::cout << '\n' << tables_text(measured_.rows);
  std::cout << "report " << (std::filesystem::path(options_.folder) / "roofline.json").string() << '\n';
  if (measured_.wrong > 0) {
    throw Error(ExitCode::data, text(measured_.wrong, " kernels disagree with what is right"),
                "the report is without them; minimod bench says more");
  }
  if (failed > 0 && options_.strict) {
    throw Error(ExitCode::data, text(failed, " of ", measured_.rows.size(), " kernels fail a check"),
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
  std::optional<OutputFolder> folder;
  OutputClaims claims;
  if (!options.profile_range) {
    folder.emplace(options.folder);
    claim_report(claims, options.folder);
  }
  const auto subject = options.stencil ? make_stencil_roofline(options) : make_wave_roofline(options);
  if (options.profile_range) return subject->run_for_profiler(*options.profile_range);
  RooflineRun run(options, *subject);
  run.probe();
  run.measure();
  run.count();
  run.finish();
}

}  // namespace minimod
