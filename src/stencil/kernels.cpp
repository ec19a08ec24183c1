#include "src/stencil/kernels.hpp"

#include <memory>
#include <utility>

#include "kernels/compiled/compiled_kernel.hpp"
#include "kernels/compiled/host_compiler.hpp"
#include "src/stencil/kernel_source.hpp"

namespace minimod::stencil {
namespace {

using ComputeOnHost = void (*)(const ArrayArgs&);

std::vector<Kernel> compile_played(const Specification& specification, std::span<const KernelName> names) {
  std::vector<std::string> functions;
  for (std::size_t i = 0; i < names.size(); ++i) functions.push_back(stencil_function(i));
  std::vector<Kernel> kernels;
  for (void* const function : compile_functions_for_host(host_source(specification, names), functions,
                                                         host_compiler(), CodeCache::of_user())) {
    kernels.push_back({reinterpret_cast<ComputeOnHost>(function), std::nullopt});
  }
  return kernels;
}

Kernel compile_for_device(const Specification& specification, const KernelName& name, Extent3 n,
                          Backend& gpu) {
  std::vector<std::shared_ptr<CompiledKernel>> launches;
  gpu.on_stream([&](void*) {
    for (int launch = 0; launch < name.family->launches(); ++launch) {
      launches.push_back(
          compile_kernel(device_source(specification, name, launch), blocks_of(name, n),
                         name.family->threads(name.parameters),
                         name.family->shared_bytes(name.parameters, specification, facts_of(specification))));
    }
  });
  return {[launches, name, &gpu](const ArrayArgs& args) {
            const Extent3 blocks = blocks_of(name, args.box.extent());
            gpu.on_stream([&](void* stream) {
              for (const auto& launch : launches) launch->run(&args, blocks, stream);
            });
          },
          launches.front()->facts()};
}

}  // namespace

std::vector<Kernel> compile_kernels(const Specification& specification, std::span<const KernelName> names,
                                    Extent3 n, Backend* gpu) {
  for (const KernelName& name : names) require(name, specification);
  if (gpu == nullptr) return compile_played(specification, names);
  std::vector<Kernel> kernels;
  for (const KernelName& name : names) kernels.push_back(compile_for_device(specification, name, n, *gpu));
  return kernels;
}

Specification with_precision(Specification specification, Precision precision) {
  for (Array& array : specification.arrays) array.precision = precision;
  return specification;
}

}  // namespace minimod::stencil
