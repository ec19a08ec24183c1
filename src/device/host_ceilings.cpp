/// The ceilings of a CPU. Compiled with contraction, which makes a multiply-add of a product and a sum.
#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <Kokkos_Core.hpp>
#include <unistd.h>

#include "kernels/cpu_level.hpp"
#include "src/device/backend.hpp"
#include "src/device/ceiling.hpp"

namespace minimod {

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Range = Kokkos::RangePolicy<Space>;
using Clock = std::chrono::steady_clock;

constexpr int vector_bytes = 32;
using Vector [[gnu::vector_size(vector_bytes)]] = float;
using DoubleVector [[gnu::vector_size(vector_bytes)]] = double;
constexpr int accumulators = 10;  ///< independent sums: more than latency times units, fewer than registers
template <class Vector>
using SumsOf = std::array<Vector, accumulators>;
using Sums = SumsOf<Vector>;

double seconds_of(const auto& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class Vector>
MINIMOD_INLINE float total(const SumsOf<Vector>& sums) {
  float result = 0;
  for (const Vector& sum : sums) {
    for (std::size_t i = 0; i < sizeof sum / sizeof sum[0]; ++i) result += static_cast<float>(sum[i]);
  }
  return result;
}

/// Calls work(k) for each sum, k a constant: an index that loops count puts the sums on the stack, where each
/// operation reads and writes memory.
template <class Work>
MINIMOD_INLINE void for_each_sum(const Work& work) {
  [&]<std::size_t... k>(std::index_sequence<k...>) MINIMOD_INLINED {
    (work(std::integral_constant<std::size_t, k>{}), ...);
  }
  (std::make_index_sequence<accumulators>{});
}

/// Adds `vectors` vectors, a multiple of `accumulators`.
MINIMOD_INLINE void add(const Vector* values, std::int64_t vectors, Sums& sums) {
  Sums mine = sums;  // in registers
  for (std::int64_t i = 0; i < vectors; i += accumulators) {
    for_each_sum([&](auto k) MINIMOD_INLINED { mine[k] += values[i + static_cast<std::int64_t>(k)]; });
  }
  sums = mine;
}

/// Every core works on `work(core)`; the sum of what they return keeps the compiler from leaving it out.
double on_all_cores(int cores, const auto& work) {
  float sum = 0;
  const CpuLevel level = cpu_level();
  const double seconds = seconds_of([&] {
    Kokkos::parallel_reduce(
        "minimod::ceiling", Range(0, cores),
        [&](std::int64_t core, float& mine) { at_cpu_level(level, [&] { mine += work(core); }); }, sum);
  });
  volatile float kept = sum;
  static_cast<void>(kept);
  return seconds;
}

std::size_t cache_bytes(int name, std::size_t otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : otherwise;
}

/// Passes of all cores over arrays of their own that stay in a cache: half of its `bytes`.
Ceiling measure_cache(Backend& backend, int cores, const Ceiling& what, std::size_t bytes) {
  const auto vectors = static_cast<std::int64_t>(bytes / 2 / sizeof(Vector) / accumulators * accumulators);
  const DeviceArray<Vector> values(backend, vectors * cores);
  const auto passes = static_cast<std::int64_t>((std::size_t{4} << 30U) / bytes);
  const double amount = static_cast<double>(passes * vectors * cores) * sizeof(Vector);
  return measure_ceiling(what, amount, [&, data = values.data()] {
    return on_all_cores(cores, [=](std::int64_t core) {
      Sums sums{};
      for (std::int64_t pass = 0; pass < passes; ++pass) {
        add(data + core * vectors, vectors, sums);
        asm volatile("" ::: "memory");  // the next pass reads again
      }
      return total(sums);
    });
  });
}

/// Makes the compiler take a value in a register for any, so that no pass can be foreseen.
template <class Vector>
MINIMOD_INLINE void forget(Vector& value) {
#if defined(__x86_64__)
  asm volatile("" : "+x"(value));
#else
  asm volatile("" : "+w"(value));
#endif
}

template <class Real, class Vector>
Ceiling measure_arithmetic(int cores, const Ceiling& what, double flop, const auto& combine) {
  constexpr std::int64_t passes = 16'000'000;  // some of a scheduler's slices
  constexpr std::size_t lanes = vector_bytes / sizeof(Real);
  const double amount = flop * static_cast<double>(passes) * accumulators * lanes * cores;
  return measure_ceiling(what, amount, [&] {
    return on_all_cores(cores, [=](std::int64_t core) {
      SumsOf<Vector> sums{};
      for_each_sum([&](auto k) MINIMOD_INLINED { forget(sums[k]); });  // equal ones would be computed once
      Vector factor = Vector{} + (Real(0.5) + static_cast<Real>(core) * Real(1e-9));
      for (std::int64_t pass = 0; pass < passes; ++pass) {
        forget(factor);
        for_each_sum([&](auto k) MINIMOD_INLINED { combine(sums[k], factor); });
      }
      return total(sums);
    });
  });
}

/// Arrays far larger than the last cache.
class HostMemory {
 public:
  HostMemory(Backend& backend, int cores) : cores_(cores) {
    // Virtual machines name the cache of the whole chip: what counts is a core's share of it.
    const std::size_t bytes = std::min((std::size_t{64} << 20U) * cores, backend.free_bytes() / 8);
    share_ = static_cast<std::int64_t>(bytes / sizeof(Vector) / cores / accumulators * accumulators);
    for (auto& array : arrays_) array = DeviceArray<Vector>(backend, share_ * cores);
  }

  [[nodiscard]] std::vector<Ceiling> measure() const {
    Vector *a = arrays_[0].data(), *b = arrays_[1].data(), *c = arrays_[2].data();
    const double array = static_cast<double>(share_ * cores_) * sizeof(Vector);
    std::vector<Ceiling> found;
    found.push_back(measure_ceiling({"dram_read", Level::dram, {}, 0, "sum of one array"}, array, [&] {
      return on_all_cores(cores_, [&](std::int64_t core) {
        Sums sums{};
        add(a + core * share_, share_, sums);
        return total(sums);
      });
    }));
    found.push_back(
        stream({"dram_copy", Level::dram, {}, 0, "a = b; the line that a store fetches not counted"},
               2 * array, [=](std::int64_t i) { a[i] = b[i]; }));
    found.push_back(
        stream({"dram_triad", Level::dram, {}, 0, "a = b + s c; the line that a store fetches not counted"},
               3 * array, [=](std::int64_t i) { a[i] = b[i] + 0.5F * c[i]; }));
    found.push_back(stream({"dram_3r1w", Level::dram, {}, 0, "the solver's mix: a = b + c a"}, 4 * array,
                           [=](std::int64_t i) { a[i] = b[i] + c[i] * a[i]; }));
    return found;
  }

 private:
  [[nodiscard]] Ceiling stream(const Ceiling& what, double amount, const auto& body) const {
    return measure_ceiling(what, amount, [&] {
      return on_all_cores(cores_, [&](std::int64_t core) {
        for (std::int64_t i = core * share_; i < (core + 1) * share_; ++i) body(i);
        return 0.0F;
      });
    });
  }

  int cores_;
  std::int64_t share_ = 0;  ///< vectors of a core
  std::array<DeviceArray<Vector>, 3> arrays_;
};

}  // namespace

std::vector<Ceiling> measure_host_ceilings(Backend& backend) {
  const int cores = backend.info().units;
  std::vector<Ceiling> found = HostMemory(backend, cores).measure();
  found.push_back(measure_cache(backend, cores,
                                {"l2_read", Level::l2, {}, 0, "half of each core's second-level cache"},
                                cache_bytes(_SC_LEVEL2_CACHE_SIZE, std::size_t{256} << 10U)));
  found.push_back(measure_cache(backend, cores,
                                {"l1_read", Level::l1, {}, 0, "half of each core's first-level cache"},
                                cache_bytes(_SC_LEVEL1_DCACHE_SIZE, std::size_t{32} << 10U)));
  const auto multiply_add = [](auto& sum, const auto& f) { sum = sum * f + f; };
  found.push_back(measure_arithmetic<float, Vector>(
      cores, {"fp32_fma", Level::compute, {}, 0, "multiply-adds of 256-bit vectors"}, 2, multiply_add));
  found.push_back(measure_arithmetic<float, Vector>(
      cores, {"fp32_add", Level::compute, {}, 0, "additions of 256-bit vectors"}, 1,
      [](Vector& sum, const Vector& f) { sum += f; }));
  found.push_back(measure_arithmetic<double, DoubleVector>(
      cores, {"fp64_fma", Level::compute_double, {}, 0, "multiply-adds of 256-bit vectors of doubles"}, 2,
      multiply_add));
  return found;
}

}  // namespace minimod
