/// minimod stencil, as a user calls it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "src/base/files/temporary_directory.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "validation/cli/check_refusal.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

void write_text(const std::filesystem::path& file, const std::string& content) {
  std::ofstream(file) << content;
}

/// With the compilers' cache in the folder.
ProgramResult run_in(const TemporaryDirectory& folder, const std::string& arguments) {
  return ProgramRun(words(arguments), folder.path(),
                    [&] { setenv("XDG_CACHE_HOME", (folder.path() / "cache").c_str(), 1); })
      .wait();
}

void check_refused_in_a_line(const std::string& arguments, const std::filesystem::path& folder, int exit_code,
                             const std::string& says) {
  const ProgramResult result = run_program(words(arguments), folder);
  CAPTURE(arguments);
  check_refusal(result, exit_code, says);
  CHECK(result.out.empty());
}

void check_stencil_refused(const std::string& arguments, const std::filesystem::path& folder, int exit_code,
                           const std::string& says) {
  check_refused_in_a_line("stencil " + arguments, folder, exit_code, says);
}

/// A stencil of a user's own, of two arrays.
void write_own_stencil(const std::filesystem::path& folder) {
  write_text(
      folder / "mine.stencil",
      "in float t; in float c from 0.05 to 0.15; out float t1; next t = t1;\n"
      "lap = t[i-1,j,k] + t[i+1,j,k] + t[i,j-1,k] + t[i,j+1,k] + t[i,j,k-1] + t[i,j,k+1] - 6 * t[i,j,k];\n"
      "t1[i,j,k] = t[i,j,k] + c[i,j,k] * lap;\n");
}

}  // namespace

TEST_CASE("The shipped stencils are in the program, wherever it is", "[cli]") {
  const TemporaryDirectory folder;
  const auto list = nlohmann::json::parse(run_program({"stencil", "list", "--json"}, folder.path()).out);
  CHECK(list["schema"] == "minimod.stencils/1");
  std::set<std::string> names, files;
  for (const auto& stencil : list["stencils"]) names.insert(stencil["name"]);
  for (const auto& file : std::filesystem::directory_iterator(MINIMOD_SOURCE_DIR "/kernels/stencils")) {
    if (file.path().extension() == ".stencil") files.insert(file.path().stem());
  }
  CHECK(names == files);
  CHECK(names.size() >= 17);
  const std::string lines = run_program({"stencil", "list"}, folder.path()).out;
  for (const std::string& name : names) CHECK(lines.find(name + " ") != std::string::npos);
}

TEST_CASE("stencil info of a name and of a file", "[cli]") {
  const TemporaryDirectory folder;
  write_text(folder.path() / "mine.stencil",
             "# Mine\nin double u;\nout double v;\nnext u = v;\n"
             "v[i,j,k] = (u[i-1,j,k] + u[i,j+2,k]) / 2;\n");
  const ProgramResult text = run_program({"stencil", "info", "himeno", "mine.stencil"}, folder.path());
  CHECK(text.exit_code == 0);
  for (const char* part :
       {"himeno: 19 points", "19, corners among them", "x 1, y 1, z 1", "31, 1",
        "32: 20 additions, 12 multiplications, 0 divisions", "56 a point at least", "p = wrk2", "mine: Mine",
        "double u", "x -1 +0, y -0 +2, z 0", "2: 1 additions", "16 a point"}) {
    CAPTURE(part, text.out);
    CHECK(text.out.find(part) != std::string::npos);
  }
  const auto record =
      nlohmann::json::parse(run_program({"stencil", "info", "mine.stencil", "--json"}, folder.path()).out);
  const auto& mine = record["stencils"][0];
  CHECK(mine["arrays"][0]["next"] == "v");
  CHECK(mine["reach"]["y"] == nlohmann::json({0, 2}));
  CHECK(mine["reads_corners"] == false);
  CHECK(mine["compulsory_bytes"] == 16);
}

