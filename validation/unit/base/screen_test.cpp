#include "src/base/process/screen.hpp"

#include <catch2/catch_test_macros.hpp>

namespace minimod {

TEST_CASE("a text is broken at blanks, and its words all stay", "[unit]") {
  CHECK(wrapped("") == "");
  CHECK(wrapped("one two three", "", 7) == "one two\nthree");
  CHECK(wrapped("one two three four", "- ", 9) == "- one two\n  three\n  four");
  CHECK(wrapped("a longwordthatstays b", ">", 6) == ">a\n longwordthatstays\n b");
  CHECK(wrapped("Δx Δy Δz", "", 5) == "Δx Δy\nΔz");  // columns, not bytes
  CHECK(columns_of("(V Δt)²") == 7);
}

TEST_CASE("a figure above 0 never reads as 0", "[unit]") {
  CHECK(three_digits(0.000123456) == "0.000123");
  CHECK(three_digits(1.2345e-7) == "1.23e-07");
  CHECK(three_digits(0.5) == "0.500");
  CHECK(three_digits(9.876) == "9.88");
  CHECK(three_digits(99.96) == "100");
  CHECK(three_digits(4487.4) == "4487");
}

TEST_CASE("a reason that rows share is a footnote once", "[unit]") {
  Footnotes notes;
  CHECK(notes.lines().empty());
  CHECK(notes.mark("needs a GPU") == "(1)");
  CHECK(notes.mark("only with --emulate") == "(2)");
  CHECK(notes.mark("needs a GPU") == "(1)");
  CHECK(notes.lines() == "(1) needs a GPU\n(2) only with --emulate\n");
}

}  // namespace minimod
