/// How often traces are sampled: what would alias, or has no samples, is refused.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

const std::string coarse = "--grid 30 --pml-width 5 --device cpu --kernel kokkos ";
const std::string with_a_model = coarse + "--model constant:2000 --tmax 1 ";

/// Inputs, and a folder that refusals leave empty.
struct Recordings {
  TemporaryDirectory inputs, folder;

  [[nodiscard]] ProgramResult operator()(const std::string& arguments) const {
    return run_program(words(arguments), folder.path(), one_thread);
  }
  std::string refuses(const std::string& arguments, const std::string& says) const {
    const ProgramResult result = (*this)(arguments);
    CAPTURE(arguments, result.out, result.err);
    CHECK(result.exit_code == 65);
    CHECK(result.err.rfind("minimod: error: ", 0) == 0);
    CHECK(result.err.find(says) != std::string::npos);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK(result.err.size() <= 241);
    CHECK(folder.entries() == 0);
    return result.err;
  }
};

/// The greatest interval that a refusal allows.
std::string allowed_by(const std::string& line) {
  const std::string before = "give at most ";
  const std::size_t at = line.find(before) + before.size();
  return line.substr(at, line.find(" s\n", at) - at);
}

}  // namespace

TEST_CASE("Traces that would be aliased are refused, with f_max and the Nyquist frequency", "[cli]") {
  const Recordings run;
  run.refuses("run " + with_a_model + "--record-dt 0.06",
              "Nyquist frequency at 8.32148 Hz, below f_max of the wavelet, 24.5");
  run.refuses("run " + coarse + "--tmax 1 --record-dt 0.06", "Nyquist frequency at 8.33333 Hz");
  run.refuses("run " + with_a_model + "--time-dispersion as-is --record-dt 0.06 --dt 2e-3", "at 8.33333 Hz");
  run.refuses("run " + with_a_model + "--record-dt 0.03 -o a.sgy", "would be aliased");
  run.refuses("section " + with_a_model + "--record-dt 0.06", "would be aliased");
  const std::string options = run.inputs.write("o.toml", "record-dt = 0.06\n");
  run.refuses("run " + with_a_model + "--config " + options, "would be aliased");
  const std::string sources = "--sources line:100,200,100:300,200,100:3 ";
  run.refuses("run " + with_a_model + sources + "--record-dt 0.06", "would be aliased");
  run.refuses("survey --rate 1 " + with_a_model + sources + "--record-dt 0.06", "would be aliased");
}

TEST_CASE("The highest f_max of a run's signatures says what is aliased", "[cli]") {
  const Recordings run;
  const std::string slow = "--wavelet ricker:f=3 --record-dt 0.05 ";
  const std::string list =
      run.inputs.write("s.csv", "x,y,z,wavelet\n100,100,100,ricker:f=3\n200,200,200,ricker:f=9\n");
  CHECK(
      run("survey --rate 1 " + with_a_model + slow + "--sources line:100,200,100:300,200,100:2").exit_code ==
      0);
  run.refuses("survey --rate 1 " + with_a_model + slow + "--sources " + list, "f_max of the wavelet, 22");
  REQUIRE(
      run_program(words("run --force -o g.h5 " + with_a_model), run.inputs.path(), one_thread).exit_code ==
      0);
  const std::string gather = (run.inputs.path() / "g.h5").string();
  run.refuses("run " + with_a_model + "--record-dt 0.04 --wavelet " + gather, "f_max of the wavelet, 24.5");
  run.refuses("run " + with_a_model + "--record-dt 0.04 --inject " + gather, "below f_max of the wavelet");
}

TEST_CASE("The interval that a refusal names is accepted, and a little more is not", "[cli]") {
  const Recordings run;
  for (const char* dispersion : {"corrected", "as-is"}) {
    for (const char* dt : {"", " --dt 1e-3", " --dt 3.3e-3"}) {
      const std::string all = "section " + with_a_model + "--wavelet ricker:f=7 --time-dispersion " +
                              dispersion + dt + " --record-dt ";
      const std::string allowed = allowed_by(run.refuses(all + "0.198", "would be aliased"));
      run.refuses(all + "0.033", "would be aliased");
      const ProgramResult accepted = run(all + allowed + " --force");
      CAPTURE(all, allowed, accepted.err);
      CHECK(accepted.exit_code == 0);
      std::filesystem::remove(run.folder.path() / "sections.h5");
    }
  }
}

TEST_CASE("An interval that is longer than the run is refused", "[cli]") {
  const Recordings run;
  const std::string says = "longer than the run of 1";
  run.refuses("run " + with_a_model + "--record-dt 2", says);
  run.refuses("run " + with_a_model + "--record-dt 2 -o a.h5 --wavelet ricker:f=3", says);
  run.refuses("run " + coarse + "--dt 2e-3 --steps 500 --record-dt 2", says);
  run.refuses("survey --rate 1 " + with_a_model + "--record-dt 2 --sources line:100,200,100:300,200,100:3",
              says);
}
