#include "src/base/parse.hpp"

#include <clocale>
#include <limits>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

constexpr auto bad_numbers = {"",    " ",    "abc",   "1e",  "1.5x",  "0x10", "+",
                              " 1",  "1 ",   "+-1",   "++1", "1,5",   "nan",  "-nan",
                              "inf", "-inf", "1e999", "--1", "1.2.3", "+inf", "1e-999x"};

TEST_CASE("numbers are decimal, finite and whole texts", "[unit]") {
  CHECK(parse_number("2", "--dt") == 2);
  CHECK(parse_number("-0.5", "--dt") == -0.5);
  CHECK(parse_number("1e-3", "--dt") == 1e-3);
  CHECK(parse_number(".5", "--dt") == 0.5);
  CHECK(parse_number("+1.5", "--dt") == 1.5);
  CHECK(parse_number("+.5E+1", "--dt") == 5);
  for (const char* const too_small : {"1.0E-400", "-1e-999", "+1e-5000"}) {
    CHECK(to_number(too_small) == 0);
  }
  for (const char* const bad : bad_numbers) {
    INFO("'" << bad << "'");
    const Outcome outcome = outcome_of([&] { (void)parse_number(bad, "--dt"); });
    CHECK(outcome.kind == ErrorKind::parameter);
    CHECK(outcome.says("--dt"));
    CHECK_FALSE(to_number(bad));
  }
}

TEST_CASE("a positive number is above 0", "[unit]") {
  CHECK(parse_positive("1e-300", "--dt") == 1e-300);
  for (const char* const bad : {"0", "-0", "1e-400", "-1", "0.0", "nan", "inf"}) {
    CHECK(outcome_of([&] { (void)parse_positive(bad, "--dt"); }).kind == ErrorKind::parameter);
  }
}

TEST_CASE("integers have no exponent, no fraction, and limits that the error names", "[unit]") {
  constexpr auto any_min = std::numeric_limits<std::int64_t>::min();
  constexpr auto any_max = std::numeric_limits<std::int64_t>::max();
  CHECK(parse_integer("12", "--steps", 1, 100) == 12);
  CHECK(parse_integer("+12", "--steps", 1, 100) == 12);
  CHECK(parse_integer("-9223372036854775808", "--steps", any_min, any_max) == any_min);
  for (const char* const bad :
       {"", "1e3", "0x10", "100abc", "1.0", "9223372036854775808", "+-1", "+", " 1"}) {
    INFO("'" << bad << "'");
    CHECK(outcome_of([&] { (void)parse_integer(bad, "--steps", any_min, any_max); }).kind ==
          ErrorKind::parameter);
  }
  const Outcome low = outcome_of([] { (void)parse_integer("0", "--steps", 1, 100); });
  CHECK(low.says("--steps '0'"));
  CHECK(low.says("from 1 to 100"));
  CHECK(outcome_of([] { (void)parse_integer("101", "--steps", 1, 100); }).kind == ErrorKind::parameter);
}

TEST_CASE("split keeps empty parts", "[unit]") {
  CHECK(split("a,,b,", ',') == std::vector<std::string_view>{"a", "", "b", ""});
  CHECK(split("", ',') == std::vector<std::string_view>{""});
}

TEST_CASE("points, spacings and extents", "[unit]") {
  CHECK(parse_point("1,-2.5,3e2", "--source") == Point3{1, -2.5, 300});
  CHECK(parse_spacing("20", "--spacing") == Point3{20, 20, 20});
  CHECK(parse_spacing("20,10,5", "--spacing") == Point3{20, 10, 5});
  CHECK(parse_extent("100", "--grid") == Extent3{100, 100, 100});
  CHECK(parse_extent("100,50,2147483647", "--grid") == Extent3{100, 50, 2147483647});
  for (const char* const bad : {"", "1,2", "1,2,3,4", "1,,3", "1;2;3", "1, 2, 3", "1,2,nan"}) {
    INFO("'" << bad << "'");
    CHECK(outcome_of([&] { (void)parse_point(bad, "--source"); }).kind == ErrorKind::parameter);
  }
  for (const char* const bad : {"", "0", "-20", "20,10", "20,10,0", "inf"}) {
    INFO("'" << bad << "'");
    CHECK(outcome_of([&] { (void)parse_spacing(bad, "--spacing"); }).kind == ErrorKind::parameter);
  }
  for (const char* const bad : {"0", "-5", "100abc", "1e3", "0x10", "", "99999999999999999999", "2147483648",
                                "100,100", "100,0,100", "100,100,100,100"}) {
    INFO("'" << bad << "'");
    CHECK(outcome_of([&] { (void)parse_extent(bad, "--grid"); }).kind == ErrorKind::parameter);
  }
}

TEST_CASE("a locale with decimal commas changes nothing", "[unit]") {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* const name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"}) std::setlocale(LC_ALL, name);
  CHECK(parse_number("2.5", "--dt") == 2.5);
  CHECK(outcome_of([] { (void)parse_number("2,5", "--dt"); }).kind == ErrorKind::parameter);
  std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("an error stays in one line whatever the text", "[unit]") {
  const std::string hostile = "1\n\x1b[31m" + std::string(5000, 'x') + "\xff";
  for (const Outcome& outcome : {outcome_of([&] { (void)parse_number(hostile, "--record-dt"); }),
                                 outcome_of([&] { (void)parse_extent(hostile, "--record-dt"); }),
                                 outcome_of([&] { (void)parse_point(hostile + ",,,,", "--record-dt"); })}) {
    CHECK(outcome.kind == ErrorKind::parameter);
    CHECK(outcome.message.size() <= longest_message);
    CHECK(outcome.message.find_first_of("\n\x1b\xff") == std::string::npos);
  }
}

}  // namespace
}  // namespace minimod
