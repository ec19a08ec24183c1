/// Runs that end before a wave is at a receiver say so.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

const std::string small = "--grid 60 --pml-width 5 --device cpu --kernel kokkos --force ";
const std::string far = "--source 0,200,100 --receivers line:800,200,100:960,200,100:5 ";

/// The lines of stderr about arrivals.
std::vector<std::string> arrivals_in(const ProgramResult& result) {
  std::vector<std::string> lines;
  std::istringstream all(result.err);
  for (std::string line; std::getline(all, line);) {
    if (line.find("before any arrival") != std::string::npos) lines.push_back(line);
  }
  return lines;
}

struct Arrivals {
  TemporaryDirectory inputs, folder;

  [[nodiscard]] std::vector<std::string> of(const std::string& arguments) const {
    const ProgramResult result = run_program(words(arguments), folder.path(), one_thread);
    CAPTURE(arguments, result.err);
    REQUIRE(result.exit_code == 0);
    return arrivals_in(result);
  }
};

bool says(const std::vector<std::string>& lines, const std::string& words) {
  return lines.size() == 1 && lines[0].find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("A run that ends before any arrival says when the first one is", "[cli]") {
  const Arrivals run;
  const std::string with_a_model = "run " + small + "--model constant:2000 " + far;
  CHECK(
      says(run.of(with_a_model + "--dt 2e-3 --steps 200"),
           "ends at 0.4 s, before any arrival: none is at a receiver before 0.452 s, 800 m at 2000 m/s from "
           "a wavelet that begins at 0.052 s"));
  CHECK(says(run.of("run " + small + far + "--dt 2e-3 --steps 200"), "before 0.452 s"));
  CHECK(run.of(with_a_model + "--dt 2e-3 --steps 230").empty());
  CHECK(says(
      run.of("run " + small + "--model layered:1900@0,2000@500 --wavelet ricker:f=8 " + far + "--tmax 0.3"),
      "at 2000 m/s"));
}

TEST_CASE("Where t = 0 is a peak, arrivals count from it", "[cli]") {
  const Arrivals run;
  const std::string options = "run " + small + "--model constant:2000 --time-zero peak --dt 2e-3 " + far;
  CHECK(says(run.of(options + "--tmax 0.25"),
             "ends at 0.25 s, before any arrival: none is at a receiver before 0.302 s"));
  CHECK(run.of(options + "--tmax 0.35").empty());
}

TEST_CASE("The shots of a survey that end before any arrival are told in one line", "[cli]") {
  const Arrivals run;
  const std::string sources =
      run.inputs.write("s.csv", "shot,x,y,z\n7,0,200,100\n8,40,200,100\n9,900,200,100\n");
  const std::string options = small +
                              "--model constant:2000 --dt 2e-3 --steps 150 --receivers "
                              "line:800,200,100:960,200,100:5 --sources " +
                              sources;
  CHECK(says(run.of("survey --rate 1 " + options), "2 of 3 shots, worst 'shot 7': the run ends at 0.3 s"));
  CHECK(says(run.of("run " + options + " -o s"), "2 of 3 shots, worst 'shot 7': the run ends at 0.3 s"));
  CHECK(run.of("survey --rate 1 --shots 9 " + options).empty());
}
