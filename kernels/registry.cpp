#include "kernels/registry.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/compiled/compiled_shape.hpp"
#include "kernels/cores/kokkos_planners.hpp"
#include "kernels/cores/reference.hpp"
#include "kernels/equation_names.hpp"
#include "kernels/planner_table.hpp"
#include "kernels/rings/hopper_shapes.hpp"
#include "kernels/rings/tma_ring.hpp"
#include "kernels/tiles/shape_identity.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/precision_names.hpp"

namespace minimod {

namespace {

template <class Entry>
CodeShape describe(const LaunchPlanners& host, const LaunchPlanners& device) {
  using PmlBody = typename Entry::template Body<PmlUpdate<float>>;
  check_threads<PmlBody>();
  CodeShape shape = identity_of<typename Entry::template Body<InnerUpdate<float>>>();
  shape.needs.shared_bytes = std::max(shape.needs.shared_bytes, bytes_of_shared<typename PmlBody::Shared>());
  shape.host = host;
  shape.device = device;
  shape.emulated = true;
  return shape;
}

PlannerTable host_planner_table() {
  PlannerTable planners;
  [&]<std::size_t... Part>(std::index_sequence<Part...>) {
    (set_host_planners<Part>(planners), ...);
  }
  (std::make_index_sequence<MINIMOD_SHAPE_PARTS>{});
  return planners;
}

template <class... Entries>
void add_tiled(std::vector<CodeShape>& shapes, TypeList<Entries...>) {
  const PlannerTable host = host_planner_table();
  const PlannerTable device = device_planner_table();
  std::size_t index = 0;
  const auto add = [&]<class Entry>() {
    shapes.push_back(describe<Entry>(host[index], device[index]));
    ++index;
  };
  (add.template operator()<Entries>(), ...);
}

const LaunchPlanners& device_planners_of(const std::vector<CodeShape>& shapes, std::string_view name) {
  return std::ranges::find(shapes, name, &CodeShape::name)->device;
}

/// One thread a point, in rows, as the built-in reference has them on a GPU.
NamedShape rows_of_reference() {
  return *parse_shape_name("gmem_256x1x1");
}

std::vector<CodeShape> make_registry() {
  CodeShape reference;
  reference.name = reference.family = "reference";
  reference.summary = "the plain triple loop: the definition of right";
  reference.host = reference_host_planners(stencil_radius, Precision::float32);
  reference.device = reference_device_planners();

  CodeShape kokkos;
  kokkos.name = kokkos.family = "kokkos";
  kokkos.summary = "blocks of rows marched along z on all cores with Kokkos: the portable kernel";
  kokkos.host = kokkos_host_planners(stencil_radius, Precision::float32);
  kokkos.device = kokkos_device_planners(stencil_radius, Precision::float32);
  if (kokkos.device.inner) reference.device = kokkos.device;  // there as plain

  std::vector<CodeShape> shapes{reference, kokkos};
  add_tiled(shapes, ShapeList{});
  add_hopper_shapes(shapes, device_planners_of(shapes, narrow_slab_shape));
  return shapes;
}

/// The tiles of the family that a name begins with, where it goes on with numbers alone.
std::string tiles_of_family(std::string_view name) {
  const std::string_view family = name.substr(0, name.find_last_not_of("0123456789x"));
  if (const TileFamily* known = find_family(family)) return text("take one that is named ", naming(*known));
  const bool is_bound = std::ranges::count(all_shapes(), family, &CodeShape::family) > 0;
  return is_bound ? text("take a tile of ", family, " that ", command("kernels"), " lists: it has no others")
                  : "";
}

const CodeShape& shape_compiled_when_asked_for(const NamedShape& named, int radius, Precision precision,
                                               Equation equation) {
  const std::string name = shape_name(named.family->name, named.parameters);
  return made_once(name, radius, precision, equation, [&] {
    const CodeShape& built_in = *std::ranges::find(all_shapes(), named.family->name, &CodeShape::family);
    return compiled_shape(named, radius, precision, built_in, equation);
  });
}

/// `reference` or `kokkos` with another stencil.
const CodeShape& untiled_shape(const CodeShape& built_in, int radius, Precision precision,
                               Equation equation) {
  return made_once(built_in.name, radius, precision, equation, [&] {
    CodeShape shape = built_in;
    shape.radius = radius;
    shape.precision = precision;
    shape.equation = equation;
    shape.device = kokkos_device_planners(radius, precision, equation);
    if (shape.name == "kokkos") {
      shape.host = kokkos_host_planners(radius, precision, equation);
      return shape;
    }
    shape.host = reference_host_planners(radius, precision, equation);
    if (!shape.device.inner)
      shape.device = compiled_device_planners(rows_of_reference(), radius, precision, equation);
    return shape;
  });
}

bool is_built_in(int radius, Precision precision, Equation equation) {
  return radius == stencil_radius && precision == Precision::float32 && equation == Equation::wave;
}

/// A shape of the registry with that stencil.
const CodeShape& shape_with_stencil(const CodeShape& built_in, int radius, Precision precision,
                                    Equation equation) {
  if (is_built_in(radius, precision, equation)) return built_in;
  if (built_in.host.inner && !built_in.emulated) return untiled_shape(built_in, radius, precision, equation);
  if (const auto named = parse_shape_name(built_in.name))
    return shape_compiled_when_asked_for(*named, radius, precision, equation);
  if (has_hopper_stencil(built_in, radius, precision, equation))
    return hopper_shape(built_in, radius, precision, equation);
  const auto refusal = [&](const std::string& option, const auto& made_for) {
    return Error(ErrorKind::parameter,
                 text("the kernel ", built_in.name, " is given with ", option, ": it is made for ", made_for),
                 text("leave one of them out, or take another kernel (", command("kernels"), ")"));
  };
  if (equation != Equation::wave)
    throw refusal(option("equation") + " " + equation_name(equation), equation_name(Equation::wave));
  if (radius != stencil_radius) {
    throw refusal(text(option("order"), " ", 2 * radius),
                  text(has_hopper_stencil(built_in, 1) ? "orders up to " : "order ", 2 * stencil_radius));
  }
  throw refusal(option("precision") + " " + precision_name(precision), precision_name(Precision::float32));
}

}  // namespace

const std::vector<CodeShape>& all_shapes() {
  static const std::vector<CodeShape> shapes = make_registry();
  return shapes;
}

bool has_stencil(const CodeShape& shape, int radius, Precision precision, Equation equation) {
  if (is_built_in(radius, precision, equation) || (shape.host.inner && !shape.emulated)) return true;
  if (has_hopper_stencil(shape, radius, precision, equation)) return true;
  return parse_shape_name(shape.name) && has_stencil(shape.name, radius, precision, equation);
}

bool has_stencil(std::string_view name, int radius, Precision precision, Equation equation) {
  const auto tile = parse_shape_name(name);
  return tile ? why_impossible(*tile, radius, precision, equation).empty()
              : has_stencil(find_shape(name), radius, precision, equation);
}

const CodeShape& find_shape(std::string_view name, int radius, Precision precision, Equation equation) {
  const auto& shapes = all_shapes();
  std::string wanted = as_registered(name, shape_families());
  const auto named = parse_shape_name(wanted);
  if (named) wanted = shape_name(named->family->name, named->parameters);
  const auto found = std::find_if(shapes.begin(), shapes.end(), [&](const CodeShape& s) {
    return s.name == wanted || (s.family == wanted && s.is_default_tile);
  });
  if (found != shapes.end()) return shape_with_stencil(*found, radius, precision, equation);
  if (named) return shape_compiled_when_asked_for(*named, radius, precision, equation);
  if (!is_built_in(radius, precision, equation)) {
    for (const CodeShape& shape : shapes) {
      if (!has_hopper_stencil(shape, radius, precision, equation)) continue;
      const CodeShape& made = hopper_shape(shape, radius, precision, equation);
      if (made.name == wanted) return made;
    }
  }
  std::vector<std::string> names;
  names.reserve(shapes.size());
  for (const bool is_default : {true, false}) {  // the first suggested tile of a family is its default
    for (const CodeShape& shape : shapes) {
      if (shape.is_default_tile == is_default) names.push_back(shape.name);
    }
  }
  const std::string of_family = tiles_of_family(wanted);
  throw Error(ErrorKind::parameter, text("no kernel is named '", escaped(name), "'"),
              !of_family.empty() ? of_family
                                 : text("did you mean ", nearest_names(name, names), "? (",
                                        command("kernels"), " lists all)"));
}

}  // namespace minimod
