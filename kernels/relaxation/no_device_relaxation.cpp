/// Stands in for a GPU's half sweeps in a build without CUDA, where nothing asks for a defect on a GPU.
#include "kernels/relaxation/relaxation_kernels.hpp"

namespace minimod::relaxation {

std::vector<DeviceHalfSweeps> device_half_sweeps() {
  return {};
}

template <class Real>
void find_defect_on_device(const PlateArgs<Real>& /*args*/, std::uint64_t* /*greatest*/, void* /*stream*/) {}

template void find_defect_on_device(const PlateArgs<float>&, std::uint64_t*, void*);
template void find_defect_on_device(const PlateArgs<double>&, std::uint64_t*, void*);

}  // namespace minimod::relaxation
