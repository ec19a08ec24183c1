#include "kernels/relaxation/relaxation_kernels.hpp"

#include <algorithm>

#include "kernels/host_block.hpp"
#include "kernels/relaxation/host_sweeps.hpp"
#include "kernels/relaxation/relaxation_list.hpp"
#include "src/base/error.hpp"

namespace minimod::relaxation {

namespace {

template <class Shape>
void play_half_sweep(const PlateArgs<typename Shape::Real>& args, void* /*stream*/) {
  run_on_host<Shape>(args);
}

template <class Entry>
Kernel listed_kernel() {
  using Single = typename Entry::template Body<float>;
  using Double = typename Entry::template Body<double>;
  Kernel kernel;
  kernel.name = text(Single::family, '_', Single::threads.x, 'x', Single::threads.y);
  kernel.family = Single::family;
  kernel.summary = Single::summary;
  kernel.storage = Single::storage;
  kernel.emulated = true;
  kernel.host_single.run = play_half_sweep<Single>;
  kernel.host_double.run = play_half_sweep<Double>;
  return kernel;
}

Kernel portable() {
  Kernel kernel;
  kernel.name = kernel.family = portable_kernel;
  kernel.summary = "all cores, each colour in its own rows";
  kernel.storage = Storage::colours_apart;
  kernel.host_single.run = relax_on_all_cores<float>;
  kernel.host_double.run = relax_on_all_cores<double>;
  return kernel;
}

Kernel sequential() {
  Kernel kernel;
  kernel.name = kernel.family = sequential_kernel;
  kernel.summary = "one core, node after node, row after row";
  kernel.is_red_black = false;
  kernel.host_single.run = relax_in_sequence<float>;
  kernel.host_double.run = relax_in_sequence<double>;
  return kernel;
}

std::vector<Kernel> make_kernels() {
  std::vector<Kernel> kernels;
  const std::vector<DeviceHalfSweeps> device = device_half_sweeps();
  for_each_shape([&]<class Entry>(std::size_t index) {
    kernels.push_back(listed_kernel<Entry>());
    if (device.empty()) return;
    kernels.back().device_single = device[index].in_single;
    kernels.back().device_double = device[index].in_double;
  });
  kernels.push_back(portable());
  kernels.push_back(sequential());
  return kernels;
}

}  // namespace

const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> kernels = make_kernels();
  return kernels;
}

const Kernel& find_kernel(const std::string& name) {
  const auto& kernels = all_kernels();
  const auto found = std::ranges::find_if(
      kernels, [&](const Kernel& kernel) { return kernel.name == name || kernel.family == name; });
  if (found != kernels.end()) return *found;
  std::vector<std::string> names;
  names.reserve(kernels.size());
  for (const Kernel& kernel : kernels) names.push_back(kernel.name);
  throw Error(ExitCode::usage, text("no kernel of a plate is called '", escaped(name, 40), "'"),
              text("the nearest are ", nearest_names(name, names)));
}

}  // namespace minimod::relaxation
