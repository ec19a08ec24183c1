/// Every shape on the GPU against the host's reference.
#include <tuple>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "kernels/compiled/compiled_kernel.hpp"
#include "src/choice/device_choice.hpp"
#include "validation/physics/schedule_run.hpp"
#include "validation/shapes/device_shapes.hpp"

using namespace minimod;

namespace {

/// The wavefield after `steps` steps of a medium whose velocity changes from point to point; `rounded`: as a
/// shape has it that reads it in 16 bits.
std::vector<double> wavefield_after(int steps, Backend& backend, const CodeShape& shape,
                                    Decomposition decomposition = Decomposition::seven,
                                    bool rounded = false) {
  Domain domain{{150, 131, 117}};
  domain.radius = shape.radius;
  domain.precision = shape.precision;
  domain.dt = 0.8 * stable_dt_limit(3000, {domain.h, domain.h, domain.h}, shape.radius);
  domain.velocity_at = [](Index3 p) { return 2000 + ((p.y * 150 + p.x) * 7 + p.z * 131) % 1000; };
  domain.pml_width = 27;
  domain.pml_velocity = 3000;
  Propagator propagator = make_propagator(backend, domain, {&shape, &shape}, decomposition);
  propagator.set_source({70, 60, 50}, ricker_samples(10, 0.12, domain.dt, steps));
  if (rounded) propagator.round_velocity_to_codes();
  for (int n = 0; n < steps; ++n) propagator.step();
  return propagator.wavefield(domain.whole());
}

/// A domain in a medium that changes from node to node.
Domain restless_domain(Extent3 n, Equation equation, BoundaryKind kind, const PmlWidths& layers,
                       int radius = stencil_radius, Precision precision = Precision::float32) {
  Domain domain{n};
  domain.equation = equation;
  domain.radius = radius;
  domain.precision = precision;
  domain.dt = 0.8 * dt_limit_of(equation, 3000, domain.spacing(), radius, random_columns(equation, n));
  domain.velocity_at = [](Index3 p) { return 2000 + ((p.y * 150 + p.x) * 7 + p.z * 131) % 1000; };
  domain.pml_velocity = 3000;
  domain.kind = kind;
  domain.frequency = 10;
  domain.layers = layers;
  return domain;
}

/// u of some steps from a random field on.
std::vector<double> field_after_steps(Propagator& propagator, const Domain& domain) {
  propagator.set_random_field(5);
  for (int step = 0; step < 12; ++step) propagator.step();
  return propagator.wavefield(domain.whole());
}
std::vector<double> field_after_steps(Backend& backend, const Domain& domain, const CodeShape& shape) {
  Propagator propagator = make_propagator(backend, domain, {&shape, &shape});
  return field_after_steps(propagator, domain);
}

}  // namespace

TEST_CASE("Every shape agrees with the host's reference on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const int steps = 200;
  const auto host = make_host_backend();
  const CodeShape& reference = find_shape("reference");
  const auto exact = wavefield_after(steps, *host, reference);
  const auto rounded = wavefield_after(steps, *host, reference, Decomposition::seven, true);
  CHECK(relative_l2(rounded, exact) > 1e-6);  // the shapes that read 16 bits have a test of their own medium
  const auto gpu = gpu_devices.make(0);
  for (const CodeShape* shape : shapes_on(*gpu)) {
    const auto& expected = shape->needs.v16 ? rounded : exact;
    const auto field = wavefield_after(steps, *gpu, *shape);
    const double error = relative_l2(field, expected);
    std::printf("%-20s relative L2 %.2e, %s\n", shape->name.c_str(), error,
                field == expected ? "the same bits" : "other bits");
    CAPTURE(shape->name);
    CHECK(error <= 1e-6);
  }
}

TEST_CASE("Tiles that are compiled when asked for agree with the host's reference on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  if (const auto& why = compiler_of_gpus().why_none(); !why.empty()) SKIP(why);
  const int steps = 20;
  const auto host = make_host_backend(), gpu = gpu_devices.make(0);
  const auto expected = wavefield_after(steps, *host, find_shape("reference"));
  for (const char* const name : tiles_compiled_for_gpus) {
    CAPTURE(name);
    const CodeShape& shape = find_shape(name);
    const auto field = wavefield_after(steps, *gpu, shape);
    CHECK(relative_l2(field, expected) <= 1e-6);
    if (shape.sums == find_shape("reference").sums && !shape.needs.eta_field) CHECK(field == expected);
  }
  const CodeShape& mixed = find_shape("st_reg_fixed_24x24");
  CHECK(wavefield_after(steps, *gpu, mixed, Decomposition::one) == expected);
}

