/// The medium that a run has, and where its interfaces are heard: the program as a user calls it, against
/// closed forms.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "src/base/error.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/io/gather/gather.hpp"
#include "validation/cases/means/answers/layered_medium.hpp"
#include "validation/cases/means/hdf5_writer.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;
using Catch::Approx;
using json = nlohmann::json;

namespace {

/// Record of a run with that command line, which must end well.
json record_of(const std::string& command) {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program(words(command + " --device cpu --json run.json"), folder.path());
  CAPTURE(command, result.err);
  REQUIRE(result.exit_code == 0);
  std::ifstream in(folder.path() / "run.json");
  return json::parse(in);
}

std::vector<double> trace_of(const std::string& command) {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program(words(command + " --device cpu"), folder.path());
  CAPTURE(command, result.err);
  REQUIRE(result.exit_code == 0);
  const ShotGather gather = read_gather(folder.path() / "shot_gather.h5");
  std::vector<double> first = gather.traces.as_doubles();
  first.resize(gather.samples);
  return first;
}

}  // namespace

TEST_CASE("A layer that no node lies in changes nothing of a run", "[cli]") {
  const std::string run = "--grid 60 --pml-width 10 --steps 3 --model ";
  const json plain = record_of(run + "constant:2000");
  for (const char* model : {"layered:2000@0,9000@100000", "layered:300@-5000,2000@-100"}) {
    CAPTURE(model);
    const json record = record_of(run + model);
    CHECK(record["time"] == plain["time"]);
    CHECK(record["boundary"] == plain["boundary"]);
    CHECK(record["model"]["v_min"] == 2000);
    CHECK(record["model"]["v_max"] == 2000);
    CHECK(record["model"]["pml_velocity"] == 2000);
    CHECK(record["result"]["max"] == plain["result"]["max"]);
  }
}

TEST_CASE("A run says what its medium's band keeps of reflections", "[cli]") {
  const std::string run = "--grid 60 --pml-width 10 --steps 3 --spacing 10 --model ";
  const json layers = record_of(run + "layered:1500@0,2500@205 --wavelet ricker:f=12")["model"];
  CHECK(layers["band_spacing_m"] == 10);
  CHECK(layers["kept_of_reflection_at_f_max"].get<double>() > 0.93);  // 5.1 points per wavelength
  CHECK(layers["kept_of_reflection_at_f_max"].get<double>() < 0.99);
  CHECK(layers["v_max"] == 2500);
  CHECK(layers["v_highest_node"].get<double>() > 2550);
  CHECK(layers["v_highest_node"].get<double>() < 1.2 * 2500);
  const json one = record_of(run + "constant:1500 --wavelet ricker:f=12")["model"];
  CHECK(one["band_spacing_m"] == 0);
  CHECK(one["kept_of_reflection_at_f_max"].is_null());
}

TEST_CASE("The stability limit is that of the fastest node, and just under it a run is stable", "[cli]") {
  const std::string model = "layered:1500@0,4500@190";
  const std::string run = "--grid 50 --pml-width 10 --spacing 10 --allow-dispersion --model " + model;
  const json time = record_of(run + " --steps 3")["time"];
  const double limit = time["dt_s"].get<double>() / time["cfl_fraction"].get<double>();
  CHECK(time["cfl_fraction"].get<double>() > 0.8);  // 0.8 of the model's own limit
  CHECK(time["cfl_fraction"].get<double>() <= 0.96 * (1 + 1e-6));
  const json near = record_of(text(run, " --steps 1500 --dt ", 0.995 * limit));
  CHECK(std::abs(near["result"]["max"].get<double>()) < 1e-3);
  const TemporaryDirectory folder;
  const ProgramResult over = run_program(words(text(run, " --dt ", 1.01 * limit)), folder.path());
  CHECK(over.exit_code == 65);
  CHECK(over.err.find("over the stability limit") != std::string::npos);
}

// ---- a reflection at zero offset, in closed form by Cagniard and de Hoop
// (validation/cases/means/answers/layered_medium.hpp)

namespace {

constexpr LayeredMedium two_layers{1500, 2500};

/// A source and a receiver under it, in a line above an interface; `spacing` in m.
struct Sounding {
  double spacing = 20;
  [[nodiscard]] double frequency() const {
    return 100 / spacing;
  }  // 15 points per wavelength in the upper layer
  [[nodiscard]] double delay() const { return 1.5 / frequency(); }
  [[nodiscard]] double dt() const { return 0.25 * spacing / two_layers.c2; }
  [[nodiscard]] int steps() const { return static_cast<int>(1.1 * spacing / 20 / dt()); }
  [[nodiscard]] double source_depth() const { return 2 * spacing; }
  [[nodiscard]] double receiver_depth() const { return 4 * spacing; }

