/// The program's good runs.
#include <algorithm>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/io/gather/gather.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;
using nlohmann::json;

namespace {
/// The greatest value of the last tenth of the traces over the greatest of all.
double late_share(const ShotGather& gather) {
  double late = 0, all = 0;
  for (std::size_t i = 0; i < gather.traces.size(); ++i) {
    const double value = std::abs(gather.traces[i]);
    all = std::max(all, value);
    if (i % gather.samples > gather.samples * 9 / 10) late = std::max(late, value);
  }
  return late / all;
}
}  // namespace

TEST_CASE("A run that is over sooner than memory is measured goes without, unless it is recorded", "[cli]") {
  const TemporaryDirectory folder;
  const auto run = [&](const char* output) {
    return run_program(words(std::string("--grid 24 --pml-width 4 --steps 9 --device cpu --force ") + output),
                       folder.path());
  };
  CHECK(run("--output g.h5").out.find("copy bandwidth") == std::string::npos);
  CHECK(run("--output g.h5 --json r.json").out.find("copy bandwidth") != std::string::npos);
  CHECK(read_json(folder.path() / "r.json")["device"]["copy_gb_per_s"].get<double>() > 0);
}

TEST_CASE("The reference case leaves a gather and a record", "[cli]") {
  const TemporaryDirectory folder;
  const auto result = run_program(
      words("--kernel kokkos --schedule sequence --grid 70,65,60 --pml-width 10 --steps 150 --json run.json"),
      folder.path());
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  for (const char* word : {"Gpt/s", "GB/s", "copy bandwidth", "wavefield min", "points per wavelength"}) {
    CHECK(result.out.find(word) != std::string::npos);
  }
  const json record = read_json(folder.path() / "run.json");
  CHECK(record["schema"] == "minimod.run/1");
  CHECK(record["grid"]["n"] == json{70, 65, 60});
  CHECK(record["grid"]["points_inner"] == 50 * 45 * 40);
  CHECK(record["grid"]["points_pml"] == 70 * 65 * 60 - 50 * 45 * 40);
  CHECK(record["time"]["steps"] == 150);
  CHECK(record["time"]["cfl_fraction"].get<double>() == Catch::Approx(0.8));
  CHECK(record["kernels"] == json{{"inner", "kokkos"}, {"pml", "kokkos"}, {"compiled", false}});
  CHECK(record["device"]["kind"] == "cpu");
  CHECK(record["result"]["max"].get<double>() > 0);
  CHECK(record["result"]["min"].get<double>() < 0);
  CHECK(record["result"]["regions"].size() == 7);
  for (const char* part : {"build", "model", "source", "receivers"}) CHECK(record.contains(part));

  const ShotGather gather = read_gather(folder.path() / "shot_gather.h5");
  CHECK(gather.samples == 151);
  CHECK(gather.receivers.size() == 50);
  CHECK(gather.traces.size() == 151 * 50);
  CHECK(gather.traces[0] == 0);  // sample 0 is t = 0
}

TEST_CASE("An existing gather is kept unless --force says otherwise", "[cli]") {
  const TemporaryDirectory folder;
  const std::string run = "--grid 40 --pml-width 5 --steps 5";
  REQUIRE(run_program(words(run), folder.path()).exit_code == 0);
  const auto refused = run_program(words(run), folder.path());
  CHECK(refused.exit_code == 73);
  CHECK(refused.err.find("--force") != std::string::npos);
  CHECK(run_program(words(run + " --force"), folder.path()).exit_code == 0);
}

TEST_CASE("A shape emulated on the host gives the gather of the portable kernel to the bit", "[cli]") {
  const std::string run = "--grid 45,40,38 --pml-width 7 --steps 40 --device cpu --kernel ";
  std::vector<Reals> traces;
  for (const char* kernel : {"kokkos", "reference", "gmem_8x8x8 --emulate", "st_reg_fixed_16x8 --emulate",
                             "st_reg_fixed_16x16 --pml-kernel gmem_4x4x4 --emulate"}) {
    const TemporaryDirectory folder;
    REQUIRE(run_program(words(run + kernel), folder.path()).exit_code == 0);
    traces.push_back(read_gather(folder.path() / "shot_gather.h5").traces);
  }
  for (const auto& other : traces) CHECK(other == traces.front());
}

