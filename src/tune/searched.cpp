#include "src/tune/searched.hpp"

#include <utility>

#include "kernels/registry.hpp"
#include "kernels/tiles/tile_space.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/measure/subject.hpp"
#include "src/stencil/kernel_space.hpp"

namespace minimod {

namespace {

constexpr Extent3 tuned_grid_of_gpu{512, 512, 256};  // grid of Tang et al. 2013
constexpr Extent3 tuned_grid_of_host{64, 64, 64};    // grid of hosts, which emulate threads

Extent3 tuned_grid(const TuneOptions& options, bool on_gpu) {
  return options.grid.value_or(on_gpu ? tuned_grid_of_gpu : tuned_grid_of_host);
}

/// Error 64 for the name of a tile.
[[noreturn]] void refuse_tile(const std::string& name, const std::string& family) {
  throw Error(ErrorKind::parameter, text(option("kernel"), " names the tile ", escaped(name)),
              text("name its family, ", family, ", and tiles by ", option("candidates")));
}

TuneProblem tuned_problem(const TuneOptions& options, const std::string& family, const DeviceInfo& device,
                          const Subject& subject) {
  TuneProblem problem;
  problem.family = family;
  problem.precision = subject.precision();
  problem.grid = subject.grid();
  problem.device = device.name;
  problem.device_kind = device.kind;
  problem.build = build_info().git_hash;
  problem.steps = options.steps;
  problem.objective = options.objective;
  return problem;
}

// ---- waves

/// Error 64 for another name than that of a family with tiles.
const TileFamily& searched_family(const std::string& name) {
  const CodeShape& shape = find_shape(name);
  const TileFamily* const family = find_family(shape.family);
  if (family == nullptr) {
    throw Error(ErrorKind::parameter,
                text(shape.family, " has no other tiles than those that ", command("kernels"), " lists"),
                "bench them, or search another family");
  }
  if (parse_shape_name(name)) refuse_tile(name, family->name);
  return *family;
}

Problem tuned_problem(const TuneOptions& options, Extent3 grid) {
  MeasureOptions measure;
  measure.grid.grid = grid;
  measure.boundary.width = 0;
  measure.kernels = options.kernels;
  measure.kernels.kernel = "reference";
  measure.steps = options.steps;
  return make_measured_problem(measure);
}

/// Error 64 or 69 for the host, where it does not emulate threads.
DeviceChoice tuned_device(const TuneOptions& options) {
  KernelOptions on_device = options.kernels;
  on_device.kernel = "reference";
  on_device.schedule = &sequence();
  DeviceChoice choice = choose_measured_device(on_device, tuned_problem(options, tuned_grid_of_host));
  if (choice.device.is_gpu() || options.kernels.emulate) return choice;
  const bool by_option = options.kernels.device.kind == DeviceOption::Kind::cpu;
  throw Error(
      by_option ? ErrorKind::parameter : ErrorKind::unavailable,
      by_option ? option("device") + " cpu has no tiles of its own" : gpu_devices.find().why_none,
      text("give ", option("emulate"), ", which searches by emulating them on the host (slow, for study)"));
}

std::vector<TuneCandidate> wave_candidates(const TileFamily& family, const Problem& setup, int warp) {
  std::vector<TuneCandidate> all;
  for (const CodeShape& shape : all_shapes()) {
    if (shape.family == family.name &&
        has_stencil(shape.name, setup.grid().radius, setup.grid().precision, setup.domain.equation)) {
      all.push_back({.name = shape.name, .is_built_in = true});
    }
  }
  for (const NamedShape& shape :
       tile_space(family, setup.grid().radius, setup.grid().precision, setup.domain.equation, warp)) {
    all.push_back({.name = shape_name(family.name, shape.parameters)});
  }
  if (!all.empty()) return all;
  throw Error(ErrorKind::parameter, text(family.name, " has no tile of order ", 2 * setup.grid().radius),
              "take another family or order");
}

// ---- specifications

/// Kernels of a family's name, perhaps with _ro behind it. Error 64 for another.
stencil::KernelName searched_kernels(const std::string& name) {
  const stencil::KernelName kernel = stencil::parse_kernel_name(name);
  const std::string family = kernel.family_text();
  if (kernel.family->is_of_cores()) {
    throw Error(ErrorKind::parameter, text("the kernel ", family, " has no tiles to search"),
                "time it by stencil run or bench, or take another family");
  }
  if (as_registered(name, stencil::stencil_families()) != family) refuse_tile(name, family);
  return kernel;
}

/// Error 64 where there are several.
stencil::Specification tuned_specification(const StencilMeasureOptions& options) {
  auto specifications = measured_specifications(options);
  if (specifications.size() == 1) return std::move(specifications.front());
  throw Error(ErrorKind::parameter,
              text(option("stencil"), " names ", specifications.size(), " stencils, tune takes one"),
              "name one");
}

std::vector<TuneCandidate> stencil_candidates(const stencil::KernelName& like,
                                              const stencil::Specification& specification, int warp) {
  std::vector<TuneCandidate> all;
  if (stencil::why_not(like, specification).empty())
    all.push_back({.name = like.text(), .is_built_in = true});
  for (const stencil::KernelName& kernel : stencil::kernel_space(like, specification, warp)) {
    all.push_back({.name = kernel.text()});
  }
  if (all.empty()) stencil::require(like, specification);
  return all;
}

}  // namespace

Searched searched_waves(const TuneOptions& options) {
  const TileFamily& family = searched_family(options.kernels.kernel);
  DeviceChoice choice = tuned_device(options);
  const DeviceInfo device = choice.device;
  const Problem setup = tuned_problem(options, tuned_grid(options, device.is_gpu()));
  Searched searched;
  searched.subject = make_wave_subject(setup, std::move(choice), options.kernels, BenchField::random);
  searched.problem = tuned_problem(options, family.name, device, *searched.subject);
  searched.problem.order = options.kernels.order;
  searched.problem.equation = options.kernels.equation;
  searched.candidates = wave_candidates(family, setup, device.warp_threads);
  searched.naming = naming(family);
  return searched;
}

Searched searched_stencil(const TuneOptions& options) {
  const stencil::Specification specification = tuned_specification(*options.stencil);
  const std::string& kernels = options.stencil->kernels;
  const stencil::KernelName like = searched_kernels(kernels.empty() ? "register_tiled" : kernels);
  const auto device = std::make_shared<StencilDevice>(choose_stencil_device(options.stencil->device));
  Searched searched;
  searched.subject = make_stencil_subject(specification, tuned_grid(options, device->is_gpu), device);
  const DeviceInfo info = device->backend->info();
  searched.problem = tuned_problem(options, like.family_text(), info, *searched.subject);
  searched.problem.stencil = specification;
  searched.problem.stencil->name = escaped(specification.name);  // as the record has it
  searched.candidates = stencil_candidates(like, specification, info.warp_threads);
  searched.naming = "as " + like.text();
  return searched;
}

}  // namespace minimod
