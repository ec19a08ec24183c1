/// Independent pieces of work, as compilations are, beside each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>

#include <Kokkos_Core.hpp>

namespace minimod {

/// Calls work(i) on all cores, one after the other on each. What one of them throws comes when all have
/// ended.
template <class Work>
void on_all_cores(const char* name, std::size_t count, const Work& work) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  using OneByOne = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto guarded = [&](std::int64_t i) {
    try {
      work(static_cast<std::size_t>(i));
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failure = std::current_exception();
    }
  };
  Kokkos::parallel_for(name, OneByOne(0, static_cast<std::int64_t>(count), Kokkos::ChunkSize(1)), guarded);
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace minimod
