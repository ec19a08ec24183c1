/// A shot of several sources: each with its amplitude.
#include <algorithm>
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/io/gather/gather.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

TEST_CASE("Sources with amplitudes give the sum of their fields times these", "[cli]") {
  const TemporaryDirectory inputs, folder;
  const std::string sources = inputs.write("s.csv",
                                           "shot,x,y,z,amplitude,wavelet\n"
                                           "0,200,200,200,,\n"
                                           "1,300,240,160,,\"gaussian:f=8,t0=0.1\"\n"
                                           "2,200,200,200,-0.75,\n"
                                           "2,300,240,160,40,\"gaussian:f=8,t0=0.1\"\n");
  const ProgramResult result =
      run_program(words("run --grid 40 --pml-width 5 --device cpu --kernel kokkos --steps 150 --wavelet "
                        "ricker:f=10,t0=0.12 --receivers line:0,260,200:580,260,200:30 --sources " +
                        sources),
                  folder.path(), one_thread);
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  std::vector<ShotGather> shots;
  for (const char* const name : {"shot_00000.h5", "shot_00001.h5", "shot_00002.h5"}) {
    shots.push_back(read_gather(folder.path() / "survey" / "shots" / name));
  }
  REQUIRE(shots.size() == 3);
  const auto value = [&](int shot, std::size_t i) {
    return shots[shot].traces.visit([&](const auto& all) { return double{all[i]}; });
  };
  double greatest = 0, difference = 0;
  for (std::size_t i = 0; i < shots[2].traces.size(); ++i) {
    greatest = std::max(greatest, std::abs(value(2, i)));
    difference = std::max(difference, std::abs(-0.75 * value(0, i) + 40 * value(1, i) - value(2, i)));
  }
  CHECK(greatest > 0);
  CHECK(difference < 3e-6 * greatest);
  REQUIRE(shots[2].wavelets.size() == 2);
  for (std::size_t n = 0; n < shots[2].wavelets[0].size(); ++n) {
    CHECK(shots[2].wavelets[0][n] == -0.75 * shots[0].wavelets[0][n]);
    CHECK(shots[2].wavelets[1][n] == 40 * shots[1].wavelets[0][n]);
  }
}