TEST_CASE("Wrong words and hostile files of stencils are refused in a line", "[cli]") {
  const TemporaryDirectory folder;
  const auto& path = folder.path();
  check_stencil_refused("", path, 64, "give 'list', or 'info'");
  check_stencil_refused("info", path, 64, "give 'list', or 'info'");
  check_stencil_refused("lst", path, 64, "'lst'");
  check_stencil_refused("info himno", path, 66, "did you mean himeno");
  check_stencil_refused("info no.stencil", path, 66, "No such file");
  check_stencil_refused("info .", path, 66, "is a directory");
  REQUIRE(mkfifo((path / "pipe.stencil").c_str(), 0600) == 0);
  check_stencil_refused("info pipe.stencil", path, 66, "no regular file");
  const std::string begin = "in float u;\nout float v;\nv[i,j,k] = ";
  write_text(path / "deep.stencil", begin + std::string(30'000, '(') + "1" + std::string(30'000, ')') + ";");
  check_stencil_refused("info deep.stencil", path, 65, "deep.stencil:3:44: more than 32 parentheses");
  std::string terms = begin + "1";
  for (int i = 0; i < 1'000'000; ++i) terms += "+1";
  write_text(path / "terms.stencil", terms + ";");
  check_stencil_refused("info terms.stencil", path, 65, "a stencil at most 65536");
  write_text(path / "signs.stencil", begin + std::string(60'000, '-') + "1;");
  check_stencil_refused("info signs.stencil", path, 65, "signs.stencil:3:13: a number");
  write_text(path / "far.stencil", begin + "u[i-1000000000,j,k];");
  check_stencil_refused("info far.stencil", path, 65, "far.stencil:3:16: offset 1000000000 is too far");
  write_text(path / "cycle.stencil", begin + "a;\na = b;\nb = a;\n");
  check_stencil_refused("info cycle.stencil", path, 65, "in 'v[i,j,k] = a;'");
  write_text(path / "utf16.stencil", std::string("\xFF\xFEi\0n\0", 6));
  check_stencil_refused("info utf16.stencil", path, 65, "byte \\xff is no text");
  write_text(path / "huge.stencil", "");
  std::filesystem::resize_file(path / "huge.stencil", std::uintmax_t{1} << 40);
  check_stencil_refused("info huge.stencil", path, 65, "has 1099511627776 bytes");
  std::filesystem::remove(path / "huge.stencil");
}

TEST_CASE("stencil run writes what the steps leave, from which another run starts", "[cli]") {
  const TemporaryDirectory folder;
  const std::string equation = "out double v; next u = v;\nv[i,j,k] = 2 * u[i,j,k];\n";
  write_text(folder.path() / "first.stencil", "in double u from i + 10 * j + 100 * k;\n" + equation);
  write_text(folder.path() / "second.stencil", "in double u from file \"first.h5\";\n" + equation);
  const auto run = [&](const std::string& arguments) {
    const ProgramResult result =
        run_in(folder, "stencil run " + arguments + " --device cpu --steps 3 --repeats 1 --unverified");
    CAPTURE(arguments, result.err);
    CHECK(result.exit_code == 0);
    return result.out;
  };
  const auto values_of = [&](const char* name, const char* dataset) {
    const auto path = folder.path() / name;
    return hdf5::read_doubles(hdf5::open_float_dataset(hdf5::open_for_reading(path), dataset, path), path);
  };
  CHECK(run("first.stencil --grid 5,4,3 --write first.h5").find("fields first.h5") != std::string::npos);
  const std::vector<double> first = values_of("first.h5", "u");
  REQUIRE(first.size() == 60);
  for (int n = 0; n < 60; ++n) CHECK(first[n] == 8 * (n % 5 + 10 * (n / 5 % 4) + 100 * (n / 20)));
  const auto record = nlohmann::json::parse(run("second.stencil --write second.h5 --slices k=2,i=4 --json"));
  CHECK(record["grid"] == nlohmann::json({5, 4, 3}));
  CHECK(record["fields"] == "second.h5");
  const std::vector<double> across = values_of("second.h5", "u_k2"), along = values_of("second.h5", "u_i4");
  REQUIRE(across.size() == 20);
  REQUIRE(along.size() == 12);
  for (int n = 0; n < 20; ++n) CHECK(across[n] == 8 * first[40 + n]);
  for (int n = 0; n < 12; ++n) CHECK(along[n] == 8 * first[5 * n + 4]);
}

TEST_CASE("Files of fields that cannot be are refused before anything is computed", "[cli]") {
  const TemporaryDirectory folder;
  const auto& path = folder.path();
  const std::string run = "run seven_point --device cpu --grid 9 --steps 1 ";
  check_stencil_refused(run + "--write f.h5 --slices k=9", path, 64,
                        "k = 9 is outside the grid; give at most 8");
  check_stencil_refused(run + "--write f.h5 --slices 3", path, 64, "give points' numbers as k=11,i=0");
  check_stencil_refused(run + "--slices k=1", path, 64, "without --write");
  check_stencil_refused(run + "--write none/f.h5", path, 73, "none");
  write_text(path / "f.h5", "mine");
  check_stencil_refused(run + "--write f.h5 --force", path, 73, "f.h5");
  check_stencil_refused("verify seven_point --write g.h5 --device cpu", path, 64, "give it to stencil run");
  check_stencil_refused("list --write g.h5", path, 64, "runs no kernel");
}

TEST_CASE("A stencil of one's own is verified and run", "[cli]") {
  const TemporaryDirectory folder;
  write_text(folder.path() / "mine.stencil",
             "in double u; out double v; next u = v;\nscalar w = 1 / 3;\n"
             "v[i,j,k] = w * (u[i-1,j,k] + u[i,j+2,k] + u[i,j,k+1]);\n");
  const auto run = [&](const std::string& arguments) { return run_in(folder, "stencil " + arguments); };
  const ProgramResult lines = run("verify mine.stencil himeno --device cpu --grid 17,9,8");
  CAPTURE(lines.out, lines.err);
  CHECK(lines.exit_code == 0);
  CHECK(lines.out.find("all 13 kernels of 2 stencils agree with their equations") != std::string::npos);
  CHECK(lines.out.find("corners off the plane") != std::string::npos);
  const ProgramResult one = run("verify mine.stencil --kernel naive_8x8_ro --device cpu --grid 9");
  CHECK(one.out.find("\n1 kernel of 1 stencil agrees with its equations\n") != std::string::npos);

  const auto verified = nlohmann::json::parse(
      run("verify mine.stencil --kernel tiled_4x4x4,naive_8x8_ro --device cpu --grid 9 --json").out);
  CHECK(verified["schema"] == "minimod.stencil.verify/1");
  REQUIRE(verified["kernels"].size() == 2);
  CHECK(verified["kernels"][1]["kernel"] == "naive_8x8_ro");
  CHECK(verified["kernels"][1]["precision"] == "double");
  CHECK(verified["kernels"][1]["passed"] == true);

  const ProgramResult timed =
      run("run mine.stencil --kernel tiled_4x4x4 --precision single --device cpu "
          "--grid 12,11,10 --steps 2 --repeats 3 --json");
  CAPTURE(timed.err);
  REQUIRE(timed.exit_code == 0);
  const auto record = nlohmann::json::parse(timed.out);
  CHECK(record["schema"] == "minimod.stencil.run/1");
  CHECK(record["precision"] == "float");
  CHECK(record["seconds"].size() == 3);
  CHECK(record["error"] < 1e-6);
  const auto& median = record["median"];
  CHECK(median["gflop_per_s"].get<double>() == 3 * median["gpt_per_s"].get<double>());
  CHECK(median["gb_per_s"].get<double>() == 8 * median["gpt_per_s"].get<double>());
  CHECK(record["played"] == true);
  CHECK(median["share_of_ceiling"].is_null());
}

TEST_CASE("A stencil runs on a CPU's cores, unless threads are to be emulated", "[cli]") {
  const TemporaryDirectory folder;
  write_own_stencil(folder.path());
  const std::string head = "stencil run mine.stencil --device cpu --grid 12,11,10 --steps 2 --repeats 2 ";
  const auto record = nlohmann::json::parse(run_in(folder, head + "--json").out);
  CHECK(record["kernel"] == "rows");
  CHECK(record["played"] == false);
  CHECK(record["median"]["share_of_ceiling"] > 0);
  const ProgramResult emulated = run_in(folder, head + "--kernel naive");
  CHECK(emulated.out.find("which emulates a") != std::string::npos);
  CHECK(emulated.out.find("emulated: says nothing of a GPU\n") != std::string::npos);
  CHECK(emulated.out.find('%') == std::string::npos);
  CHECK(run_in(folder, "stencil list").out.find("rows ") != std::string::npos);
  const ProgramResult bench = run_in(folder,
                                     "bench --stencil ./mine.stencil --device cpu --grid 12,11,10 --repeats "
                                     "2 --json b.json");
  REQUIRE(bench.exit_code == 0);
  const auto kernels = read_json(folder.path() / "b.json")["kernels"];
  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0]["kernel"] == "rows");
  CHECK(kernels[0]["share_of_ceiling"] > 0);
}

TEST_CASE("Kernels of stencils that cannot be are refused before a compiler is called", "[cli]") {
  const TemporaryDirectory folder;
  const auto& path = folder.path();
  check_stencil_refused("run tang_2 --kernel coarsened_64x32x8", path, 64, "2048 threads, at most 1024");
  check_stencil_refused("run zhang_27 --kernel forward_plane", path, 64, "corners off the plane");
  check_stencil_refused("run tang_2 --kernel gmem_8x8x8", path, 64, "no kernel of a stencil");
  check_stencil_refused("run tang_2 --kernel all", path, 64, "stencil run takes one");
  check_stencil_refused("run tang_2 div", path, 64, "name one");
  check_stencil_refused("run tang_2 --device cuda:0,1", path, 64, "a stencil takes one");
  check_stencil_refused("run tang_2 --grid 1000000 --device cpu", path, 71, "take a smaller --grid");
  check_stencil_refused("verify tang_2 --grid 1000000", path, 64, "give at most 2097152");
  check_stencil_refused("verify tng_2", path, 66, "did you mean tang_2");
  check_stencil_refused("list --grid 10", path, 64, "runs no kernel");
}

TEST_CASE("bench measures kernels of stencils, shipped ones and one's own", "[cli]") {
  const TemporaryDirectory folder;
  write_own_stencil(folder.path());
  const ProgramResult result = run_in(folder,
                                      "bench --stencil zhang_2*,./mine.stencil --kernel naive,*_plane_* "
                                      "--device cpu --grid 12,11,10 --repeats 3 --json b.json --csv b.csv");
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.out.find("zhang_27 in float: 8 bytes, 30 operations a point") != std::string::npos);
  CHECK(result.out.find("corners off the plane") != std::string::npos);
  CHECK(result.out.find("* emulated: says nothing of a GPU") != std::string::npos);
  const auto record = read_json(folder.path() / "b.json");
  CHECK(record["schema"] == "minimod.stencil.bench/1");
  std::vector<std::string> measured;
  for (const auto& kernel : record["kernels"]) {
    measured.push_back(kernel["stencil"].get<std::string>() + ' ' + kernel["kernel"].get<std::string>());
    CHECK(kernel["verified"] == true);
    CHECK(kernel["played"] == true);
    CHECK(kernel["share_of_ceiling"].is_null());
    CHECK(kernel["gpt_per_s"]["min"] <= kernel["gpt_per_s"]["max"]);
    CHECK(kernel["gb_per_s"].get<double>() ==
          kernel["bytes_a_point"].get<double>() * kernel["gpt_per_s"]["median"].get<double>());
  }
  CHECK(measured == std::vector<std::string>{"zhang_27 naive_64x4_v2", "zhang_27 in_plane_full_64x8_r2x1_v2",
                                             "mine naive_64x4_v2", "mine forward_plane_32x8",
                                             "mine in_plane_full_64x8_r2x1_v2"});
  CHECK(record["not_run"].size() == 1);
  std::ifstream table(folder.path() / "b.csv");
  CHECK(std::count(std::istreambuf_iterator<char>(table), {}, '\n') == 6);
}

