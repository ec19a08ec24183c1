/// Streaming rates of a device that Kokkos reaches.
#pragma once

#include <algorithm>

#include <Kokkos_Core.hpp>

#include "src/base/timer.hpp"
#include "src/device/backend.hpp"

namespace minimod {

// Functors, which every back end takes: what a lambda may be differs between them.

struct StreamCopy {
  float* to;
  const float* from;
  MINIMOD_HD void operator()(std::int64_t i) const { to[i] = from[i]; }
};

/// Three reads and one write, to a fourth array: a GPU writes whole lines without reading them first.
struct StreamMix {
  float* to;
  const float *a, *b, *c;
  MINIMOD_HD void operator()(std::int64_t i) const { to[i] = a[i] + b[i] * c[i]; }
};

/// Seconds of a pass over arrays of the same size.
template <class Space, class Work>
double seconds_of_stream(std::int64_t size, const Work& work) {
  const Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>> all(0, size);
  Space().fence();
  const Timer timer;
  Kokkos::parallel_for("minimod::stream", all, work);
  Space().fence();
  return timer.seconds();
}

/// Arrays for streaming: far larger than a GPU's caches together, and no more than a quarter of what is free.
class StreamArrays {
 public:
  explicit StreamArrays(Backend& backend)
      : size_(std::min(std::size_t{1} << 28, backend.free_bytes() / 16) / sizeof(float)),
        arrays_{DeviceArray<float>(backend, size_), DeviceArray<float>(backend, size_),
                DeviceArray<float>(backend, size_), DeviceArray<float>(backend, size_)} {}
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(size_); }
  [[nodiscard]] double bytes() const { return static_cast<double>(size_) * sizeof(float); }
  [[nodiscard]] StreamCopy copy() const { return {arrays_[0].data(), arrays_[1].data()}; }
  [[nodiscard]] StreamMix mix() const {
    return {arrays_[0].data(), arrays_[1].data(), arrays_[2].data(), arrays_[3].data()};
  }

 private:
  std::size_t size_;
  DeviceArray<float> arrays_[4];
};

template <class Space>
[[nodiscard]] StreamRates measure_kokkos_stream_rates(Backend& backend, Thoroughness thoroughness) {
  const StreamArrays arrays(backend);
  const auto best = [&](const auto& work) {
    return least_seconds([&] { return seconds_of_stream<Space>(arrays.size(), work); }, thoroughness);
  };
  return {2 * arrays.bytes() * 1e-9 / best(arrays.copy()), 4 * arrays.bytes() * 1e-9 / best(arrays.mix())};
}

/// The memory's alone: what caches and arithmetic do at most is for kernels that are made for a device.
template <class Space>
[[nodiscard]] std::vector<Ceiling> measure_kokkos_ceilings(Backend& backend) {
  const StreamArrays arrays(backend);
  const auto measured = [&](const char* name, int streams, const auto& work) {
    return measure_ceiling({name, Level::dram, {}, 0, "a loop of Kokkos over arrays of floats"},
                           streams * arrays.bytes(),
                           [&] { return seconds_of_stream<Space>(arrays.size(), work); });
  };
  return {measured("dram_copy", 2, arrays.copy()), measured("dram_3r1w", 4, arrays.mix())};
}

}  // namespace minimod
