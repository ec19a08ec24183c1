/// `minimod tune` as a user runs it: on the host, which emulates the tiles, and from records.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

using Json = nlohmann::ordered_json;

/// Three tiles of the host, of which the registry has one.
const std::string small_search =
    "tune --kernel smem_partial --emulate --grid 24 --steps 1 "
    "--candidates *_32x8,*_16x6,*_32x5 --output record.json ";

ProgramRun start(const std::string& arguments, const TemporaryDirectory& folder) {
  return {words(arguments), folder.path(), [&] {
            one_thread();
            setenv("XDG_CACHE_HOME", (folder.path() / "cache").c_str(), 1);
          }};
}

ProgramResult tune(const std::string& arguments, const TemporaryDirectory& folder) {
  return start(arguments, folder).wait();
}

void write_json(const Json& json, const std::filesystem::path& file) {
  std::ofstream(file) << json.dump();
}

std::vector<std::string> states(const nlohmann::json& record) {
  std::vector<std::string> all;
  for (const auto& candidate : record["candidates"]) all.push_back(candidate["state"]);
  return all;
}

/// As a GPU would leave it: rates that follow the number of a tile's rows.
Json gpu_record() {
  Json candidates = Json::array();
  for (int rows = 4; rows <= 32; rows += 4) {
    candidates.push_back({{"name", "smem_partial_32x" + std::to_string(rows)},
                          {"built_in", rows == 8},
                          {"state", "measured"},
                          {"compiled",
                           {{"active_blocks", 64 / rows},
                            {"registers", 32},
                            {"shared_bytes", 128 * (rows + 8)},
                            {"local_bytes", 0},
                            {"theoretical_occupancy", 1}}},
                          {"error", 1e-8},
                          {"spent_seconds", 0.5},
                          {"seconds", {1e-3 / rows}}});
  }
  return {{"schema", "minimod.tune/1"},
          {"build", Json::object()},
          {"build_id", "abc"},
          {"device", {{"kind", "cuda"}, {"name", "A GPU"}}},
          {"family", "smem_partial"},
          {"order", 8},
          {"precision", "single"},
          {"grid", {512, 512, 256}},
          {"steps", 20},
          {"model",
           {{"multiprocessors", 132},
            {"bytes_per_s", 4e12},
            {"clock_hz", 1.98e9},
            {"latency_cycles", 1000},
            {"most_warps", 64}}},
          {"candidates", candidates}};
}

}  // namespace

TEST_CASE("tune names no fastest tile of emulated threads, and goes on with its record", "[cli]") {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "record.json";
  const ProgramResult first = tune(small_search, folder);
  CAPTURE(first.err);
  REQUIRE(first.exit_code == 0);
  CHECK(first.out.find("emulated: says nothing of a GPU: no tile is named the fastest") != std::string::npos);
  CHECK(first.out.find("fastest: ") == std::string::npos);
  auto record = read_json(file);
  CHECK(states(record) == std::vector<std::string>(3, "measured"));
  for (const auto& candidate : record["candidates"]) CHECK(candidate["seconds"].size() == 7);

  SECTION("what is done is not done again, what is left is") {
    const double seconds = record["candidates"][1]["seconds"][0];
    auto partial = Json::parse(std::ifstream(file));
    partial["candidates"].erase(2);
    write_json(partial, file);
    CHECK(tune(small_search, folder).exit_code == 0);
    record = read_json(file);
    CHECK(states(record) == std::vector<std::string>(3, "measured"));
    CHECK(record["candidates"][1]["seconds"][0] == seconds);
  }
  SECTION("a candidate that was wrong ends it with 65") {
    auto wrong = Json::parse(std::ifstream(file));
    wrong["candidates"][0]["state"] = "wrong";
    write_json(wrong, file);
    const ProgramResult result = tune(small_search, folder);
    CHECK(result.exit_code == 65);
    CHECK(result.out.find("wrong: relative L2 error") != std::string::npos);
    CHECK(result.err.find("1 of 3 candidates disagree with the reference") != std::string::npos);
  }
  SECTION("a record of another device, or one that is damaged, is left alone") {
    auto other = Json::parse(std::ifstream(file));
    other["device"]["name"] = "another";
    write_json(other, file);
    const ProgramResult refused = tune(small_search, folder);
    CHECK(refused.exit_code == 73);
    CHECK(refused.err.find("its device is another, not ") != std::string::npos);
    CHECK(Json::parse(std::ifstream(file)) == other);
    std::filesystem::resize_file(file, 100);
    CHECK(tune(small_search, folder).exit_code == 65);
    CHECK(std::filesystem::file_size(file) == 100);
  }
  SECTION("the host has no model") {
    CHECK(tune("tune --from record.json", folder).exit_code == 0);
    CHECK(tune("tune --from record.json --model", folder).exit_code == 65);
  }
}

