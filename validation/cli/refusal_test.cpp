/// Bad input: one line on stderr, the right exit code, nothing written.
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "src/base/error.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/base/process/host_memory.hpp"
#include "validation/cli/check_refusal.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

struct Refusal {
  const char* arguments;
  int exit_code;
  const char* says;  ///< part of the line
};

void check_all(const std::vector<Refusal>& refusals) {
  const TemporaryDirectory folder;
  for (const Refusal& refusal : refusals) {
    CAPTURE(refusal.arguments);
    check_refusal(run_program(words(refusal.arguments), folder.path()), refusal.exit_code, refusal.says);
    CHECK(folder.entries() == 0);
  }
}

/// Becomes nobody when root, so that permissions hold.
void drop_root() {
  if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(125);
}

}  // namespace

TEST_CASE("Options that are wrong", "[cli]") {
  check_all(
      {{"--gird 10", 64, "--grid"},
       {"kernel", 64, "kernels"},
       {"--kernel st_reg_fixd_32x32", 64, "st_reg_fixed_32x32"},
       {"--kernel st_reg_fixed_32x33", 64, "1056 threads, at most 1024"},
       {"--kernel st_reg_fixed_24", 64, "st_reg_fixed_<Dx>x<Dy>"},
       {"--kernel tma_ring_96x32 --device cpu", 64, "a tile of tma_ring that minimod kernels lists"},
       {"bench --kernel coarsened_80x16x16", 64, "1280 threads, at most 1024"},
       {"kernels in_plane_full_48x12_r1x5", 64, "no multiple of 1x5 points a thread"},
       {"--order 3", 64, "an even number from 2 to 16"},
       {"--order 18", 64, "2 to 16"},
       {"--kernel tma_ring_64x64 --order 4", 64,
        "tma_ring_64x64 is given with --order 4: it is made for order 8"},
       {"--kernel smem_partial_64x4 --order 16", 64, "its tile is 4 long along y, at least 8"},
       {"--precision half", 64, "give single or double"},
       {"--kernel tma_whole --precision double", 64, "given with --precision double: it is made for single"},
       {"--kernel st_window --order 16 --precision double", 64, "B of shared memory, at most 232448"},
       {"--order 16 --grid 16", 64, "at least 17 along each axis"},
       {"roofline --order 4", 64, "--order"},
       {"kernels --order 10 tma_whole", 64,
        "tma_whole_64x32 is given with --order 10: it is made for orders up to 8"},
       {"--pml-kernel gmen", 64, "gmem"},
       {"--steps", 64, "--steps"},
       {"--steps 10 --steps 20", 64, "--steps"},
       {"--steps 10 --tmax 1", 64, "--tmax"},
       {"--grid 0", 64, "--grid"},
       {"--grid -5", 64, "--grid"},
       {"--grid 100abc", 64, "100abc"},
       {"--grid 1e3", 64, "1e3"},
       {"--grid 0x10", 64, "0x10"},
       {"--grid 99999999999999999999", 64, "--grid"},
       {"--grid 10,20", 64, "--grid"},
       {"--grid 8 --pml-width 2", 64, "9"},
       {"--dt nan", 64, "--dt"},
       {"--dt inf", 64, "--dt"},
       {"--dt 0", 64, "--dt"},
       {"--dt -1", 64, "--dt"},
       {"--spacing 0", 64, "--spacing"},
       {"--source 1,2", 64, "--source"},
       {"--crop 5:2,:,:", 64, "--crop"},
       {"--extrude 10", 64, "--extrude"},
       {"--device gpu", 64, "--device"},
       {"--boundary cmpl", 64, "pml, cpml or sponge"},
       {"--boundary cpml --decomposition one", 64, "--decomposition one"},
       {"--boundary cpml --pml-kernel gmem", 64, "--pml-kernel"},
       {"--boundary sponge --pml-velocity 3000", 64, "--pml-velocity"},
       {"--boundary cpml --pml-alpha 0.01", 64, "--pml-alpha"},
       {"--pml-alpha -0.01", 64, "below 0"},
       {"bench --boundary cpml --pml-kernel gmem", 64, "--pml-kernel"},
       {"--interpolation linear", 64, "nearest, sinc4 or sinc8"},
       {"--interpolation sinc", 64, "sinc4, the same with 8 nodes an axis"},
       {"bench --kernel nosuch", 64, "kokkos"},
       {"bench --kernel kokkos,nosuch", 64, "'nosuch'"},
       {"bench --kernel kokkos,,reference", 64, "''"},
       {"bench --kernel gmem_* --device cpu", 69, "--emulate"},
       {"--decomposition three", 64, "seven"},
       {"--schedule later", 64, "beside"},
       {"--kernel tma_ring --emulate", 64, "minimod kernels"},
       {"bench --kernel tma_* --device cpu", 69, "needs a GPU"},
       {"bench --field zeros", 64, "random"},
       {"bench --repeats 0", 64, "--repeats"},
       {"bench --model constant:2000", 64, "--model"},
       {"--emulate --device cuda", 64, "--emulate"},
       {"--wavelet ricker:f=abc", 64, "abc"},
       {"--receivers line:0,0,0:1,1", 64, "--receivers"},
       {"--dt 1e-3 --record-dt 1.5e-3", 64, "--record-dt"},
       {"--model constant:abc", 64, "abc"},
       {"--model constant:-5", 64, "-5"},
       {"--model layered:1500@0,1600@10,1700@5", 64, "1700@5"}});
}

