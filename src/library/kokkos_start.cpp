#include "src/library/kokkos_start.hpp"

#include <mutex>

#include <Kokkos_Core.hpp>

namespace minimod {

void start_kokkos() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (Kokkos::is_initialized()) return;
#if KOKKOS_VERSION >= 30700
    Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
#else
    Kokkos::InitArguments arguments;
    arguments.disable_warnings = true;
    Kokkos::initialize(arguments);
#endif
  });
}

}  // namespace minimod
