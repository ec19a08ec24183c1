/// Bytes between the host and the memory of an execution space of Kokkos.
#pragma once

#include <cstddef>

#include <Kokkos_Core.hpp>

namespace minimod {

/// All in order with the launches of the space; what reads or writes the host's memory has done so when it
/// returns.
template <class Space>
struct KokkosMemory {
  static void upload(void* to, const void* from, std::size_t bytes) {
    Kokkos::deep_copy(Space(), Bytes<Here>(static_cast<char*>(to), bytes),
                      Bytes<Kokkos::HostSpace, const char>(static_cast<const char*>(from), bytes));
    Space().fence();
  }
  static void download(void* to, const void* from, std::size_t bytes) {
    Kokkos::deep_copy(Space(), Bytes<Kokkos::HostSpace>(static_cast<char*>(to), bytes),
                      Bytes<Here, const char>(static_cast<const char*>(from), bytes));
    Space().fence();
  }
  static void copy(void* to, const void* from, std::size_t bytes) {
    Kokkos::deep_copy(Space(), Bytes<Here>(static_cast<char*>(to), bytes),
                      Bytes<Here, const char>(static_cast<const char*>(from), bytes));
  }
  static void clear(void* memory, std::size_t bytes) {
    Kokkos::deep_copy(Space(), Bytes<Here>(static_cast<char*>(memory), bytes), char{0});
  }

 private:
  using Here = typename Space::memory_space;
  template <class Place, class Value = char>
  using Bytes = Kokkos::View<Value*, Place, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
};

}  // namespace minimod
