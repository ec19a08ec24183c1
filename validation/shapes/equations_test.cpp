/// Equations of several arrays at neighbours: families compute them as a plain loop does, and a barrier that
/// is left out is found.
#include <catch2/catch_test_macros.hpp>

#include "kernels/host/host_block.hpp"
#include "kernels/random_field.hpp"
#include "kernels/shapes/gmem.hpp"
#include "kernels/shapes/gmem_column.hpp"
#include "kernels/shapes/smem_partial.hpp"
#include "kernels/shapes/smem_u.hpp"
#include "kernels/shapes/st_reg.hpp"
#include "kernels/shapes/st_smem.hpp"
#include "validation/cases/means/equation_run.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {

// A name's linkage: parts of a family that are made of equations have them for bases.
namespace equation_runs {

/// No barrier is one.
struct BlockWithoutBarriers : HostBlock {
  using HostBlock::HostBlock;
  void sync() const {}
};

/// Runs the blocks of a family.
template <template <class> class Family, class Block = HostBlock>
struct In {
  template <class Equation>
  void run(const typename Equation::Args& args) const {
    run_on_host<Family<Equation>, typename Equation::Args, Block>(args, 5);
  }
};
template <class Equation>
using InGmem = Gmem<Equation, 8, 4, 2>;
template <class Equation>
using InSmemU = SmemU<Equation, 8, 8, 8>;
template <class Equation>
using InGmemColumn = GmemColumn<Equation, 8, 4, 4>;
template <class Equation>
using InSmemPartial = SmemPartial<Equation, 8, 4>;
template <class Equation>
using InStSmem = StSmem<Equation, 8, 8>;
template <class Equation>
using InCoarsened = Coarsened<Equation, 8, 2, 5>;  // no threads for the sides
template <class Equation>
using InStRegShft = StRegShft<Equation, 16, 8, 2, 1>;
template <class Equation>
using InStRegShftDb = StRegShftDb<Equation, 8, 6>;
template <class Equation>
using InStRegFixed = StRegFixed<Equation, 8, 8>;

Domain odd_domain() {
  Domain domain{{21, 19, 18}};
  domain.dt = 1e-3;
  domain.stretch = {1, 0.75, 0.625};
  domain.pml_width = 3;
  domain.pml_velocity = 2500;
  domain.velocity_at = [](Index3 p) { return 2000 + 500 * random_value(1, p.x, p.y, p.z); };
  return domain;
}

double random_density(Index3 p) {
  return 1850 + 850 * random_value(2, p.x, p.y, p.z);
}

Thomsen random_medium(Index3 p) {
  const double delta = 0.1 * random_value(3, p.x, p.y, p.z);
  return {delta + 0.1 * (1 + random_value(4, p.x, p.y, p.z)), delta};
}

/// Fills a wavefield with noise on the points, and with none around them.
template <class Run, class Real>
void set_noise(const Run& run, Wavefield<Real>& u, unsigned seed) {
  run.for_points([&](Index3 p, std::int64_t i) {
    u.now[i] = static_cast<Real>(random_value(seed, p.x, p.y, p.z));
    u.next[i] = static_cast<Real>(random_value(seed + 1, p.x, p.y, p.z));
    u.phi[i] = static_cast<Real>(1e-3 * random_value(seed + 2, p.x, p.y, p.z));
  });
}

template <class Real, int Radius>
DensityRun<Real, Radius> noisy_density() {
  DensityRun<Real, Radius> run(odd_domain(), random_density);
  set_noise(run, run.u, 10);
  return run;
}

template <class Real, int Radius>
VtiRun<Real, Radius> noisy_vti() {
  VtiRun<Real, Radius> run(odd_domain(), random_medium);
  set_noise(run, run.p, 10);
  set_noise(run, run.q, 20);
  return run;
}

template <class Real>
bool same(const Wavefield<Real>& a, const Wavefield<Real>& b) {
  return same_bits(a.now, b.now) && same_bits(a.phi, b.phi);
}

template <class Real, int Radius, class Loop>
bool computes_density(const Loop& loop) {
  auto expected = noisy_density<Real, Radius>(), found = expected;
  for (int step = 0; step < 2; ++step) expected.step(), found.step(loop);
  return same(expected.u, found.u);
}

template <class Real, int Radius, class Loop>
bool computes_vti(const Loop& loop) {
  auto expected = noisy_vti<Real, Radius>(), found = expected;
  for (int step = 0; step < 2; ++step) expected.step(), found.step(loop);
  return same(expected.p, found.p) && same(expected.q, found.q);
}

/// VTI waves whose second wavefield is said to be read one plane less far, or not to be read beside the
/// point.
template <class Formula>
struct ShortOfQ : Vti<Formula> {
  using Of = Vti<Formula>;
  static MINIMOD_HD constexpr Reach reach(int array) {
    Reach all = Of::reach(array);
    if (array == Of::q) --all.upper.z;
    return all;
  }
};
template <class Formula>
struct WithoutQ : Vti<Formula> {
  using Of = Vti<Formula>;
  using Beside = ArrayList<Of::p>;
  static MINIMOD_HD constexpr Reach reach(int array) { return array == Of::q ? Reach{} : Of::reach(array); }
};

/// Waves of variable density whose pressure is said to be read one point less far.
template <class Formula>
struct ShortOfPressure : Density<Formula> {
  using Of = Density<Formula>;
  static MINIMOD_HD constexpr Reach reach(int array) {
    Reach all = Of::reach(array);
    if (array == Of::u) --all.lower.x;
    return all;
  }
};

/// Runs such an equation in place of the one that it is given.
template <template <class> class Wrong, template <class> class Family>
struct WrongIn {
  template <class Equation>
  void run(const typename Equation::Args& args) const {
    run_on_host<Family<Wrong<MixedUpdate<float>>>>(args);
  }
};
template <template <class> class Wrong, template <class> class Family>
std::string said_of() {
  return outcome_of([] { noisy_vti<float, 4>().step(WrongIn<Wrong, Family>()); }).message;
}
/// Whether a message names shape, point, array and where that is read.
bool names(const std::string& said, const std::string& shape, const std::string& read) {
  UNSCOPED_INFO(said);
  return said.starts_with(shape + ": at point (") &&
         said.find(") the equation reads its array " + read) != std::string::npos;
}

}  // namespace equation_runs