TEST_CASE("An option that a command does not hear is refused by its name, wherever it stands", "[cli]") {
  check_all({{"bench --tmax 3", 64, "--tmax is not heard by bench; minimod bench --help lists what is"},
             {"--tmax 3 bench", 64, "--tmax is not heard by bench; minimod bench --help"},
             {"--tmax=3 bench", 64, "--tmax is not heard by bench"},
             {"--steps 5 kernels", 64, "--steps is not heard by kernels"},
             {"kernels --device cpu", 64, "--device is not heard by kernels"},
             {"-g 10 info", 64, "-g is not heard by info"},
             {"roofline --boundary cpml", 64, "--boundary is not heard by roofline"},
             {"--free-surface verify green", 64, "--free-surface is not heard by verify"},
             {"--repeats 3", 64, "--repeats is not heard by run; minimod --help"},
             {"run --strict", 64, "--strict is not heard by run; minimod run --help"},
             {"--repeats bench", 64, "--repeats is not heard by run"},
             {"bench --step 3", 64, "did you mean --steps"},
             {"--stpes 3 bench", 64, "did you mean --steps"},
             {"info bench", 64, "two commands are given, info and bench"},
             {"run run", 64, "two commands"},
             {"bench --steps 3 --steps 4", 64, "minimod bench --help"}});
}

TEST_CASE("An option that a command hears may stand before it", "[cli]") {
  const TemporaryDirectory folder;
  CHECK(run_program(words("--device cpu verify --list"), folder.path()).exit_code == 0);
  const auto bench =
      words("--steps 2 --grid 30 --json bench.json bench --device cpu --kernel kokkos --repeats 1");
  CHECK(run_program(bench, folder.path()).exit_code == 0);
  CHECK(folder.entries() == 1);
}

TEST_CASE("The help of a command lists what it hears and nothing else", "[cli]") {
  struct Help {
    const char* arguments;
    std::vector<const char*> heard, foreign;
  };
  const TemporaryDirectory folder;
  for (const Help& help :
       {Help{"--help", {"--tmax", "--model", "--json"}, {"--repeats", "--strict", "--plot"}},
        {"kernels --help", {"--json"}, {"--tmax", "--grid", "--device", "--kernel"}},
        {"info --help", {"--json"}, {"--tmax", "--grid", "--device", "--kernel"}},
        {"bench --help", {"--repeats", "--boundary"}, {"--source", "--tmax", "--emulate"}},
        {"roofline --help", {"--strict", "--grid"}, {"--boundary", "--free-surface", "--steps"}},
        {"verify --help", {"--plot", "--emulate"}, {"--grid", "--output", "--tmax"}}}) {
    CAPTURE(help.arguments);
    const ProgramResult result = run_program(words(help.arguments), folder.path());
    CHECK(result.exit_code == 0);
    for (const char* option : help.heard) CHECK(result.out.find(option) != std::string::npos);
    for (const char* option : help.foreign) CHECK(result.out.find(option) == std::string::npos);
  }
}