TEST_CASE("Every family agrees with the host's reference on the GPU with other stencils", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  if (const auto& why = compiler_of_gpus().why_none(); !why.empty()) SKIP(why);
  const int steps = 20;
  const auto host = make_host_backend(), gpu = gpu_devices.make(0);
  struct Stencil {
    int radius;
    Precision precision;
  };
  constexpr auto single = Precision::float32, twice = Precision::float64;
  for (const auto& [radius, precision] :
       {Stencil{1, single}, {2, single}, {3, single}, {8, single}, {2, twice}, {4, twice}, {8, twice}}) {
    const auto expected = wavefield_after(steps, *host, find_shape("reference", radius, precision));
    for (const CodeShape& built_in : all_shapes()) {
      const bool stands_for_family = built_in.is_default_tile || built_in.name == "reference";
      if (!stands_for_family || !has_stencil(built_in, radius, precision)) continue;
      const CodeShape& shape = find_shape(built_in.name, radius, precision);
      if (!why_not(shape, gpu->info(), Decomposition::seven).empty()) continue;
      CAPTURE(shape.name, radius, bytes_of(precision));
      const auto field = wavefield_after(steps, *gpu, shape);
      CHECK(relative_l2(field, expected) <= (precision == single ? 1e-6 : 1e-14));
      if (shape.sums == "star" && !shape.needs.eta_field) CHECK(field == expected);
    }
  }
}

TEST_CASE("The layers of other stencils have the host's bits on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  if (const auto& why = compiler_of_gpus().why_none(); !why.empty()) SKIP(why);
  const auto host = make_host_backend(), gpu = gpu_devices.make(0);
  for (const auto& [kind, radius, precision] : {std::tuple{BoundaryKind::cpml, 2, Precision::float32},
                                                {BoundaryKind::cpml, 8, Precision::float64},
                                                {BoundaryKind::cpml, 4, Precision::float64},
                                                {BoundaryKind::sponge, 4, Precision::float64}}) {
    CAPTURE(static_cast<int>(kind), radius, bytes_of(precision));
    const auto field_on = [&, &kind = kind, &radius = radius, &precision = precision](Backend& backend) {
      const CodeShape& shape = find_shape("reference", radius, precision);
      Domain domain{{70, 61, 57}};
      domain.radius = radius;
      domain.precision = precision;
      domain.dt = 0.8 * stable_dt_limit(2000, {domain.h, domain.h, domain.h}, radius);
      domain.kind = kind;
      domain.pml_width = 10;
      domain.pml_velocity = 2000;
      domain.frequency = 10;
      domain.free_surface = true;
      Propagator propagator = make_propagator(backend, domain, {&shape, &shape});
      propagator.set_random_field(5);
      for (int n = 0; n < 20; ++n) propagator.step();
      return propagator.wavefield(domain.whole());
    };
    CHECK(field_on(*gpu) == field_on(*host));
  }
}

TEST_CASE("The decompositions into two launches and one agree with the one into seven on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  for (const CodeShape* shape : shapes_on(*gpu, Decomposition::two)) {
    CAPTURE(shape->name);
    const auto seven = wavefield_after(50, *gpu, *shape);
    CHECK(relative_l2(wavefield_after(50, *gpu, *shape, Decomposition::two), seven) <= 1e-6);
    CHECK(relative_l2(wavefield_after(50, *gpu, *shape, Decomposition::one), seven) <= 1e-6);
  }
}

TEST_CASE("Rings of other equations have the host's bits on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  if (const auto& why = compiler_of_gpus().why_none(); !why.empty()) SKIP(why);
  const auto host = make_host_backend(), gpu = gpu_devices.make(0);
  const auto equation = GENERATE(Equation::density, Equation::vti);
  constexpr auto single = Precision::float32, twice = Precision::float64;
  for (const auto& [radius, precision] :
       {std::pair{4, single}, {1, single}, {8, single}, {2, twice}, {8, twice}}) {
    const auto shape = [&, &radius = radius, &precision = precision](const char* name) -> const CodeShape& {
      return find_shape(name, radius, precision, equation);
    };
    if (!why_not(shape("tma_ring"), gpu->info(), Decomposition::seven).empty()) SKIP("no copy engine");
    struct Case {
      Extent3 n;
      PmlWidths layers;
      BoundaryKind kind = BoundaryKind::pml;
      bool free_surface = false;
    };
    for (const auto& [n, layers, kind, free_surface] :
         {Case{{131, 77, 61}, same_on_all_faces(9)},
          {{70, 150, 83}, same_on_all_faces(0)},
          {{61, 45, 38}, same_on_all_faces(19)},  // no plane free of them
          {{203, 158, 41}, {27, 1, 0, 14, 3, 5}},
          {{67, 93, 121}, {8, 11, 30, 2, 0, 12}, BoundaryKind::pml, true},
          {{93, 45, 38}, same_on_all_faces(3), BoundaryKind::sponge}}) {
      Domain domain = restless_domain(n, equation, kind, layers, radius, precision);
      domain.free_surface = free_surface && equation == Equation::density;
      if (free_surface) domain.columns = layered_columns(equation, n.z);
      CAPTURE(static_cast<int>(equation), radius, bytes_of(precision), n.x, layers.left);
      CHECK(same_bits(field_after_steps(*gpu, domain, shape("tma_ring")),
                      field_after_steps(*host, domain, shape("reference"))));
    }
  }
}

