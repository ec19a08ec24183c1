/// States of a shot along the way, in each place that they may lie in.
#include "src/job/gradient/history/kept_states.hpp"

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/job/gradient/history/gradient_plan.hpp"
#include "src/solver/schedules.hpp"
#include "validation/physics/schedule_run.hpp"

namespace minimod {

namespace {

constexpr Extent3 grid_of_test{30, 28, 32};

std::vector<double> wavefield(const Propagator& shot) {
  return shot.wavefield({{0, 0, 0}, {grid_of_test.x, grid_of_test.y, grid_of_test.z}});
}

void step_to(int step, Propagator& shot) {
  while (shot.steps_done() < step) shot.step();
}

}  // namespace

TEST_CASE("A shot goes on from a state along the way to the same bits, wherever that is kept", "[unit]") {
  const auto host = make_host_backend();
  const TemporaryDirectory folder;
  for (const char* schedule : {"sequence", "whole"}) {  // by the latter a step is ahead behind an odd one
    const KernelSet kernels{&find_shape("reference"), &find_shape("reference"), find_schedule(schedule)};
    for (const bool are_beside : {true, false}) {
      for (const std::string& states_on : {std::string(), folder.path().string()}) {
        CAPTURE(schedule, are_beside, states_on);
        Propagator shot = make_propagator(*host, {grid_of_test, 6, {12, 13, 14}}, kernels);
        Reversal reversal;
        reversal.states = 2;
        reversal.states_are_beside = are_beside;
        KeptStates states(*host, reversal, bytes_of_state(shot), states_on);
        CHECK(states.are_on_disk() == (!are_beside && !states_on.empty()));
        shot.set_random_field(1);
        step_to(3, shot);
        states.save(1, shot);
        step_to(6, shot);
        states.save(0, shot);
        const std::vector<double> behind_six = wavefield(shot);
        step_to(9, shot);
        const std::vector<double> behind_nine = wavefield(shot);
        CHECK_FALSE(same_bits(behind_six, behind_nine));
        states.restore(1, 3, shot);
        step_to(6, shot);
        CHECK(same_bits(wavefield(shot), behind_six));
        states.restore(0, 6, shot);
        step_to(9, shot);
        CHECK(same_bits(wavefield(shot), behind_nine));
        states.restore(-1, 0, shot);
        CHECK(shot.steps_done() == 0);
        CHECK(same_bits(wavefield(shot), std::vector<double>(behind_six.size())));
      }
    }
  }
}

}  // namespace minimod
