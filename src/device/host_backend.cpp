#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>

#include <Kokkos_Core.hpp>
#ifdef __SSE2__
#include <immintrin.h>
#endif
#include <sys/mman.h>
#include <unistd.h>

#include "boundary/cpml_rows.hpp"
#include "kernels/host/cpu_level.hpp"
#include "kernels/random_field.hpp"
#include "kernels/stencil.hpp"
#include "src/base/error.hpp"
#include "src/base/process/host_memory.hpp"
#include "src/device/backend.hpp"

namespace minimod {

namespace {
using Space = Kokkos::DefaultHostExecutionSpace;
using Clock = std::chrono::steady_clock;

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "host processor";
}

/// Large pages where the system has them for the asking: a star touches nine planes, a page or more each.
void ask_for_huge_pages([[maybe_unused]] char* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  const std::size_t page = std::size_t{2} << 20;
  const std::size_t skipped = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
  if (bytes >= skipped + page) madvise(memory + skipped, (bytes - skipped) / page * page, MADV_HUGEPAGE);
#endif
}

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
        const auto start = Clock::now();
        work();
        return std::chrono::duration<double>(Clock::now() - start).count();
      },
      Patience::of_figures);
}

/// Of the points of `box` with that z. Looks for the row alone at first, in a loop that becomes vectors.
template <class Real>
Peak peak_of_plane(const Real* field, const Layout& at, const Box3& box, int z) {
  Peak peak{0, {box.begin.x, box.begin.y, z}};
  for (int y = box.begin.y; y < box.end.y; ++y) {
    const Real* const row = field + at.index(0, y, z);
    std::uint32_t greatest = 0;
    for (int x = box.begin.x; x < box.end.x; ++x)
      greatest = std::max(greatest, magnitude_bits(static_cast<float>(row[x])));
    if (greatest > peak.bits) peak = {greatest, {box.begin.x, y, z}};
  }
  const Real* const row = field + at.index(0, peak.node.y, z);
  while (magnitude_bits(static_cast<float>(row[peak.node.x])) != peak.bits) ++peak.node.x;
  return peak;
}

/// Has read when `start` returns.
class HostFieldReader final : public FieldReader {
 public:
  HostFieldReader(Backend& backend, const Grid& grid, const Lattice& points)
      : at_(grid.layout), points_(points), values_(backend, points.n.points(), grid.precision) {}

  void start(RealsAt field) override {
    with_real(field.precision, [&]<class Real>() { read(field.of<Real>()); });
  }
  [[nodiscard]] std::span<const std::byte> wait() override {
    return {static_cast<const std::byte*>(values_.data()), values_.bytes()};
  }

 private:
  template <class Real>
  void read(const Real* field) {
    const Kokkos::RangePolicy<Space> rows(0, std::int64_t{points_.n.y} * points_.n.z);
    const Layout at = at_;
    const Lattice points = points_;
    Real* const values = values_.at().of<Real>();
    Kokkos::parallel_for("minimod::read", rows, [=](std::int64_t row) {
      const Index3 from =
          points.at(0, static_cast<int>(row % points.n.y), static_cast<int>(row / points.n.y));
      const Real* const first = field + at.index(from.x, from.y, from.z);
      for (int x = 0; x < points.n.x; ++x)
        values[row * points.n.x + x] = first[std::int64_t{x} * points.stride.x];
    });
  }

  Layout at_;
  Lattice points_;
  DeviceReals values_;
};

class OrdinaryRoom final : public HostRoom {
 public:
  explicit OrdinaryRoom(std::size_t bytes) : bytes_(new std::byte[bytes]) {}
  [[nodiscard]] std::byte* data() const override { return bytes_.get(); }
  void take_from(const void* from, std::size_t at, std::size_t bytes) override {
    std::memcpy(data() + at, from, bytes);
  }
  void wait() override {}
  void give_to(void* to, std::size_t at, std::size_t bytes) override { std::memcpy(to, data() + at, bytes); }

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

class HostBackend final : public Backend {
 public:
  HostBackend() { flush_small_values(); }
  [[nodiscard]] DeviceInfo info() const override {
    const std::size_t memory = std::size_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    return {"cpu", processor_name(),           Space().concurrency(), memory, 0, 0, {}, "",
            "",    cpu_level_name(cpu_level())};
  }

  [[nodiscard]] std::size_t free_bytes() const override { return available_host_memory(); }