  [[nodiscard]] std::vector<double> trace(const std::string& model) const {
    const double middle = 25 * spacing;
    return trace_of(text("--grid 75 --boundary cpml --pml-width 12 --spacing ", spacing, " --dt ", dt(),
                         " --steps ", steps(), " --wavelet ricker:f=", frequency(), " --source ", middle, ',',
                         middle, ',', source_depth(), " --receivers line:", middle, ',', middle, ',',
                         receiver_depth(), ':', middle, ',', middle, ',', receiver_depth(), ":1 --model ",
                         model));
  }

  /// How much later (s) the reflection comes than that of an interface at `depth` would.
  [[nodiscard]] double lateness(const std::vector<double>& reflection, double depth) const {
    const double heights = 2 * depth - source_depth() - receiver_depth();
    const auto exact = reflected_ricker(two_layers, 0, heights, frequency(), delay(), dt(), steps());
    double slope_squared = 0, product = 0;
    for (int n = 1; n < steps(); ++n) {
      const double slope = (exact[n + 1] - exact[n - 1]) / (2 * dt());
      product += slope * (exact[n] - reflection[n]);
      slope_squared += slope * slope;
    }
    return product / slope_squared;
  }
};

std::vector<double> difference(std::vector<double> a, const std::vector<double>& b) {
  std::transform(a.begin(), a.end(), b.begin(), a.begin(), std::minus<>());
  return a;
}

}  // namespace

TEST_CASE("A reflection comes from where the interface is, on a node or between", "[cli]") {
  const Sounding sounding;
  const auto direct = sounding.trace("constant:1500");
  for (const double depth : {381.0, 390.0, 400.0}) {
    CAPTURE(depth);
    const auto layers = sounding.trace(text("layered:1500@0,2500@", depth));
    const double late = sounding.lateness(difference(layers, direct), depth);
    CAPTURE(late);
    CHECK(std::abs(late) < 0.7e-3);  // a cell is 26.7 ms of two-way time
  }
}

TEST_CASE("A metre moves a reflection by a metre", "[cli]") {
  const Sounding sounding{10};
  const auto direct = sounding.trace("constant:1500");
  const auto late = [&](double depth) {
    return sounding.lateness(difference(sounding.trace(text("layered:1500@0,2500@", depth)), direct), 200);
  };
  const double metre = late(201) - late(200);
  CAPTURE(metre);
  CHECK(metre == Approx(2 / two_layers.c1).epsilon(0.1));
}

TEST_CASE("A layer half a cell thick is heard where it is, not moved to a node", "[cli]") {
  const Sounding sounding;
  const auto direct = sounding.trace("constant:1500");
  const auto reflection = [&](double top) {
    return difference(sounding.trace(text("layered:1500@0,2500@", top, ",1500@", top + 10)), direct);
  };
  const auto energy = [](const std::vector<double>& trace) {
    double sum = 0;
    for (const double u : trace) sum += u * u;
    return sum;
  };
  // The same layer, in the middle of a cell and around a node: the shallower is louder by its distance alone.
  const double between = energy(reflection(385)), around = energy(reflection(395));
  const double heights = 2 * 395 - sounding.source_depth() - sounding.receiver_depth();
  CHECK(between / around == Approx(std::pow(heights / (heights - 20), 2)).epsilon(0.02));
}

TEST_CASE("A file that is decimated or resampled keeps its interface", "[cli]") {
  const Sounding sounding;
  const TemporaryDirectory folder;
  const std::string file = (folder.path() / "layers.h5").string();
  constexpr int points = 205,
                first_lower = 78;  // 5 m apart; the interface half a cell above the first: 387.5 m
  {
    std::vector<float> values;
    for (int z = 0; z < points; ++z) values.insert(values.end(), points, z < first_lower ? 1500.0F : 2500.0F);
    const Hdf5Writer writer(file);
    Hdf5Writer::attribute(writer.dataset("vp", {points, points}, values, H5T_IEEE_F32LE), "spacing",
                          std::vector<double>{5});
  }
  const double middle = 500;
  const auto trace = [&](const std::string& model) {
    return trace_of(text("--boundary cpml --pml-width 12 --dt ", sounding.dt(), " --steps ", sounding.steps(),
                         " --wavelet ricker:f=", sounding.frequency(), " --source ", middle, ",500,",
                         sounding.source_depth(), " --receivers line:", middle, ",500,",
                         sounding.receiver_depth(), ':', middle, ",500,", sounding.receiver_depth(), ":1 ",
                         model));
  };
  const auto direct = trace("--grid 75 --model constant:1500");
  for (const char* cut : {"--decimate 4", "--spacing 20"}) {
    CAPTURE(cut);
    const auto layers = trace(text("--extrude 51 --model ", file, ' ', cut));
    const double late = sounding.lateness(difference(layers, direct), 387.5);
    CAPTURE(late);
    CHECK(std::abs(late) < 0.3e-3);
  }
}

