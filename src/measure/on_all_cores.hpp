/// Independent pieces of work, as compilations are, beside each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include <Kokkos_Core.hpp>

namespace minimod {

/// Calls work(i) on all cores, one after the other on each.
template <class Work>
void on_all_cores(const char* name, std::size_t count, const Work& work) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  using OneByOne = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(name, OneByOne(0, static_cast<std::int64_t>(count), Kokkos::ChunkSize(1)),
                       [&](std::int64_t i) { work(static_cast<std::size_t>(i)); });
}

}  // namespace minimod