TEST_CASE("Every kernel gives the gather of the order that is asked for", "[cli]") {
  const std::string run =
      "--grid 45,40,38 --pml-width 7 --steps 40 --device cpu --allow-dispersion --json r.json --order ";
  std::vector<Reals> gathers;
  for (const std::string order : {"4", "12"}) {
    std::vector<Reals> traces;
    for (const char* kernel : {" --kernel kokkos", " --kernel reference", " --kernel gmem_16x4x2 --emulate",
                               " --decomposition one"}) {
      CAPTURE(order, kernel);
      const TemporaryDirectory folder;
      REQUIRE(run_program(words(run + order + kernel), folder.path()).exit_code == 0);
      CHECK(std::to_string(read_json(folder.path() / "r.json")["order"].get<int>()) == order);
      traces.push_back(read_gather(folder.path() / "shot_gather.h5").traces);
    }
    for (const auto& other : traces) CHECK(other == traces.front());
    gathers.push_back(traces.front());
  }
  CHECK(gathers[0] != gathers[1]);
}

TEST_CASE("Runs in double have gathers, records and snapshots in double", "[cli]") {
  const std::string run =
      "--grid 45,40,38 --pml-width 7 --steps 120 --device cpu --json r.json --snapshot-every 60steps ";
  const auto gather_of = [&](const std::string& options) {
    const TemporaryDirectory folder;
    CAPTURE(options);
    const ProgramResult result = run_program(words(run + options), folder.path());
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const bool is_double = options.find("double") != std::string::npos;
    CHECK(read_json(folder.path() / "r.json")["precision"] == (is_double ? "double" : "single"));
    const auto snapshots = folder.path() / "shot_gather.snapshots.h5";
    const hdf5::Handle file = hdf5::open_for_reading(snapshots);
    const Precision kept = hdf5::precision_of(hdf5::open_float_dataset(file, "wavefield", snapshots));
    CHECK((kept == Precision::float64) == is_double);
    return read_gather(folder.path() / "shot_gather.h5").traces;
  };
  const Reals single = gather_of("--precision single"), twice = gather_of("--precision double");
  CHECK(single.precision() == Precision::float32);
  CHECK(twice.precision() == Precision::float64);
  const double difference = relative_l2(single.as_doubles(), twice.as_doubles());
  CHECK(difference > 0);
  CHECK(difference < 1e-5);
  CHECK(gather_of("--precision double --kernel reference") == twice);
  CHECK(gather_of("--precision double --decomposition one") == twice);
}

TEST_CASE("A shape that needs a GPU is replaced on the CPU, in one line", "[cli]") {
  const TemporaryDirectory folder;
  const auto result = run_program(
      words("--kernel st_reg_fixed_32x32 --device cpu --grid 40 --pml-width 5 --steps 5 --json r.json"),
      folder.path());
  CHECK(result.exit_code == 0);
  CHECK(result.err.find("minimod: --device cpu: st_reg_fixed_32x32 is replaced by the portable kernel") == 0);
  CHECK(read_json(folder.path() / "r.json")["kernels"]["inner"] == "kokkos");
}

TEST_CASE("The three decompositions give the same gather to the bit", "[cli]") {
  const std::string run = "--grid 45,40,38 --pml-width 7 --steps 60 --device cpu --decomposition ";
  std::vector<Reals> traces;
  for (const char* decomposition : {"seven", "two", "one"}) {
    const TemporaryDirectory folder;
    REQUIRE(run_program(words(run + decomposition + " --json r.json"), folder.path()).exit_code == 0);
    CHECK(read_json(folder.path() / "r.json")["decomposition"] == decomposition);
    traces.push_back(read_gather(folder.path() / "shot_gather.h5").traces);
  }
  CHECK(traces[1] == traces[0]);
  CHECK(traces[2] == traces[0]);
}

TEST_CASE("Every boundary runs, and the record and the gather say which", "[cli]") {
  const TemporaryDirectory folder;
  for (const char* boundary : {"pml", "cpml", "sponge"}) {
    for (const bool free_surface : {false, true}) {
      CAPTURE(boundary, free_surface);
      const std::string more = free_surface ? " --free-surface" : "";
      const auto result =
          run_program(words("--grid 50 --pml-width 10 --steps 400 --force --json run.json --boundary " +
                            std::string(boundary) + more),
                      folder.path());
      CAPTURE(result.err);
      REQUIRE(result.exit_code == 0);
      const json record = read_json(folder.path() / "run.json");
      CHECK(record["boundary"]["kind"] == boundary);
      CHECK(record["boundary"]["free_surface"] == free_surface);
      CHECK(record["boundary"]["measured_reflection_db"]["face"] < -10);
      CHECK(record["grid"]["points_inner"] == 30 * 30 * (free_surface ? 40 : 30));
      const ShotGather gather = read_gather(folder.path() / "shot_gather.h5");
      CHECK(late_share(gather) < 0.1);
      CHECK(gather.receivers.front().z == (free_surface ? 20 : 0));
      CHECK(gather.sources.front().z == (free_surface ? 400 : 300));
    }
  }
}

