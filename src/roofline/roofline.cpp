#include "src/roofline/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/files/output_claims.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/json.hpp"
#include "src/base/option.hpp"
#include "src/base/process/screen.hpp"
#include "src/device/power/nvml.hpp"
#include "src/device/profiling.hpp"
#include "src/job/outputs/record.hpp"
#include "src/roofline/checks.hpp"
#include "src/roofline/child_process.hpp"
#include "src/roofline/launch_order.hpp"
#include "src/roofline/profilers.hpp"
#include "src/roofline/report.hpp"
#include "src/roofline/roofline_problem.hpp"

namespace minimod {

namespace {

constexpr int usual_warmup = 10;          ///< steps before those that are timed or counted
constexpr std::size_t most_profiled = 8;  ///< kernels at once: ncu takes seconds to begin
constexpr int perf_steps = 10;            ///< between two runs under perf
constexpr double probe_limit = 60;        ///< seconds that the counter test may take; it takes about two
constexpr double counter_limit = 180;     ///< seconds that the counters of one shape may take

/// Kernels of a group that one run under a profiler takes.
struct ProfiledBatch {
  const RooflineGroup& group;
  Words names;
};

/// All that one call measures.
class RooflineRun {
 public:
  RooflineRun(const RooflineOptions& options, RooflineProblem problem)
      : options_(options),
        problem_(std::move(problem)),
        device_(problem_.device),
        warmup_(options.measure.warmup.value_or(usual_warmup)),
        ceilings_(problem_.ceilings.empty() ? problem_.groups.front().subject->backend().measure_ceilings()
                                            : problem_.ceilings),
        not_run_(problem_.not_run) {}

  void probe();
  void measure();
  void count();
  void finish();

 private:
  /// Adds the kernel's rows. Why it has none, empty where it does.
  [[nodiscard]] std::string measure_kernel(Subject& subject, const std::string& name);
  [[nodiscard]] std::vector<ProfiledBatch> batches() const;
  [[nodiscard]] bool count_on_gpu(const ProfiledBatch& batch);
  void count_on_cpu(const RooflineGroup& group, const std::string& name);
  void take_peaks(const std::vector<KernelCounters>& launches);
  [[nodiscard]] bool on_gpu() const { return device_.is_gpu(); }
  [[nodiscard]] bool has_counters() const { return !counted_.empty() || !perf_.empty(); }
  [[nodiscard]] Json state() const;
  void note(const std::string& line) {
    print_wrapped(line, "note: ");
    notes_.push_back(line);
  }