TEST_CASE("tune searches the tiles of a stencil, keeps what it finds and goes on", "[cli]") {
  const TemporaryDirectory folder;
  write_own_stencil(folder.path());
  const std::string search =
      "tune --stencil ./mine.stencil --kernel forward_plane --device cpu --grid 17 --repeats 2 -o "
      "record.json "
      "--candidates *_32x8,*_16x4 ";
  const ProgramResult first = run_in(folder, search + "--limit 1");
  CAPTURE(first.out, first.err);
  REQUIRE(first.exit_code == 0);
  CHECK(first.out.find("forward_plane of mine, single precision; 17 x 17 x 17 points") != std::string::npos);
  CHECK(first.out.find("emulated: says nothing of a GPU: no tile is named the fastest") != std::string::npos);
  CHECK(first.out.find("fastest: ") == std::string::npos);
  const auto before = read_json(folder.path() / "record.json");
  REQUIRE(run_in(folder, search).exit_code == 0);
  const auto record = read_json(folder.path() / "record.json");
  REQUIRE(record["candidates"].size() == 2);
  CHECK(record["candidates"][0] == before["candidates"][0]);
  CHECK(record["candidates"][1]["state"] == "measured");
  CHECK(record["stencil"]["arrays"] == "float,float,float");
  CHECK(record["played"] == true);
  std::filesystem::remove(folder.path() / "mine.stencil");
  const ProgramResult kept = run_in(folder, "tune --from record.json");
  CHECK(kept.exit_code == 0);
  CHECK(kept.out.find("forward_plane_16x4 ") != std::string::npos);

  write_own_stencil(folder.path());
  std::ofstream(folder.path() / "mine.stencil", std::ios::app) << "# changed\n";
  const ProgramResult other = run_in(folder, search);
  CHECK(other.exit_code == 73);
  CHECK(other.err.find("its stencil mine had other equations") != std::string::npos);
}

