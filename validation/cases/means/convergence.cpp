#include "validation/cases/means/convergence.hpp"

#include <cmath>

#include "src/base/error.hpp"

namespace minimod {

double slope(const std::vector<double>& steps, const std::vector<double>& errors) {
  const auto count = static_cast<double>(steps.size());
  double x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double a = std::log(steps[i]), b = std::log(errors[i]);
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

Picture draw_convergence(const std::string& title, const std::string& x_label,
                         const std::vector<double>& steps, const std::vector<double>& errors, double order) {
  std::vector<double> line;
  line.reserve(steps.size());
  for (const double step : steps) line.push_back(errors.back() * std::pow(step / steps.back(), order));
  return {title, x_label, "relative L2 error",
          true,  true,    {{text("slope ", order), steps, line}, {"minimod", steps, errors, true}}};
}

}  // namespace minimod
