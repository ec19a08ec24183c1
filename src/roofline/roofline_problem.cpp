#include "src/roofline/roofline_problem.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/equation_names.hpp"
#include "kernels/registry.hpp"
#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/parse.hpp"
#include "src/base/precision_names.hpp"
#include "src/choice/emulated.hpp"
#include "src/measure/subject.hpp"
#include "src/stencil/language/shipped.hpp"

namespace minimod {

namespace {

constexpr int paper_edge = 1000;  ///< edge of the grid on a GPU
constexpr Extent3 small_grid{45, 35, 27};
constexpr int small_layer = 5;

std::string numbers(Extent3 n) {
  return text(n.x, ',', n.y, ',', n.z);
}

Parameters operator+(Parameters parameters, const Parameters& more) {
  parameters.insert(parameters.end(), more.begin(), more.end());
  return parameters;
}

// ---- waves

Problem sized_problem(MeasureOptions sized) {
  const bool on_gpu = goes_to_gpu(sized.kernels.device);
  if (!sized.grid.grid && on_gpu) sized.grid.grid = Extent3{paper_edge, paper_edge, paper_edge};
  sized.steps = roofline_launches;
  return make_measured_problem(sized);
}

/// By which a call has the problem, on so many points with such a layer.
Parameters parameters_of(const Problem& setup, Extent3 n, int layer_width, BenchField field) {
  const Point3 h = setup.grid().spacing;
  return {{"equation", equation_name(setup.domain.equation)},
          {"decomposition", decomposition_name(setup.domain.decomposition)},
          {"grid", numbers(n)},
          {"pml-width", text(layer_width)},
          {"spacing", text(h.x, ',', h.y, ',', h.z)},
          {"field", field_name(field)},
          {"precision", precision_name(setup.grid().precision)}};
}

/// By which it has one set of kernels.
Parameters parameters_of(const KernelSet& kernels) {
  return {{"kernel", kernels.inner->name},
          {"pml-kernel", kernels.pml->name},
          {"schedule", kernels.schedule->name()}};
}

/// The names of several shapes stand for sets that follow from the options.
Parameters parameters_of(const Words& names, const std::vector<NamedKernels>& all,
                         const KernelOptions& asked) {
  if (names.size() == 1) return parameters_of(std::ranges::find(all, names[0], &NamedKernels::name)->kernels);
  Parameters parameters{{"kernel", joined(names, ",")}};
  if (!asked.pml_kernel.empty()) parameters.emplace_back("pml-kernel", asked.pml_kernel);
  if (asked.schedule != nullptr) parameters.emplace_back("schedule", asked.schedule->name());
  return parameters;
}

// ---- specifications

/// By which a call has a stencil.
Parameters parameters_of(const std::string& word, Extent3 n, const StencilMeasureOptions& asked) {
  Parameters parameters{{"stencil", word}, {"grid", numbers(n)}};
  if (asked.precision) parameters.emplace_back("precision", precision_name(*asked.precision));
  return parameters;
}

/// The kernels that the stencil can have; why it has no others goes into `not_run`.
RooflineGroup stencil_group(const stencil::Specification& specification, Parameters parameters, Extent3 n,
                            const std::shared_ptr<const StencilDevice>& device,
                            const std::vector<stencil::KernelName>& kernels, std::vector<NotRun>& not_run) {
  RooflineGroup group;
  group.subject = make_stencil_subject(specification, n, device);
  group.parameters = [of_stencil = std::move(parameters)](const Words& names) {
    return of_stencil + Parameters{{"kernel", joined(names, ",")}};
  };
  for (const stencil::KernelName& kernel : kernels) {
    const std::string why = group.subject->why_not_here(kernel.text());
    if (why.empty()) group.names.push_back(kernel.text());
    if (!why.empty()) not_run.push_back({group.subject->shown(kernel.text()), why});
  }
  return group;
}

}  // namespace

Parameters RooflineProblem::steps(const Parameters& parameters, StepRange range) const {
  return Parameters{{"device", goes_to_gpu(asked) ? gpus_text(std::array{asked.index}) : cpu_kind}} +
         parameters + Parameters{{"profile-range", text(range.begin, ':', range.end)}};
}

RooflineProblem wave_roofline(const RooflineOptions& options) {
  const MeasureOptions& asked = options.measure;
  const Problem setup = sized_problem(asked);
  RooflineProblem problem;
  problem.asked = asked.kernels.device;
  // Before a trial: behind its large allocations a GPU streams a tenth slower.
  if (asked.kernels.kernel == "auto" && !options.profile_range) {
    problem.ceilings = make_backend(problem.asked)->measure_ceilings();
  }
  DeviceChoice choice = choose_measured_device(asked.kernels, setup);
  problem.device = choice.device;
  const auto kernels = matching_kernels(asked.kernels, setup, choice, problem.not_run);
  problem.title =
      text(setup.domain.equation == Equation::wave ? "" : equation_name(setup.domain.equation) + ", ",
           points_text(setup.grid().n), ", PML ", setup.layer_width());
  const Json facts{{"grid", to_record(setup, asked.field)},
                   {"decomposition", decomposition_name(setup.domain.decomposition)}};
  problem.facts = facts.dump();
  problem.points = static_cast<double>(setup.grid().n.points());
  problem.small_parameters = parameters_of(setup, small_grid, small_layer, asked.field) +
                             parameters_of({&find_shape("reference"), &find_shape("reference")});
  RooflineGroup group;
  for (const NamedKernels& set : kernels) group.names.push_back(set.name);
  group.parameters = [of_problem = parameters_of(setup, setup.grid().n, setup.layer_width(), asked.field),
                      kernels, &asked](const Words& names) {
    return of_problem + parameters_of(names, kernels, asked.kernels);
  };
  group.subject = make_wave_subject(setup, std::move(choice), asked.kernels, asked.field, kernels);
  group.subject->check_memory();
  problem.groups.push_back(std::move(group));
  return problem;
}

RooflineProblem stencil_roofline(const RooflineOptions& options) {
  const StencilMeasureOptions& asked = *options.stencil;
  const Words words = stencil::matching_stencils(asked.stencils);
  const MeasuredStencils stencils(asked);
  const auto& [specifications, device, kernels, n] = stencils;
  const bool emulates = device->emulates_one_of(kernels);
  RooflineProblem problem;
  problem.asked = asked.device;
  problem.device = device->backend->info();
  problem.title = text(points_text(n), emulates ? text(", ", emulated_rate) : "");
  Json facts{{"grid", {{"n", {n.x, n.y, n.z}}}}, {"stencils", Json::array()}};
  problem.points = static_cast<double>(n.points());
  problem.why_not_counted = emulates ? "a host that emulates threads moves other bytes" : "";
  problem.small_parameters = parameters_of(words.front(), small_grid, asked) +
                             Parameters{{"kernel", device->is_gpu ? "naive" : "rows"}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    facts["stencils"].push_back(escaped(specifications[i].name));
    problem.groups.push_back(stencil_group(specifications[i], parameters_of(words[i], n, asked), n, device,
                                           kernels, problem.not_run));
  }
  problem.facts = facts.dump();
  if (problem.not_run.size() == words.size() * kernels.size()) {
    throw Error(
        ErrorKind::parameter,
        text("none of the ", problem.not_run.size(), " kernels can be: ", problem.not_run.front().why),
        "take another family or tile");
  }
  stencils.check_memory();
  return problem;
}

}  // namespace minimod