TEST_CASE("roofline has kernels of stencils under the ceilings of the same run", "[cli]") {
  const TemporaryDirectory folder;
  write_own_stencil(folder.path());
  const ProgramResult result =
      run_in(folder,
             "roofline --stencil seven_point,./mine.stencil --kernel rows,tiled_8x4x4 "
             "--device cpu --grid 12,11,10 --no-counters --output report");
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  const auto record = read_json(folder.path() / "report/roofline.json");
  CHECK(record["mode"] == "analytic");
  CHECK(record["stencils"] == nlohmann::json({"seven_point", "mine"}));
  REQUIRE(record["kernels"].size() == 4);
  CHECK(record["kernels"][3]["shape"] == "mine/tiled_8x4x4");
  const auto& cells = record["kernels"][3]["cells"];
  constexpr int points = 12 * 11 * 10;
  CHECK(cells["flop"]["value"] == 9 * points);
  CHECK(cells["dram_bytes"]["value"] == 12 * points);
  CHECK(cells["dram_bytes"]["source"] == "analytic");
  for (const auto& kernel : record["kernels"]) {
    const bool is_emulated = kernel["shape"].get<std::string>().find("tiled") != std::string::npos;
    CHECK(kernel["played"] == is_emulated);
    CHECK(kernel["cells"].contains("roof_dram") == !is_emulated);
    CHECK(kernel["cells"].contains("achieved_fp32") == !is_emulated);
    CHECK((kernel["bound_by"] == "(played)") == is_emulated);
  }
  CHECK(result.out.find("emulated: says nothing of a GPU") != std::string::npos);
  REQUIRE(run_in(folder,
                 "roofline --stencil ./mine.stencil --kernel in_plane_full --precision double --device cpu "
                 "--grid 9 --output doubles")
              .exit_code == 0);
  const auto in_double = read_json(folder.path() / "doubles/roofline.json");
  CHECK(in_double["kernels"][0]["precision"] == "double");
  CHECK(in_double["kernels"][0]["cells"]["dram_bytes"]["value"] == 24 * 9 * 9 * 9);
  const ProgramResult profiled = run_in(
      folder, "roofline --stencil seven_point --kernel naive --device cpu --grid 9 --profile-range 1:2");
  CHECK(profiled.out == "seven_point/naive_64x4_v2: profiler on for steps 1 to 1\n");
}

