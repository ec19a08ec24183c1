/// Facts and figures by NVML, from a library that stands in for it.
#include "src/device/power/nvml.hpp"

#include <catch2/catch_test_macros.hpp>
#include <dlfcn.h>

#include "src/device/power/power_sampler.hpp"
#include "validation/unit/device/fake_nvml.hpp"

using namespace minimod;

namespace {

const std::string bus = "0000:17:00.0";

/// The fake library, loaded, with a card as it is at first.
class FakeLibrary {
 public:
  FakeLibrary() : library_(dlopen(MINIMOD_FAKE_NVML, RTLD_NOW)) { card() = {}; }
  FakeLibrary(const FakeLibrary&) = delete;
  FakeLibrary& operator=(const FakeLibrary&) = delete;
  ~FakeLibrary() { dlclose(library_); }
  [[nodiscard]] FakeCard& card() const { return *static_cast<FakeCard*>(dlsym(library_, "fake_card")); }

 private:
  void* library_;
};

}  // namespace

TEST_CASE("A GPU's settings and state are read, and what a driver does not know is left open", "[unit]") {
  const FakeLibrary library;
  {
    const Nvml nvml(MINIMOD_FAKE_NVML);
    CHECK(nvml.why_none().empty());
    const auto facts = nvml.settings(bus);
    REQUIRE(facts);
    CHECK(facts->driver == "570.00");
    CHECK(facts->power_cap_watts == 700);
    CHECK(facts->clock_mhz == 1755);
    CHECK(facts->most_clock_mhz == 1980);
    CHECK(facts->memory_clock_mhz == 3201);
    CHECK(!facts->most_memory_clock_mhz);  // refused
    CHECK(facts->ecc == true);
    CHECK(facts->persistence == false);
    CHECK(!facts->mig);  // no such function
    CHECK(!nvml.settings("0000:18:00.0"));
    CHECK(nvml.power_of("0000:18:00.0") == nullptr);
  }
  CHECK(library.card().shutdowns == 1);
}

TEST_CASE("Without NVML, or where it does not start, there is a reason and nothing else", "[unit]") {
  const FakeLibrary library;
  const Nvml none("libnone-of-that.so.1");
  CHECK(none.why_none() == "there is no libnone-of-that.so.1");
  CHECK(!none.settings(bus));
  CHECK(none.power_of(bus) == nullptr);
  CHECK(Nvml("libm.so.6").why_none() == "libm.so.6 is no NVML");
  library.card().init_status = 9;
  {
    const Nvml refused(MINIMOD_FAKE_NVML);
    CHECK(refused.why_none() == "NVML: Driver Not Loaded");
    CHECK(refused.power_of(bus) == nullptr);
  }
  CHECK(library.card().shutdowns == 0);
}

TEST_CASE("Joules come from the card's counter, else from samples of its power, else from nowhere",
          "[unit]") {
  const FakeLibrary library;
  const Nvml nvml(MINIMOD_FAKE_NVML);
  library.card().reasons = 0x4 | 0x40 | 0x1;
  const auto counter = nvml.power_of(bus);
  REQUIRE(counter != nullptr);
  const PowerState state = counter->read();
  CHECK(state.joules == 1);
  CHECK(state.watts == 500);
  CHECK(state.clock_mhz == 1755);
  CHECK(state.memory_clock_mhz == 3201);
  CHECK(state.celsius == 61);
  CHECK(counter->names_of(state.throttled) == std::vector<std::string>{"power cap", "hardware thermal"});
  CHECK(counter->how() == "NVML, the GPU's counter of energy");
  library.card().has_counter = false;
  const auto samples = nvml.power_of(bus);
  CHECK(samples->how() == "NVML, samples of power: the GPU has no counter of energy");
  CHECK(!samples->read().joules);
  library.card().has_power = false;
  const auto neither = nvml.power_of(bus);
  CHECK(!neither->tells_energy());
  CHECK(neither->why_no_energy() == "the GPU tells NVML neither energy nor power");
}

TEST_CASE("A thread samples a card until its span ends", "[unit]") {
  const FakeLibrary library;
  const Nvml nvml(MINIMOD_FAKE_NVML);
  library.card().millijoules_a_read = 500;
  const auto source = nvml.power_of(bus);
  PowerSampler sampler(*source, std::chrono::milliseconds(2));
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  const PowerFigures figures = sampler.end();
  REQUIRE(figures.watts);
  CHECK(*figures.watts > 1);  // 0.5 J each 2 ms, or later on a busy machine
  CHECK(*figures.watts < 260);
  REQUIRE(figures.clock_mhz);
  CHECK(figures.clock_mhz->least == 1755);
  CHECK(figures.celsius == 61);
  { const PowerSampler unasked(*source); }  // ends by itself
}
