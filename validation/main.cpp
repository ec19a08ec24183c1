/// Runs Catch2 with Kokkos initialized, as the program does.
#include <Kokkos_Core.hpp>
#include <catch2/catch_session.hpp>

#include "src/base/hdf5/hdf5.hpp"
#include "src/base/option.hpp"
#include "src/base/process/program_threads.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/commands/options/typed.hpp"

/// HDF5 itself forgets memory when it reads damaged files; LeakSanitizer asks this function by its name.
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}  // NOLINT

int main(int argc, char** argv) {
  minimod::spell_options(minimod::as_typed);  // tests say lines as users see them
  minimod::settle_threads();
  minimod::StopRequests::end_at_once();
  minimod::hdf5::initialize();
  const Kokkos::ScopeGuard kokkos;
  return Catch::Session().run(argc, argv);
}