TEST_CASE("Without a layer the waves stay", "[cli]") {
  const TemporaryDirectory folder;
  REQUIRE(run_program(words("--grid 30 --pml-width 0 --steps 400"), folder.path()).exit_code == 0);
  CHECK(late_share(read_gather(folder.path() / "shot_gather.h5")) > 0.3);
}

TEST_CASE("A thin model under a free surface takes the layer that it has room for", "[cli]") {
  const TemporaryDirectory folder;
  const auto run = [&](const char* width) {
    return run_program(
        words(std::string("--grid 90,90,40 --free-surface --steps 2 --force --pml-width ") + width),
        folder.path());
  };
  CHECK(run("20").exit_code == 0);
  CHECK(run("21").exit_code == 65);
  const auto whole = run_program(words("--grid 90,90,40 --free-surface --steps 2 --force"), folder.path());
  CHECK(whole.out.find("pml, 20 points") != std::string::npos);
}

TEST_CASE("Receivers on the free surface are counted", "[cli]") {
  const TemporaryDirectory folder;
  const auto result = run_program(
      words("--grid 50 --pml-width 10 --steps 2 --free-surface --receivers line:0,300,0:0,300,40:3"),
      folder.path());
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("1 receivers on the free surface record zeros") != std::string::npos);
}

TEST_CASE("Positions between nodes are kept, and their trace lies between those of the nodes", "[cli]") {
  const TemporaryDirectory folder;
  const std::string run =
      "--grid 60 --pml-width 10 --steps 150 --force --wavelet ricker:f=6 --source 390,390,390 --receivers "
      "line:200,390,390:220,390,390:3 --interpolation ";
  REQUIRE(run_program(words(run + "sinc4"), folder.path()).exit_code == 0);
  const ShotGather between = read_gather(folder.path() / "shot_gather.h5");
  CHECK(between.receivers[1] == Point3{210, 390, 390});
  CHECK(between.sources.front() == Point3{390, 390, 390});
  REQUIRE(run_program(words(run + "nearest"), folder.path()).exit_code == 0);
  const ShotGather nearest = read_gather(folder.path() / "shot_gather.h5");
  CHECK(nearest.receivers[1].x != 210);
  CHECK(nearest.sources.front() == Point3{400, 400, 400});
  const auto greatest = [](const ShotGather& gather, int r) {
    const std::vector<double> traces = gather.traces.as_doubles();
    const auto begin = traces.begin() + r * static_cast<std::ptrdiff_t>(gather.samples);
    return *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(gather.samples));
  };
  CHECK(greatest(between, 1) > greatest(between, 0));
  CHECK(greatest(between, 1) < greatest(between, 2));
}

TEST_CASE("A record step of several time steps takes every so many samples", "[cli]") {
  const TemporaryDirectory all, some;
  const std::string run = "--grid 50 --pml-width 8 --steps 60 --dt 2e-3 ";
  REQUIRE(run_program(words(run), all.path()).exit_code == 0);
  REQUIRE(run_program(words(run + "--record-dt 8e-3"), some.path()).exit_code == 0);
  const ShotGather fine = read_gather(all.path() / "shot_gather.h5");
  const ShotGather coarse = read_gather(some.path() / "shot_gather.h5");
  REQUIRE(coarse.samples == 16);
  REQUIRE(coarse.record_dt == Catch::Approx(8e-3));
  bool same = true;
  for (std::size_t r = 0; r < coarse.receivers.size(); ++r) {
    for (std::size_t k = 0; k < coarse.samples; ++k) {
      same = same && coarse.traces[r * coarse.samples + k] == fine.traces[r * fine.samples + 4 * k];
    }
  }
  CHECK(same);
}

