/// The media of an equation, from columns of a model beyond V.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "kernels/registry.hpp"
#include "src/device/backend.hpp"
#include "validation/cases/means/domain.hpp"

using namespace minimod;

TEST_CASE("Columns of depth are the medium that the same columns of all points are", "[physics]") {
  const auto equation = GENERATE(Equation::density, Equation::vti);
  const auto precision = GENERATE(Precision::float32, Precision::float64);
  const auto host = make_host_backend();
  const CodeShape& shape = find_shape("kokkos", stencil_radius, precision, equation);
  const Extent3 n{43, 29, 38};
  const MediumColumns of_depth = layered_columns(equation, n.z);
  const auto field_in = [&](const MediumColumns& columns) {
    Domain domain{n};
    domain.dt = 1e-3;
    domain.equation = equation;
    domain.precision = precision;
    domain.pml_width = 5;
    domain.pml_velocity = domain.velocity;
    domain.columns = columns;
    Propagator propagator = make_propagator(*host, domain, {&shape, &shape});
    propagator.set_random_field(5);
    for (int step = 0; step < 12; ++step) propagator.step();
    return propagator.wavefield(domain.whole());
  };
  const auto of_all_points = [&](std::size_t column, Index3 p) { return of_depth.at(column, {0, 0, p.z}); };
  const auto field = field_in(of_depth);
  CHECK(field == field_in({n, of_all_points}));
  CHECK(field != field_in(usual_columns(equation, n.z)));
}