TEST_CASE("tune that is stopped keeps what it has and goes on", "[cli]") {
  const TemporaryDirectory folder;
  const std::string search = small_search + "--limit 2 ";
  ProgramRun run = start(search + "--repeats 1000000", folder);
  constexpr int most_looks = 5000;
  for (int i = 0; i < most_looks && run.out().find("candidates") == std::string::npos; ++i) usleep(1000);
  usleep(200000);  // signals are noted by then
  run.send(SIGTERM);
  const ProgramResult stopped = run.wait();
  CAPTURE(stopped.err);
  CHECK(stopped.exit_code == 75);
  CHECK(stopped.err.find("0 of 2 candidates are done; the same command goes on") != std::string::npos);
  CHECK(tune(search, folder).exit_code == 0);
  CHECK(states(read_json(folder.path() / "record.json")) == std::vector<std::string>(2, "measured"));
}

TEST_CASE("tune judges the model by a record, without a GPU", "[cli]") {
  const TemporaryDirectory folder;
  write_json(gpu_record(), folder.path() / "gpu.json");
  const ProgramResult report = tune("tune --from gpu.json --model --cutoff 13", folder);
  CAPTURE(report.err, report.out);
  CHECK(report.exit_code == 0);
  CHECK(report.out.find("fastest: smem_partial_32x32") != std::string::npos);
  CHECK(report.out.find("over the best that is built in, smem_partial_32x8") != std::string::npos);
  for (const char* form :
       {"model (equations 6-14): of its first 2 of 8 (13 %) the fastest is smem_partial_32x",
        "model (mended): of its first 2 of 8 (13 %) the fastest is smem_partial_32x"}) {
    CHECK(report.out.find(form) != std::string::npos);
  }
  CHECK(report.is_cheap());
}

TEST_CASE("tune tells what the model makes of candidates of which none was measured", "[cli]") {
  const TemporaryDirectory folder;
  Json record = gpu_record();
  for (Json& candidate : record["candidates"]) candidate["state"] = "compiled";
  write_json(record, folder.path() / "gpu.json");
  const auto rates = [&] {
    const ProgramResult report = tune("tune --from gpu.json", folder);
    CAPTURE(report.err, report.out);
    CHECK(report.exit_code == 0);
    std::istringstream lines(report.out);
    std::map<std::string, double> found;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string name, last;
      words >> name;
      for (std::string word; words >> word;) last = word;
      if (name.starts_with("smem_partial_32x")) found[name] = std::stod(last);
    }
    return found;
  };
  const auto before = rates();
  CHECK(before.size() == record["candidates"].size());
  record["model"]["bytes_per_s"] = record["model"]["bytes_per_s"].get<double>() / 2;
  write_json(record, folder.path() / "gpu.json");
  for (const auto& [name, rate] : rates()) {
    CAPTURE(name);
    CHECK(rate < before.at(name));
  }
}

TEST_CASE("tune names the tile of the least energy of a record that has it", "[cli]") {
  const TemporaryDirectory folder;
  Json record = gpu_record();
  record["objective"] = "energy";
  double mpt_per_j = 300;
  for (Json& candidate : record["candidates"]) {
    candidate.update({{"mpt_per_j", mpt_per_j++}, {"watts", 500}, {"clock_mhz", 1755}});
  }
  const std::string best = record["candidates"].back()["name"];
  write_json(record, folder.path() / "gpu.json");
  const ProgramResult report = tune("tune --from gpu.json", folder);
  CAPTURE(report.err, report.out);
  CHECK(report.exit_code == 0);
  CHECK(report.out.find("least energy: " + best + ", 307 Mpt/J (") != std::string::npos);
  CHECK(report.out.find("Gpt/s, 500 W)") != std::string::npos);
}

TEST_CASE("tune refuses what it cannot search in a line", "[cli]") {
  const TemporaryDirectory folder;
  const auto code_of = [&](const std::string& arguments) {
    const ProgramResult result = tune("tune " + arguments, folder);
    CAPTURE(arguments, result.err);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK(result.is_cheap());
    return result.exit_code;
  };
  CHECK(code_of("") == 64);
  CHECK(code_of("--kernel nothing --emulate") == 64);
  CHECK(code_of("--kernel gmem --emulate --objective power") == 64);
  CHECK(code_of("--kernel gmem --emulate --objective energy") == 64);
  CHECK(code_of("--kernel gmem --emulate --equation heat") == 64);
  CHECK(code_of("--kernel tma_ring") == 64);
  CHECK(code_of("--kernel smem_partial_32x8 --emulate") == 64);
  CHECK(code_of("--kernel gmem --emulate --candidates x*") == 64);
  CHECK(code_of("--kernel gmem --emulate --exhaustive --model") == 64);
  CHECK(code_of("--kernel gmem --device cpu") == 64);
  CHECK(code_of("--from nowhere.json") == 66);
}
