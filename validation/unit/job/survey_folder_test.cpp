/// The folder that a survey takes.
#include "src/job/survey/survey_folder.hpp"

#include <fstream>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;
namespace fs = std::filesystem;

namespace {

Configuration survey_with(double dt) {
  return {{"--model", "constant:2000"}, {"--dt (s)", dt}, {"--steps", 100}};
}

/// Folder of a survey that is begun where it finds room; shots are other ones where a file says so.
fs::path take_survey_folder(const fs::path& output, const Configuration& survey, bool force) {
  const auto other_shots = [](const fs::path& folder) {
    return fs::exists(folder / "shots") ? "shot 3 has another source" : "";
  };
  fs::path folder = find_survey_folder(output, survey, force, other_shots);
  make_folder(folder);
  begin_survey(folder, survey);
  CHECK(is_begun(folder));
  return folder;
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
  CHECK(refused.kind == ErrorKind::cannot_create);
  CHECK(refused.says("--dt (s) is 0.001 there and 0.0012 here"));
  CHECK(refused.says("--force"));
  CHECK(refused.message.size() <= longest_message);
  CHECK(take_survey_folder(output, survey_with(1.2e-3), true) == (fs::path(output) += ".1"));
  CHECK(take_survey_folder(output, survey_with(1.3e-3), true) == (fs::path(output) += ".2"));
  CHECK(take_survey_folder(output, survey_with(1.2e-3), true) == (fs::path(output) += ".1"));
}

TEST_CASE("A survey of other shots is refused, or starts anew beside, too", "[unit]") {
  const TemporaryDirectory folder;
  const fs::path output = folder.path() / "survey";
  CHECK_FALSE(is_begun(output));
  CHECK(take_survey_folder(output, survey_with(1e-3), false) == output);
  fs::create_directory(output / "shots");
  const Outcome refused =
      outcome_of([&] { static_cast<void>(take_survey_folder(output, survey_with(1e-3), false)); });
  CHECK(refused.kind == ErrorKind::cannot_create);
  CHECK(refused.says("shot 3 has another source"));
  CHECK(refused.says("--force"));
  CHECK(take_survey_folder(output, survey_with(1e-3), true) == (fs::path(output) += ".1"));
  begin_survey(output, survey_with(1e-3));
  CHECK(outcome_of([&] { begin_survey(output, survey_with(2e-3)); }).kind == ErrorKind::cannot_create);
}

TEST_CASE("A survey whose shots counted from 0 is another one, whatever it has done", "[unit]") {
  const TemporaryDirectory folder;
  const fs::path output = folder.path() / "survey";
  CHECK(take_survey_folder(output, survey_with(1e-3), false) == output);
  std::ifstream stream(output / "configuration.json");
  Configuration configuration = Configuration::read(stream);
  configuration["schema"] = "minimod.survey_configuration/1";
  std::ofstream(output / "configuration.json") << configuration;
  const Outcome refused =
      outcome_of([&] { static_cast<void>(take_survey_folder(output, survey_with(1e-3), false)); });
  CHECK(refused.kind == ErrorKind::cannot_create);
  CHECK(refused.says("the number that shots count from is 0 there and 1 here"));
  CHECK(refused.says("--force"));
  CHECK(take_survey_folder(output, survey_with(1e-3), true) == (fs::path(output) += ".1"));
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
            }).kind == ErrorKind::cannot_create);
    }
    CHECK(other.entries() == 1);
  }
}
