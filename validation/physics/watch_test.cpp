/// The watch over a run: what it lets pass, and what it ends.
#include "src/solver/watch.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "kernels/registry.hpp"
#include "src/solver/numerics/time_step.hpp"
#include "validation/cases/means/domain.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;

namespace {

Domain domain_with(int pml_width) {
  Domain domain{{20, 20, 20}};
  domain.dt = 0.8 * stable_dt_limit(domain.velocity, {domain.h, domain.h, domain.h});
  domain.pml_width = pml_width;
  domain.pml_velocity = domain.velocity;
  return domain;
}

struct WatchedRun {
  Outcome outcome;
  int steps_done = 0;
};

/// A run in the middle of which `samples` are fed in.
WatchedRun run_watched(const Domain& domain, const std::vector<double>& samples, int source_end, int steps) {
  const auto host = make_host_backend();
  const CodeShape& kokkos = find_shape("kokkos");
  Propagator propagator = make_propagator(*host, domain, {&kokkos, &kokkos});
  if (!samples.empty()) propagator.set_source({10, 10, 10}, samples);
  Watch watch(*host, source_end, "take a wider layer");
  const Outcome outcome = outcome_of([&] {
    while (propagator.steps_done() < steps) {
      propagator.step();
      watch.after_step(propagator);
    }
    watch.after_last_step(propagator);
  });
  return {outcome, propagator.steps_done()};
}

std::vector<double> steady_with(double value, int at) {
  std::vector<double> samples(1000, 1);
  samples[at] = value;
  return samples;
}

}  // namespace

TEST_CASE("A watch ends a run within 100 steps of a sample that is not finite", "[physics]") {
  for (const double value : {std::nan(""), HUGE_VAL, -1e300}) {
    CAPTURE(value);
    const WatchedRun run = run_watched(domain_with(5), steady_with(value, 130), 1000, 1000);
    CAPTURE(run.outcome.message);
    CHECK(run.outcome.kind == ErrorKind::data);
    CHECK(run.outcome.says("not finite"));
    CHECK(run.outcome.says("after step 200"));
    CHECK(run.outcome.says("at node ("));
    CHECK(run.outcome.message.size() <= longest_message);
    CHECK(run.steps_done == 200);
  }
}

TEST_CASE("A value that is no number of emulated threads names shape, launch and block", "[physics]") {
  const auto host = make_host_backend();
  const CodeShape& plain = find_shape("kokkos");
  CodeShape emulated = find_shape("st_smem_16x16");
  emulated.host.inner = on_host<WaveArgs<float>>(
      [](const WaveArgs<float>& of) { of.u_next[of.layout.index(14, 7, 9)] = std::nanf(""); });
  Domain domain = domain_with(5);
  domain.n = {40, 20, 20};
  Propagator propagator = make_propagator(*host, domain, {&emulated, &plain});
  Watch watch(*host, 10, "take a wider layer");
  propagator.step();
  const Outcome outcome = outcome_of([&] { watch.after_last_step(propagator); });
  CAPTURE(outcome.message);
  CHECK(outcome.kind == ErrorKind::data);
  CHECK(outcome.says("unwritten shared memory in st_smem_16x16?"));
  CHECK(outcome.says("at node (14, 7, 9) after step 1, inner, block (0, 0, 0)"));
  CHECK(outcome.says("a missing barrier or copy by minimod verify kernels --emulate"));
  CHECK(outcome.message.size() <= longest_message);
}

TEST_CASE("A watch looks at the field of the last step", "[physics]") {
  const WatchedRun run = run_watched(domain_with(5), steady_with(std::nan(""), 130), 1000, 150);
  CHECK(run.outcome.kind == ErrorKind::data);
  CHECK(run.outcome.says("after step 150"));
}

TEST_CASE("A watch counts growth from the source's end on", "[physics]") {
  std::vector<double> samples(400, 1);
  std::fill(samples.begin() + 250, samples.end(), 1e6);
  CHECK(run_watched(domain_with(5), samples, 400, 400).outcome.kind == ErrorKind::none);
  const WatchedRun run = run_watched(domain_with(5), samples, 150, 400);
  CAPTURE(run.outcome.message);
  CHECK(run.outcome.kind == ErrorKind::data);
  CHECK(run.outcome.says("grows"));
  CHECK(run.outcome.says("at node (10, 10, 10) after step 300"));
  CHECK(run.outcome.message.size() <= longest_message);
}

TEST_CASE("A watch ends a run in which a thin layer grows", "[physics]") {
  Domain domain = domain_with(3);
  domain.pml_alpha = 0;
  const WatchedRun run = run_watched(domain, ricker_samples(5, 0.2, domain.dt, 120), 120, 20000);
  CAPTURE(run.outcome.message);
  CHECK(run.outcome.kind == ErrorKind::data);
  CHECK(run.outcome.says("grows"));
  CHECK(run.steps_done < 20000);
}

TEST_CASE("A watch lets waves that leave, and silence, pass", "[physics]") {
  const Domain domain = domain_with(6);
  CHECK(run_watched(domain, ricker_samples(5, 0.2, domain.dt, 120), 120, 450).outcome.kind ==
        ErrorKind::none);
  CHECK(run_watched(domain, {}, 0, 450).outcome.kind == ErrorKind::none);
}
