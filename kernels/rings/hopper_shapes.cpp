#include "kernels/rings/hopper_shapes.hpp"

#include <array>

#include "kernels/compiled/compiled_shape.hpp"
#include "kernels/equation_names.hpp"
#include "kernels/rings/equation_ring.hpp"
#include "kernels/rings/tma_ring.hpp"
#include "kernels/tiles/shape_identity.hpp"
#include "kernels/whole/whole_planners.hpp"

namespace minimod {

namespace {

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

/// Whether `tma_ring` takes an equation: waves and those of several arrays.
bool has_ring(Equation equation) {
  return equation == Equation::wave || has_equation_ring(equation);
}

bool is_ring_of_stencils(const CodeShape& shape) {
  return shape.family == ring_family && shape.is_default_tile;
}

/// `ring`'s PML of another stencil, with `st_window` where it is narrow.
LaunchPlanner pml_of_stencil(const LaunchPlanner& ring, int radius, Precision precision) {
  const int width = with_stencil(precision, radius,
                                 []<class Real, int R>() -> int { return StencilPmlTile<Real, R>::width; });
  for (const char* const name : narrow_slab_shapes) {
    const NamedShape shape = *parse_shape_name(name);
    if (!why_impossible(shape, radius, precision).empty()) continue;
    return [=, narrow = compiled_device_planners(shape, radius, precision).pml](const LaunchArgs& args) {
      return is_narrow_slab(args.box, width) ? narrow(args) : ring(args);
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

/// `tma_ring` of another equation, by whose tile it is named.
const CodeShape& ring_of_equation(const CodeShape& built_in, int radius, Precision precision,
                                  Equation equation) {
  return made_once(built_in.name, radius, precision, equation, [&] {
    CodeShape shape = built_in;
    const EquationRingFacts facts = equation_ring_facts(equation, radius, precision);
    shape.tile = facts.inner.tile();
    shape.threads = facts.inner.threads();
    shape.needs.shared_bytes = facts.bytes;
    shape.name = shape_name(shape.family, {shape.tile});
    shape.radius = radius;
    shape.precision = precision;
    shape.equation = equation;
    shape.sums = CodeShape().sums;
    shape.extra_work = {0, "points of a tile beyond the box"};
    shape.compiled = true;
    shape.device = equation_ring_planners(equation, radius, precision);
    return shape;
  });
}

/// Calls visit.operator()<Shape>(planners) of the launch of the whole domain that a shape is, with its
/// planners of another radius. False: it is none.
template <class Visit, class... Shapes, std::size_t Size>
bool visit_whole(const CodeShape& shape, TypeList<Shapes...>,
                 const std::array<LaunchPlanners, Size>& planners, const Visit& visit) {
  std::size_t index = 0;
  const auto try_one = [&]<class Shape>() {
    const LaunchPlanners& its = planners[index++];
    if (identity_of<Shape>().name != shape.name) return false;
    visit.template operator()<Shape>(its);
    return true;
  };
  return (try_one.template operator()<Shapes>() || ...);
}
template <class Visit>
bool visit_whole(const CodeShape& shape, int radius, const Visit& visit) {
  return visit_whole(shape, TmaWholeStepList{}, tma_whole_step_planners(radius), visit) ||
         visit_whole(shape, TmaWholeList{}, tma_whole_planners(radius), visit);
}

bool has_whole(const CodeShape& shape, int radius, Precision precision, Equation equation) {
  bool has = false;
  if (precision == Precision::float32 && equation == Equation::wave) {
    visit_whole(shape, radius,
                [&]<class Shape>(const LaunchPlanners&) { has = radius <= Shape::greatest_radius; });
  }
  return has;
}

/// A launch of the whole domain with another radius, and the inner box and the PML of `tma_ring` alone.
const CodeShape& whole_with_radius(const CodeShape& built_in, int radius) {
  return made_once(built_in.name, radius, Precision::float32, Equation::wave, [&] {
    CodeShape shape;
    visit_whole(built_in, radius, [&]<class Shape>(const LaunchPlanners& planners) {
      with_radius(radius, [&]<int R>() {
        shape = describe_for_hopper<typename Shape::template WithRadius<R>>(planners);
      });
    });
    const LaunchPlanners& ring =
        ring_with_stencil(describe_for_hopper<TmaRing<32, 8, 4, 3, 3>>({}), radius, Precision::float32)
            .device;
    shape.device.inner = ring.inner;
    shape.device.pml = ring.pml;
    shape.is_default_tile = built_in.is_default_tile;
    shape.radius = radius;
    shape.extra_work.flop = radius;
    shape.compiled = true;
    return shape;
  });
}

}  // namespace

void add_hopper_shapes(std::vector<CodeShape>& shapes, const LaunchPlanners& narrow) {
  auto rings = tma_ring_planners();
  for (LaunchPlanners& planners : rings) planners.pml = pml_by_width(planners, narrow);
  add_for_hopper(shapes, TmaRingList{}, rings);
  add_more_at_once(shapes, TmaWholeStepList{}, tma_whole_step_planners(), rings.front());
  add_more_at_once(shapes, TmaWholeList{}, tma_whole_planners(), rings.front());
}

bool has_hopper_stencil(const CodeShape& built_in, int radius, Precision precision, Equation equation) {
  if (is_ring_of_stencils(built_in)) return has_ring(equation);
  return has_whole(built_in, radius, precision, equation);
}

const CodeShape& hopper_shape(const CodeShape& built_in, int radius, Precision precision, Equation equation) {
  if (!is_ring_of_stencils(built_in)) return whole_with_radius(built_in, radius);
  return equation == Equation::wave ? ring_with_stencil(built_in, radius, precision)
                                    : ring_of_equation(built_in, radius, precision, equation);
}

}  // namespace minimod
