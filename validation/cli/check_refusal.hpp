/// Checks of a refusal by the program: one line on stderr, soon, with the right exit code.
#pragma once

#include <algorithm>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "validation/cli/run_program.hpp"

namespace minimod {

/// `says`: a part of the line.
inline void check_refusal(const ProgramResult& result, int exit_code, const std::string& says) {
  CAPTURE(result.out, result.err, says);
  CHECK(result.exit_code == exit_code);
  CHECK(result.err.starts_with("minimod: error: "));
  CHECK(result.err.find(says) != std::string::npos);
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  CHECK(result.err.size() <= 241);
  CHECK(result.is_cheap());
}

}  // namespace minimod
