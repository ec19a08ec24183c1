#include "src/device/profiling.hpp"

#include <exception>

#include <Kokkos_Core.hpp>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

namespace minimod {

namespace {

/// Header-only in CUDA's toolkit; finds no profiler when there is none, and costs nothing then.
void push_nvtx([[maybe_unused]] const std::string& name) {
#ifdef NVTX_VERSION
  nvtxRangePushA(name.c_str());
#endif
}

void pop_nvtx() {
#ifdef NVTX_VERSION
  nvtxRangePop();
#endif
}

}  // namespace

ProfilingRegion::ProfilingRegion(const std::string& name) {
  Kokkos::Profiling::pushRegion(name);
  push_nvtx(name);
}

ProfilingRegion::~ProfilingRegion() {
  pop_nvtx();
  Kokkos::Profiling::popRegion();
}

void ProfiledSteps::before(int step) {
  const bool wanted = range_ && step >= range_->begin && step < range_->end;
  if (wanted != on_) backend_->profile(wanted);
  on_ = wanted;
}

ProfiledSteps::~ProfiledSteps() {
  if (!on_) return;
  try {
    backend_->profile(false);
  } catch (const std::exception&) {  // the failure that ends the run is reported by whoever met it
  }
}

}  // namespace minimod