TEST_CASE("A gather's wavelet drives another run to the same traces", "[cli]") {
  const TemporaryDirectory first, second;
  const std::string run = "--grid 45 --pml-width 8 --steps 250 --dt 2e-3 --wavelet ";
  REQUIRE(run_program(words(run + "ricker:f=8"), first.path()).exit_code == 0);
  const std::string gather = (first.path() / "shot_gather.h5").string();
  REQUIRE(run_program(words(run + gather), second.path()).exit_code == 0);
  CHECK(read_gather(first.path() / "shot_gather.h5").traces ==
        read_gather(second.path() / "shot_gather.h5").traces);
}

TEST_CASE("The kernels are listed for people and for scripts", "[cli]") {
  const TemporaryDirectory folder;
  const auto table = run_program({"kernels"}, folder.path());
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("st_reg_fixed_32x32") != std::string::npos);
  const json list = json::parse(run_program({"kernels", "--json"}, folder.path()).out);
  CHECK(list["kernels"].size() >= 12);
  for (const json& kernel : list["kernels"]) {
    CHECK(kernel.contains("shared_bytes"));
    CHECK((kernel["cuda"]["runs"].get<bool>() || !kernel["cuda"]["why_not"].get<std::string>().empty()));
  }
}

TEST_CASE("bench verifies, measures and keeps a record and a table", "[cli]") {
  const TemporaryDirectory folder;
  const auto result = run_program(words("bench --kernel all --device cpu --grid 60 --pml-width 9 --steps 4 "
                                        "--repeats 3 --json b.json --csv b.csv"),
                                  folder.path());
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  const json record = read_json(folder.path() / "b.json");
  CHECK(record["date"].get<std::string>().size() == std::string("2026-11-21T14:33:00Z").size());
  CHECK(record["schema"] == "minimod.bench/1");
  CHECK(record["device"]["three_reads_one_write_gb_per_s"].get<double>() > 0);
  REQUIRE(record["shapes"].size() == 2);  // reference and kokkos
  for (const json& shape : record["shapes"]) {
    CHECK(shape["verified"] == true);
    CHECK(shape["fields"] == "rows");
    CHECK(shape["seconds"]["min"].get<double>() > 0);
    CHECK(shape["seconds"]["min"] <= shape["seconds"]["median"]);
    CHECK(shape["seconds"]["median"] <= shape["seconds"]["max"]);
    CHECK(shape["regions"].size() == (shape["name"] == "kokkos" ? 1 : 7));
  }
  CHECK(record["not_run"].size() >= 10);
  std::ifstream table(folder.path() / "b.csv");
  CHECK(std::count(std::istreambuf_iterator<char>(table), {}, '\n') == 3);
}

TEST_CASE("bench takes a list of names and patterns, in the registry's order", "[cli]") {
  const TemporaryDirectory folder;
  const auto result =
      run_program(words("bench --kernel ko*,reference,kokkos --device cpu --grid 40 --pml-width 5 "
                        "--steps 2 --repeats 1 --json b.json"),
                  folder.path());
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  const json record = read_json(folder.path() / "b.json");
  REQUIRE(record["shapes"].size() == 2);
  CHECK(record["shapes"][0]["name"] == "reference");
  CHECK(record["shapes"][1]["name"] == "kokkos");
}

TEST_CASE("Help, version and info end with 0", "[cli]") {
  const TemporaryDirectory folder;
  CHECK(run_program({"--help"}, folder.path()).out.find("--kernel") != std::string::npos);
  CHECK(run_program({"--version"}, folder.path()).out.find("minimod ") == 0);
  const auto info = run_program({"info", "--json"}, folder.path());
  CHECK(json::parse(info.out)["schema"] == "minimod.info/1");
}

TEST_CASE("A locale with decimal commas changes nothing", "[cli]") {
  const TemporaryDirectory folder;
  const auto german = [] { setenv("LC_ALL", "de_DE.UTF-8", 1); };
  CHECK(
      run_program(words("--grid 40 --pml-width 5 --steps 5 --dt 1.5e-3"), folder.path(), german).exit_code ==
      0);
}

TEST_CASE("A shape that reads eta runs in one launch where there is no layer", "[cli]") {
  const TemporaryDirectory folder;
  const auto result =
      run_program(words("--kernel smem_eta_1_8x8x8 --emulate --decomposition one --pml-width 0 "
                        "--grid 20 --steps 3 --allow-dispersion"),
                  folder.path());
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 0);
}
