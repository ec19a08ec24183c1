/// Shots of the equations beside the wave's.
#include <algorithm>
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/io/gather/gather.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

const std::string tiny =
    "--device cpu --spacing 10 --wavelet ricker:f=15 --dt 0.0012 --allow-dispersion --grid 36,32,30 "
    "--pml-width 6 --receivers line:10,70,30:150,70,80:9 --source 90,70,64 ";
const std::string density = "--equation density --model layered:1500/1000@0,2500/2200@90 ",
                  vti = "--equation vti --model layered:1500/0/0@0,2300/0.2/0.08@90 ";

std::vector<double> traces_of(const std::string& options) {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program(words(options), folder.path(), one_thread);
  CAPTURE(options, result.out, result.err);
  REQUIRE(result.exit_code == 0);
  return read_gather(folder.path() / "shot_gather.h5").traces.as_doubles();
}

std::vector<double> times(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

bool have_waves(const std::vector<double>& traces) {
  return std::ranges::any_of(traces, [](double value) { return value != 0; });
}

}  // namespace

TEST_CASE("Where nothing beyond V varies, shots are those of the wave", "[cli]") {
  for (const std::string layer : {"pml", "sponge", "cpml"}) {
    CAPTURE(layer);
    const std::string options = tiny + "--steps 80 --boundary " + layer;
    const std::vector<double> wave = traces_of(options + " --model layered:1500@0,2300@90");
    REQUIRE(have_waves(wave));
    const std::vector<double> constant_density =
        traces_of(options + " --equation density --model layered:1500/2000@0,2300/2000@90");
    CHECK(relative_l2(times(constant_density, 1 / 2000.), wave) < 1e-5);
    if (layer == "cpml") continue;  // vti has no CPML
    CHECK(relative_l2(traces_of(options + " --equation vti --model layered:1500/0/0@0,2300/0/0@90"), wave) <
          1e-5);
  }
}

TEST_CASE("Kernels of all kinds give the reference's shot to the bit", "[cli]") {
  std::vector<std::string> kernels{"kokkos", "gmem_8x8x8 --emulate", "smem_u_8x8x8 --emulate"};
  const auto check = [&](const std::string& equation) {
    const std::string options = tiny + equation + "--steps 40 --kernel ";
    const std::vector<double> right = traces_of(options + "reference");
    REQUIRE(have_waves(right));
    for (const std::string& kernel : kernels) {
      CAPTURE(equation, kernel);
      CHECK(traces_of(options + kernel) == right);
    }
  };
  check(density + "--boundary cpml ");
  kernels.insert(kernels.end(), {"gmem_16x4x2 --emulate --decomposition one", "kokkos --decomposition two"});
  check(density + "--boundary pml ");
  check(vti);
}

TEST_CASE("Shots of an equation that are stopped go on to the same bits, and to no others", "[cli]") {
  for (const std::string& equation : {density, vti}) {
    CAPTURE(equation);
    const std::string shot =
        tiny + "--steps 6000 --checkpoint-every 0.05s --snapshot-every 2000steps " + equation;
    const std::vector<double> whole = traces_of(shot);
    const TemporaryDirectory folder;
    ProgramRun run(words(shot), folder.path(), one_thread);
    while (!std::filesystem::exists(folder.path() / "shot_gather.checkpoint.0.h5")) usleep(1000);
    run.send(SIGTERM);
    CHECK(run.wait().exit_code == 75);
    for (const std::string& other :
         {equation == density ? vti : density, std::string("--model constant:2300")}) {
      const ProgramResult refused =
          run_program(words(tiny + "--steps 6000 --snapshot-every 2000steps --boundary pml " + other),
                      folder.path(), one_thread);
      CAPTURE(refused.err);
      CHECK(refused.exit_code == 73);
      const char* const says = other == "--model constant:2300" ? "--model is " : "--equation is ";
      CHECK(refused.err.find(says) != std::string::npos);
    }
    REQUIRE(run_program(words(shot), folder.path(), one_thread).exit_code == 0);
    CHECK(read_gather(folder.path() / "shot_gather.h5").traces.as_doubles() == whole);
  }
}

TEST_CASE("What does not go with an equation is refused in a line", "[cli]") {
  const TemporaryDirectory folder;
  const std::string constant_density = "--equation density --model constant:2000/1000 ";
  const std::string constant_vti = "--equation vti --model constant:2000/0.2/0.1 ";
  const std::pair<std::string, const char*> refusals[] = {
      {"--equation density --model constant:2000", "takes 1"},
      {"--model constant:2000/1000", "--equation wave takes 0"},
      {"--equation vti --model constant:2000/1000", "takes 2"},
      {"--equation density --model gradient:1500+0.6z", "V/rho"},
      {"--equation density --model none.h5", "V/rho"},
      {"--equation density --model layered:1500/1000@0,2000@300", "give each layer the same"},
      {"--equation density --model constant:2000/0", "must be above 0"},
      {"--equation density --model constant:2000/-1000", "must be above 0"},
      {"--equation vti --model constant:2000/0.1/0.2", "less than delta"},
      {"--equation vti --model constant:2000/-0.6/-0.7", "above -0.5"},
      {"--equation jacobi", "bench"},
      {constant_vti + "--boundary cpml", "pml or sponge"},
      {constant_vti + "--free-surface", "--free-surface"},
      {constant_density + "--schedule whole", "--schedule whole"},
      {constant_density + "--kernel tma_whole_64x32", "--equation density"},
      {constant_density + "--kernel semi_8x8x8 --emulate", "gmem, gmem_column, smem_u"},
      {constant_density + "--sources shots.csv", "--sources"},
  };
  for (const auto& [options, says] : refusals) {
    const ProgramResult result = run_program(words(options + " --device cpu"), folder.path());
    CAPTURE(options, result.out, result.err);
    CHECK(result.exit_code == 64);
    CHECK(result.err.find(says) != std::string::npos);
    CHECK(result.err.rfind("minimod: error: ", 0) == 0);
    CHECK(std::ranges::count(result.err, '\n') == 1);
    CHECK(result.err.size() <= 241);
    CHECK(result.is_cheap());
  }
  CHECK(folder.entries() == 0);
}

TEST_CASE("Equations are measured as the wave is", "[cli]") {
  for (const char* equation : {"density", "vti", "jacobi"}) {
    const TemporaryDirectory folder;
    const ProgramResult result =
        run_program(words(std::string("bench --equation ") + equation +
                          " --kernel all --device cpu --grid 40 --steps 3 --json b.json"),
                    folder.path(), one_thread);
    CAPTURE(result.out, result.err);
    REQUIRE(result.exit_code == 0);
    const auto record = read_json(folder.path() / "b.json");
    CHECK(record["grid"]["equation"] == equation);
  }
}
