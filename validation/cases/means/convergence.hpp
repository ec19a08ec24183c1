/// Orders of convergence.
#pragma once

#include "validation/cases/verification_case.hpp"

namespace minimod {

/// The exponent q of the error C hᑫ, by least squares over the logarithms.
[[nodiscard]] double slope(const std::vector<double>& steps, const std::vector<double>& errors);

/// The errors over the steps, and a line of slope `order` through the last.
[[nodiscard]] Picture draw_convergence(const std::string& title, const std::string& x_label,
                                       const std::vector<double>& steps, const std::vector<double>& errors,
                                       double order);

}  // namespace minimod
