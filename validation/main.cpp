/// Runs Catch2 with Kokkos initialized, as the program does.
#include <cstdlib>

#include <Kokkos_Core.hpp>
#include <catch2/catch_session.hpp>

#include "src/hdf5.hpp"

int main(int argc, char** argv) {
  setenv("OMP_PROC_BIND", "spread", 0);
  setenv("OMP_PLACES", "threads", 0);
  minimod::hdf5::initialize();
  const Kokkos::ScopeGuard kokkos;
  return Catch::Session().run(argc, argv);
}
