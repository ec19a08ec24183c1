#include "src/base/error.hpp"

#include <catch2/catch_test_macros.hpp>

#include "kernels/registry.hpp"
#include "src/base/option.hpp"
#include "src/commands/options/typed.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

/// First suggestion of find_shape for a wrong name.
std::string suggested_shape(const std::string& wrong) {
  const std::string message = outcome_of([&] { (void)find_shape(wrong); }).message;
  const std::string_view before = "did you mean ";
  const std::size_t begin = message.find(before) + before.size();
  return message.substr(begin, message.find(',', begin) - begin);
}

TEST_CASE("text from outside stands in one line of printable characters", "[unit]") {
  CHECK(escaped("plain text") == "plain text");
  CHECK(escaped("a\nb\xc3\x7f") == "a\\x0ab\\xc3\\x7f");
  CHECK(escaped("1234567890", 10) == "1234567890");
  CHECK(escaped("12345678901", 10) == "1234567...");
  CHECK(escaped(std::string(40, '\n'), 10) == "\\x0a...");
}

TEST_CASE("nearest names come by edit distance", "[unit]") {
  CHECK(nearest_names("gmen", {"semi", "smem_u", "gmem", "reference"}, 1) == "gmem");
  CHECK(nearest_names("kitten", {"", "sitting", "mitten"}, 3) == "mitten, sitting, ");
  CHECK(nearest_names("x", {}, 3).empty());
  CHECK(nearest_names("--stpes", {"--help", "--steps", "--spacing", "--source", "--dt"}, 1) == "--steps");
  CHECK(nearest_names("/vp", {"/group/deeper/vs", "/group/vp", "/vs"}) == "/vs, /group/vp, /group/deeper/vs");
  CHECK(nearest_names(std::string(100000, 'x'), {std::string(100000, 'y'), "x"}, 1) == "x");
}

TEST_CASE("of names that begin alike, the whole one comes first, then the first given", "[unit]") {
  CHECK(nearest_names("--modle", {"--model-dims", "--steps", "--model"}) == "--model, --model-dims, --steps");
  CHECK(nearest_names("st_re", {"st_smem", "st_reg_bb", "st_reg_a", "st_reg"}) ==
        "st_reg, st_reg_bb, st_reg_a");
}

TEST_CASE("a wrong kernel is answered with the default tile of the family that it begins like", "[unit]") {
  CHECK(suggested_shape("st_reg_fix") == "st_reg_fixed_32x32");
  CHECK(suggested_shape("st_reg_shf") == "st_reg_shft_32x16");
  CHECK(suggested_shape("smem_v") == "smem_u_8x8x8");
  CHECK(suggested_shape("gmem_8x8y9") == "gmem_8x8x8");
  CHECK(suggested_shape("gmm") == "gmem_8x8x8");
  CHECK(suggested_shape("st_reg_fixd_16x8") == "st_reg_fixed_16x8");
  CHECK(suggested_shape("reg_fixed_32x16") == "st_reg_fixed_32x16");
  CHECK(suggested_shape("kokos") == "kokkos");
  CHECK(suggested_shape("refrence") == "reference");
}

TEST_CASE("a parameter is spelled as who runs the library spells it", "[unit]") {
  CHECK(option("pml-width") == "--pml-width");
  spell_options([](std::string_view name) { return "the " + std::string(name); });
  CHECK(option("pml-width") == "the pml-width");
  spell_options(as_typed);
}

}  // namespace
}  // namespace minimod
