#include "kernels/registry.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "kernels/compiled/compiled_shape.hpp"
#include "kernels/cores/kokkos_planners.hpp"
#include "kernels/cores/reference.hpp"
#include "kernels/equation_names.hpp"
#include "kernels/planner_table.hpp"
#include "kernels/rings/equation_ring.hpp"
#include "kernels/rings/tma_ring.hpp"
#include "kernels/whole/whole_planners.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/precision_names.hpp"

namespace minimod {

namespace {

template <class Shared>
constexpr std::size_t bytes_of() {
  return std::is_empty_v<Shared> ? 0 : sizeof(Shared);
}

/// Identity of a shape, from what its type says of itself.
template <class Body>
CodeShape identity_of() {
  CodeShape shape;
  shape.name = shape_name(Body::family, {Body::tile, Body::points_per_thread, Body::vector_width});
  shape.family = Body::family;
  shape.summary = Body::summary;
  shape.tile = Body::tile;
  shape.is_default_tile = Body::tile == Body::default_tile;
  shape.threads = static_cast<int>(Body::threads.points());
  shape.extra_work = Body::extra_work;
  shape.sums = Body::sums;
  if (shape.sums.empty()) shape.sums = shape.name;
  shape.needs.eta_field = Body::needs_eta_field;
  shape.needs.v16 = Body::needs_v16;
  shape.needs.shared_bytes = bytes_of<typename Body::Shared>();
  return shape;
}

template <class Entry>
CodeShape describe(const LaunchPlanners& host, const LaunchPlanners& device) {
  using PmlBody = typename Entry::template Body<PmlUpdate<float>>;
  check_threads<PmlBody>();
  CodeShape shape = identity_of<typename Entry::template Body<InnerUpdate<float>>>();
  shape.needs.shared_bytes = std::max(shape.needs.shared_bytes, bytes_of<typename PmlBody::Shared>());
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

/// A shape that needs what the host cannot emulate.
template <class Body>
CodeShape describe_for_hopper(const LaunchPlanners& device) {
  CodeShape shape = identity_of<Body>();
  shape.device = device;
  shape.needs.capability = ComputeCapability{9, 0};
  return shape;
}

template <class... Shapes, std::size_t Size>
void add_for_hopper(std::vector<CodeShape>& shapes, TypeList<Shapes...>,
                    const std::array<LaunchPlanners, Size>& planners) {
  std::size_t index = 0;
  (shapes.push_back(describe_for_hopper<Shapes>(planners[index++])), ...);
}

const LaunchPlanners& device_planners_of(const std::vector<CodeShape>& shapes, std::string_view name) {
  return std::ranges::find(shapes, name, &CodeShape::name)->device;
}

/// The PML of `ring`, but for slabs that fill so little of a wide tile that `narrow` is faster.
LaunchPlanner pml_by_width(const LaunchPlanners& ring, const LaunchPlanners& narrow) {
  if (!ring.pml || !narrow.pml) return nullptr;
  return [wide = ring.pml, narrow = narrow.pml](const LaunchArgs& args) {
    return is_narrow_slab(args.box) ? narrow(args) : wide(args);
  };
}

/// Adds shapes that do more at once, with the inner box and the PML of `ring` for launches that do not.
template <class List>
void add_more_at_once(std::vector<CodeShape>& shapes, List list,
                      std::array<LaunchPlanners, List::size> planners, const LaunchPlanners& ring) {
  for (LaunchPlanners& of_shape : planners) {
    of_shape.inner = ring.inner;
    of_shape.pml = ring.pml;
  }
  add_for_hopper(shapes, list, planners);
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
  auto rings = tma_ring_planners();
  const LaunchPlanners& narrow = device_planners_of(shapes, narrow_slab_shape);
  for (LaunchPlanners& planners : rings) planners.pml = pml_by_width(planners, narrow);
  add_for_hopper(shapes, TmaRingList{}, rings);
  add_more_at_once(shapes, TmaWholeStepList{}, tma_whole_step_planners(), rings.front());
  add_more_at_once(shapes, TmaWholeList{}, tma_whole_planners(), rings.front());
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

/// The one shape of that name and stencil in this process, as make() makes it first.
template <class Make>
const CodeShape& made_once(const std::string& name, int radius, Precision precision, Equation equation,
                           const Make& make) {
  static std::mutex mutex;
  static std::map<std::tuple<std::string, int, Precision, Equation>, CodeShape> made;
  const std::scoped_lock lock(mutex);
  const std::tuple key(name, radius, precision, equation);
  const auto before = made.find(key);
  return before != made.end() ? before->second : made.emplace(key, make()).first->second;
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

/// Whether `tma_ring` takes an equation: waves and those of several arrays.
bool has_ring(Equation equation) {
  return equation == Equation::wave || has_equation_ring(equation);
}

bool is_ring_of_stencils(const CodeShape& shape) {
  return shape.family == ring_family && shape.is_default_tile;
}

/// The greatest radius of launches of the whole domain, which are compiled for others than that of the
/// built-in shapes, too; 0: the shape has none.
int greatest_radius_of_whole(const CodeShape& shape) {
  int greatest = 0;
  const auto look = [&]<class... Shapes>(TypeList<Shapes...>) {
    ((shape.name == identity_of<Shapes>().name ? static_cast<void>(greatest = Shapes::greatest_radius)
                                               : static_cast<void>(0)),
     ...);
  };
  look(TmaWholeStepList{});
  look(TmaWholeList{});
  return greatest;
}
bool has_whole(const CodeShape& shape, int radius, Precision precision, Equation equation) {
  return radius <= greatest_radius_of_whole(shape) && precision == Precision::float32 &&
         equation == Equation::wave;
}

/// Whether the halo of tiles over a box, rounded to vectors, would begin before the storage, where the copy
/// engine may not read.
bool begins_before_storage(const LaunchArgs& args, int radius) {
  const int beside = ceil_div(radius, vector_alignment) * vector_alignment;
  const Index3 first = first_of_vectors(args.box, args.layout);
  return args.layout.index(first.x - beside, first.y - radius, first.z - radius) < 0;
}

/// `ring`'s PML of another stencil, with `st_window` where it is narrow.
LaunchPlanner pml_of_stencil(const LaunchPlanner& ring, int radius, Precision precision) {
  const int width = with_stencil(precision, radius,
                                 []<class Real, int R>() -> int { return StencilPmlTile<Real, R>::width; });
  for (const char* const name : narrow_slab_shapes) {
    const NamedShape shape = *parse_shape_name(name);
    if (!why_impossible(shape, radius, precision).empty()) continue;
    return [=, narrow = compiled_device_planners(shape, radius, precision).pml](const LaunchArgs& args) {
      const bool is_narrow = is_narrow_slab(args.box, width) || begins_before_storage(args, radius);
      return is_narrow ? narrow(args) : ring(args);
    };
  }
  return nullptr;
}

/// `tma_ring` with another stencil, by whose tile it is named.
const CodeShape& ring_with_stencil(const CodeShape& built_in, int radius, Precision precision) {
  return made_once(built_in.name, radius, precision, Equation::wave, [&] {
    CodeShape shape = built_in;
    with_stencil(precision, radius, [&]<class Real, int R>() {
      using Tile = StencilTile<Real, R>;
      shape.tile = {Tile::width, Tile::height, 0};
      shape.needs.shared_bytes = sizeof(typename Tile::Shared);
    });
    shape.name = shape_name(shape.family, {shape.tile});
    shape.radius = radius;
    shape.precision = precision;
    shape.extra_work.flop = radius;
    shape.compiled = true;
    shape.device = tma_ring_planners(radius, precision);
    if (shape.device.pml) shape.device.pml = pml_of_stencil(shape.device.pml, radius, precision);
    return shape;
  });
}

/// Shapes with another radius.
template <int R>
struct WithRadius {
  template <class... Shapes>
  static TypeList<typename Shapes::template WithRadius<R>...> of(TypeList<Shapes...>) {
    return {};
  }
};

/// A launch of the whole domain with another radius, and the inner box and the PML of `tma_ring` alone.
const CodeShape& whole_with_radius(const CodeShape& built_in, int radius) {
  return made_once(built_in.name, radius, Precision::float32, Equation::wave, [&] {
    const CodeShape& ring = ring_with_stencil(*std::ranges::find_if(all_shapes(), is_ring_of_stencils), radius,
                                              Precision::float32);
    std::vector<CodeShape> built, shapes;
    add_more_at_once(built, TmaWholeStepList{}, {}, {});
    add_more_at_once(built, TmaWholeList{}, {}, {});
    with_radius(radius, [&]<int R>() {
      add_more_at_once(shapes, WithRadius<R>::of(TmaWholeStepList{}), tma_whole_step_planners(radius),
                       ring.device);
      add_more_at_once(shapes, WithRadius<R>::of(TmaWholeList{}), tma_whole_planners(radius), ring.device);
    });
    CodeShape shape = shapes[std::ranges::find(built, built_in.name, &CodeShape::name) - built.begin()];
    shape.is_default_tile = built_in.is_default_tile;
    shape.radius = radius;
    shape.extra_work.flop = radius;
    shape.compiled = true;
    return shape;
  });
}

/// A ring's planner with that of `gmem` for boxes that a ring cannot have.
LaunchPlanner ring_where_it_may(const LaunchPlanner& ring, const LaunchPlanner& gmem, int radius) {
  return
      [=](const LaunchArgs& args) { return begins_before_storage(args, radius) ? gmem(args) : ring(args); };
}

/// `tma_ring` of another equation, by whose tile it is named.
const CodeShape& ring_of_equation(const CodeShape& built_in, int radius, Precision precision,
                                  Equation equation) {
  return made_once(built_in.name, radius, precision, equation, [&] {
    CodeShape shape = built_in;
    const EquationRingFacts inner = equation_ring_facts(equation, radius, precision, Formula::inner);
    const EquationRingFacts damped = equation_ring_facts(equation, radius, precision, Formula::pml);
    shape.tile = inner.shape.tile();
    shape.threads = inner.shape.threads();
    shape.needs.shared_bytes = std::max(inner.bytes, damped.bytes);
    shape.name = shape_name(shape.family, {shape.tile});
    shape.radius = radius;
    shape.precision = precision;
    shape.equation = equation;
    shape.sums = CodeShape().sums;
    shape.extra_work = {0, "points of a tile beyond the box"};
    shape.compiled = true;
    shape.device = equation_ring_planners(equation, radius, precision);
    if (!shape.device.inner) return shape;
    const LaunchPlanners gmem =
        compiled_device_planners(*parse_shape_name("gmem_16x16x4"), radius, precision, equation);
    shape.device.inner = ring_where_it_may(shape.device.inner, gmem.inner, radius);
    shape.device.pml = ring_where_it_may(shape.device.pml, gmem.pml, radius);
    return shape;
  });
}

/// `tma_ring` of another stencil or equation.
const CodeShape& ring_of(const CodeShape& built_in, int radius, Precision precision, Equation equation) {
  return equation == Equation::wave ? ring_with_stencil(built_in, radius, precision)
                                    : ring_of_equation(built_in, radius, precision, equation);
}

/// A shape of the registry with that stencil.
const CodeShape& shape_with_stencil(const CodeShape& built_in, int radius, Precision precision,
                                    Equation equation) {
  if (is_built_in(radius, precision, equation)) return built_in;
  if (built_in.host.inner && !built_in.emulated) return untiled_shape(built_in, radius, precision, equation);
  if (const auto named = parse_shape_name(built_in.name))
    return shape_compiled_when_asked_for(*named, radius, precision, equation);
  if (is_ring_of_stencils(built_in) && has_ring(equation))
    return ring_of(built_in, radius, precision, equation);
  if (has_whole(built_in, radius, precision, equation))
    return whole_with_radius(built_in, radius);
  const auto refusal = [&](const std::string& option, const auto& made_for) {
    return Error(ErrorKind::parameter,
                 text("the kernel ", built_in.name, " is given with ", option, ": it is made for ", made_for),
                 text("leave one of them out, or take another kernel (", command("kernels"), ")"));
  };
  if (equation != Equation::wave)
    throw refusal(option("equation") + " " + equation_name(equation), equation_name(Equation::wave));
  if (radius != stencil_radius)
    throw refusal(text(option("order"), " ", 2 * radius),
                  text(greatest_radius_of_whole(built_in) > 0 ? "orders up to " : "order ", 2 * stencil_radius));
  throw refusal(option("precision") + " " + precision_name(precision), precision_name(Precision::float32));
}

}  // namespace

const std::vector<CodeShape>& all_shapes() {
  static const std::vector<CodeShape> shapes = make_registry();
  return shapes;
}

bool has_stencil(const CodeShape& shape, int radius, Precision precision, Equation equation) {
  if (is_built_in(radius, precision, equation) || (shape.host.inner && !shape.emulated)) return true;
  if (is_ring_of_stencils(shape)) return has_ring(equation);
  if (has_whole(shape, radius, precision, equation)) return true;
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
  if (has_ring(equation) && !is_built_in(radius, precision, equation)) {
    const CodeShape& ring =
        ring_of(*std::ranges::find_if(shapes, is_ring_of_stencils), radius, precision, equation);
    if (ring.name == wanted) return ring;
    for (const CodeShape& shape : shapes) {
      if (!has_whole(shape, radius, precision, equation)) continue;
      const CodeShape& whole = whole_with_radius(shape, radius);
      if (whole.name == wanted) return whole;
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
