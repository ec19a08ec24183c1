/// How loud interfaces are, frequency by frequency: the second half of the case `interfaces`.
#pragma once

#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod {

void add_amplitudes(CaseReport& report, Runner& runner);

}  // namespace minimod