TEST_CASE("The wave straight down a gradient takes the time of its closed form", "[cli]") {
  const double v0 = 1500, k = 0.6, top = 100, bottom = 900, f = 5;
  const auto trace = trace_of(
      "--model gradient:1500+0.6z --grid 75 --boundary cpml --pml-width 12 --dt 1e-3 --steps 900 --wavelet "
      "ricker:f=5 "
      "--source "
      "500,500,100 --receivers line:500,500,900:500,500,900:1");
  const auto peak = std::max_element(trace.begin(), trace.end());
  REQUIRE(peak != trace.end() - 1);
  const double a = peak[-1], b = peak[0], c = peak[1];
  const double time = 1e-3 * (static_cast<double>(peak - trace.begin()) + (a - c) / (2 * (a - 2 * b + c)));
  const double travel = std::log((v0 + k * bottom) / (v0 + k * top)) / k;
  CAPTURE(time - 1.5 / f - travel);
  CHECK(std::abs(time - 1.5 / f - travel) < 0.1e-3);
}

TEST_CASE("A gradient that comes to 0 within the grid is refused with its depth", "[cli]") {
  const TemporaryDirectory folder;
  const auto refused = run_program(words("--model gradient:1500-2z --grid 200 --device cpu"), folder.path());
  CHECK(refused.exit_code == 65);
  CHECK(refused.err.find("at a depth of 760 m") != std::string::npos);
}

// ---- reflections of the layer

TEST_CASE("A run says what its layer was measured to reflect", "[cli]") {
  const TemporaryDirectory folder;
  const auto run = [&](const std::string& options) {
    return run_program(words(options + " --grid 60 --steps 2 --force --device cpu"), folder.path());
  };
  const auto wide = run("--pml-width 10");
  CHECK(wide.out.find("dB at normal incidence") != std::string::npos);
  CHECK(wide.out.find("not as measured") == std::string::npos);
  CHECK(wide.out.find("echo      none comes before the end") != std::string::npos);
  CHECK(wide.err.find("echo") == std::string::npos);
  const auto fast = run("--pml-width 10 --pml-velocity 4500");
  CHECK(fast.out.find("not as measured: a layer made for 4500 m/s") != std::string::npos);
  const auto layers = run("--pml-width 10 --model layered:2000@0,3000@200 --dt 1e-3");
  CHECK(layers.out.find("not as measured: a medium that changes, dt ") != std::string::npos);
  CHECK(run("--pml-width 0").out.find("there is no layer") != std::string::npos);
}

TEST_CASE("Runs and surveys warn of echoes over -40 dB of the direct wave, and record all", "[cli]") {
  const TemporaryDirectory folder;
  const auto run = [&](const std::string& options) {
    const ProgramResult result =
        run_program(words(options + " --grid 80,60,60 --steps 250 --force --device cpu"), folder.path());
    CAPTURE(options, result.err);
    CHECK(result.exit_code == 0);
    return result;
  };
  const auto record = [&] {
    std::ifstream in(folder.path() / "run.json");
    return json::parse(in)["boundary"]["expected_echo"];
  };
  const auto thin =
      run("--json run.json --pml-width 10 --source 100,400,20 --receivers line:1100,400,20:1100,400,20:1");
  CHECK(
      thin.err.find("minimod: the echo of a pml of 10 points is expected at -5 dB of the direct wave at the "
                    "receiver (1100, 400, 20) m, most of it from the top face; take --boundary cpml, ") == 0);
  CHECK(record()["decibel"].get<double>() == Approx(-5.3).margin(1.5));  // boundary/pml_reflection.inc
  CHECK(record()["face"] == "top");
  CHECK(run("--boundary sponge --pml-width 10").err.find("the echo of a sponge of 10 points") !=
        std::string::npos);
  const auto quiet = run("--json run.json --boundary cpml --pml-width 10 --source 100,400,20");
  CHECK(quiet.err.empty());
  CHECK(quiet.out.find("echo      expected at -") != std::string::npos);
  CHECK(record()["decibel"].get<double>() < -50);
  const auto survey =
      run("survey --rate 1 --model constant:2000 --boundary pml --pml-width 10 --sources "
          "line:500,400,400:700,400,20:3 --receivers line:200,400,400:800,400,20:4");
  CHECK(survey.err.find(" m of shot 3, most of it from the top face") != std::string::npos);
  CHECK(std::ranges::count(survey.err, '\n') == 1);
}

