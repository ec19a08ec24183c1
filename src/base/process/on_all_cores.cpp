#include "src/base/process/on_all_cores.hpp"

#include <cstdint>
#include <exception>
#include <mutex>

#include <Kokkos_Core.hpp>

namespace minimod {

void on_all_cores(const char* name, std::size_t count, const std::function<void(std::size_t)>& work,
                  int at_once) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  using SomeByOne = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>;
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
  Kokkos::parallel_for(name, SomeByOne(0, static_cast<std::int64_t>(count), Kokkos::ChunkSize(at_once)),
                       guarded);
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace minimod
