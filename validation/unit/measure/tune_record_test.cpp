/// Records of searches: what is kept is read again, what is damaged is refused, and the model is judged.
#include "src/tune/tune_record.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/base/json.hpp"
#include "src/stencil/kernels.hpp"
#include "src/stencil/language/shipped.hpp"
#include "src/tune/ranking.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

using Catch::Approx;

TuneCandidate measured(const std::string& name, double seconds, int active_blocks) {
  TuneCandidate candidate;
  candidate.name = name;
  candidate.state = CandidateState::measured;
  candidate.compiled = LaunchFacts{{}, 0, 64, 7040, 0, active_blocks, 0.25};
  candidate.seconds = {seconds, seconds * 0.9, seconds * 1.5};
  candidate.spent_seconds = 2;
  return candidate;
}

/// Three tiles, of which the first is the fastest; and one each of all other states.
TuneRecord small_record() {
  TuneRecord record;
  record.problem = {"in_plane_full", 8, Precision::float32, Equation::wave, {512, 512, 256}, "A GPU", "cuda",
                    "abc",           8};
  record.gpu = GpuFacts{100, 3e12, 1.5e9, 1000, 64};
  record.build = R"({"git_hash":"abc"})";
  record.device = R"({"kind":"cuda","name":"A GPU"})";
  record.candidates = {measured("in_plane_full_64x16_r1x2", 1e-3, 3),
                       measured("in_plane_full_32x32_r1x4", 2e-3, 3),
                       measured("in_plane_full_64x32_r1x4", 4e-3, 1)};
  return record;
}

TuneRecord read_again(const Json& json) {
  const TemporaryDirectory folder;
  return read_tune_record(folder.write("record.json", json.dump()));
}

Json without(const Json& json, std::string_view name) {
  Json rest = Json::object();
  for (const auto& [other, value] : json.members()) {
    if (other != name) rest[other] = value;
  }
  return rest;
}

Outcome refusal(const Json& json) {
  return outcome_of([&] { static_cast<void>(read_again(json)); });
}

TEST_CASE("A record of a search is read as it was written", "[unit]") {
  TuneRecord record = small_record();
  TuneCandidate refused, wrong, waiting;
  refused.name = "in_plane_full_16x2_r1x1";
  refused.state = CandidateState::refused;
  refused.why = "too large";
  wrong.name = "in_plane_full_16x4_r1x1_v2";
  wrong.state = CandidateState::wrong;
  wrong.error = 0.5;
  waiting.name = "in_plane_full_16x8_r1x1";
  waiting.is_built_in = true;
  record.candidates.insert(record.candidates.end(), {refused, wrong, waiting});
  const Json json = to_json(record);
  const TuneRecord again = read_again(json);
  CHECK(to_json(again) == json);
  CHECK(difference(again.problem, record.problem).empty());
  CHECK(again.gpu == record.gpu);
  CHECK(again.candidates[0].compiled == record.candidates[0].compiled);
  CHECK(again.candidates[3].why == "too large");
  CHECK(again.gpt_per_s(again.candidates[0]) == Approx(512. * 512 * 256 * 1e-9 / 1e-3));
}

TEST_CASE("A record has the threads of its GPU's warps, an older one those of NVIDIA's", "[unit]") {
  TuneRecord record = small_record();
  record.gpu->warp_threads = 64;
  Json json = to_json(record);
  CHECK(read_again(json).gpu->warp_threads == 64);
  json["model"] = without(json["model"], "warp_threads");
  CHECK(read_again(json).gpu->warp_threads == 32);
  json["model"]["warp_threads"] = 0;
  CHECK(refusal(json).says("warp_threads is no number from 1 on"));
}

TEST_CASE("A record of another vendor's GPU is one of a GPU", "[unit]") {
  TuneRecord record = small_record();
  record.problem.device_kind = "hip";
  record.device = R"({"kind":"hip","name":"A GPU"})";
  const TuneRecord again = read_again(to_json(record));
  CHECK_FALSE(again.problem.is_emulated());
  CHECK(best_of(again)->name == "in_plane_full_64x16_r1x2");
}

TEST_CASE("A search for the least energy has its figures, and another best", "[unit]") {
  TuneRecord record = small_record();
  CHECK(!to_json(record).contains("objective"));
  const std::string fastest = best_of(record)->name;
  record.problem.objective = Objective::energy;
  for (std::size_t i = 0; i < 3; ++i) {
    record.candidates[i].mpt_per_j = i == 1 ? 300 : 200;
    record.candidates[i].watts = 500;
    record.candidates[i].clock_mhz = 1755;
  }
  const Json json = to_json(record);
  const TuneRecord again = read_again(json);
  CHECK(to_json(again) == json);
  CHECK(again.candidates[1].watts == 500);
  CHECK(best_of(again)->name == record.candidates[1].name);
  CHECK(best_of(again)->name != fastest);
  CHECK(difference(again.problem, small_record().problem) == "its objective is energy, not speed");
  Json damaged = json;
  damaged["candidates"][0] = without(damaged["candidates"][0], "mpt_per_j");
  const Outcome outcome = refusal(damaged);
  CHECK(outcome.kind == ErrorKind::data);
  CHECK(outcome.message.find("it has no mpt_per_j") != std::string::npos);
}

