/// Signatures far from 1: a shot of any amplitude has the error of one of amplitude 1.
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "src/base/error.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/io/gather/gather.hpp"
#include "src/io/gather/recorded_traces.hpp"
#include "src/wavelets/signature.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

/// A folder for outputs, and wavelet files that are a Ricker of 10 Hz times an amplitude.
struct Amplitudes {
  TemporaryDirectory inputs, folder;

  [[nodiscard]] std::string wavelet(double amplitude) const {
    std::string rows;
    for (int n = 0; n < 300; ++n) {
      char row[80];
      std::snprintf(row, sizeof row, "%.17g %.17g\n", 1e-3 * n, amplitude * ricker(1e-3 * n, 10, 0.15));
      rows += row;
    }
    return inputs.write("w.txt", rows);
  }
  static std::vector<std::string> small(const std::string& arguments) {
    return words("run --device cpu --kernel kokkos --pml-width 5 --receivers line:0,100,100:380,100,100:5 " +
                 arguments);
  }
  [[nodiscard]] ProgramResult run(const std::string& arguments) const {
    return run_program(small(arguments), folder.path(), one_thread);
  }
  void succeeds(const std::string& arguments) const {
    const ProgramResult result = run("--force --grid 30 --steps 120 " + arguments);
    CAPTURE(arguments, result.out, result.err);
    REQUIRE(result.exit_code == 0);
    REQUIRE(result.err.find("few digits") == std::string::npos);
  }
  [[nodiscard]] ShotGather gather(const std::string& name) const { return read_gather(folder.path() / name); }
};

/// Relative L2 of `found` to `exact` times `factor`.
double error_of(const Reals& found, const Reals& exact, double factor) {
  REQUIRE(found.size() == exact.size());
  double error = 0, all = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    error += std::pow(found[i] / factor - exact[i], 2);
    all += std::pow(exact[i], 2);
  }
  REQUIRE(all > 0);
  return std::sqrt(error / all);
}

const std::string with_a_model = "--model constant:2000 ";

}  // namespace

TEST_CASE("A shot of any amplitude that a float holds is as right as one of 1", "[cli]") {
  const Amplitudes runs;
  for (const char* dispersion : {"corrected", "as-is"}) {
    const std::string options =
        text(with_a_model, "--time-dispersion ", dispersion, " --format hdf5,segy --json r.json --wavelet ");
    runs.succeeds(options + runs.wavelet(1) + " -o one.h5");
    const ShotGather one = runs.gather("one.h5");
    const double greatest = read_json(runs.folder.path() / "r.json")["result"]["max"];
    for (const double amplitude : {1e-28, 1e-32, 1e-34, 1e30, 1e37}) {
      CAPTURE(dispersion, amplitude);
      runs.succeeds(options + runs.wavelet(amplitude) + " -o some.h5");
      CHECK(error_of(runs.gather("some.h5").traces, one.traces, amplitude) < 1e-6);
      const RecordedTraces segy = read_recorded_traces(runs.folder.path() / "some.sgy");
      CHECK(error_of(segy.values, one.traces, amplitude) < 1e-6);
      const double found = read_json(runs.folder.path() / "r.json")["result"]["max"];
      CHECK(std::abs(found / amplitude - greatest) < 1e-5 * greatest);
    }
  }
}

TEST_CASE("Powers of two between amplitudes far from 1 change no bit of a trace but its exponent", "[cli]") {
  const Amplitudes runs;
  const auto traces = [&](int power) {
    runs.succeeds(with_a_model + "-o a.h5 --wavelet " + runs.wavelet(std::exp2(power)));
    return runs.gather("a.h5").traces;
  };
  // Values below the least normal float are rounded to what it holds.
  CHECK(error_of(traces(-80), traces(100), std::exp2(-180)) < 1e-15);
}

TEST_CASE("Snapshots have the amplitude that was asked for", "[cli]") {
  const Amplitudes runs;
  const auto wavefield = [&](double amplitude) {
    runs.succeeds("--snapshot-every 60steps -o a.h5 --wavelet " + runs.wavelet(amplitude));
    const auto file = runs.folder.path() / "a.snapshots.h5";
    return hdf5::read_reals(hdf5::open_float_dataset(hdf5::open_for_reading(file), "wavefield", file), file);
  };
  const Reals one = wavefield(1);
  CHECK(error_of(wavefield(1e-30), one, 1e-30) < 1e-6);
  CHECK(error_of(wavefield(1e35), one, 1e35) < 1e-6);
}

TEST_CASE("A gather of tiny traces is fed in as one of others is", "[cli]") {
  const Amplitudes runs;
  const auto focused = [&](double amplitude) {
    runs.succeeds(with_a_model + "-o g.h5 --wavelet " + runs.wavelet(amplitude));
    runs.succeeds(with_a_model + "-o f.h5 --inject g.h5 --reverse");
    return runs.gather("f.h5").traces;
  };
  const Reals one = focused(1);
  CHECK(error_of(focused(1e-29), one, 1e-29) < 1e-5);
}

TEST_CASE("The sources of a shot are computed in one unit", "[cli]") {
  const Amplitudes runs;
  const auto together = [&](const std::string& folder, const std::string& first, const std::string& second) {
    const std::string list = runs.inputs.write(
        "s.csv", "shot,x,y,z,amplitude\n1,100,100,100," + first + "\n1,200,200,200," + second + "\n");
    runs.succeeds(with_a_model + "--checkpoint-every 0 -o " + folder + " --sources " + list);
    return runs.gather(folder + "/shots/shot_00001.h5").traces;
  };
  const Reals one = together("a", "1", "-1e-3");
  CHECK(error_of(together("b", "1e-32", "-1e-35"), one, 1e-32) < 1e-6);
}

TEST_CASE("A shot of a tiny signature goes on from its checkpoint", "[cli]") {
  const Amplitudes runs;
  const std::string options = with_a_model + "--grid 50 --steps 2000 --wavelet " + runs.wavelet(1e-34) +
                              " --checkpoint-every 0.02 -o ";
  REQUIRE(runs.run(options + "whole.h5").exit_code == 0);
  ProgramRun stopped(Amplitudes::small(options + "s.h5"), runs.folder.path(), one_thread);
  while (!std::filesystem::exists(runs.folder.path() / "s.checkpoint.0.h5")) usleep(1000);
  stopped.send(SIGTERM);
  REQUIRE(stopped.wait().exit_code == 75);
  const ProgramResult on = runs.run(options + "s.h5");
  CHECK(on.exit_code == 0);
  CHECK(on.out.find("goes on   after step ") != std::string::npos);
  CHECK(runs.gather("s.h5").traces == runs.gather("whole.h5").traces);
}

TEST_CASE("Traces that their precision does not hold are refused, or said to have no digits", "[cli]") {
  const Amplitudes runs;
  const std::string options = with_a_model + "--force --grid 30 --steps 120 -o a.h5 --wavelet ";
  const ProgramResult over = runs.run(options + runs.wavelet(1e60));
  CHECK(over.exit_code == 65);
  CHECK(over.err.find("not finite") != std::string::npos);
  const ProgramResult under = runs.run(options + runs.wavelet(1e-60));
  CHECK(under.exit_code == 0);
  CHECK(under.err.find("keeps few digits or none") != std::string::npos);
  CHECK(runs.run(options + runs.wavelet(1e60) + " --precision double").exit_code == 0);
}
