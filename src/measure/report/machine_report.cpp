#include "src/measure/report/machine_report.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/error.hpp"
#include "src/base/files/output_claims.hpp"
#include "src/base/json.hpp"
#include "src/base/process/screen.hpp"
#include "src/base/refusal.hpp"
#include "src/base/timer.hpp"
#include "src/job/outputs/machine_record.hpp"
#include "src/job/outputs/provenance.hpp"
#include "src/job/outputs/record.hpp"
#include "src/measure/report/machine_text.hpp"
#include "src/measure/runs_record.hpp"
#include "src/measure/subject.hpp"

namespace minimod {

namespace {

/// Points along each axis of the grids that are measured.
constexpr int edges_of_gpu[] = {200, 512, 1000}, edges_of_host[] = {200, 400};

struct ListedDevice {
  const DeviceKind* kind;
  int index;
};

/// Devices that are asked for. Error 69 for a GPU where there is none.
std::vector<ListedDevice> listed(const DeviceOption& asked) {
  using Kind = DeviceOption::Kind;
  std::vector<ListedDevice> list;
  const auto add_all = [&](const DeviceKind* kind) {
    for (int i = 0; i < kind->find().count; ++i) list.push_back({kind, i});
  };
  if (asked.kind == Kind::automatic) {
    for (const DeviceKind* kind : device_kinds) add_all(kind);
  } else if (asked.kind == Kind::cpu) {
    add_all(&host_devices);
  } else if (asked.all) {
    add_all(&gpu_devices);
  } else {
    list.push_back({&gpu_devices, asked.index});
    for (const int index : asked.others) list.push_back({&gpu_devices, index});
  }
  const bool is_named = asked.kind != Kind::automatic;
  for (const auto& [kind, index] : list) {
    if (is_named) static_cast<void>(kind->make(index));
  }
  if (list.empty()) static_cast<void>(gpu_devices.make(0));
  return list;
}

Json record_of(const ListedDevice& device) {
  Json record = device_record(*device.kind, device.index);
  if (!record.contains("why_not") && device.kind == &gpu_devices)
    record["state"] = gpu_state_record(gpu_devices.make(device.index)->info());
  return record;
}

/// Ceilings as a record has them: the best of the runs.
Json to_record(const std::vector<Ceiling>& ceilings) {
  Json record = Json::object();
  for (const Ceiling& ceiling : ceilings) {
    record[ceiling.name] = {{"rate", *std::ranges::max_element(ceiling.rates)},
                            {"unit", is_arithmetic(ceiling.level) ? "GFLOP/s" : "GB/s"}};
  }
  return record;
}

/// Measurement of what `auto` does on a cube of a device.
class CubeBench {
 public:
  CubeBench(const ListedDevice& device, int edge) {
    options_.grid.grid = Extent3{edge, edge, edge};
    options_.kernels.kernel = "auto";
    options_.kernels.device = {
        device.kind == &gpu_devices ? DeviceOption::Kind::gpu : DeviceOption::Kind::cpu, device.index};
    const Problem setup = make_measured_problem(options_);
    DeviceChoice choice = choose_measured_device(options_.kernels, setup);
    const NamedKernels set{"auto", choice.kernels};
    check_measured_memory(setup, *choice.backend, {set});
    power_ = make_power_source(choice.device);
    subject_ = make_wave_subject(setup, std::move(choice), options_.kernels, options_.field, {set});
  }

  /// Error 71 where its launch is refused.
  [[nodiscard]] Json measure(double seconds, const StreamRates& stream) {
    const std::string name = "auto";
    const Verdict verdict = subject_->verify(name);
    Json record = subject_->described(name);
    record.update({{"verified", verdict.is_right}, {"error", verdict.error}});
    if (!verdict.is_right) return record;
    subject_->prepare({name});
    require(subject_->take(name));
    constexpr int probed = 2, most_steps = 1000;
    static_cast<void>(subject_->seconds_of_steps(probed));
    const double of_step = subject_->seconds_of_steps(probed) / probed;
    const int steps = static_cast<int>(std::clamp(seconds / runs_ / of_step, 1.0 * probed, 1.0 * most_steps));
    PowerSource* const power = power_->tells_energy() ? power_.get() : nullptr;
    const TimedRuns runs = subject_->timed_runs(steps, warm_up_steps(steps),
                                                {.seconds = 0.8 * seconds, .least = 3, .power = power});
    record["steps"] = steps;
    record.update(runs_record(runs, 1.0 * steps * static_cast<double>(subject_->grid().points()), power));
    subject_->add_figures(record, runs, steps, stream);
    require(subject_->why_not_measured());
    subject_->end();
    return record;
  }

  [[nodiscard]] const PowerSource& power() const { return *power_; }

 private:
  static constexpr int runs_ = 12;

  static void require(const std::string& why_not) {
    if (!why_not.empty()) throw Error(ErrorKind::resource, why_not, "");
  }

  MeasureOptions options_;
  std::unique_ptr<PowerSource> power_;
  std::unique_ptr<Subject> subject_;
};

/// Ceilings and rates of a device, in about so many seconds; adds them to its record, and prints them.
void measure_device(const ListedDevice& device, double seconds, Json& record) {
  const Timer timer;
  const auto left = [&] { return seconds - timer.seconds(); };
  auto backend = device.kind->make(device.index);
  const StreamRates stream = backend->measure_stream_rates(Thoroughness::of_figures);
  record.update(device_record(backend->info(), stream));
  record["ceilings"] = to_record(backend->measure_ceilings());
  backend.reset();
  print_ceilings(record);
  const bool is_gpu = device.kind == &gpu_devices;
  const std::vector<int> edges = is_gpu
                                     ? std::vector<int>(std::begin(edges_of_gpu), std::end(edges_of_gpu))
                                     : std::vector<int>(std::begin(edges_of_host), std::end(edges_of_host));
  record["rates"] = Json::array();
  print_rates_head();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    Json row{{"n", {edges[i], edges[i], edges[i]}}};
    const std::string why = refusal_of([&] {
      CubeBench bench(device, edges[i]);
      record["energy"] = power_source_record(bench.power());
      row.update(bench.measure(std::max(1.0, left() / static_cast<double>(edges.size() - i)), stream));
    });
    if (!why.empty()) row["why_not"] = why;
    print_rate(row);
    record["rates"].push_back(std::move(row));
  }
  print_energy(record);
}

}  // namespace

void report_machine(const MachineReportOptions& options) {
  OutputClaims claims;
  claims.add(options.json, json_record, options.force);
  const std::vector<ListedDevice> devices = listed(options.device);
  Json record{{"schema", "minimod.report/1"},
              {"date", utc_now()},
              {"build", build_record()},
              {"machine", host_record()},
              {"devices", Json::array()}};
  for (const ListedDevice& device : devices) record["devices"].push_back(record_of(device));
  record["no_gpu"] = gpu_devices.find().why_none;
  print_facts(record);
  bool all_right = true;
  for (std::size_t i = 0; i < devices.size() && !options.no_bench; ++i) {
    Json& device = record["devices"][i];
    if (device.contains("why_not")) continue;
    print_device_heading(device, i);
    measure_device(devices[i], options.seconds / static_cast<double>(devices.size()), device);
    for (const Json& row : device["rates"]) all_right = all_right && row.value("verified", true).get<bool>();
  }
  std::printf("\nNo name of a user, a host or a folder stands in this report.\n");
  if (!options.json.empty()) write_record(record, options.json, options.force);
  if (!all_right) throw Error(ErrorKind::data, "a kernel disagrees with the reference", "it was not timed");
}

}  // namespace minimod
