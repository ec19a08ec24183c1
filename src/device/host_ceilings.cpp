/// The ceilings of a CPU. Compiled with contraction, which makes a multiply-add of a product and a sum.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>
#include <unistd.h>

#include "kernels/host/cpu_level.hpp"
#include "src/base/error.hpp"
#include "src/base/timer.hpp"
#include "src/device/backend.hpp"
#include "src/device/ceiling.hpp"

namespace minimod {

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Range = Kokkos::RangePolicy<Space>;

/// The vectors of a level are the widest that it has: narrower ones read half of what a first-level cache
/// gives, and do half of the arithmetic.
struct Wide {
  using Floats [[gnu::vector_size(64)]] = float;
  using Doubles [[gnu::vector_size(64)]] = double;
};
struct Narrow {
  using Floats [[gnu::vector_size(32)]] = float;
  using Doubles [[gnu::vector_size(32)]] = double;
};
constexpr int accumulators = 10;  ///< independent sums: more than latency times units, fewer than registers
constexpr int pass_bytes = accumulators * sizeof(Wide::Floats);  ///< bytes that arrays are a multiple of
template <class Vector>
using SumsOf = std::array<Vector, accumulators>;

int vector_bytes() {
  return cpu_level() == CpuLevel::v4 ? sizeof(Wide::Floats) : sizeof(Narrow::Floats);
}

double seconds_of(const auto& work) {
  const Timer timer;
  work();
  return timer.seconds();
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

template <class Vector>
MINIMOD_INLINE float total(const SumsOf<Vector>& sums) {
  Vector all{};
  for_each_sum([&](auto k) MINIMOD_INLINED { all += sums[k]; });
  float result = 0;
  for (std::size_t i = 0; i < sizeof all / sizeof all[0]; ++i) result += static_cast<float>(all[i]);
  return result;
}

/// Adds `bytes`, a multiple of `pass_bytes`, so many times.
template <class Vector>
MINIMOD_INLINE float sum_of(const std::byte* from, std::int64_t bytes, std::int64_t passes) {
  const auto* const values = reinterpret_cast<const Vector*>(from);
  const auto vectors = bytes / static_cast<std::int64_t>(sizeof(Vector));
  SumsOf<Vector> sums{};
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    for (std::int64_t i = 0; i < vectors; i += accumulators) {
      for_each_sum([&](auto k) MINIMOD_INLINED { sums[k] += values[i + static_cast<std::int64_t>(k)]; });
    }
    asm volatile("" ::: "memory");  // the next pass reads again
  }
  return total(sums);
}

/// Every core works on `work(core, Wide or Narrow)`; the sum of what they return keeps the compiler from
/// leaving it out.
double on_all_cores(int cores, const auto& work) {
  float sum = 0;
  const CpuLevel level = cpu_level();
  const double seconds = seconds_of([&] {
    Kokkos::parallel_reduce(
        "minimod::ceiling", Range(0, cores),
        [&](std::int64_t core, float& mine) {
          if (level == CpuLevel::v4) {
            at_cpu_level_v4([&] { mine += work(core, Wide{}); });
          } else {
            at_cpu_level_v3([&] { mine += work(core, Narrow{}); });
          }
        },
        sum);
  });
  volatile float kept = sum;
  static_cast<void>(kept);
  return seconds;
}

std::size_t cache_bytes(int name, std::size_t otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : otherwise;
}

// A run takes one to three milliseconds, less than a scheduler's slice: on a busy machine the best of the
// runs is one in which the cores had no other work.

/// Passes of all cores over arrays of their own that stay in a cache: half of its `bytes`.
Ceiling measure_cache(Backend& backend, int cores, const Ceiling& what, std::size_t bytes) {
  const auto share = static_cast<std::int64_t>(bytes / 2 / pass_bytes * pass_bytes);
  const DeviceArray<std::byte> values(backend, share * cores);
  const auto passes = static_cast<std::int64_t>((std::size_t{2} << 30U) / bytes);
  const auto amount = static_cast<double>(passes * share * cores);
  return measure_ceiling(what, amount, [&, data = values.data()] {
    return on_all_cores(cores, [=]<class Width>(std::int64_t core, Width) MINIMOD_INLINED {
      return sum_of<typename Width::Floats>(data + core * share, share, passes);
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

template <class Real, class Work>
Ceiling measure_arithmetic(int cores, const Ceiling& what, double flop, const Work& combine) {
  constexpr std::int64_t passes = 2'000'000;
  const double amount = flop * static_cast<double>(passes) * accumulators * vector_bytes() /
                        static_cast<double>(sizeof(Real)) * cores;
  return measure_ceiling(what, amount, [&] {
    return on_all_cores(cores, [=]<class Width>(std::int64_t core, Width) MINIMOD_INLINED {
      using Vector =
          std::conditional_t<std::is_same_v<Real, float>, typename Width::Floats, typename Width::Doubles>;
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
    share_ = static_cast<std::int64_t>(bytes / cores / pass_bytes * pass_bytes);
    for (auto& array : arrays_) array = DeviceArray<std::byte>(backend, share_ * cores);
  }

  [[nodiscard]] std::vector<Ceiling> measure() const {
    const double array = static_cast<double>(share_ * cores_);
    const std::string stores = "; the line that a store fetches not counted";
    std::vector<Ceiling> found;
    found.push_back(measure_ceiling({"dram_read", Level::dram, {}, 0, "their sum"}, array, [&] {
      return on_all_cores(cores_, [&]<class Width>(std::int64_t core, Width) MINIMOD_INLINED {
        return sum_of<typename Width::Floats>(arrays_[0].data() + core * share_, share_, 1);
      });
    }));
    found.push_back(stream({"dram_copy", Level::dram, {}, 0, "a = b" + stores}, 2 * array,
                           [](auto& a, const auto& b, const auto&) MINIMOD_INLINED { a = b; }));
    found.push_back(stream({"dram_triad", Level::dram, {}, 0, "a = b + s c" + stores}, 3 * array,
                           [](auto& a, const auto& b, const auto& c) MINIMOD_INLINED { a = b + 0.5F * c; }));
    found.push_back(stream({"dram_3r1w", Level::dram, {}, 0, "a = b + c a"}, 4 * array,
                           [](auto& a, const auto& b, const auto& c) MINIMOD_INLINED { a = b + c * a; }));
    return found;
  }

 private:
  [[nodiscard]] Ceiling stream(const Ceiling& what, double amount, const auto& body) const {
    return measure_ceiling(what, amount, [&] {
      return on_all_cores(cores_, [&]<class Width>(std::int64_t core, Width) MINIMOD_INLINED {
        using Vector = typename Width::Floats;
        const auto of = [&](const DeviceArray<std::byte>& array) MINIMOD_INLINED {
          return reinterpret_cast<Vector*>(array.data() + core * share_);
        };
        Vector *const a = of(arrays_[0]), *const b = of(arrays_[1]), *const c = of(arrays_[2]);
        const auto vectors = share_ / static_cast<std::int64_t>(sizeof(Vector));
        for (std::int64_t i = 0; i < vectors; ++i) body(a[i], b[i], c[i]);
        return 0.0F;
      });
    });
  }

  int cores_;
  std::int64_t share_ = 0;  ///< bytes of a core
  std::array<DeviceArray<std::byte>, 3> arrays_;
};

}  // namespace

std::vector<Ceiling> measure_host_ceilings(Backend& backend) {
  const int cores = backend.info().units;
  const std::string vectors = text("vectors of ", vector_bytes() * 8, " bits");
  std::vector<Ceiling> found = HostMemory(backend, cores).measure();
  found.push_back(measure_cache(backend, cores,
                                {"l2_read", Level::l2, {}, 0, "half of each core's, " + vectors},
                                cache_bytes(_SC_LEVEL2_CACHE_SIZE, std::size_t{256} << 10U)));
  found.push_back(measure_cache(backend, cores,
                                {"l1_read", Level::l1, {}, 0, "half of each core's, " + vectors},
                                cache_bytes(_SC_LEVEL1_DCACHE_SIZE, std::size_t{32} << 10U)));
  const auto multiply_add = [](auto& sum, const auto& f) MINIMOD_INLINED { sum = sum * f + f; };
  const auto add_one = [](auto& sum, const auto& f) MINIMOD_INLINED { sum += f; };
  found.push_back(
      measure_arithmetic<float>(cores, {"fp32_fma", Level::compute, {}, 0, vectors}, 2, multiply_add));
  found.push_back(measure_arithmetic<float>(cores, {"fp32_add", Level::compute, {}, 0, vectors}, 1, add_one));
  found.push_back(measure_arithmetic<double>(cores, {"fp64_fma", Level::compute_double, {}, 0, vectors}, 2,
                                             multiply_add));
  return found;
}

}  // namespace minimod