TEST_CASE("A CPML on the GPU has the bits of the host's", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto host = make_host_backend(), gpu = gpu_devices.make(0);
  const auto equation = GENERATE(Equation::wave, Equation::density);
  struct Case {
    Extent3 n;
    PmlWidths layers;  // layers across x choose the tiles: as narrow as can be, up to straight from memory
    bool free_surface = false;
  };
  const std::vector<Case> cases{
      {{67, 45, 38}, same_on_all_faces(2)},          {{67, 45, 39}, same_on_all_faces(6)},
      {{131, 77, 61}, {10, 10, 12, 9, 0, 10}, true}, {{93, 97, 83}, same_on_all_faces(27)},
      {{61, 62, 59}, same_on_all_faces(28)},  // three to five points between the layers
      {{205, 43, 35}, {70, 70, 3, 0, 9, 2}},         {{231, 43, 35}, {100, 0, 0, 5, 4, 4}}};
  for (const auto& [n, layers, free_surface] : cases) {
    Domain domain = restless_domain(n, equation, BoundaryKind::cpml, layers);
    domain.free_surface = free_surface;
    const auto field_on = [&](Backend& backend, const CodeShape& shape) {
      return field_after_steps(backend, domain, shape);
    };
    CAPTURE(static_cast<int>(equation), n.x, n.y, n.z, layers.left, free_surface);
    const auto shape = [&](const char* name) -> const CodeShape& {
      return find_shape(name, domain.radius, domain.precision, equation);
    };
    const auto expected = field_on(*host, shape("reference"));
    CHECK(same_bits(field_on(*gpu, shape("gmem_16x16x4")), expected));
    const CodeShape& ring = shape("tma_ring");
    const bool runs = why_not(ring, gpu->info(), Decomposition::seven).empty();
    if (runs && ring.sums == "star") CHECK(same_bits(field_on(*gpu, ring), expected));
  }
}

TEST_CASE("Layers of a CPML within a pass of tma_ring have the bits of those behind it", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  struct Case {
    Extent3 n;
    PmlWidths layers;
    bool corrected;  // whether tiles have room for them
  };
  const std::vector<Case> cases{
      {{132, 77, 61}, same_on_all_faces(10), true},  {{131, 77, 61}, same_on_all_faces(10), false},
      {{131, 77, 61}, {10, 9, 10, 10, 0, 10}, true}, {{300, 92, 45}, same_on_all_faces(10), true},
      {{300, 92, 45}, {3, 9, 0, 7, 5, 0}, true},     {{300, 92, 45}, same_on_all_faces(20), false},
      {{259, 100, 40}, {9, 0, 27, 27, 5, 5}, true},  {{428, 61, 153}, same_on_all_faces(10), true},
      {{127, 130, 67}, {0, 5, 6, 10, 10, 10}, true}, {{127, 130, 67}, same_on_all_faces(10), false},
      {{31, 400, 35}, same_on_all_faces(12), false}};
  for (const auto& [n, layers, corrected] : cases) {
    const CodeShape& within = find_shape("tma_ring_128x32");
    if (!why_not(within, gpu->info(), Decomposition::seven).empty()) SKIP("tma_ring does not run here");
    CodeShape behind = within;
    behind.device.inner = [plan = within.device.inner](LaunchArgs args) {
      static_cast<LayerArgs&>(args) = {};
      return plan(args);
    };
    const Domain domain = restless_domain(n, Equation::wave, BoundaryKind::cpml, layers);
    const auto field_by = [&](const CodeShape& shape, bool expected) {
      Propagator propagator = make_propagator(*gpu, domain, {&shape, &shape});
      CHECK(propagator.plan().corrects_across_x() == expected);
      return field_after_steps(propagator, domain);
    };
    CAPTURE(n.x, n.y, n.z, layers.left);
    CHECK(same_bits(field_by(within, corrected), field_by(behind, false)));
  }
}
