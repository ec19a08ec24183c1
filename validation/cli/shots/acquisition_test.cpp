/// The wavelet and the positions that a run really has: what it says of them, and what it refuses.
#include <cmath>
#include <numbers>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/io/gather/gather.hpp"
#include "validation/cases/means/hdf5_writer.hpp"
#include "validation/cli/check_refusal.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;
using nlohmann::json;

namespace {

double ricker(double t, double f, double t0) {
  const double a = std::pow(std::numbers::pi * f * (t - t0), 2);
  return (1 - 2 * a) * std::exp(-a);
}

std::vector<double> ricker_samples(double f, double t0, double dt, int count) {
  std::vector<double> samples(static_cast<std::size_t>(count));
  for (std::size_t n = 0; n < samples.size(); ++n) samples[n] = ricker(static_cast<double>(n) * dt, f, t0);
  return samples;
}

/// Two columns, or one where `with_times` is false.
std::string columns(const std::vector<double>& samples, double dt, bool with_times = true) {
  std::ostringstream content;
  content.precision(17);
  for (std::size_t n = 0; n < samples.size(); ++n) {
    if (with_times) content << static_cast<double>(n) * dt << ' ';
    content << samples[n] << '\n';
  }
  return content.str();
}

/// A folder with inputs, one for outputs, and runs of a small model.
struct Runs {
  TemporaryDirectory inputs, folder;

  ProgramResult operator()(const std::string& arguments) const {
    return run_program(words("--grid 50 --pml-width 10 --device cpu --kernel kokkos --force " + arguments),
                       folder.path(), one_thread);
  }
  [[nodiscard]] ShotGather gather() const { return read_gather(folder.path() / "shot_gather.h5"); }

  void refuses(const std::string& arguments, int exit_code, const std::string& says) const {
    CAPTURE(arguments);
    check_refusal((*this)(arguments), exit_code, says);
    CHECK(folder.entries() == 0);
  }

  void notes(const std::string& arguments, const std::string& says) const {
    const ProgramResult result = (*this)(arguments);
    CAPTURE(arguments, result.err);
    CHECK(result.exit_code == 0);
    CHECK(result.err.find("minimod: " + says) != std::string::npos);
  }

  /// Behind a layer without a loud echo.
  void is_silent(const std::string& arguments) const {
    const ProgramResult result = (*this)("--boundary cpml " + arguments);
    CAPTURE(arguments, result.err);
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
  }
};

/// "… at f_max = 36.76 Hz …" of a refusal.
double f_max_in(const std::string& line) {
  const std::string before = "f_max = ";
  const std::size_t at = line.find(before);
  return at == std::string::npos ? 0 : std::stod(line.substr(at + before.size()));
}

}  // namespace

TEST_CASE("A form and its samples in a file have one f_max, and are refused alike", "[cli]") {
  const Runs run;
  const std::string fine = "--spacing 14 --steps 200 --wavelet ";
  const std::string two = run.inputs.write("two.txt", columns(ricker_samples(15, 0.1, 1e-3, 251), 1e-3));
  const std::string one =
      run.inputs.write("one.txt", columns(ricker_samples(15, 0.1, 1e-3, 251), 1e-3, false));
  const std::string form = run(fine + "ricker:f=15").err;
  CHECK(f_max_in(form) == Catch::Approx(2.45 * 15).epsilon(1e-3));
  for (const std::string& wavelet : {std::string("ricker:f=15"), two, one + "@dt=1e-3"}) {
    run.refuses(fine + wavelet, 65, "--allow-dispersion");
    CHECK(f_max_in(run(fine + wavelet).err) == Catch::Approx(f_max_in(form)).epsilon(1e-4));
  }
  run.is_silent("--spacing 13 --steps 200 --wavelet " + two);
}

TEST_CASE("A wavelet that the run would cut at its start is refused, a small cut is said", "[cli]") {
  const Runs run;
  run.refuses("--steps 200 --wavelet ricker:f=8,t0=0", 65, "of the energy of the wavelet (ricker, f = 8 Hz");
  run.refuses("--steps 200 --wavelet ricker:f=8,t0=-1", 65, "before t = 0");
  std::ostringstream centred;
  for (int n = -100; n <= 100; ++n) centred << n * 2e-3 << ' ' << ricker(n * 2e-3, 8, 0) << '\n';
  run.refuses("--steps 200 --wavelet " + run.inputs.write("centred.txt", centred.str()), 65,
              "start it 0.2 s later");
  run.notes("--steps 200 --wavelet ricker:f=8,t0=0.1", "the wavelet starts with a jump of ");
  run.is_silent("--steps 200 --wavelet ricker:f=8,t0=0.125");  // 1 / f, as many have it
}

TEST_CASE("A wavelet that comes after the run is refused, one that is cut at its end is said", "[cli]") {
  const Runs run;
  run.refuses("--steps 200 --wavelet ricker:f=8,t0=50", 65, "is silent until the run ends at 0.724569");
  std::vector<double> pulse(102);
  pulse[100] = 1;
  const std::string late = run.inputs.write("late.txt", columns(pulse, 0.02));
  run.refuses("--steps 200 --wavelet " + late, 65, "is silent until");
  run.notes("--steps 5", "the run ends at 0.01811");
  run.is_silent("--steps 100");
}