TEST_CASE("The echo of a shot costs no time, however many steps, shots and receivers there are", "[cli]") {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program(
      words("survey --rate 1 --grid 80 --boundary pml --pml-width 10 --model constant:2000 --steps 1000000 "
            "--time-dispersion as-is --device cpu --kernel kokkos --sources line:100,400,20:1100,400,20:20 "
            "--receivers grid:0,0,20:1180,1180,20:100,100"),
      folder.path(), one_thread);
  CAPTURE(result.err, result.seconds);
  CHECK(result.exit_code == 0);
  CHECK(result.err.find("minimod: the echo of a pml of 10 points is expected at ") == 0);
  CHECK(std::ranges::count(result.err, '\n') == 1);
  CHECK(result.seconds < 4);  // was over 30
}

TEST_CASE("The echo is that of the velocities near the depths of source and receivers", "[cli]") {
  const TemporaryDirectory folder;
  const auto echo = [&](const std::string& model) {
    const ProgramResult result = run_program(
        words("--grid 85,40,40 --spacing 15 --boundary cpml --pml-width 10 --dt 1.2e-3 --steps 750 "
              "--force --json run.json --wavelet ricker:f=6 --device cpu --kernel kokkos --source "
              "15,150,15 --receivers line:915,150,15:915,150,15:1 --model " +
              model),
        folder.path(), one_thread);
    CAPTURE(model, result.err);
    REQUIRE(result.exit_code == 0);
    return read_json(folder.path() / "run.json")["boundary"]["expected_echo"]["decibel"].get<double>();
  };
  const double of_water = echo("constant:1500 --pml-velocity 4500");  // half a wavelength is 125 m
  CHECK(echo("layered:1500@0,4500@200") == Approx(of_water).margin(0.1));
  CHECK(std::abs(echo("layered:1500@0,4500@100") - of_water) > 3);
}

TEST_CASE("A run, its survey and its section take the layer that the model's rule says", "[cli]") {
  const auto boundary_of = [](const std::string& options) {
    const json record = record_of("--grid 100,100,60 --steps 2 " + options);
    return std::pair{record["boundary"]["kind"].get<std::string>(), record["grid"]["pml_width"].get<int>()};
  };
  using Layer = std::pair<std::string, int>;
  CHECK(boundary_of("") == Layer{"pml", 20});  // a third of 60 points
  CHECK(boundary_of("--model constant:2000") == Layer{"cpml", 10});
  CHECK(boundary_of("--model constant:2000 --kernel reference") == Layer{"cpml", 10});
  CHECK(boundary_of("--model constant:2000 --boundary pml") == Layer{"pml", 20});
  CHECK(boundary_of("--model constant:2000 --pml-width 12") == Layer{"cpml", 12});
  CHECK(boundary_of("--model constant:2000 --pml-kernel kokkos") == Layer{"pml", 20});
  CHECK(boundary_of("--boundary cpml") == Layer{"cpml", 20});

  const TemporaryDirectory folder;
  const std::string run = "--device cpu --grid 100,100,60 --steps 2 --model constant:2000";
  const auto said = [&](const std::string& line, const char* words_of_rule) {
    const ProgramResult result = run_program(words(line), folder.path());
    CAPTURE(line, result.err, result.out);
    CHECK(result.exit_code == 0);
    CHECK(result.out.find(words_of_rule) != std::string::npos);
  };
  said(run, "with a model a cpml of 10 points is the default");
  said("survey --rate 1 --sources line:200,200,20:300,200,20:2 " + run,
       "with a model a cpml of 10 points is the default");
  said("--device cpu --grid 60 --steps 2 --force",
       "without a model the papers' pml of 27 points is the default");
  said("section " + run, "sections");
  const auto file = hdf5::open_for_reading(folder.path() / "sections.h5");
  CHECK(hdf5::read_text_attribute(file, "boundary") == "cpml");
  CHECK(hdf5::read_number_attribute(file, "pml_width") == std::vector<double>{10});
  CHECK(hdf5::read_number_attribute(file, "grid") == std::vector<double>{100, 100, 60});
}

TEST_CASE("A thin PML in a medium of strong contrast is said to grow where that is rough", "[cli]") {
  const auto warning_of = [](const std::string& options) {
    const TemporaryDirectory folder;
    const ProgramResult result =
        run_program(words("--grid 40 --spacing 10 --allow-dispersion --steps 3 " + options), folder.path());
    CAPTURE(options, result.err);
    CHECK(result.exit_code == 0);
    return result.err.find("may grow by a tenth") != std::string::npos;
  };
  CHECK(warning_of("--model layered:1500@0,5500@100 --pml-width 6 --boundary pml"));
  CHECK_FALSE(warning_of("--model layered:1500@0,5500@100 --pml-width 10 --boundary pml"));
  CHECK_FALSE(warning_of("--model layered:1500@0,2500@100 --pml-width 6 --boundary pml"));
  CHECK_FALSE(warning_of("--model layered:1500@0,5500@100 --pml-width 6 --boundary cpml"));
}
