/// Codes that the propagator gives a shape which reads (V Δt)² in 16 bits, with a stand-in for it on the
/// host.
#include <catch2/catch_test_macros.hpp>

#include "kernels/random_field.hpp"
#include "kernels/registry.hpp"
#include "src/solver/fields/memory.hpp"
#include "validation/cases/means/domain.hpp"

using namespace minimod;

namespace {

/// The reference's inner update, with (V Δt)² from its codes.
void update_from_codes(const LaunchArgs& given) {
  std::vector<float> v2dt2(given.layout.size);
  for (std::size_t i = 0; i < v2dt2.size(); ++i) v2dt2[i] = given.v2dt2_code.decode(given.v2dt2_codes[i]);
  LaunchArgs args = given;
  args.v2dt2 = v2dt2.data();
  run_once(find_shape("reference").host.inner, args);
}

CodeShape make_coded_reference() {
  CodeShape shape = find_shape("reference");
  shape.needs.v16 = true;
  shape.host.inner = [](const LaunchArgs&) { return host_launch(update_from_codes); };
  return shape;
}

KernelSet plain_kernels() {
  return {&find_shape("reference"), &find_shape("reference")};
}
KernelSet coded_kernels() {
  static const CodeShape coded = make_coded_reference();
  return {&coded, &find_shape("reference")};
}
const Domain small_domain = [] {
  Domain domain{{31, 27, 23}, 20, 2e-3};
  domain.pml_width = 5;
  domain.pml_velocity = 3000;
  return domain;
}();

/// From 1500 to 3500 m/s.
void set_random_velocity(Propagator& propagator, int seed) {
  propagator.set_velocity(small_domain.dt, [seed](int z, float* plane) {
    for (int i = 0; i < small_domain.n.x * small_domain.n.y; ++i)
      plane[i] = 2500 + 1000 * random_value(seed, i, 0, z);
  });
}

std::vector<double> wavefield_after_steps(Propagator& propagator) {
  propagator.set_random_field(1);
  for (int n = 0; n < 5; ++n) propagator.step();
  return propagator.wavefield({{0, 0, 0}, {small_domain.n.x, small_domain.n.y, small_domain.n.z}});
}

/// Field of the reference in the medium of that seed.
std::vector<double> expected(Backend& backend, int seed, bool rounded) {
  Propagator propagator = make_propagator(backend, small_domain, plain_kernels());
  set_random_velocity(propagator, seed);
  if (rounded) propagator.round_velocity_to_codes();
  return wavefield_after_steps(propagator);
}

}  // namespace

TEST_CASE("A shape that reads 16-bit velocities computes in the medium that they stand for", "[shapes]") {
  const auto host = make_host_backend();
  const auto rounded = expected(*host, 2, true);
  CHECK((rounded != expected(*host, 2, false)));

  Propagator propagator = make_propagator(*host, small_domain, coded_kernels());
  set_random_velocity(propagator, 2);
  CHECK((wavefield_after_steps(propagator) == rounded));
}

TEST_CASE("16-bit velocities follow a change of kernels and of the model", "[shapes]") {
  const auto host = make_host_backend();
  Propagator propagator = make_propagator(*host, small_domain, plain_kernels());
  set_random_velocity(propagator, 2);
  CHECK(!propagator.velocity_code().has_value());
  propagator.set_kernels(coded_kernels());
  SECTION("kernels after the model") {
    CHECK((wavefield_after_steps(propagator) == expected(*host, 2, true)));
  }
  SECTION("the model after the kernels") {
    set_random_velocity(propagator, 3);
    CHECK((wavefield_after_steps(propagator) == expected(*host, 3, true)));
  }
  SECTION("the model while other kernels are at work") {
    propagator.set_kernels(plain_kernels());
    set_random_velocity(propagator, 4);
    propagator.set_kernels(coded_kernels());
    CHECK((wavefield_after_steps(propagator) == expected(*host, 4, true)));
  }
  SECTION("back to kernels that read 32 bits") {
    propagator.set_kernels(plain_kernels());
    CHECK((wavefield_after_steps(propagator) == expected(*host, 2, false)));
  }
}

TEST_CASE("A propagator states the error of its 16-bit velocities", "[shapes]") {
  const auto host = make_host_backend();
  Propagator propagator = make_propagator(*host, small_domain, coded_kernels());
  REQUIRE(propagator.velocity_code().has_value());
  CHECK(propagator.velocity_code()->greatest_error() == 0);  // a homogeneous medium

  set_random_velocity(propagator, 2);
  const VelocityCode code = *propagator.velocity_code();
  const double least = std::pow(1500 * small_domain.dt, 2), greatest = std::pow(3500 * small_domain.dt, 2);
  CHECK(code.greatest_error() > 0.5 * 0.99 * (greatest - least) / VelocityCode::most);
  CHECK(code.greatest_error() < 0.5 * 1.05 * (greatest - least) / VelocityCode::most);
  CHECK(code.greatest_relative_error() < 1.05 * code.greatest_error() / least);
}

TEST_CASE("The codes of the velocities count as memory", "[shapes]") {
  const auto host = make_host_backend();
  const StepProblem problem{small_domain.grid(), small_domain.boundary()};
  CHECK(bytes_needed(*host, problem, coded_kernels()) ==
        bytes_needed(*host, problem, plain_kernels()) +
            host->granted_bytes(2 * std::size_t(problem.grid.layout.size)));
}