using namespace equation_runs;

TEST_CASE("Families give the bits of a plain loop for variable density and VTI", "[shapes]") {
  CHECK(computes_density<float, 4>(In<InGmem>()));
  CHECK(computes_density<float, 4>(In<InSmemU>()));
  CHECK(computes_density<float, 4>(In<InGmemColumn>()));
  CHECK(computes_density<float, 4>(In<InSmemPartial>()));
  CHECK(computes_density<float, 4>(In<InStSmem>()));
  CHECK(computes_density<float, 4>(In<InCoarsened>()));
  CHECK(computes_density<float, 4>(In<InStRegShft>()));
  CHECK(computes_density<float, 4>(In<InStRegShftDb>()));
  CHECK(computes_density<float, 4>(In<InStRegFixed>()));
  CHECK(computes_density<double, 1>(In<InSmemU>()));
  CHECK(computes_density<double, 3>(In<InStSmem>()));
  CHECK(computes_density<double, 3>(In<InStRegFixed>()));
  CHECK(computes_density<double, 8>(In<InGmem>()));
  CHECK(computes_vti<float, 4>(In<InGmem>()));
  CHECK(computes_vti<float, 4>(In<InSmemU>()));
  CHECK(computes_vti<float, 4>(In<InGmemColumn>()));
  CHECK(computes_vti<float, 4>(In<InSmemPartial>()));
  CHECK(computes_vti<float, 4>(In<InStSmem>()));
  CHECK(computes_vti<float, 4>(In<InCoarsened>()));
  CHECK(computes_vti<float, 4>(In<InStRegShft>()));
  CHECK(computes_vti<float, 4>(In<InStRegShftDb>()));
  CHECK(computes_vti<float, 4>(In<InStRegFixed>()));
  CHECK(computes_vti<double, 1>(In<InSmemU>()));
  CHECK(computes_vti<double, 3>(In<InStSmem>()));
}

TEST_CASE("A barrier that is left out shows in equations of several arrays", "[shapes]") {
  CHECK_FALSE(computes_density<float, 4>(In<InSmemU, BlockWithoutBarriers>()));
  CHECK_FALSE(computes_density<float, 4>(In<InStSmem, BlockWithoutBarriers>()));
  CHECK_FALSE(computes_vti<float, 4>(In<InSmemU, BlockWithoutBarriers>()));
  CHECK_FALSE(computes_vti<float, 4>(In<InStRegShft, BlockWithoutBarriers>()));
  CHECK_FALSE(computes_vti<float, 4>(In<InStRegShftDb, BlockWithoutBarriers>()));
}

TEST_CASE("An array that is read where the equation does not say so is named", "[shapes]") {
  CHECK(names(said_of<ShortOfQ, InStSmem>(), "st_smem, tile 8x8", "q (number 5) (0, 0, 4) away"));
  CHECK(names(said_of<ShortOfQ, InStRegShft>(), "st_reg_shft, tile 16x8", "q (number 5) (0, 0, 4) away"));
  CHECK(names(said_of<WithoutQ, InSmemU>(), "smem_u, tile 8x8x8", "q (number 5) (0, 0, "));
  CHECK(names(said_of<WithoutQ, InGmem>(), "gmem, tile 8x4x2", "q (number 5) (0, 0, "));
  const std::string of_density =
      outcome_of([] { noisy_density<float, 4>().step(WrongIn<ShortOfPressure, InSmemU>()); }).message;
  CHECK(names(of_density, "smem_u, tile 8x8x8", "u (number 0) (-4, 0, 0) away"));
}

}  // namespace minimod
