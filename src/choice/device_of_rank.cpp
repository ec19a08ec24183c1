#include "src/choice/device_of_rank.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

DeviceOption device_of_rank(const DeviceOption& device, const Ranks& ranks) {
  using Kind = DeviceOption::Kind;
  const int count = gpu_devices.find().count;
  if (device.kind == Kind::cpu || count == 0) return device;
  DeviceOption mine = device;
  mine.all = false;
  mine.others.clear();
  if (!device.others.empty()) {
    std::vector<int> named = device.others;
    named.insert(named.begin(), device.index);
    mine.index = named[ranks.number_on_node() % named.size()];
  } else if (device.all || device.index == 0) {
    mine.index = ranks.number_on_node() % count;
  }
  return mine;
}

namespace {

/// A GPU, and the machine that it is in.
struct Place {
  int node;
  std::array<char, 32> gpu{};
  friend bool operator==(const Place&, const Place&) = default;
};

/// Measured by all at once.
StreamRates sum_over(Ranks& ranks, const std::function<StreamRates()>& measure) {
  static_cast<void>(ranks.gather(0));  // all begin together
  StreamRates all;
  for (const StreamRates& rates : ranks.gather(measure())) {
    all.copy += rates.copy;
    all.three_reads_one_write += rates.three_reads_one_write;
  }
  return all;
}

}  // namespace

/// By their names and not by their numbers: a batch system may show each rank its own GPU as number 0.
void refuse_shared_gpus(const DeviceInfo& device, Ranks& ranks) {
  Place mine{ranks.node()};
  std::strncpy(mine.gpu.data(), device.pci_bus_id.c_str(), mine.gpu.size() - 1);
  const auto places = ranks.gather(mine);
  for (const Place& place : places) {
    const auto count = std::ranges::count(places, place);
    if (count == 1 || place.gpu[0] == '\0') continue;
    throw Error(ErrorKind::unavailable,
                text(count, " ranks are on one GPU (", place.gpu.data(), "), each needs its own"),
                text("take fewer ", option("ranks"), ", or ", option("share-gpu")));
  }
}

DeviceChoice choose_devices(const KernelOptions& options, const RankOptions& rank_options,
                            const StepProblem& problem, const ShotSize& shot, Ranks& ranks) {
  if (ranks.is_alone()) return choose_device(options, problem, shot);
  KernelOptions mine = options;
  mine.device = device_of_rank(options.device, ranks);
  DeviceChoice choice;
  ranks.on_first([&] { choice = choose_device(mine, problem, shot); });
  const auto from_first = [&](const auto& name) { return ranks.from(0, ranks.is_first() ? name() : ""); };
  mine.kernel = from_first([&] { return choice.kernels.inner->name; });
  mine.pml_kernel = from_first([&] { return choice.kernels.pml->name; });
  mine.schedule = find_schedule(from_first([&] { return choice.kernels.schedule->name(); }));
  ranks.together([&] {
    if (!ranks.is_first()) choice = choose_device(mine, problem, shot);
  });
  if (!rank_options.share_gpu) refuse_shared_gpus(choice.device, ranks);
  return choice;
}

StreamRates stream_rates_of(const DeviceChoice& choice, Ranks& ranks, Thoroughness thoroughness) {
  return sum_over(ranks, [&] { return choice.stream_rates(thoroughness); });
}

StreamRates stream_rates_of(Backend& backend, Ranks& ranks, Thoroughness thoroughness) {
  return sum_over(ranks, [&] { return backend.measure_stream_rates(thoroughness); });
}

}  // namespace minimod