  const RooflineOptions& options_;
  RooflineProblem problem_;
  const DeviceInfo& device_;
  int warmup_;
  CounterAccess access_;
  std::vector<Ceiling> ceilings_;
  std::vector<Row> rows_;
  std::vector<NotRun> not_run_;
  int wrong_ = 0;  ///< kernels that disagree with what is right
  std::vector<std::string> notes_;
  Json perf_ = Json::object(), before_, after_;
  std::set<std::string> counted_;       ///< shapes that have their counters
  double dram_peak_ = 0, l2_peak_ = 0;  ///< by the counters, GB/s
};

Json RooflineRun::state() const {
  if (!on_gpu()) return nullptr;
  const GpuSettings now = nvml().settings(device_.pci_bus_id).value_or(GpuSettings{});
  return {{"sm_mhz", now.clock_mhz.value_or(0)},
          {"memory_mhz", now.memory_clock_mhz.value_or(0)},
          {"celsius", now.celsius.value_or(0)},
          {"watts", now.watts.value_or(0)},
          {"driver", now.driver}};
}

void RooflineRun::probe() {
  std::string head = text(device_.name, ", ", device_.units, on_gpu() ? " multiprocessors" : " threads");
  if (on_gpu()) {
    head += text(", ", device_.architecture, ", driver ", device_.driver);
  }
  print_wrapped(text(head, "; ", problem_.title));
  if (options_.no_counters) {
    access_.why = option("no-counters");
  } else if (!problem_.why_not_counted.empty()) {
    access_.why = problem_.why_not_counted;
  } else if (on_gpu()) {
    access_ =
        probe_ncu(find_ncu(), options_.call(problem_.steps(problem_.small_parameters, {0, 1})), probe_limit);
  } else {
    access_ = probe_perf(find_program("perf"), probe_limit);
  }
  print_wrapped(
      access_.usable ? "counters, " + access_.tool + ' ' + access_.version : "analytic: " + access_.why,
      "mode: ");
  if (!access_.fix.empty()) note(text("for counters: ", access_.fix));
  std::cout << '\n' << ceilings_text(ceilings_) << std::flush;
}

std::string RooflineRun::measure_kernel(Subject& subject, const std::string& name) {
  const Verdict verdict = subject.verify(name);
  if (!verdict.why_not.empty()) return verdict.why_not;
  if (!verdict.is_right) {
    ++wrong_;
    return text("disagrees with the ", subject.right(), " by ", verdict.error);
  }
  if (std::string why = subject.take(name); !why.empty()) return why;
  subject.renew();
  for (int i = 0; i < warmup_; ++i) subject.step();
  const std::vector<MeasuredPart> parts = subject.time_parts(roofline_launches);
  if (std::string why = subject.why_not_measured(); !why.empty()) return why;
  for (const MeasuredPart& part : parts) {
    rows_.push_back(make_row(subject.shown(name), part, subject.precision()));
    rows_.back().emulated = subject.emulates(name);
  }
  return "";
}

void RooflineRun::measure() {
  EmulatedWork work;
  for (const RooflineGroup& group : problem_.groups) {
    for (const std::string& name : group.names) {
      group.subject->add_emulated(work, name, warmup_ + roofline_launches);
    }
  }
  work.announce();
  problem_.groups.front().subject->prepare(problem_.groups.front().names);
  before_ = state();
  for (const RooflineGroup& group : problem_.groups) {
    if (&group != &problem_.groups.front()) group.subject->prepare(group.names);
    for (const std::string& name : group.names) {
      const std::string why = measure_kernel(*group.subject, name);
      if (!why.empty()) not_run_.push_back({group.subject->shown(name), why});
    }
    group.subject->end();
  }
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
  const Subject& subject = *batch.group.subject;
  const std::size_t size = batch.names.size();
  std::vector<LaunchOrder> orders;
  for (const std::string& name : batch.names) orders.push_back(subject.order_of(name));
  const int steps = std::ranges::max_element(orders, {}, &LaunchOrder::steps)->steps;  // 1, or a pair
  CollectedCounters collected = collect_with_ncu(
      access_.tool, pinned_metrics(device_.compute_capability.text()),
      options_.call(problem_.steps(batch.group.parameters(batch.names), {warmup_, warmup_ + steps})),
      counter_limit * static_cast<double>(size));
  if (!collected.note.empty()) {
    note(text(subject.shown(batch.names[0]), size > 1 ? ", …: " : ": ", collected.note));
  }
  std::erase_if(collected.kernels, [](const KernelCounters& launch) { return !is_part(launch); });
  take_peaks(collected.kernels);
  const auto each = launches_of_each(orders, steps, collected.kernels, !collected.note.empty());
  bool all = true;
  for (std::size_t i = 0; i < size; ++i) {
    const std::string shape = subject.shown(batch.names[i]);
    if (each[i].empty()) {
      all = false;
      if (size == 1) {
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
void RooflineRun::count_on_cpu(const RooflineGroup& group, const std::string& name) {
  const std::string shape = group.subject->shown(name);
  const auto run = [&](int steps) {
    return count_with_perf(access_.tool, options_.call(problem_.steps(group.parameters({name}), {0, steps})),
                           counter_limit);
  };
  const CounterReadings shorter = run(perf_steps), longer = run(2 * perf_steps);
  const double updates = problem_.points * perf_steps;
  Json per_point = Json::object();
  for (const auto& [event, count] : longer) {
    if (const auto found = shorter.find(event); found != shorter.end()) {
      per_point[event] = (count - found->second) / updates;
    }
  }
  if (per_point.empty()) return note(text(shape, ": perf counted nothing"));
  perf_[shape] = per_point;
  print_wrapped(text(shape, ", perf, whole step, a point: ", per_point.dump(0)));
}

/// Batches of the kernels that have rows.
std::vector<ProfiledBatch> RooflineRun::batches() const {
  std::vector<ProfiledBatch> all;
  for (const RooflineGroup& group : problem_.groups) {
    Words names = group.names;
    std::erase_if(names, [&](const std::string& name) {
      return std::ranges::find(rows_, group.subject->shown(name), &Row::shape) == rows_.end();
    });
    for (std::size_t i = 0; i < names.size(); i += most_profiled) {
      const auto first = names.begin() + static_cast<std::ptrdiff_t>(i);
      all.push_back({group, {first, first + std::ptrdiff_t(std::min(most_profiled, names.size() - i))}});
    }
  }
  return all;
}

void RooflineRun::count() {
  if (!access_.usable) return;
  for (const ProfiledBatch& batch : batches()) {
    if (on_gpu() && (count_on_gpu(batch) || batch.names.size() == 1)) continue;
    for (const std::string& name : batch.names) {
      if (!on_gpu()) {
        count_on_cpu(batch.group, name);
      } else if (counted_.count(batch.group.subject->shown(name)) == 0) {  // behind one that broke a run off
        static_cast<void>(count_on_gpu({batch.group, {name}}));
      }
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
  for (Row& row : rows_) {
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
      {"not_run", to_record(not_run_)}};
  facts.update(Json::parse(problem_.facts));
  write_report(facts, ceilings_, rows_, options_.folder);
  std::cout << '\n' << tables_text(rows_);
  std::cout << "report " << (std::filesystem::path(options_.folder) / "roofline.json").string() << '\n';
  if (wrong_ > 0) {
    throw Error(ErrorKind::data, text(wrong_, " kernels disagree with what is right"),
                text("the report is without them; ", command("bench"), " says more"));
  }
  if (failed > 0 && options_.strict) {
    throw Error(ErrorKind::data, text(failed, " of ", rows_.size(), " kernels fail a check"),
                "the report says which");
  }
}

/// Runs steps of each kernel under a profiler that the user drives, with it on for the range.
void run_for_profiler(const RooflineProblem& problem, StepRange range) {
  for (const RooflineGroup& group : problem.groups) {
    const auto& [subject, names] = static_cast<const MeasuredGroup&>(group);
    subject->prepare(names);
    for (const std::string& name : names) {
      const std::string shape = subject->shown(name);
      if (const std::string why = subject->take(name); !why.empty()) {
        std::printf("%s: left out: %s\n", shape.c_str(), why.c_str());
        continue;
      }
      subject->renew();
      ProfiledSteps profiled(subject->backend(), range);
      for (int step = 0; step < range.end; ++step) {
        profiled.before(step);
        subject->step();
      }
      profiled.before(range.end);
      std::printf("%s: profiler on for steps %d to %d\n", shape.c_str(), range.begin, range.end - 1);
    }
    subject->end();
  }
}

/// A run for a profiler that the user drives makes no report.
void check_profiled_options(const RooflineOptions& o) {
  if (!o.profile_range || !(o.no_counters || o.strict || o.measure.warmup || o.folder != ".")) return;
  throw Error(ErrorKind::parameter,
              text(option("profile-range"), " is given with ", option("warmup"), ", ", option("no-counters"),
                   ", ", option("strict"), " or ", option("output")),
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
  RooflineProblem problem = options.stencil ? stencil_roofline(options) : wave_roofline(options);
  if (options.profile_range) return run_for_profiler(problem, *options.profile_range);
  RooflineRun run(options, std::move(problem));
  run.probe();
  run.measure();
  run.count();
  run.finish();
}

}  // namespace minimod
