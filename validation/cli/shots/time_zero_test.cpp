/// Runs whose time begins before t = 0, which is the wavelet's peak.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/io/gather/gather.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

constexpr const char* common =
    "--grid 44 --spacing 10 --pml-width 7 --device cpu --kernel kokkos --force --model constant:2000 "
    "--time-zero peak --source 100,100,100 --receivers line:200,100,100:250,100,100:2 ";

struct TimedRuns {
  TemporaryDirectory inputs, folder;

  ShotGather operator()(const std::string& arguments) const {
    const ProgramResult result = run_program(words(common + arguments), folder.path(), one_thread);
    CAPTURE(result.out, result.err);
    REQUIRE(result.exit_code == 0);
    return read_gather(folder.path() / "shot_gather.h5");
  }
};

/// The sample's time, refined by the parabola through its neighbours.
double peak_of(const ShotGather& gather, std::size_t receiver) {
  const std::size_t begin = receiver * gather.samples;
  std::size_t top = 1;
  const auto value = [&](std::size_t n) { return gather.traces[begin + n]; };
  for (std::size_t n = 1; n + 1 < gather.samples; ++n) {
    if (value(n) > value(top)) top = n;
  }
  const double left = value(top - 1), right = value(top + 1), bend = left - 2 * value(top) + right;
  return gather.first_time + (static_cast<double>(top) + (left - right) / (2 * bend)) * gather.record_dt;
}

/// Two columns, from -0.25 to 0.25 s, greatest at t = 0.02 s.
std::string zero_phase() {
  std::ostringstream rows;
  rows.precision(15);
  for (int n = -125; n <= 125; ++n) {
    const double a = std::pow(std::numbers::pi * 10 * (n * 2e-3 - 0.02), 2);
    rows << n * 2e-3 << ' ' << (1 - 2 * a) * std::exp(-a) << '\n';
  }
  return rows.str();
}

}  // namespace

TEST_CASE("With the peak at t = 0 arrivals are travel times", "[cli]") {
  const TimedRuns run;
  const std::string file = run.inputs.write("w.txt", zero_phase());
  for (const std::string& wavelet : {std::string("ricker:f=10"), std::string("ricker:f=10,t0=0.4"),
                                     std::string("ormsby:f=2/5/12/16"), file}) {
    const ShotGather gather = run("--tmax 0.3 --wavelet " + wavelet);
    CAPTURE(wavelet);
    CHECK(gather.first_time < -0.1);
    CHECK(std::abs(peak_of(gather, 0) - 0.05) < 4e-4);
    CHECK(std::abs(peak_of(gather, 1) - 0.075) < 4e-4);
    const double last = gather.first_time + static_cast<double>(gather.samples - 1) * gather.record_dt;
    CHECK(last >= 0.3 - 1e-9);
    CHECK(last < 0.3 + gather.record_dt);
    const auto& s = gather.wavelets[0];
    const auto top = std::ranges::max_element(s) - s.begin();
    CHECK(gather.first_time + static_cast<double>(top) * gather.wavelet_dt == Catch::Approx(0).margin(1e-12));
  }
}

TEST_CASE("The steps' error is taken out of times that begin before t = 0, too", "[cli]") {
  const TimedRuns run;
  const auto late = [&](const std::string& dispersion) {  // s, after 1000 m
    const ProgramResult result = run_program(
        words(
            "--model constant:2000 --grid 76,40,40 --spacing 20 --boundary cpml --pml-width 10 --device cpu "
            "--kernel kokkos --force --time-zero peak --wavelet ricker:f=6 --tmax 0.7 --source 40,200,200 "
            "--receivers line:1040,200,200:1040,200,200:1 --time-dispersion " +
            dispersion),
        run.folder.path(), one_thread);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    return peak_of(read_gather(run.folder.path() / "shot_gather.h5"), 0) - 0.5;
  };
  CHECK(std::abs(late("corrected")) < 5e-5);
  CHECK(late("as-is") < -8e-4);
}

TEST_CASE("A signature keeps its times when a gather is read for one", "[cli]") {
  const TimedRuns run;
  const ShotGather gather = run("--tmax 0.3 --wavelet ricker:f=10 --dt 1e-3");
  std::filesystem::rename(run.folder.path() / "shot_gather.h5", run.inputs.path() / "w.h5");
  const ShotGather again = run("--tmax 0.3 --dt 1e-3 --wavelet " + (run.inputs.path() / "w.h5").string());
  CHECK(std::abs(peak_of(again, 0) - 0.05) < 4e-4);
  CHECK(again.first_time == gather.first_time);
}

TEST_CASE("Sources of a shot keep their times to each other, and a survey has one start", "[cli]") {
  const TimedRuns run;
  const std::string sources = run.inputs.write("s.csv",
                                               "shot,x,y,z,wavelet\n"
                                               "1,100,100,100,\"ricker:f=12,t0=0.2\"\n"
                                               "2,100,100,100,\"ricker:f=12,t0=0.2\"\n"
                                               "2,100,100,140,\"ricker:f=12,t0=0.25\"\n"
                                               "3,100,100,100,ricker:f=8\n");
  const ProgramResult result = run_program(
      words("run --grid 44 --spacing 10 --pml-width 7 --device cpu --kernel kokkos --model constant:2000 "
            "--tmax 0.3 "
            "--time-zero peak --receivers line:200,100,100:250,100,100:2 --format hdf5,segy --sources " +
            sources),
      run.folder.path(), one_thread);
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  const auto shot = [&](const char* name) {
    return read_gather(run.folder.path() / "survey" / "shots" / name);
  };
  const ShotGather one = shot("shot_00001.h5"), two = shot("shot_00002.h5"), three = shot("shot_00003.h5");
  for (const ShotGather* gather : {&one, &two, &three}) {
    CHECK(gather->first_time == Catch::Approx(-0.25).margin(1e-3));                           // 2 / 8 Hz
    CHECK(std::abs(std::round(gather->first_time * 1e3) - gather->first_time * 1e3) < 1e-9);  // ms, for SEG-Y
  }
  CHECK(std::abs(peak_of(one, 0) - 0.05) < 4e-4);
  CHECK(std::abs(peak_of(three, 0) - 0.05) < 4e-4);
  const auto peak_in = [&](const std::vector<double>& s) {
    return two.first_time + static_cast<double>(std::ranges::max_element(s) - s.begin()) * two.wavelet_dt;
  };
  CHECK(std::abs(peak_in(two.wavelets[0])) < two.wavelet_dt);
  CHECK(std::abs(peak_in(two.wavelets[1]) - 0.05) < two.wavelet_dt);
}

TEST_CASE("Without it a wavelet that begins before the run is refused with the option's name", "[cli]") {
  const TemporaryDirectory inputs, folder;
  const std::string file = inputs.write("w.txt", zero_phase());
  const ProgramResult result =
      run_program(words("--grid 44 --device cpu --pml-width 7 --tmax 0.3 --wavelet " + file), folder.path());
  CHECK(result.exit_code == 65);
  CHECK(result.err.find("or take --time-zero peak") != std::string::npos);
  CHECK(result.err.size() <= 241);
  const ProgramResult wrong = run_program(words("--time-zero middle"), folder.path());
  CHECK(wrong.exit_code == 64);
}