TEST_CASE("A wavelet file with a gap or uneven times is not bent into another signal", "[cli]") {
  const Runs run;
  const std::vector<double> samples = ricker_samples(8, 0.19, 2e-3, 191);
  const std::string even = columns(samples, 2e-3);
  run.refuses("--steps 200 --wavelet " + run.inputs.write("w.txt", even + "60 0\n"), 65,
              "w.txt:192:1: time 60 s comes 59.62 s after the one before");
  std::string lost = even;
  const std::size_t line = lost.find("\n0.19") + 1;
  lost.erase(line, lost.find('\n', line) + 1 - line);
  run.refuses("--steps 200 --wavelet " + run.inputs.write("w.txt", lost), 65, "comes 0.004 s after");
  std::ostringstream rounded;  // 1.25 times the usual here and there
  for (int n = 0; n < 191; ++n) {
    const double t = 2e-3 * n + (n % 4 == 0 ? 5e-4 : 0);
    rounded << t << ' ' << ricker(t, 8, 0.19) << '\n';
  }
  run.notes("--steps 200 --wavelet " + run.inputs.write("w.txt", rounded.str()), "the samples of ");
  run.is_silent("--steps 200 --wavelet " + run.inputs.write("w.txt", even));
}

TEST_CASE("One column of samples needs its dt, and then is the same wavelet at any time step", "[cli]") {
  const Runs run;
  const std::vector<double> samples = ricker_samples(8, 0.19, 1e-3, 401);
  const std::string one = run.inputs.write("one.txt", columns(samples, 1e-3, false));
  const std::string two = run.inputs.write("two.txt", columns(samples, 1e-3));
  run.refuses("--steps 200 --wavelet " + one, 64, "w.txt@dt=1e-3");
  run.refuses("--steps 200 --wavelet " + two + "@dt=1e-3", 64, "leave out @dt");
  run.refuses("--steps 200 --wavelet " + one + "@dt=0", 64, "@dt");
  run.refuses("--steps 200 --wavelet " + one + "@dt=1ms", 64, "1ms");
  run.is_silent("--steps 200 --wavelet ricker:f=8,t0=0.19");
  const ShotGather form = run.gather();
  run.is_silent("--steps 200 --wavelet " + one + "@dt=1e-3");
  const ShotGather file = run.gather();
  double difference = 0, all = 0;
  for (std::size_t i = 0; i < form.traces.size(); ++i) {
    difference += std::pow(form.traces[i] - file.traces[i], 2);
    all += std::pow(form.traces[i], 2);
  }
  CHECK(std::sqrt(difference / all) < 1e-5);
}

