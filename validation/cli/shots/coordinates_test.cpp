/// Where a run's numbers come from: the file's coordinates, the part of it that was taken, command and date.
#include <algorithm>
#include <array>
#include <regex>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/io/gather/gather.hpp"
#include "validation/cases/means/hdf5_writer.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;
using nlohmann::json;

namespace {

const std::string marmousi = MINIMOD_SOURCE_DIR "/models/data/marmousi_vp.h5";
/// 50 x 21 x 30 nodes, 15 m apart.
const std::string small_part =
    " --crop 300:400,:,0:60 --decimate 2 --extrude 21 --pml-width 5 --wavelet ricker:f=6 "
    "--steps 60 --kernel kokkos --device cpu";

template <class Value>
Value attribute(const ShotGather& gather, const std::string& name) {
  const auto found = std::ranges::find(gather.metadata, name, [](const auto& entry) { return entry.first; });
  REQUIRE(found != gather.metadata.end());
  REQUIRE(std::holds_alternative<Value>(found->second));
  return std::get<Value>(found->second);
}

bool has(const ShotGather& gather, const std::string& name) {
  return std::ranges::any_of(gather.metadata, [&](const auto& entry) { return entry.first == name; });
}

ShotGather gather_of(const std::string& arguments, const TemporaryDirectory& folder) {
  const auto result = run_program(words(arguments + " --force"), folder.path());
  CAPTURE(arguments, result.out, result.err);
  REQUIRE(result.exit_code == 0);
  return read_gather(folder.path() / "shot_gather.h5");
}

}  // namespace

TEST_CASE("Positions in the file's coordinates give the gather of the model's", "[cli]") {
  const TemporaryDirectory folder;
  const std::string run = "--model " + marmousi + small_part;
  const ShotGather in_model =
      gather_of(run + " --source 300,150,150 --receivers line:0,150,15:600,150,15:5", folder);
  const ShotGather in_file = gather_of(
      run + " --coordinates file --source 2550,0,150 --receivers line:2250,0,15:2850,0,15:5", folder);
  CHECK(std::ranges::any_of(in_model.traces.as_doubles(), [](double u) { return u != 0; }));
  CHECK(in_file.traces == in_model.traces);
  CHECK(in_file.receivers == in_model.receivers);
  CHECK(in_file.requested_sources.front() == Point3{300, 150, 150});

  const auto refused = run_program(words("--coordinates file"), folder.path());
  CHECK(refused.exit_code == 64);
  CHECK(refused.err.find("--coordinates file") != std::string::npos);
}

TEST_CASE("The gather and the record say which part of which file was taken", "[cli]") {
  const TemporaryDirectory folder;
  const ShotGather gather = gather_of("--model " + marmousi + small_part + " --json run.json", folder);
  using Integers = std::vector<std::int64_t>;
  using Numbers = std::vector<double>;
  CHECK(attribute<Integers>(gather, "model_crop") == Integers{300, 399, 0, 1, 0, 59});
  CHECK(attribute<Integers>(gather, "model_decimate") == Integers{2, 2, 2});
  CHECK(attribute<std::int64_t>(gather, "model_extrude") == 21);
  CHECK(attribute<Numbers>(gather, "model_origin") == Numbers{2250, -150, 0});
  CHECK(attribute<Numbers>(gather, "model_x_axis") == Numbers{1, 0});
  CHECK(attribute<Numbers>(gather, "model_spacing") == Numbers{7.5, 7.5, 7.5});
  CHECK(attribute<std::string>(gather, "model_axes") == "z,x");
  CHECK(attribute<std::string>(gather, "model_crc32") == "e3055273");  // by gzip and zlib

  const json record = json::parse(std::ifstream(folder.path() / "run.json"));
  const json file = record["model"]["file"];
  CHECK(file["crop"] == json{300, 399, 0, 1, 0, 59});
  CHECK(file["origin_m"] == json{2250, -150, 0});
  CHECK(file["extrude"] == 21);
  CHECK(file["crc32"] == "e3055273");
  CHECK(file["notes"].empty());
}

TEST_CASE("The gather and the record say with which command and when", "[cli]") {
  const TemporaryDirectory folder;
  const auto result = run_program(
      {"--grid", "30", "--pml-width", "5", "--steps", "3", "--kernel", "kokkos", "--json", "it's a run.json"},
      folder.path());
  REQUIRE(result.exit_code == 0);
  const ShotGather gather = read_gather(folder.path() / "shot_gather.h5");
  const auto line = attribute<std::string>(gather, "command_line");
  CHECK(line == "minimod --grid 30 --pml-width 5 --steps 3 --kernel kokkos --json 'it'\\''s a run.json'");
  const auto date = attribute<std::string>(gather, "date");
  CHECK(std::regex_match(date, std::regex(R"(20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\dZ)")));
  CHECK_FALSE(has(gather, "model_origin"));

  const json record = json::parse(std::ifstream(folder.path() / "it's a run.json"));
  CHECK(record["command_line"] == line);
  CHECK(record["date"] == date);
  CHECK(record["model"]["file"].is_null());
}

TEST_CASE("A model file that guesses its axes or says another unit is heard", "[cli]") {
  const TemporaryDirectory folder, inputs;
  const std::string path = (inputs.path() / "cube.h5").string();
  {
    const Hdf5Writer writer(path);
    const auto dataset = writer.dataset("vp", {20, 20, 20}, std::vector<float>(8000, 1800), H5T_IEEE_F32LE);
    Hdf5Writer::attribute(dataset, "spacing", std::vector<double>{10});
    Hdf5Writer::attribute(dataset, "units", std::string("m/s"));
  }
  const std::string run = "--pml-width 5 --steps 3 --kernel kokkos --model " + path;
  const auto guessed = run_program(words(run), folder.path());
  CHECK(guessed.exit_code == 0);
  CHECK(guessed.out.find("axes guessed to be z,y,x (--model-axes says them)") != std::string::npos);
  const auto said = run_program(words(run + " --model-axes z,y,x --force"), folder.path());
  CHECK(said.out.find("guessed") == std::string::npos);
  const auto wrong = run_program(words(run + " --velocity-unit km/s --force"), folder.path());
  CHECK(wrong.exit_code == 65);
  CHECK(wrong.err.find("in m/s, --velocity-unit km/s") != std::string::npos);
  const auto letters = run_program(words(run + " --model-axes zyx --force"), folder.path());
  CHECK(letters.exit_code == 64);
}

TEST_CASE("So many points per wavelength that a unit must be wrong are said", "[cli]") {
  const TemporaryDirectory folder;
  const std::string run = "--grid 30 --pml-width 5 --steps 3 --kernel kokkos --force --wavelet ricker:f=";
  CHECK(run_program(words(run + "0.03"), folder.path()).err.find("another unit") != std::string::npos);
  CHECK(run_program(words(run + "0.05"), folder.path()).err.find("another unit") == std::string::npos);
  const auto flat = run_program(words(run + "1 --spacing 20,20,0.1"), folder.path());
  CHECK(flat.exit_code == 65);
  CHECK(flat.err.find("--spacing") != std::string::npos);
}
