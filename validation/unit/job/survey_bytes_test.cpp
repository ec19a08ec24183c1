/// Room that a survey takes on the disk.
#include <cstdint>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/job/outputs/shot_bytes.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;

TEST_CASE("What a survey has left on its disk is not counted again", "[unit]") {
  const ShotOptions options = parse_shot(
      "--grid 24 --pml-width 4 --steps 2000000 --allow-dispersion --snapshot-every 1steps "
      "--sources line:100,100,100:150,100,100:2 --receivers line:100,100,100:100,100,100:1");
  const SurveyPlan survey = make_survey_plan(options);
  const TemporaryDirectory folder;
  SurveyBytes bytes(survey, options, 1);
  const auto refusal = [&] { return outcome_of([&] { bytes.check_room(folder.path()); }); };
  CHECK(refusal().kind == ErrorKind::none);
  for (int shots = 0; shots < 1'000'000 && refusal().kind == ErrorKind::none; ++shots)
    bytes.add(survey.shot(0));
  CHECK(refusal().kind == ErrorKind::io);
  CHECK(refusal().says("are free in its file system"));
  bytes.add_there(std::uint64_t{1} << 60);
  CHECK(refusal().kind == ErrorKind::none);
}
