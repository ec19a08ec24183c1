/// Sums of a shot's gradient by slabs of its domain: together they are those of all of it, and cuts that a
/// transpose cannot have are refused.
#include "src/job/gradient/sums/slab_sums.hpp"

#include <catch2/catch_test_macros.hpp>

#include "kernels/random_field.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/job/gradient/adjoint_problem.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {

namespace {

template <class Real>
std::vector<Real> random_values(std::int64_t count, int seed) {
  std::vector<Real> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<Real>(random_value(seed, static_cast<int>(i), 0, 0));
  return values;
}

template <class Real>
std::vector<Real> part(const std::vector<Real>& values, std::size_t plane, IndexRange planes) {
  const auto at = [&](int z) { return values.begin() + static_cast<std::ptrdiff_t>(plane * z); };
  return {at(planes.begin), at(planes.end)};
}

const IndexRange slabs[] = {{0, 9}, {9, 13}, {13, 24}};

}  // namespace

TEST_CASE("Sums that are folded slab by slab are those of the whole domain", "[unit]") {
  for (const char* condition : {"", "image"}) {
    const ShotOptions options = parse_shot(
        "--model layered:1800@0,2400@60 --grid 18,17,24 --spacing 10 --pml-width 4 --steps 9 "
        "--source 60,60,60 --allow-dispersion");
    const SurveyPlan plan = make_survey_plan(options);
    const SampledMedium& medium = *plan.shared.medium;
    const Extent3 n = medium.grid();
    REQUIRE(n.z == 24);
    const std::size_t plane = std::size_t(n.x) * n.y;
    auto products = random_values<double>(n.points(), 1);
    auto drives = random_values<float>(n.points(), 2), adjoints = random_values<float>(n.points(), 3);
    SumKind kind;
    if (*condition != '\0') kind.condition = ImagingCondition::cross;
    const ReadPointSums read = [&](IndexRange planes) {
      const std::size_t first = plane * planes.begin;
      return PointSums{&products[first], {&drives[first]}, {&adjoints[first]}};
    };
    const auto folded = [&](IndexRange planes, int at_once) {
      return fold(read, {1e-3, 2, 3, 4}, medium, kind, Precision::float32, planes, at_once);
    };
    const GradientSums whole = folded({0, n.z}, n.z);
    for (const int at_once : {1, 2, 5, 15, 16, 17, 23}) {
      const GradientSums parts = folded({0, n.z}, at_once);
      CHECK(parts.correlation.values == whole.correlation.values);
      CHECK(parts.source_illumination.values == whole.source_illumination.values);
      CHECK(parts.receiver_illumination.values == whole.receiver_illumination.values);
    }
    GradientSums joined = folded(slabs[0], 4);
    for (const IndexRange& slab : {slabs[1], slabs[2]}) {
      const GradientSums next = folded(slab, 4);
      joined.correlation.values.append(next.correlation.values);
      joined.source_illumination.values.append(next.source_illumination.values);
      joined.receiver_illumination.values.append(next.receiver_illumination.values);
    }
    CHECK(joined.correlation.values == whole.correlation.values);
    CHECK(joined.source_illumination.values == whole.source_illumination.values);
    CHECK(joined.receiver_illumination.values == whole.receiver_illumination.values);
  }
}

TEST_CASE("An image's second differences of a slab take planes of its neighbours", "[unit]") {
  const Grid grid = make_grid({7, 6, 24}, {10, 11, 9}, 0, Difference(4));
  const std::size_t plane = std::size_t(grid.n.x) * grid.n.y;
  const auto values = random_values<double>(grid.n.points(), 4);
  const auto whole = minus_half_laplacian(values, grid);
  std::vector<double> joined;
  for (const IndexRange& slab : slabs) {
    const IndexRange there{std::max(0, slab.begin - 4), std::min(grid.n.z, slab.end + 4)};
    const auto own = minus_half_laplacian(part(values, plane, there), grid, there, slab);
    joined.insert(joined.end(), own.begin(), own.end());
  }
  CHECK(joined == whole);
}

TEST_CASE("The transpose of a pml is cut a plane farther off its layers than a halo reaches", "[unit]") {
  const auto refusal = [](int order, std::vector<int> planes) {
    const ShotOptions options = parse_shot(
        text("--model constant:2000 --grid 18,18,24 --spacing 10 --boundary pml --pml-width 4 --steps 9 "
             "--allow-dispersion --order ",
             order));
    Problem problem = make_survey_plan(options).shared.problem;
    problem.cut.slabs = cut_by_planes(problem.domain, planes);
    const StepProblem slab = problem.part();
    CHECK(slab.boundary.alpha == problem.boundary.alpha);
    return outcome_of([&] {
      const StepProblem transposed = adjoint_problem(problem).part();
      CHECK(transposed.boundary.alpha == problem.boundary.alpha);
      CHECK(transposed.boundary.continues_below);
    });
  };
  CHECK(refusal(2, {6, 18}).kind == ErrorKind::none);
  CHECK(refusal(2, {18, 6}).kind == ErrorKind::none);
  for (const std::vector<int>& planes : {std::vector{5, 19}, {19, 5}}) {
    const Outcome outcome = refusal(2, planes);
    CHECK(outcome.kind == ErrorKind::parameter);
    CHECK(outcome.says(text("before plane ", planes[0])));
  }
  CHECK(refusal(4, {6, 18}).kind == ErrorKind::none);
}

}  // namespace minimod
