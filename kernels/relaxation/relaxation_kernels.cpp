#include "kernels/relaxation/relaxation_kernels.hpp"

#include <algorithm>

#include "kernels/host/host_block.hpp"
#include "kernels/relaxation/relaxation_list.hpp"
#include "kernels/tiles/tile_family.hpp"
#include "src/base/error.hpp"

namespace minimod::relaxation {

namespace {

template <class Shape, class Real>
void play_half_sweep(const PlateArgs<Real>& args, Stream /*stream*/) {
  run_on_host<Shape>(args);
}

template <class Entry>
Kernel listed_kernel() {
  using Single = typename Entry::template Body<float>;
  using Double = typename Entry::template Body<double>;
  Kernel kernel{.name = text(Single::family, '_', Single::threads.x, 'x', Single::threads.y),
                .family = Single::family,
                .storage = Single::storage,
                .emulated = true,
                .host = launchers_on_all_cores()};
  if (kernel.storage == Storage::aligned_rows) kernel.names = Single::names;
  std::get<0>(kernel.host).half_sweep = play_half_sweep<Single, float>;
  std::get<1>(kernel.host).half_sweep = play_half_sweep<Double, double>;
  return kernel;
}

std::vector<Kernel> make_kernels() {
  std::vector<Kernel> kernels;
  const std::vector<PlateLaunchers> device = device_launchers();
  for_each_entry(ShapeList{}, [&]<class Entry, std::size_t Index>() {
    kernels.push_back(listed_kernel<Entry>());
    if (!device.empty()) kernels.back().device = device[Index];
  });
  kernels.push_back({.name = portable_kernel,
                     .family = portable_kernel,
                     .storage = Storage::colours_apart,
                     .host = launchers_on_all_cores()});
  kernels.push_back({.name = sequential_kernel,
                     .family = sequential_kernel,
                     .is_red_black = false,
                     .host = launchers_in_sequence()});
  return kernels;
}

}  // namespace

const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> kernels = make_kernels();
  return kernels;
}

const Kernel& find_kernel(std::string_view name) {
  const auto& kernels = all_kernels();
  const auto found = std::ranges::find_if(kernels, [&](const Kernel& kernel) {
    const std::string wanted = renamed(name, kernel.names, kernel.family);
    return kernel.name == wanted || kernel.family == wanted;
  });
  if (found != kernels.end()) return *found;
  std::vector<std::string> names;
  names.reserve(kernels.size());
  for (const Kernel& kernel : kernels) names.push_back(kernel.name);
  throw Error(ErrorKind::parameter, text("no kernel of a plate is called '", escaped(name, 40), "'"),
              text("the nearest are ", nearest_names(name, names)));
}

}  // namespace minimod::relaxation
