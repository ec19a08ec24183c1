#include "src/stencil/kernels.hpp"

#include <memory>
#include <utility>

#include "kernels/compiled/compiled_kernel.hpp"
#include "kernels/compiled/host_compiler.hpp"
#include "kernels/whole/row_blocks.hpp"
#include "kernels/whole/work_shares.hpp"
#include "src/base/error.hpp"
#include "src/base/process/threads.hpp"
#include "src/stencil/kernel_source.hpp"

namespace minimod::stencil {
namespace {

using ComputeOnHost = void (*)(const ArrayArgs&);

/// Bytes that a point asks a cache to hold: of each array those of the planes that are read or written.
std::int64_t bytes_of_column(const Specification& specification) {
  const Facts facts = facts_of(specification);
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < facts.arrays.size(); ++i) {
    bytes += depth_z(facts.arrays[i].reach) *
             static_cast<std::int64_t>(bytes_of(specification.arrays[i].precision));
  }
  return bytes;
}

/// On all cores, or on the caller's where others compute beside it.
void run_rows(ComputeOnHost compute, const ArrayArgs& args, std::int64_t bytes_of_point, int least_rows) {
  const int threads = threads_at_work();
  if (args.box.empty()) return;
  if (threads == 1 || is_among_threads()) return compute(args);
  const RowBlocks blocks = cut_rows(args.box, bytes_of_point * args.box.extent().x, least_rows);
  WorkShares shares(blocks.planes(), threads);
  const auto one = [&](int plane) {
    ArrayArgs part = args;
    part.box = blocks[plane];
    compute(part);
  };
  for_all(threads, true, [&](int thread) { shares.work_off(thread, one); });
}

Kernel compile_rows(const Specification& specification) {
  const auto functions =
      compile_functions_for_host(rows_source(specification), {stencil_function(0)}, host_compiler(),
                                 CodeCache::of_user(), HostCode::of_cores);
  const auto compute = reinterpret_cast<ComputeOnHost>(functions.front());
  const int least_rows = depth_y(facts_of(specification).reach);
  return {[compute, least_rows, bytes = bytes_of_column(specification)](const ArrayArgs& args) {
            run_rows(compute, args, bytes, least_rows);
          },
          std::nullopt};
}

std::vector<Kernel> compile_emulated(const Specification& specification, std::span<const KernelName> names) {
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
  gpu.on_stream([&](Stream) {
    for (int launch = 0; launch < name.family->launches(); ++launch) {
      launches.push_back(compile_kernel(device_source(specification, name, launch), blocks_of(name, n),
                                        name.family->threads(name.parameters),
                                        shared_bytes(name, specification)));
    }
  });
  return {[launches, name, &gpu](const ArrayArgs& args) {
            const Extent3 blocks = blocks_of(name, args.box.extent());
            gpu.on_stream([&](Stream stream) {
              for (const auto& launch : launches) launch->run(&args, blocks, stream);
            });
          },
          launches.front()->facts()};
}

}  // namespace

std::vector<Kernel> compile_kernels(const Specification& specification, std::span<const KernelName> names,
                                    Extent3 n, Backend* gpu) {
  std::vector<KernelName> emulated;
  for (const KernelName& name : names) {
    require(name, specification);
    if (!name.family->is_of_cores()) {
      emulated.push_back(name);
    } else if (gpu != nullptr) {
      throw Error(ErrorKind::parameter, text("the kernel ", name.text(), " is one of a CPU's cores"),
                  "run it on the CPU, or take another family");
    }
  }
  std::vector<Kernel> kernels;
  if (gpu != nullptr) {
    for (const KernelName& name : names) kernels.push_back(compile_for_device(specification, name, n, *gpu));
    return kernels;
  }
  if (!emulated.empty()) kernels = compile_emulated(specification, emulated);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].family->is_of_cores()) kernels.insert(kernels.begin() + i, compile_rows(specification));
  }
  return kernels;
}

Specification with_precision(Specification specification, Precision precision) {
  for (Array& array : specification.arrays) array.precision = precision;
  return specification;
}

}  // namespace minimod::stencil
