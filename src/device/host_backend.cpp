#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>

#include <Kokkos_Core.hpp>
#ifdef __SSE2__
#include <immintrin.h>
#endif
#include <unistd.h>

#include "kernels/host/cpu_level.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/process/host_memory.hpp"
#include "src/base/timer.hpp"
#include "src/device/field_kernels.hpp"
#include "src/device/host_facts.hpp"

namespace minimod {

namespace {
using Space = Kokkos::DefaultHostExecutionSpace;
using Clock = std::chrono::steady_clock;

/// Values too small to be normal numbers, of which a decaying wave leaves many, cost a processor a hundred
/// times the others; its threads take them for zero.
void flush_small_values() {
#ifdef __SSE2__
  constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
  const Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>> threads(0, Space().concurrency());
  Kokkos::parallel_for("minimod::flush_small_values", threads,
                       [](int) { _mm_setcsr(_mm_getcsr() | flush_to_zero | denormals_are_zero); });
#endif
}

/// Runs on cores differ by more than a GPU's: nothing is saved at them.
double best_seconds(const auto& work) {
  return least_seconds(
      [&] {
        const Timer timer;
        work();
        return timer.seconds();
      },
      Thoroughness::of_figures);
}

class HostTimeMark final : public TimeMark {
 public:
  void set() override { moment_ = Clock::now(); }
  [[nodiscard]] double seconds_since(const TimeMark& earlier) const override {
    const auto& other = static_cast<const HostTimeMark&>(earlier);
    return std::chrono::duration<double>(moment_ - other.moment_).count();
  }

 private:
  Clock::time_point moment_;
};

class OrdinaryBuffer final : public StagingBuffer {
 public:
  explicit OrdinaryBuffer(std::size_t bytes) : bytes_(new std::byte[bytes]) {}
  [[nodiscard]] std::byte* data() const override { return bytes_.get(); }
  void take_from(const void* from, std::size_t at, std::size_t bytes) override {
    std::memcpy(data() + at, from, bytes);
  }
  void wait() override {}
  void follow_launches() override {}
  void give_to(void* to, std::size_t at, std::size_t bytes) override { std::memcpy(to, data() + at, bytes); }
  void lead_launches() override {}

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

class HostBackend final : public Backend {
 public:
  HostBackend() { flush_small_values(); }
  [[nodiscard]] DeviceInfo info() const override {
    const std::size_t memory = std::size_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    return {cpu_kind, processor_name(),           Space().concurrency(), memory, 0, 0, {}, "", "",
            "",       cpu_level_name(cpu_level())};
  }

  [[nodiscard]] std::size_t free_bytes() const override { return available_host_memory(); }

  [[nodiscard]] std::size_t granted_bytes(std::size_t bytes) const override {
    constexpr std::size_t page = 4096;
    return round_up(bytes, page);
  }

  void upload(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }

  void clear(void* memory, std::size_t bytes) override { std::memset(memory, 0, bytes); }

  void fork(int /*lanes*/) override {}
  void join() override {}
  void replay(std::unique_ptr<LaunchGraph>& /*graph*/, const std::function<void()>& work) override { work(); }
  [[nodiscard]] const LaunchPlanners& planners_of(const CodeShape& shape) const override {
    return shape.host;
  }
  [[nodiscard]] std::unique_ptr<PlannedLaunch> plan(const LaunchPlanner& plan,
                                                    const LaunchArgs& args) const override {
    return plan(args);
  }
  void launch(PlannedLaunch& launch, const LaunchArgs& args, int /*lane*/) override { launch.run(args, {}); }

  void on_stream(const std::function<void(Stream stream)>& work) override { work({}); }
  [[nodiscard]] FieldKernels& field_kernels() override { return *field_kernels_; }
  [[nodiscard]] std::unique_ptr<TimeMark> make_time_mark() override {
    return std::make_unique<HostTimeMark>();
  }

  [[nodiscard]] StreamRates measure_stream_rates(Thoroughness /*thoroughness*/) override {
    // 64 MiB an array; more where many cores have more of a last cache, which is not to hold all three.
    const std::size_t few = std::size_t{64} << 20, of_cores = Space().concurrency() * (std::size_t{32} << 20);
    const auto last_cache = static_cast<std::size_t>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
    const std::size_t size = std::clamp(of_cores, few, std::max(few, last_cache)) / sizeof(float);
    const DeviceArray<float> a(*this, size), b(*this, size), c(*this, size);
    float *pa = a.data(), *pb = b.data(), *pc = c.data();
    const Kokkos::RangePolicy<Space> all(0, static_cast<std::int64_t>(size));
    const double copy = best_seconds(
        [&] { Kokkos::parallel_for("minimod::copy", all, [=](std::int64_t i) { pa[i] = pb[i]; }); });
    // Written where it was read, as u_next is: a store elsewhere would fetch its line first, which nobody
    // counts.
    const double mix = best_seconds([&] {
      Kokkos::parallel_for("minimod::three_reads_one_write", all,
                           [=](std::int64_t i) { pa[i] = pb[i] + pc[i] * pa[i]; });
    });
    const double array = size * sizeof(float) * 1e-9;
    return {2 * array / copy, 4 * array / mix};
  }

  [[nodiscard]] std::vector<Ceiling> measure_ceilings() override { return measure_host_ceilings(*this); }
  void wait() override {}
  [[nodiscard]] std::unique_ptr<PeerLink> make_peer_link(std::size_t /*bytes*/) override { return nullptr; }
  [[nodiscard]] std::unique_ptr<StagingBuffer> make_staging_buffer(std::size_t bytes) override {
    return std::make_unique<OrdinaryBuffer>(bytes);
  }
  void profile(bool /*on*/) override {}

 private:
  [[nodiscard]] void* take(std::size_t bytes) override {
    char* memory = nullptr;
    try {
      memory = static_cast<char*>(
          Kokkos::kokkos_malloc<Kokkos::HostSpace>("minimod", std::max<std::size_t>(bytes, 1)));
    } catch (const std::exception&) {
      throw Error(ErrorKind::resource, text("cannot allocate ", bytes, " bytes of host memory"),
                  "take a smaller " + option("grid"));
    }
    ask_for_huge_pages(memory, bytes);
    // Zeroed by the threads that will use it, so that pages lie near them.
    const std::int64_t page = 1 << 16;
    const std::int64_t pages = (static_cast<std::int64_t>(bytes) + page - 1) / page;
    Kokkos::parallel_for("minimod::zero", Kokkos::RangePolicy<Space>(0, pages), [=](std::int64_t i) {
      std::memset(memory + i * page, 0, std::min<std::size_t>(page, bytes - i * page));
    });
    return memory;
  }

  void give_back(void* memory) noexcept override { Kokkos::kokkos_free<Kokkos::HostSpace>(memory); }

  std::unique_ptr<FieldKernels> field_kernels_ = make_host_field_kernels(*this);
};
}  // namespace

std::unique_ptr<Backend> make_host_backend() {
  require_fused_multiply_add(cpu_level_of_machine());
  return std::make_unique<HostBackend>();
}

const DeviceKind host_devices{cpu_kind,
                              [] {
                                return DevicesFound{1, ""};
                              },
                              [](int /*index*/) { return make_host_backend(); },
                              [](int /*index*/) noexcept {}};

}  // namespace minimod