TEST_CASE("A record of a stencil's search has its equations", "[unit]") {
  TuneRecord record = small_record();
  record.problem.stencil = stencil::find_specification("zhang_13");
  record.problem.order = 0;
  const Json json = to_json(record);
  CHECK(json["stencil"]["arrays"] == "float,float");
  const TuneRecord again = read_again(json);
  CHECK(to_json(again) == json);
  CHECK(difference(again.problem, record.problem).empty());
  CHECK(ranked_by_model(again, ModelForm::mended).size() == 3);
  CHECK(difference(again.problem, small_record().problem) == "it is of a stencil");

  TuneProblem wanted = again.problem;
  wanted.stencil = stencil::with_precision(*wanted.stencil, Precision::float64);
  CHECK(difference(again.problem, wanted) == "its precision is float,float, not double,double");
  wanted.stencil->source += "# changed";
  CHECK(difference(again.problem, wanted) == "its stencil zhang_13 had other equations");

  for (const char* member : {"name", "arrays", "source"}) {
    CAPTURE(member);
    Json damaged = json;
    damaged["stencil"][member] = 1;
    CHECK(refusal(damaged).kind == ErrorKind::data);
  }
  Json damaged = json;
  damaged["stencil"]["source"] = "in float u; out float v; v[i,j,k] = w;";
  CHECK(refusal(damaged).kind == ErrorKind::data);
  damaged = json;
  damaged["stencil"]["arrays"] = "float";
  CHECK(refusal(damaged).says("its arrays are not those of its stencil"));
  damaged = json;
  damaged["candidates"][0]["name"] = "gmem_8x8x8";
  CHECK(refusal(damaged).says("'gmem_8x8x8' is no tile of its family"));
}

TEST_CASE("What is no record of a search is refused in a line", "[unit]") {
  const Json good = to_json(small_record());
  for (const auto& [name, value] : good.members()) {
    CAPTURE(name);
    const Outcome outcome = refusal(without(good, name));
    // Records of before there were two are of the wave equation; whether threads were emulated follows.
    const bool may_lack = name == "equation" || name == "played";
    CHECK(outcome.kind == (may_lack ? ErrorKind::none : ErrorKind::data));
    CHECK(outcome.message.size() <= longest_message);
    Json json = good;
    json[name] = -1.5;
    CHECK(refusal(json).kind == (name == "build" ? ErrorKind::none : ErrorKind::data));
  }
  for (const auto& [name, value] : good["candidates"][0].members()) {
    CAPTURE(name);
    Json json = good;
    json["candidates"][0][name] = nullptr;
    CHECK(refusal(json).kind == (name == "gpt_per_s" ? ErrorKind::none : ErrorKind::data));
  }
  Json other_family = good;
  other_family["candidates"][1]["name"] = "gmem_8x8x8";
  CHECK(refusal(other_family).says("'gmem_8x8x8' is no tile of its family"));
  const TemporaryDirectory folder;
  const Outcome cut = outcome_of(
      [&] { static_cast<void>(read_tune_record(folder.write("cut.json", good.dump().substr(0, 400)))); });
  CHECK(cut.kind == ErrorKind::data);
  CHECK(cut.says("it is no JSON"));
  CHECK(outcome_of([] { static_cast<void>(read_tune_record("/nowhere")); }).kind == ErrorKind::missing_input);
}

TEST_CASE("A search goes on with its own record alone", "[unit]") {
  const TuneProblem kept = small_record().problem;
  TuneProblem wanted = kept;
  wanted.device = "Another";
  CHECK(difference(kept, wanted) == "its device is A GPU, not Another");
  wanted = kept;
  wanted.grid.z = 100;
  CHECK(difference(kept, wanted) == "its grid is 512 x 512 x 256, not 512 x 512 x 100");
}

TEST_CASE("The cutoff takes one candidate at least", "[unit]") {
  CHECK(count_within(5, 100) == 5);
  CHECK(count_within(5, 101) == 6);
  CHECK(count_within(5, 3) == 1);
  CHECK(count_within(100, 3) == 3);
}

TEST_CASE("The model is judged by what was measured", "[unit]") {
  TuneRecord record = small_record();
  CHECK(best_of(record)->name == "in_plane_full_64x16_r1x2");
  const auto ranked = ranked_by_model(record, ModelForm::mended);
  REQUIRE(ranked.size() == 3);
  CHECK(ranked[0].candidate == 0);  // more warps, shorter chains of a thread's points
  CHECK(ranked[2].candidate == 2);

  const auto right = judge(record, ModelForm::mended, 5);
  REQUIRE(right.has_value());
  CHECK(right->taken == 1);
  CHECK(right->rank_of_best == 1);
  CHECK(right->loss == 0);
  CHECK(right->all_seconds == 6);
  CHECK(right->taken_seconds == 2);

  record.candidates[1].seconds = {0.5e-3};  // had the second been twice as fast
  const auto misled = judge(record, ModelForm::mended, 5);
  REQUIRE(misled.has_value());
  CHECK(misled->choice == "in_plane_full_64x16_r1x2");
  CHECK(misled->best == "in_plane_full_32x32_r1x4");
  CHECK(misled->rank_of_best == 2);
  CHECK(misled->loss == Approx(0.5));

  record.candidates[2].state = CandidateState::compiled;
  CHECK_FALSE(judge(record, ModelForm::mended, 5).has_value());
  record.candidates[2].state = CandidateState::wrong;
  CHECK(judge(record, ModelForm::paper, 5)->ranked == 2);
  record.gpu.reset();
  CHECK(ranked_by_model(record, ModelForm::paper).empty());
}

}  // namespace
}  // namespace minimod
