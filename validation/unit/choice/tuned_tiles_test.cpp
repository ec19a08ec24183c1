/// Tuned tiles, and those of them that `auto` tries.
#include "src/choice/tuned_tiles.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <unistd.h>

#include "src/base/files/output_file.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/choice/candidates.hpp"
#include "src/solver/schedules.hpp"

using namespace minimod;

namespace {

using Names = std::vector<std::string>;

TunedTile tuned(const std::string& kernel, double rate, int order = 8, Extent3 grid = {512, 512, 256}) {
  return {"a GPU", order, Precision::float32, kernel.substr(0, kernel.find("_1")), grid, kernel, rate};
}

}  // namespace

TEST_CASE("The fastest tuned tiles of a GPU and an order are found again", "[unit]") {
  const TemporaryDirectory folder;
  const TunedTiles tiles(folder.path() / "new" / "tuned.json");
  CHECK(tiles.fastest("a GPU", 8, Precision::float32).empty());
  tiles.keep(tuned("gmem_128x2x2", 80));
  tiles.keep(tuned("st_reg_shft_128x4", 90));
  tiles.keep(tuned("st_reg_shft_16x4", 20, 4));
  tiles.keep(tuned("gmem_128x2x2", 70, 8, {1000, 200, 200}));  // on another grid
  CHECK(tiles.fastest("a GPU", 8, Precision::float32) == Names{"st_reg_shft_128x4", "gmem_128x2x2"});
  CHECK(tiles.fastest("a GPU", 4, Precision::float32) == Names{"st_reg_shft_16x4"});
  CHECK(tiles.fastest("a GP", 8, Precision::float32).empty());
  tiles.keep(tuned("st_reg_shft_16x8", 95));  // the last tuning of a family on a grid counts
  CHECK(tiles.fastest("a GPU", 8, Precision::float32) == Names{"st_reg_shft_16x8", "gmem_128x2x2"});
  for (int i = 0; i < 6; ++i)
    tiles.keep(tuned("gmem_16x1x" + std::to_string(i + 1), 100 + i, 8, {i + 1, 9, 9}));
  CHECK(tiles.fastest("a GPU", 8, Precision::float32).size() == most_tuned);
  CHECK(tiles.fastest("a GPU", 8, Precision::float32).front() == "gmem_16x1x6");
}

TEST_CASE("A link where the cache is written leads to no file of another", "[unit]") {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "tuned.json",
                              victim = folder.write("victim", "a user's");
  for (const auto& link :
       {std::filesystem::path(file) += "." + std::to_string(::getpid()), temporary_name(file)}) {
    std::filesystem::create_symlink(victim, link);
  }
  const TunedTiles tiles(file);
  tiles.keep(tuned("gmem_128x2x2", 80));
  CHECK(tiles.fastest("a GPU", 8, Precision::float32) == Names{"gmem_128x2x2"});
  std::string content;
  std::getline(std::ifstream(victim), content);
  CHECK(content == "a user's");
}

TEST_CASE("What is no tile that a GPU runs is not tried, nor what another wrote into the file", "[unit]") {
  const TemporaryDirectory folder;
  const TunedTiles tiles(folder.path() / "tuned.json");
  for (const char* kernel : {"st_reg_fixed_64x64", "tma_ring_128x32", "nothing", ""}) {
    tiles.keep({"a GPU", 8, Precision::float32, kernel, {9, 9, 9}, kernel, 10});
  }
  CHECK(tiles.fastest("a GPU", 8, Precision::float32).empty());
  for (const char* content :
       {"", "{", "[]", R"({"schema": 7})", R"({"schema": "minimod.tuned_tiles/1", "tiles": []})",
        R"({"schema": "minimod.tuned_tiles/1", "tiles": {"a GPU, order 8, single: gmem on 1x1x1": 5}})"}) {
    CAPTURE(content);
    const TunedTiles damaged(folder.write("damaged.json", content));
    CHECK(damaged.fastest("a GPU", 8, Precision::float32).empty());
    damaged.keep(tuned("gmem_128x2x2", 80));
    CHECK(damaged.fastest("a GPU", 8, Precision::float32) == Names{"gmem_128x2x2"});
  }
}

TEST_CASE("Tuned tiles are tried before sets whose fields lie otherwise, and behind the first", "[unit]") {
  const std::vector<Candidate> all = candidates_with({"gmem_128x2x2", "st_reg_shft_128x4"});
  REQUIRE(all.size() == candidates().size() + 2);
  CHECK(all.front().inner == candidates().front().inner);
  CHECK(all.back().inner == candidates().back().inner);
  const auto found = std::ranges::find(all, "gmem_128x2x2", &Candidate::inner);
  REQUIRE(found != all.end());
  CHECK((found + 1)->inner == "st_reg_shft_128x4");
  CHECK(found->schedule == &sequence());
  CHECK((found + 2)->schedule == &whole_step());
}