TEST_CASE("What measures stencils refuses what they do not have in a line", "[cli]") {
  const TemporaryDirectory folder;
  const auto& path = folder.path();
  check_refused_in_a_line("bench --stencil zhang_7 --order 4", path, 64, "--order is given with --stencil");
  check_refused_in_a_line("bench --stencil zhang_7 --kernel auto", path, 64, "no kernel of a stencil");
  check_refused_in_a_line("bench --stencil zang_7", path, 66, "did you mean zhang_7");
  check_refused_in_a_line("bench --stencil zhang_7 --device cpu --grid 5000", path, 71, "smaller --grid");
  check_refused_in_a_line("tune --stencil zhang_*", path, 64, "tune takes one");
  check_refused_in_a_line("tune --stencil zhang_7 --kernel semi", path, 64, "no kernel of a stencil");
  check_refused_in_a_line("tune --stencil zhang_7 --kernel tiled_4x4x4", path, 64, "name its family, tiled");
  check_refused_in_a_line("tune --stencil zhang_7 --kernel rows", path, 64, "no tiles to search");
  check_refused_in_a_line("tune --stencil zhang_27 --kernel forward_plane --device cpu", path, 64,
                          "corners off");
  check_refused_in_a_line("tune --stencil zhang_7 --model --device cpu", path, 64,
                          "the model is one of GPUs");
  check_refused_in_a_line("roofline --stencil zhang_7 --pml-width 5", path, 64, "--pml-width is given with");
  check_refused_in_a_line("roofline --stencil zhang_27 --kernel forward_plane --device cpu", path, 64,
                          "corners");
}