  [[nodiscard]] std::size_t granted_bytes(std::size_t bytes) const override {
    constexpr std::size_t page = 4096;
    return (bytes + page - 1) / page * page;
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
  [[nodiscard]] const Launches& launches_of(const CodeShape& shape) const override { return shape.host; }
  [[nodiscard]] std::unique_ptr<PlannedLaunch> plan(const PlanLaunch& plan,
                                                    const LaunchArgs& args) const override {
    return plan(args);
  }
  void launch(PlannedLaunch& launch, const LaunchArgs& args, int /*lane*/) override {
    launch.run(args, nullptr);
  }

  void on_stream(const std::function<void(void* stream)>& work) override { work(nullptr); }
  void for_each_point(const Box3& box, const PointWork& work) override {
    if (box.empty()) return;
    const Extent3 n = box.extent();
    const Kokkos::RangePolicy<Space> rows(0, std::int64_t{n.y} * n.z);
    const auto run = [&](const auto& on_point) {
      Kokkos::parallel_for("minimod::for_each_point", rows, [=](std::int64_t row) {
        const int y = box.begin.y + static_cast<int>(row % n.y),
                  z = box.begin.z + static_cast<int>(row / n.y);
        MINIMOD_INDEPENDENT
        for (int x = box.begin.x; x < box.end.x; ++x) on_point({x, y, z});
      });
    };
    std::visit(run, work);
  }

  void correct(const CpmlWork& work) override {
    std::visit([](const auto& pass) { correct_across_axis(pass); }, work);
  }

  void inject(RealsAt field, const SourceNodes& shares, RealsAt samples) override {
    with_real(field.precision, [&]<class Real>() {
      for (int i = 0; i < shares.count; ++i) inject_at(field.of<Real>(), shares, i, samples.of<Real>());
    });
  }

  void record(RealsAt row, RealsAt field, const std::int64_t* nodes, int count) override {
    with_real(field.precision, [&]<class Real>() {
      for (int i = 0; i < count; ++i) row.of<Real>()[i] = field.of<Real>()[nodes[i]];
    });
  }

  void record(RealsAt row, RealsAt field, const Layout& at, const NodeWeights* receivers,
              int count) override {
    with_real(field.precision, [&]<class Real>() {
      Kokkos::parallel_for("minimod::record", Kokkos::RangePolicy<Space>(0, count),
                           [=](int i) { row.of<Real>()[i] = receivers[i].value(field.of<Real>(), at); });
    });
  }

  [[nodiscard]] std::unique_ptr<FieldReader> make_reader(const Grid& grid, const Lattice& points) override {
    return std::make_unique<HostFieldReader>(*this, grid, points);
  }

  void randomize(RealsAt field, const Grid& grid, std::uint32_t seed) override {
    with_real(field.precision, [&]<class Real>() {
      Real* const values = field.of<Real>();
      Kokkos::parallel_for("minimod::randomize", Kokkos::RangePolicy<Space>(0, grid.n.z), [=](int z) {
        for (int y = 0; y < grid.n.y; ++y) {
          for (int x = 0; x < grid.n.x; ++x) {
            values[grid.layout.index(x, y, z)] = random_value(seed, x, y, z + grid.first_z);
          }
        }
      });
    });
  }

  void mark(int slot) override { marks_[slot] = Clock::now(); }
  [[nodiscard]] double seconds_between(int first, int second) override {
    return std::chrono::duration<double>(marks_[second] - marks_[first]).count();
  }

  [[nodiscard]] Extremes extremes(RealsAt field, const Layout& at, const Box3& box) override {
    return with_real(field.precision, [&]<class Real>() { return extremes_of(field.of<Real>(), at, box); });
  }

  void start_peak(RealsAt field, const Layout& at, const Box3& box) override {
    std::vector<Peak> peaks(box.extent().z);
    const Kokkos::RangePolicy<Space> planes(0, box.extent().z);
    with_real(field.precision, [&]<class Real>() {
      Kokkos::parallel_for("minimod::start_peak", planes, [&](int i) {
        peaks[i] = peak_of_plane(field.of<Real>(), at, box, box.begin.z + i);
      });
    });
    peak_ = *std::ranges::max_element(peaks, {}, &Peak::bits);
  }
  [[nodiscard]] std::optional<Peak> take_peak(bool /*wait*/) override {
    return std::exchange(peak_, std::nullopt);
  }

  [[nodiscard]] StreamRates measure_stream_rates(Patience /*patience*/) override {
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
  [[nodiscard]] std::unique_ptr<HostRoom> make_host_room(std::size_t bytes) override {
    return std::make_unique<OrdinaryRoom>(bytes);
  }
  void profile(bool /*on*/) override {}

 private:
  [[nodiscard]] void* take(std::size_t bytes) override {
    char* memory = nullptr;
    try {
      memory = static_cast<char*>(
          Kokkos::kokkos_malloc<Kokkos::HostSpace>("minimod", std::max<std::size_t>(bytes, 1)));
    } catch (const std::exception&) {
      throw Error(ExitCode::resource, text("cannot allocate ", bytes, " bytes of host memory"),
                  "take a smaller --grid");
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

  template <class Pass>
  static void correct_across_axis(const Pass& pass) {
    switch (pass.axis) {
      case 0:
        return correct_across<0>(pass);
      case 1:
        return correct_across<1>(pass);
      default:
        return correct_across<2>(pass);
    }
  }
  template <int Axis, class Pass>
  static void correct_across(const Pass& pass) {
    const CpuLevel level = cpu_level();
    const Kokkos::RangePolicy<Space> parts(0, CpmlParts<Axis>::count(pass));
    Kokkos::parallel_for("minimod::correct", parts,
                         [=](std::int64_t part) { correct_part<Axis>(level, pass, part); });
  }

  template <class Real>
  static Extremes extremes_of(const Real* field, const Layout& at, const Box3& box) {
    Real greatest_found = std::numeric_limits<Real>::lowest(), least_found = std::numeric_limits<Real>::max();
    std::int64_t not_finite = 0;
    const Kokkos::RangePolicy<Space> planes(box.begin.z, box.end.z);
    Kokkos::parallel_reduce(
        "minimod::extremes", planes,
        [=](int z, Real& least, Real& greatest, std::int64_t& bad) {
          for (int y = box.begin.y; y < box.end.y; ++y) {
            for (int x = box.begin.x; x < box.end.x; ++x) {
              const Real value = field[at.index(x, y, z)];
              least = std::min(least, value);
              greatest = std::max(greatest, value);
              bad += std::isfinite(value) ? 0 : 1;
            }
          }
        },
        Kokkos::Min<Real>(least_found), Kokkos::Max<Real>(greatest_found),
        Kokkos::Sum<std::int64_t>(not_finite));
    return {least_found, greatest_found, not_finite == 0};
  }
  std::array<Clock::time_point, mark_slots> marks_;
  std::optional<Peak> peak_;
};
}  // namespace

std::unique_ptr<Backend> make_host_backend() {
  require_fused_multiply_add(cpu_level_of_machine());
  return std::make_unique<HostBackend>();
}

}  // namespace minimod
