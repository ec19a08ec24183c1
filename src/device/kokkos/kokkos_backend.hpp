/// A device that Kokkos reaches, by an execution space of whatever back end it has: memory, copies and
/// launches of Kokkos alone. Launches of all lanes follow each other in the order that they are given in;
/// Kokkos has no marks of time, so that a mark waits for the work before it.
#pragma once

#include <chrono>
#include <exception>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/device/kokkos/kokkos_ceilings.hpp"
#include "src/device/kokkos/kokkos_facts.hpp"
#include "src/device/kokkos/kokkos_field_kernels.hpp"
#include "src/device/kokkos/kokkos_memory.hpp"

namespace minimod {

template <class Space>
class KokkosTimeMark final : public TimeMark {
 public:
  void set() override {
    Space().fence();
    moment_ = Clock::now();
  }
  [[nodiscard]] double seconds_since(const TimeMark& earlier) const override {
    return std::chrono::duration<double>(moment_ - static_cast<const KokkosTimeMark&>(earlier).moment_)
        .count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point moment_;
};

/// Copies at once.
template <class Space>
class KokkosStagingBuffer final : public StagingBuffer {
 public:
  explicit KokkosStagingBuffer(std::size_t bytes) : bytes_(new std::byte[bytes]) {}
  [[nodiscard]] std::byte* data() const override { return bytes_.get(); }
  void take_from(const void* from, std::size_t at, std::size_t bytes) override {
    KokkosMemory<Space>::download(data() + at, from, bytes);
  }
  void wait() override {}
  void follow_launches() override {}
  void give_to(void* to, std::size_t at, std::size_t bytes) override {
    KokkosMemory<Space>::upload(to, data() + at, bytes);
  }
  void lead_launches() override {}

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

template <class Space>
class KokkosBackend final : public Backend {
  using Memory = KokkosMemory<Space>;

 public:
  [[nodiscard]] DeviceInfo info() const override {
    const KokkosDeviceFacts facts = facts_of(Space());
    DeviceInfo info;
    info.kind = gpu_kind;
    info.name = text(facts.name, " by Kokkos ", Space::name());
    info.units = facts.units;
    info.memory_bytes = facts.memory_bytes;
    info.driver = text("Kokkos ", KOKKOS_VERSION / 10000, '.', KOKKOS_VERSION / 100 % 100, '.',
                       KOKKOS_VERSION % 100, ", ", Space::name());
    return info;
  }
  [[nodiscard]] std::size_t free_bytes() const override { return facts_of(Space()).free_bytes; }

  /// By the pages that drivers of GPUs give.
  [[nodiscard]] std::size_t granted_bytes(std::size_t bytes) const override {
    const std::size_t unit = bytes < std::size_t{1} << 20U ? 512 : std::size_t{2} << 20U;
    return round_up(std::max<std::size_t>(bytes, 1), unit);
  }

  void upload(void* to, const void* from, std::size_t bytes) override { Memory::upload(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { Memory::download(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override { Memory::copy(to, from, bytes); }
  void clear(void* memory, std::size_t bytes) override { Memory::clear(memory, bytes); }

  void fork(int /*lanes*/) override {}
  void join() override {}
  void replay(std::unique_ptr<LaunchGraph>& /*graph*/, const std::function<void()>& work) override { work(); }
  [[nodiscard]] const LaunchPlanners& planners_of(const CodeShape& shape) const override {
    return shape.device;
  }
  [[nodiscard]] std::unique_ptr<PlannedLaunch> plan(const LaunchPlanner& plan,
                                                    const LaunchArgs& args) const override {
    return plan(args);
  }
  void launch(PlannedLaunch& launch, const LaunchArgs& args, int /*lane*/) override { launch.run(args, {}); }
  void on_stream(const std::function<void(Stream stream)>& work) override { work({}); }
  [[nodiscard]] FieldKernels& field_kernels() override { return field_kernels_; }
  [[nodiscard]] std::unique_ptr<TimeMark> make_time_mark() override {
    return std::make_unique<KokkosTimeMark<Space>>();
  }

  [[nodiscard]] StreamRates measure_stream_rates(Thoroughness thoroughness) override {
    return measure_kokkos_stream_rates<Space>(*this, thoroughness);
  }
  [[nodiscard]] std::vector<Ceiling> measure_ceilings() override {
    return measure_kokkos_ceilings<Space>(*this);
  }
  void wait() override { Space().fence(); }
  [[nodiscard]] std::unique_ptr<PeerLink> make_peer_link(std::size_t /*bytes*/) override { return nullptr; }
  [[nodiscard]] std::unique_ptr<StagingBuffer> make_staging_buffer(std::size_t bytes) override {
    return std::make_unique<KokkosStagingBuffer<Space>>(bytes);
  }
  void profile(bool /*on*/) override { wait(); }

 private:
  [[nodiscard]] void* take(std::size_t bytes) override {
    void* memory = nullptr;
    try {
      memory =
          Kokkos::kokkos_malloc<typename Space::memory_space>("minimod", std::max<std::size_t>(bytes, 1));
    } catch (const std::exception&) {
      throw Error(ErrorKind::resource, text("cannot allocate ", bytes, " bytes on the device of Kokkos"),
                  "take a smaller " + option("grid"));
    }
    Memory::clear(memory, bytes);
    return memory;
  }
  void give_back(void* memory) noexcept override {
    Kokkos::kokkos_free<typename Space::memory_space>(memory);
  }

  KokkosFieldKernels<Space> field_kernels_{*this};
};

}  // namespace minimod