TEST_CASE("Option values that a shell can pass and a person would not", "[cli]") {
  const TemporaryDirectory folder;
  check_refusal(run_program({"--grid", ""}, folder.path()), 64, "--grid");
  check_refusal(run_program({"--model", "a\nb.h5"}, folder.path()), 66, "a\\x0ab.h5");
  check_refusal(run_program({"--model", "\xff\xfe.sgy"}, folder.path()), 66, "\\xff");
  check_refusal(run_program({"--model", std::string(5000, 'x') + ".bin"}, folder.path()), 66, "xxx");
  CHECK(folder.entries() == 0);
}

TEST_CASE("Physics that cannot be run", "[cli]") {
  check_all({{"--grid 60 --pml-width 21", 65, "third"},
             {"--grid 60 --pml-width 2", 65, "a pml of 2 points"},
             {"--grid 60 --pml-width 1 --boundary pml", 65, "--pml-width 3 or more"},
             {"--grid 60 --pml-width 1 --boundary cpml", 65, "--pml-width 2 or more"},
             {"--grid 60 --pml-width 10 --pml-velocity 20000", 65, "a step breaks"},
             {"--dt 5e-3", 65, "limit"},
             {"--wavelet ricker:f=11", 65, "--allow-dispersion"},
             {"--source -5000,0,0", 65, "-5000"},
             {"--grid 100 --pml-width 10 --receivers line:0,0,0:9999,0,0:3", 65, "9999"}});
}

TEST_CASE("A time step just over the limit is refused, one just under it runs", "[cli]") {
  const TemporaryDirectory folder;
  const std::string run = "--grid 40 --pml-width 5 --steps 3 --dt ";
  check_refusal(run_program(words(run + "4.533e-3"), folder.path()), 65, "0.00452856");
  CHECK(run_program(words(run + "4.524e-3"), folder.path()).exit_code == 0);
}

TEST_CASE("Files that are missing or are not models", "[cli]") {
  const TemporaryDirectory folder, inputs;
  const auto refused = [&](const std::string& arguments, int exit_code, const std::string& says) {
    CAPTURE(arguments);
    check_refusal(run_program(words(arguments), folder.path()), exit_code, says);
    CHECK(folder.entries() == 0);
  };
  const std::string marmousi = MINIMOD_SOURCE_DIR "/models/data/marmousi_vp.h5";
  std::ostringstream whole;
  whole << std::ifstream(marmousi, std::ios::binary).rdbuf();

  refused("--model missing.h5", 66, "missing.h5");
  refused("--model " + inputs.path().string(), 66, "directory");
  refused("--wavelet missing.txt", 66, "missing.txt");
  refused("--receivers missing.csv", 66, "missing.csv");
  refused("--model " + inputs.write("text.h5", "no model\n"), 65, "HDF5");
  refused("--model " + inputs.write("cut.h5", whole.str().substr(0, 70000)), 65, "cut.h5");
  refused("--model " + inputs.write("empty.sgy", ""), 65, "empty.sgy");
  refused("--model " + inputs.write("short.bin", "1234") + " --model-dims 4,4,4 --model-spacing 10", 65,
          "256");
  refused("--model " + marmousi + ":/velocity", 65, "/vp");
  refused("--model " + marmousi + " --grid 100", 64, "--grid");
  for (const std::string& model : {marmousi, std::string("constant:2000")}) {
    refused("--model " + model + " --segy-header inline=9", 64,
            "--segy-header is given with a model that is no");
  }
  for (const char* const words : {"inline", "inline=9,inline=9", "inline=0", "crossline=238", "y=77", "x=237",
                                  "inline=9,", "domain=time", "fold=33"}) {
    refused(text("--model a.sgy --segy-header ", words), 64, "--segy-header");
  }
  const std::vector<float> kilometres(1000, 2.5F);
  const std::string raw(reinterpret_cast<const char*>(kilometres.data()), 4000);
  refused("--model " + inputs.write("km.bin", raw) + " --model-dims 10,10,10 --model-spacing 10", 65, "km/s");
  std::string holed = raw;
  std::fill_n(holed.begin() + 400, 4, '\xff');
  refused("--model " + inputs.write("nan.bin", holed) +
              " --model-dims 10,10,10 --model-spacing 10 --velocity-unit km/s",
          65, "(0, 0, 1)");
}

