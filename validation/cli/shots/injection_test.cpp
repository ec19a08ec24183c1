/// Gathers whose traces are sources.
#include <algorithm>
#include <cmath>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/io/gather/gather.hpp"
#include "validation/cases/means/hdf5_writer.hpp"
#include "validation/cli/run_program.hpp"
#include "validation/unit/base/noise.hpp"

using namespace minimod;

namespace {

using Positions = std::vector<std::array<double, 3>>;

/// A folder with inputs, one for outputs, and runs of a small model.
struct InjectionRuns {
  TemporaryDirectory inputs, folder;

  [[nodiscard]] ProgramResult run(const std::string& arguments) const {
    return run_program(words("--device cpu --kernel kokkos " + arguments), folder.path(), one_thread);
  }
  ShotGather operator()(const std::string& arguments) const {
    const ProgramResult result = run("--force " + arguments);
    CAPTURE(arguments, result.out, result.err);
    REQUIRE(result.exit_code == 0);
    return read_gather(folder.path() / "shot_gather.h5");
  }
  /// As anyone writes it.
  [[nodiscard]] std::string gather(const std::string& name, const Positions& receivers,
                                   const std::vector<double>& traces, double dt, double first = 0) const {
    const std::string file = (inputs.path() / name).string();
    const hsize_t n = receivers.size(), samples = traces.size() / n;
    std::vector<double> places, times;
    for (const auto& p : receivers) places.insert(places.end(), p.begin(), p.end());
    for (hsize_t i = 0; i < samples; ++i) times.push_back(first + static_cast<double>(i) * dt);
    const Hdf5Writer writer(file);
    (void)writer.dataset("traces", {n, samples}, traces, H5T_IEEE_F64LE);
    (void)writer.dataset("receivers", {n, 3}, places, H5T_IEEE_F64LE);
    (void)writer.dataset("time", {samples}, times, H5T_IEEE_F64LE);
    return file;
  }
  [[nodiscard]] std::string list(const std::string& name, const Positions& positions) const {
    std::ostringstream rows;
    for (const auto& p : positions) rows << p[0] << ',' << p[1] << ',' << p[2] << '\n';
    return inputs.write(name, rows.str());
  }
};

}  // namespace

TEST_CASE("Backward injection is the adjoint of a shot", "[cli]") {
  const InjectionRuns run;
  constexpr std::size_t steps = 120, samples = steps + 1;
  const Positions sources = {{83, 100, 96}, {200, 141.5, 60}, {160, 200, 220}},
                  receivers = {{40, 260, 170}, {221, 33, 80}, {100, 107, 240}, {83, 100, 96}};
  for (const auto& [precision, limit] : {std::pair{"double", 1e-12}, {"single", 2e-6}}) {
    for (const char* const interpolation : {"nearest", "auto"}) {
      const std::string common = text(
          "--model layered:1500@0,2600@130 --grid 33 --spacing 10 --pml-width 0 --boundary pml --dt "
          "1e-3 --steps ",
          steps, " --allow-dispersion --time-dispersion as-is  --interpolation ", interpolation,
          " --precision ", precision, ' ');
      const std::vector<double> f = noise(sources.size() * samples, 1),
                                d = noise(receivers.size() * samples, 2);
      const ShotGather there = run(common + "--inject " + run.gather("f.h5", sources, f, 1e-3) +
                                   " --receivers " + run.list("r.csv", receivers));
      const ShotGather back = run(common + "--reverse --inject " + run.gather("d.h5", receivers, d, 1e-3) +
                                  " --receivers " + run.list("s.csv", sources));
      double forward = 0, adjoint = 0, size = 0;
      for (std::size_t i = 0; i < d.size(); ++i) {
        forward += there.traces[i] * d[i];
        size += std::abs(there.traces[i] * d[i]);
      }
      for (std::size_t s = 0; s < sources.size(); ++s) {
        for (std::size_t n = 0; n < steps; ++n)
          adjoint += f[s * samples + n] * back.traces[s * samples + steps - n];
      }
      CAPTURE(precision, interpolation, forward, adjoint, size);
      CHECK(size > 0);
      CHECK(std::abs(forward - adjoint) < limit * size);
      CHECK(there.wavelets.size() == sources.size());
      CHECK(there.wavelets[1][7] == f[samples + 7]);
      CHECK(back.wavelets[2][3] == d[2 * samples + steps - 3]);
    }
  }
}

