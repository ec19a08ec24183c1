/// The error of the steps in time: when it is taken out, of what, and what says so.
#include <algorithm>
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/io/gather/gather.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

const std::string
    same_grid = "--model constant:2000 --grid 40 --pml-width 5 --steps 160 ",
    shot_over_a_model =
        "--model constant:2000 --grid 40 --pml-width 5 --steps 160 --wavelet ricker:f=10,t0=0.12 ";
const std::string along_a_line = "--device cpu --kernel kokkos --receivers line:100,260,200:580,260,200:7 ";

ProgramResult run_shot_in(const TemporaryDirectory& folder, const std::string& options) {
  return run_program(words("run " + along_a_line + options), folder.path(), one_thread);
}

std::string dispersion_of(const ShotGather& gather) {
  for (const auto& [name, value] : gather.metadata) {
    if (name == "time_dispersion") return std::get<std::string>(value);
  }
  return "";
}

bool have_same_traces(const ShotGather& a, const ShotGather& b) {
  return a.traces == b.traces;
}

}  // namespace

TEST_CASE("Time dispersion is corrected with a model, and left as it is without", "[cli]") {
  const TemporaryDirectory folder;
  const auto setting = [&](const std::string& options) {
    const ProgramResult result = run_shot_in(folder, options + " --force --json r.json ");
    CAPTURE(options, result.err);
    REQUIRE(result.exit_code == 0);
    const ShotGather gather = read_gather(folder.path() / "shot_gather.h5");
    CHECK(read_json(folder.path() / "r.json")["time"]["time_dispersion"] == dispersion_of(gather));
    const bool is_corrected = dispersion_of(gather) == "corrected";
    CHECK((result.out.find("time dispersion corrected in wavelet and traces") != std::string::npos) ==
          is_corrected);
    return dispersion_of(gather);
  };
  CHECK(setting("--grid 40 --pml-width 5 --steps 50") == "as-is");
  CHECK(setting("--grid 40 --pml-width 5 --steps 50 --time-dispersion corrected") == "corrected");
  CHECK(setting(shot_over_a_model) == "corrected");
  CHECK(setting(shot_over_a_model + "--time-dispersion as-is") == "as-is");
  const ProgramResult wrong = run_shot_in(folder, shot_over_a_model + "--time-dispersion none ");
  CHECK(wrong.exit_code == 64);
  CHECK(wrong.err.find("give corrected or as-is") != std::string::npos);
}

TEST_CASE("A corrected gather has the wavelet that was asked for, and gives the same again", "[cli]") {
  const TemporaryDirectory folder;
  REQUIRE(run_shot_in(folder, shot_over_a_model + "-o a.h5").exit_code == 0);
  REQUIRE(run_shot_in(folder, shot_over_a_model + "--time-dispersion as-is -o b.h5").exit_code == 0);
  const ShotGather corrected = read_gather(folder.path() / "a.h5"),
                   as_is = read_gather(folder.path() / "b.h5");
  CHECK(corrected.wavelets == as_is.wavelets);
  CHECK(!have_same_traces(corrected, as_is));
  REQUIRE(run_shot_in(folder, same_grid + "--wavelet a.h5 -o c.h5").exit_code == 0);
  const ShotGather again = read_gather(folder.path() / "c.h5");
  double greatest = 0, difference = 0;
  for (std::size_t i = 0; i < again.traces.size(); ++i) {
    greatest = std::max(greatest, std::abs(corrected.traces[i]));
    difference = std::max(difference, std::abs(corrected.traces[i] - again.traces[i]));
  }
  CHECK(difference < 1e-6 * greatest);
}

TEST_CASE("The traces of a corrected shot do not depend on threads or other receivers", "[cli]") {
  const TemporaryDirectory folder;
  const std::string options = shot_over_a_model + "--record-dt 0.008 ";
  REQUIRE(run_shot_in(folder, options + "-o a.h5").exit_code == 0);
  const ShotGather one = read_gather(folder.path() / "a.h5");
  const ProgramResult more = run_program(words("run " + along_a_line + options + "-o b.h5"), folder.path(),
                                         [] { setenv("OMP_NUM_THREADS", "3", 1); });
  REQUIRE(more.exit_code == 0);
  CHECK(have_same_traces(one, read_gather(folder.path() / "b.h5")));
  const ProgramResult fewer =
      run_program(words("run " + options +
                        "--device cpu --kernel kokkos --receivers line:580,260,200:580,260,200:1 -o c.h5"),
                  folder.path(), one_thread);
  REQUIRE(fewer.exit_code == 0);
  const ShotGather last = read_gather(folder.path() / "c.h5");
  for (std::size_t n = 0; n < last.samples; ++n) CHECK(last.traces[n] == one.traces[6 * one.samples + n]);
}

TEST_CASE("A corrected shot goes on to the same traces, and no other goes on with it", "[cli]") {
  const TemporaryDirectory folder;
  const std::string options = along_a_line + "--model constant:2000 --grid 50 --pml-width 5 --steps 3000 ";
  REQUIRE(run_program(words("run " + options + "-o whole.h5"), folder.path(), one_thread).exit_code == 0);
  ProgramRun run(words("run " + options + "-o s.h5 --checkpoint-every 0.02"), folder.path(), one_thread);
  while (!std::filesystem::exists(folder.path() / "s.checkpoint.0.h5")) usleep(1000);
  run.send(SIGTERM);
  REQUIRE(run.wait().exit_code == 75);
  const ProgramResult other =
      run_program(words("run " + options + "-o s.h5 --time-dispersion as-is"), folder.path(), one_thread);
  CHECK(other.exit_code == 73);
  CHECK(other.err.find("--time-dispersion is \"corrected\" there") != std::string::npos);
  const ProgramResult on = run_program(words("run " + options + "-o s.h5"), folder.path(), one_thread);
  CHECK(on.exit_code == 0);
  CHECK(on.out.find("goes on   after step ") != std::string::npos);
  CHECK(have_same_traces(read_gather(folder.path() / "s.h5"), read_gather(folder.path() / "whole.h5")));
}