TEST_CASE("On the host fields and traces are counted together", "[cli]") {
  const auto free = static_cast<double>(available_host_memory());
  const int edge = static_cast<int>(std::cbrt(0.95 * free / 16));              // 16 B a point
  const int steps = static_cast<int>(0.95 * free / (10'000 * sizeof(float)));  // samples of 10,000 receivers
  const std::string line =
      " --receivers line:0,0,0:100,0,0:10000 --pml-width 10 --device cpu --kernel kokkos";
  const TemporaryDirectory folder;
  const std::string arguments = text("--grid ", edge, " --steps ", steps, line);
  const auto limited = [] {  // where others give memory back meanwhile, the run must not go on for days
    const rlimit seconds{30, 30};
    setrlimit(RLIMIT_CPU, &seconds);
  };
  check_refusal(run_program(words(arguments.c_str()), folder.path(), limited), 71, "GiB are free");
}

TEST_CASE("A run that fits no memory is refused with the largest cube", "[cli]") {
  check_all({{"--grid 8000 --device cpu", 71, "largest cube"},
             {"--grid 2147483647", 71, "memory"},
             {"--receivers line:0,0,0:100,0,0:1000000000", 71, "bytes"}});
}

TEST_CASE("Output that cannot be made is refused before the run", "[cli]") {
  const TemporaryDirectory folder;
  check_refusal(run_program(words("--output /dev/null/missing"), folder.path()), 73, "missing");
  check_refusal(run_program(words("--json missing/record.json"), folder.path()), 73, "missing");
  static_cast<void>(folder.write("shot_gather.h5", "something else"));
  check_refusal(run_program(words("--grid 40 --pml-width 5"), folder.path()), 73, "shot_gather.h5");
}

TEST_CASE("A folder that may not be written is refused before the run", "[cli]") {
  const TemporaryDirectory folder;
  std::filesystem::create_directory(folder.path() / "closed");
  std::filesystem::permissions(folder.path() / "closed", std::filesystem::perms(0555));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  const auto result = run_program(words("--output closed"), folder.path(), drop_root);
  if (result.exit_code >= 125) SKIP("nobody may not run the program here");
  check_refusal(result, 77, "closed");
}

TEST_CASE("A disk that fills up ends the run with 74 and leaves nothing behind", "[cli]") {
  const TemporaryDirectory folder;
  const auto limit_files = [] {
    setenv("OMP_NUM_THREADS", "1", 1);  // threads that wait for each other would take their time
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  // So small that no busy machine has the time to report progress first.
  const std::string quiet = "--grid 40 --boundary cpml --pml-width 10 --steps 100";  // no echo to warn of
  check_refusal(run_program(words(quiet), folder.path(), limit_files), 74, "shot_gather.h5");
  CHECK(folder.entries() == 0);
}

TEST_CASE("A wavefield that is lost ends the run at the next look and leaves nothing behind", "[cli]") {
  const TemporaryDirectory folder, inputs;
  const std::string wavelet = inputs.write("wavelet.txt", "0\n1\n1e300\n1\n0\n");
  const std::string not_finite =
      "--grid 40 --pml-width 0 --steps 20000 --allow-dispersion --wavelet " + wavelet + "@dt=3.6e-3";
  const std::string thin_layer = "--grid 20 --pml-width 4 --pml-alpha 0 --steps 3000";
  // Threads that wait for each other on a busy machine would have the time to report progress first.
  check_refusal(run_program(words(not_finite), folder.path(), one_thread), 65, "after step 100;");
  CHECK(folder.entries() == 0);
  const ProgramResult grown = run_program(words(thin_layer), folder.path(), one_thread);
  CHECK(grown.exit_code == 65);
  CHECK(grown.err.find("minimod: the echo of a pml of 4 points is expected at ") == 0);
  CHECK(grown.err.find("\nminimod: with a shift of 0 the pml grows, by up to 4.375 a second") !=
        std::string::npos);
  CHECK(grown.err.find("\nminimod: error: the wavefield grows without a source: ") != std::string::npos);
  CHECK(folder.entries() == 0);
}
