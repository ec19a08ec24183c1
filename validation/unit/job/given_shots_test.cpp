#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "src/commands/options/shot_line.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

const std::string line = "--grid 64 --spacing 10 --steps 40 --pml-width 8 --allow-dispersion ";

/// Signature of the Ricker wavelet of 15 Hz by samples 0.5 ms apart.
Signature sampled_ricker() {
  std::vector<double> samples(500);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = ricker(5e-4 * static_cast<double>(i), 15, 0.1);
  return sampled_signature(std::move(samples), 5e-4, 0, "array 1");
}

TEST_CASE("Shots in memory are planned as those of a command line", "[unit]") {
  const SurveyPlan typed =
      make_survey_plan(parse_shot(line + "-s 205,240,55 -w ricker:f=15 -r line:0,240,10:470,240,10:20"));
  ShotOptions options = parse_shot(line);
  auto given = std::make_shared<GivenShots>();
  given->shots = {{first_shot_number, {{{205, 240, 55}, "ricker:f=15"}}, typed.first.receivers}};
  options.acquisition.given = given;
  const SurveyPlan plan = make_survey_plan(options);
  CHECK(plan.first.receivers == typed.first.receivers);
  CHECK(plan.first.receiver_nodes == typed.first.receiver_nodes);
  CHECK(plan.first.interpolation == typed.first.interpolation);
  CHECK(plan.first.wavelet().samples == typed.first.wavelet().samples);
  CHECK(plan.shared.time().dt == typed.shared.time().dt);
  CHECK_FALSE(plan.default_line);
}

TEST_CASE("A shot in memory without receivers has the usual line", "[unit]") {
  ShotOptions options = parse_shot(line);
  auto given = std::make_shared<GivenShots>();
  given->shots = {{3, {{{240, 100, 50}, "ricker:f=15"}}, {}}, {5, {{{240, 300, 50}, "ricker:f=15"}}, {}}};
  options.acquisition.given = given;
  const SurveyPlan plan = make_survey_plan(options);
  REQUIRE(plan.shots.size() == 2);
  CHECK(plan.default_line);
  CHECK(plan.first.number == 3);
  CHECK(plan.shots[1].receivers.size() == 48);
  CHECK(plan.shots[1].receivers.front() == Point3{0, 300, 0});
}

TEST_CASE("A source in memory may name a signature by its samples", "[unit]") {
  ShotOptions options = parse_shot(line);
  auto given = std::make_shared<GivenShots>();
  given->shots = {{1, {{{240, 240, 50}, "array 1"}}, {}}};
  given->signatures["array 1"] = sampled_ricker();
  options.acquisition.given = given;
  const Wavelet sampled = make_survey_plan(options).first.wavelet();
  const Wavelet formula = make_survey_plan(parse_shot(line + "-w ricker:f=15,t0=0.1")).first.wavelet();
  double difference = 0;
  for (std::size_t i = 0; i < sampled.samples.size(); ++i)
    difference = std::max(difference, std::abs(sampled.samples[i] - formula.samples[i]));
  CHECK(difference < 1e-6);
}

TEST_CASE("Samples that are no signature are refused", "[unit]") {
  const auto refused = [](std::vector<double> samples, double dt, double first) {
    const Outcome outcome =
        outcome_of([&] { (void)sampled_signature(std::move(samples), dt, first, "array 1"); });
    CHECK(outcome.kind == ErrorKind::data);
  };
  refused({1}, 1e-3, 0);
  refused({1, NAN}, 1e-3, 0);
  refused({1, 2}, 0, 0);
  refused({1, 2}, INFINITY, 0);
  refused({1, 2}, 1e-3, NAN);
}

}  // namespace
}  // namespace minimod
