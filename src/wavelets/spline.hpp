/// The natural cubic spline.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace minimod {

/// Through the points (times, values), two or more, the times increasing; 0 outside.
class Spline {
 public:
  Spline(std::vector<double> times, std::vector<double> values)
      : t_(std::move(times)), s_(std::move(values)), curvature_(t_.size()) {
    // The tridiagonal system of the second derivatives, both 0 at the ends, by elimination and substitution.
    std::vector<double> upper(t_.size());
    for (std::size_t i = 1; i + 1 < t_.size(); ++i) {
      const double left = t_[i] - t_[i - 1];
      const double right = t_[i + 1] - t_[i];
      const double bend = 6 * ((s_[i + 1] - s_[i]) / right - (s_[i] - s_[i - 1]) / left);
      const double pivot = 2 * (left + right) - left * upper[i - 1];
      upper[i] = right / pivot;
      curvature_[i] = (bend - left * curvature_[i - 1]) / pivot;
    }
    for (std::size_t i = t_.size() - 1; i-- > 0;) curvature_[i] -= upper[i] * curvature_[i + 1];
  }

  double operator()(double t) const {
    // A sample at the very end must not be lost to the rounding of n dt.
    const double slack = 1e-9 * (t_.back() - t_.front());
    if (t < t_.front() - slack || t > t_.back() + slack) return 0;
    const auto above = std::upper_bound(t_.begin() + 1, t_.end() - 1, t);
    const auto i = static_cast<std::size_t>(above - t_.begin());
    const double h = t_[i] - t_[i - 1];
    const double a = (t_[i] - t) / h;
    const double b = (t - t_[i - 1]) / h;
    return a * s_[i - 1] + b * s_[i] +
           ((a * a * a - a) * curvature_[i - 1] + (b * b * b - b) * curvature_[i]) * h * h / 6;
  }

 private:
  std::vector<double> t_, s_, curvature_;
};

}  // namespace minimod
