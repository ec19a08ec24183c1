/// Power, clocks and energy from samples, and the counters of processors.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/device/power/power_sampler.hpp"
#include "src/device/power/rapl.hpp"

using namespace minimod;
using Catch::Approx;

namespace {

/// A counter that is set anew each 100 ms, of 300 W, sampled each 20 ms over so many seconds.
std::vector<PowerSample> counted(double seconds) {
  std::vector<PowerSample> samples;
  for (int i = 0; 0.02 * i <= seconds; ++i) {
    PowerState state;
    state.joules = 50 + 30.0 * ((i + 2) / 5);
    samples.push_back({0.02 * i, state});
  }
  return samples;
}

PowerFigures figures_of(const std::vector<PowerSample>& samples) {
  PowerSpan span;
  for (const PowerSample& sample : samples) span.add(sample);
  return span.figures();
}

/// A folder of counters as the kernel has it.
class FakeCounters {
 public:
  void add(const std::string& counter, const std::string& name, const std::string& microjoules) const {
    std::filesystem::create_directories(folder_.path() / counter);
    static_cast<void>(folder_.write(counter + "/name", name + "\n"));
    static_cast<void>(folder_.write(counter + "/max_energy_range_uj", "1000000000\n"));
    set(counter, microjoules);
  }
  void set(const std::string& counter, const std::string& microjoules) const {
    static_cast<void>(folder_.write(counter + "/energy_uj", microjoules + "\n"));
  }
  [[nodiscard]] std::unique_ptr<PowerSource> source() const {
    return make_rapl(folder_.path(), folder_.path());
  }
  [[nodiscard]] const TemporaryDirectory& folder() const { return folder_; }

 private:
  TemporaryDirectory folder_;
};

}  // namespace

TEST_CASE("Watts are those between steps of a counter, which does not know of less", "[unit]") {
  CHECK(*figures_of(counted(1)).watts == Approx(300).epsilon(1e-9));
  CHECK(*figures_of(counted(1.09)).watts == Approx(300).epsilon(1e-9));
  CHECK(!figures_of(counted(0.1)).watts);  // a single step
  CHECK(!figures_of({}).watts);
  std::vector<PowerSample> stuck = counted(1);
  for (std::size_t i = 15; i < stuck.size(); ++i) stuck[i].state.joules = stuck[15].state.joules;
  CHECK(!figures_of(stuck).watts);
}

TEST_CASE("Without a counter watts are the mean of samples over the time", "[unit]") {
  std::vector<PowerSample> samples(3);
  samples[1].seconds = 1;
  samples[2].seconds = 4;
  samples[0].state.watts = 100;
  samples[1].state.watts = 200;
  samples[2].state.watts = 400;
  CHECK(*figures_of(samples).watts == Approx((150 + 3 * 300) / 4.0));
  samples[1].state.watts.reset();  // a read that was refused
  CHECK(*figures_of(samples).watts == Approx(250));
}

TEST_CASE("A clock has its least and its mean, a temperature its greatest, and all reasons stay", "[unit]") {
  std::vector<PowerSample> samples(3);
  for (int i = 0; i < 3; ++i) {
    samples[i].seconds = i;
    samples[i].state.clock_mhz = i == 1 ? 1000 : 2000;
    samples[i].state.celsius = 50 + i;
    samples[i].state.throttled = 1U << i;
  }
  const PowerFigures figures = figures_of(samples);
  CHECK(figures.clock_mhz->least == 1000);
  CHECK(figures.clock_mhz->mean == 1500);
  CHECK(!figures.memory_clock_mhz);
  CHECK(figures.celsius == 52);
  CHECK(figures.throttled == 7);
}

TEST_CASE("Counters of processors and their memory add up, and go on behind their range", "[unit]") {
  const FakeCounters counters;
  counters.add("intel-rapl:0", "package-0", "999000000");
  counters.add("intel-rapl:1", "package-1", "5000000");
  counters.add("intel-rapl:0:0", "core", "70000000");
  counters.add("intel-rapl:0:1", "dram", "1000000");
  counters.add("intel-rapl-mmio:0", "package-0", "999000000");
  counters.add("intel-rapl:2", "psys", "80000000");
  const auto source = counters.source();
  CHECK(source->how() == "RAPL, 3 counters of processors and memory");
  const double first = *source->read().joules;
  counters.set("intel-rapl:0", "2000000");
  CHECK(*source->read().joules - first == Approx(3));
  counters.set("intel-rapl:1", "7000000");
  CHECK(*source->read().joules - first == Approx(5));
}

TEST_CASE("Counters that are not there or may not be read leave a reason", "[unit]") {
  const FakeCounters none;
  CHECK(!none.source()->tells_energy());
  CHECK(none.source()->why_no_energy().starts_with("there is no counter of energy ("));
  none.add("intel-rapl:0", "package-0", "");
  CHECK(none.source()->why_no_energy().starts_with("this user may not read "));
  CHECK(!none.source()->read().joules);
  std::filesystem::create_directories(none.folder().path() / "cpu0/cpufreq");
  static_cast<void>(none.folder().write("cpu0/cpufreq/scaling_cur_freq", "2100000\n"));
  CHECK(none.source()->read().clock_mhz == 2100);
}