TEST_CASE("Any dataset of an HDF5 file is a wavelet, and its units go into the gather", "[cli]") {
  const Runs run;
  const std::string file = (run.inputs.path() / "sources.h5").string();
  {
    const Hdf5Writer writer(file);
    const std::vector<double> samples = ricker_samples(8, 0.19, 2e-3, 191);
    std::vector<double> times(samples.size());
    for (std::size_t n = 0; n < times.size(); ++n) times[n] = 2e-3 * static_cast<double>(n);
    const auto gun = writer.dataset("gun", {191}, samples, H5T_IEEE_F64LE);
    Hdf5Writer::attribute(gun, "dt", std::vector<double>{2e-3});
    Hdf5Writer::attribute(gun, "units", std::string("Pa m"));
    static_cast<void>(writer.dataset("bare", {191}, samples, H5T_IEEE_F32LE));
    const hdf5::Handle group(H5Gcreate2(writer.file(), "field", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                             H5Gclose);
    static_cast<void>(writer.dataset("field/gun", {191}, samples, H5T_IEEE_F64LE));
    static_cast<void>(writer.dataset("field/time", {191}, times, H5T_IEEE_F64LE));
  }
  run.is_silent("--steps 200 --wavelet " + file + ":/gun");
  const ShotGather gather = run.gather();
  CHECK(gather.wavelet_unit == "Pa m");
  run.is_silent("--steps 200 --wavelet " + file + ":/field/gun");
  CHECK(run.gather().traces == gather.traces);
  CHECK(run.gather().wavelet_unit == "source unit");
  run.is_silent("--steps 200 --wavelet " + file + ":/bare@dt=2e-3");
  const Runs fresh;
  fresh.refuses("--steps 200 --wavelet " + file + ":/bare", 65, "@dt=1e-3");
  fresh.refuses("--steps 200 --wavelet " + file + ":/gun@dt=1e-3", 64, "leave out @dt");
  fresh.refuses("--steps 200 --wavelet " + file + ":/field/gun@dt=1e-3", 64, "/field/time");
  fresh.refuses("--steps 200 --wavelet " + file + ":/none", 65, "/gun");
  fresh.refuses("--steps 200 --wavelet " + file, 65, "/wavelet");
}

TEST_CASE("The facts have the positions that are used, and say how far they were moved", "[cli]") {
  const Runs run;
  const std::string ghost =
      "--spacing 5 --free-surface --steps 100 --wavelet ricker:f=32 --json r.json "
      "--source 70,70,6 --receivers line:20,70,8:120,70,8:11 --interpolation ";
  const ProgramResult nearest = run(ghost + "nearest");
  CAPTURE(nearest.out, nearest.err);
  REQUIRE(nearest.exit_code == 0);
  CHECK(nearest.out.find("(70, 70, 5) m, moved by 1 m to the nearest node") != std::string::npos);
  CHECK(nearest.out.find("11 in x 20..120, y 70, z 10 m, moved by 2 m at most") != std::string::npos);
  CHECK(
      nearest.err.find("minimod: positions are moved to their nearest nodes, by up to 2 m, 0.4 of a spacing: "
                       "--interpolation sinc4") != std::string::npos);
  CHECK(run.gather().sources.front() == Point3{70, 70, 5});
  CHECK(run.gather().requested_sources.front() == Point3{70, 70, 6});
  CHECK(run.gather().requested_receivers[0] == Point3{20, 70, 8});

  for (const char* choice : {"auto", "sinc4"}) {
    const ProgramResult between = run(ghost + choice);
    CHECK(between.err.empty());
    CHECK(between.out.find("(70, 70, 6) m; it and the receivers between the nodes by sinc4") !=
          std::string::npos);
    CHECK(run.gather().sources.front() == Point3{70, 70, 6});
    CHECK(run.gather().receivers[3] == Point3{50, 70, 8});
  }
  const json record = json::parse(std::ifstream(run.folder.path() / "r.json"));
  CHECK(record["receivers"]["greatest_move_m"] == 0);
  CHECK(record["source"]["interpolation"] == "sinc4");
}

TEST_CASE("Without an option positions are where they were asked for: ghosts have their strength", "[cli]") {
  const Runs run;
  const double f = 32, t0 = 0.06, v = 2000, source_depth = 6, receiver_depth = 7, offset = 80;
  const auto error_of = [&](const std::string& more) {
    const ProgramResult result =
        run("--spacing 5 --free-surface --steps 150 --wavelet ricker:f=32,t0=0.06 --source 25,75,6 "
            "--receivers line:105,75,7:105,75,7:1 " +
            more);
    REQUIRE(result.exit_code == 0);
    const ShotGather gather = run.gather();
    const double direct = std::hypot(offset, receiver_depth - source_depth),
                 ghost = std::hypot(offset, receiver_depth + source_depth);
    double difference = 0, all = 0;
    for (std::size_t n = 0; n < gather.samples; ++n) {
      const double t = static_cast<double>(n) * gather.record_dt;
      const double expected =
          (ricker(t - direct / v, f, t0) / direct - ricker(t - ghost / v, f, t0) / ghost) /
          (4 * std::numbers::pi);
      difference += std::pow(gather.traces[n] - expected, 2);
      all += expected * expected;
    }
    return std::sqrt(difference / all);
  };
  CHECK(error_of("") < 0.08);
  CHECK(error_of("--interpolation nearest") > 0.2);
}

TEST_CASE("Positions on nodes keep the nearest node", "[cli]") {
  const Runs run;
  const auto interpolation = [&](const std::string& more) {
    const ProgramResult result = run("--steps 100 --json r.json " + more);
    REQUIRE(result.exit_code == 0);
    return json::parse(std::ifstream(run.folder.path() / "r.json"))["source"]["interpolation"];
  };
  CHECK(interpolation("") == "nearest");
  CHECK(interpolation("--source 300.1,300,300") == "nearest");
  CHECK(interpolation("--source 301,300,300") == "sinc4");
  CHECK(interpolation("--receivers line:0,0,0:100,100,100:3") == "sinc4");
  CHECK(interpolation("--source 301,300,300 --schedule whole") == "sinc4");
}

TEST_CASE("The line that is taken without --receivers says where it is", "[cli]") {
  const Runs run;
  CHECK(run("--steps 100").out.find("30 in x 0..580, y 300, z 0 m; 101 samples") != std::string::npos);
  CHECK(run("--steps 100 --free-surface")
            .out.find("30 in x 0..580, y 300, z 20 m, a node below the free surface;") != std::string::npos);
}

TEST_CASE("Receivers of a spreadsheet are read by the names of its columns, or refused with the format",
          "[cli]") {
  const Runs run;
  const auto with = [&](const std::string& content) {
    return "--steps 100 --receivers " + run.inputs.write("r.csv", content);
  };
  run.refuses(with("1;100;200;0\n"), 65,
              "r.csv:1:1: has 4 columns, not 3; give x,y,z in m, a receiver a line; a first line like "
              "id,x,y,z names");
  run.refuses(with("station,east,north,depth\nA,1,2,3\n"), 65,
              "r.csv:1:1: not one column is named x; give x,y,z");
  run.notes(with("id;z;x;y\nA7;40;100;200\nB9;60;120;200\n"), "of '");
  CHECK(run.gather().receivers == std::vector<Point3>{{100, 200, 40}, {120, 200, 60}});
}
