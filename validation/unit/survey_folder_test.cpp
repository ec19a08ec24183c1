/// Which folder a survey takes, and what is to be done about its shots.
#include "src/survey/survey_folder.hpp"

#include <fstream>

#include <catch2/catch_test_macros.hpp>

#include "src/base/temporary_directory.hpp"
#include "src/survey/shot_state.hpp"
#include "validation/unit/expect_error.hpp"

using namespace minimod;
namespace fs = std::filesystem;

namespace {

Configuration survey_with(double dt) {
  return {{"--model", "constant:2000"}, {"--dt (s)", dt}, {"--steps", 100}};
}

}  // namespace

TEST_CASE("A survey goes on in its folder, and another one is refused or starts anew beside it", "[unit]") {
  const TemporaryDirectory folder;
  const fs::path output = folder.path() / "a" / "survey";
  CHECK(take_survey_folder(output, survey_with(1e-3), false) == output);
  CHECK(take_survey_folder(output, survey_with(1e-3), false) == output);
  CHECK(take_survey_folder(output / "", survey_with(1e-3), true) == output);
  const Outcome refused =
      outcome_of([&] { static_cast<void>(take_survey_folder(output, survey_with(1.2e-3), false)); });
  CHECK(refused.code == ExitCode::cannot_create);
  CHECK(refused.says("--dt (s) is 0.001 there and 0.0012 here"));
  CHECK(refused.says("--force"));
  CHECK(refused.message.size() <= longest_message);
  CHECK(take_survey_folder(output, survey_with(1.2e-3), true) == (fs::path(output) += ".1"));
  CHECK(take_survey_folder(output, survey_with(1.3e-3), true) == (fs::path(output) += ".2"));
  CHECK(take_survey_folder(output, survey_with(1.2e-3), true) == (fs::path(output) += ".1"));
}

TEST_CASE("A survey takes no folder of something else", "[unit]") {
  const TemporaryDirectory folder;
  CHECK(take_survey_folder(folder.path(), survey_with(1e-3), false) == folder.path());
  for (const char* content : {"", "{}", "{\"schema\": \"other\"}", "[1"}) {
    const TemporaryDirectory other;
    static_cast<void>(other.write("configuration.json", content));
    for (const bool force : {false, true}) {
      CHECK(outcome_of([&] {
              static_cast<void>(take_survey_folder(other.path(), survey_with(1e-3), force));
            }).code == ExitCode::cannot_create);
    }
    CHECK(other.entries() == 1);
  }
}

TEST_CASE("A shot of a survey is done, interrupted or not begun", "[unit]") {
  const TemporaryDirectory folder;
  const Configuration configuration = survey_with(1e-3);
  CheckpointFiles checkpoints(folder.path() / "shot_00003");
  {
    Journal journal(folder.path(), {});
    CHECK(state_of(3, configuration, journal, checkpoints) == ShotState::not_begun);
    static_cast<void>(folder.write("shot_00003.h5", "traces"));
    CHECK(state_of(3, configuration, journal, checkpoints) == ShotState::not_begun);
    journal.add(finished_shot(3, hash_of(configuration), folder.path(), {"shot_00003.h5"}));
  }
  const Journal journal(folder.path(), {});
  CHECK(state_of(3, configuration, journal, checkpoints) == ShotState::done);
  CHECK(state_of(3, survey_with(2e-3), journal, checkpoints) == ShotState::not_begun);
  static_cast<void>(folder.write("shot_00003.h5", "traCes"));
  CHECK(state_of(3, configuration, journal, checkpoints) == ShotState::not_begun);
}