TEST_CASE("Recordings of a shot that go back meet at its source", "[cli]") {
  const InjectionRuns run;
  const std::string common =
      "--model constant:2000 --grid 61 --spacing 10 --pml-width 10 --boundary cpml --dt 1e-3 ";
  Positions around;  // the faces of a box
  for (int i = 0; i <= 8; ++i) {
    for (int j = 0; j <= 8; ++j) {
      const double a = 40 + 40 * i, b = 40 + 40 * j;
      for (const double face : {40.0, 360.0}) {
        around.push_back({face, a, b});
        around.push_back({a, face, b});
        around.push_back({a, b, face});
      }
    }
  }
  (void)run(common + "--tmax 0.4 --source 170,220,190 --wavelet ricker:f=15 --format hdf5,segy --receivers " +
            run.list("around.csv", around));
  const std::filesystem::path shot = run.folder.path() / "shot_gather.h5",
                              file = run.inputs.path() / "shot.h5", segy = run.inputs.path() / "shot.sgy";
  std::filesystem::rename(shot, file);
  std::filesystem::rename(run.folder.path() / "shot_gather.sgy", segy);
  const std::string back =
      common + "--tmax 0.4 --reverse --receivers line:70,220,190:330,220,190:27 --inject ";
  const ShotGather focus = run(back + file.string());
  std::size_t top = 0;
  for (std::size_t i = 0; i < focus.traces.size(); ++i) {
    if (std::abs(focus.traces[i]) > std::abs(focus.traces[top])) top = i;
  }
  CHECK(focus.receivers[top / focus.samples].x == Catch::Approx(170));
  const double time = static_cast<double>(top % focus.samples) * focus.record_dt;
  CHECK(time == Catch::Approx(0.4 - 0.1).margin(4e-3));  // t0 = 0.1 s
  CHECK(focus.sources.size() == around.size());
  const ProgramResult onto_itself = run.run("--force " + back + file.string() + " --output " + file.string());
  CHECK(onto_itself.exit_code == 73);
  CHECK(onto_itself.err.find("are one file") != std::string::npos);
  const ShotGather of_segy = run(back + segy.string());
  double difference = 0;
  for (std::size_t i = 0; i < focus.traces.size(); ++i) {
    difference = std::max(difference, std::abs(of_segy.traces[i] - focus.traces[i]));
  }
  CHECK(difference < 1e-5 * std::abs(focus.traces[top]));
}

TEST_CASE("A gather that begins before t = 0 has the run begin there", "[cli]") {
  const InjectionRuns run;
  std::vector<double> pulse(101);
  for (std::size_t n = 0; n < pulse.size(); ++n) {
    const double a = std::pow(3.14159265358979 * 10 * (static_cast<double>(n) * 2e-3 - 0.1), 2);
    pulse[n] = (1 - 2 * a) * std::exp(-a);
  }
  const std::string file = run.gather("p.h5", {{100, 100, 100}}, pulse, 2e-3, -0.1);
  const ShotGather gather =
      run("--model constant:2000 --grid 44 --spacing 10 --pml-width 7 --boundary cpml --dt 1e-3 --tmax 0.2 "
          "--receivers "
          "line:200,100,100:200,100,100:1 --inject " +
          file);
  CHECK(gather.first_time == Catch::Approx(-0.1).margin(1e-3));
  std::size_t top = 0;
  for (std::size_t n = 0; n < gather.samples; ++n) {
    if (gather.traces[n] > gather.traces[top]) top = n;
  }
  CHECK(gather.first_time + static_cast<double>(top) * gather.record_dt ==
        Catch::Approx(0.05).margin(1.1e-3));
}

TEST_CASE("What contradicts an injected gather is refused", "[cli]") {
  const InjectionRuns run;
  const std::string file = run.gather("p.h5", {{100, 100, 100}}, noise(50, 3), 1e-3);
  const auto refuses = [&](const std::string& arguments, int exit_code, const std::string& says) {
    const ProgramResult result =
        run.run("--grid 40 --pml-width 5 --steps 20 --allow-dispersion " + arguments);
    CAPTURE(arguments, result.err);
    CHECK(result.exit_code == exit_code);
    CHECK(result.err.find(says) != std::string::npos);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK(result.err.size() <= 241);
    CHECK(run.folder.entries() == 0);
  };
  refuses("--reverse", 64, "--reverse is given without --inject");
  refuses("--inject " + file + " --source 1,1,1", 64, "--inject and --source");
  refuses("--inject " + file + " --sources line:0,0,0:9,0,0:2", 64, "--inject and --sources");
  refuses("--inject " + file + " --wavelet ricker:f=5", 64, "--inject and --wavelet");
  refuses("--inject " + file + " --time-zero peak", 64, "--inject and --time-zero peak");
  refuses("--force --inject " + file + " --output " + file, 73, "p.h5");
  refuses("--inject none.h5", 66, "none.h5");
  refuses("--inject none.sgy", 66, "none.sgy");
  refuses("--inject " + run.gather("z.h5", {{100, 100, 100}}, std::vector<double>(50), 1e-3), 65, "zero");
  refuses("--inject " + run.gather("n.h5", {{100, 100, 100}}, std::vector<double>(50, std::nan("")), 1e-3),
          65, "trace 0, sample 0");
  refuses("--inject " + run.gather("o.h5", {{1e6, 100, 100}}, noise(50, 4), 1e-3), 65, "outside the model");
  refuses("--inject " + run.inputs.write("t.sgy", "no SEG-Y"), 65, "t.sgy");
  const std::string bare = (run.inputs.path() / "b.h5").string();
  (void)Hdf5Writer(bare).dataset("traces", {1, 9}, std::vector<double>(9, 1.0), H5T_IEEE_F64LE);
  refuses("--inject " + bare, 65, "receivers");
}
