/// The natural cubic spline.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace minimod {

/// Through the points (times, values), two or more, the times increasing; 0 outside.
class Spline {
 public:
  Spline(std::vector<double> times, std::vector<double> values)
      : t_(std::move(times)), s_(std::move(values)), curvature_(t_.size()) {
    // A sample at the very end must not be lost to the rounding of n dt.
    const double slack = 1e-9 * (t_.back() - t_.front());
    first_ = t_.front() - slack;
    last_ = t_.back() + slack;
    for (std::size_t i = 1; i + 1 < t_.size(); ++i) {
      curvature_[i] =
          6 * ((s_[i + 1] - s_[i]) / (t_[i + 1] - t_[i]) - (s_[i] - s_[i - 1]) / (t_[i] - t_[i - 1]));
    }
    make_curvature(curvature_);
  }

  double operator()(double t) const {
    if (t < first_ || t > last_) return 0;
    const std::size_t i = point_behind(t);
    const double h = t_[i] - t_[i - 1], a = (t_[i] - t) / h, b = (t - t_[i - 1]) / h;
    return a * s_[i - 1] + b * s_[i] +
           ((a * a * a - a) * curvature_[i - 1] + (b * b * b - b) * curvature_[i]) * h * h / 6;
  }

  /// The transpose of the way from the points' values to those at other times, which depends on times alone:
  /// takes derivatives by the spline at `at` to derivatives by the points' values.
  [[nodiscard]] std::vector<double> transposed(std::span<const double> at, std::span<const double> by) const {
    std::vector<double> by_values(t_.size()), by_curvature(t_.size());
    for (std::size_t n = 0; n < at.size(); ++n) {
      if (at[n] < first_ || at[n] > last_) continue;
      const std::size_t i = point_behind(at[n]);
      const double h = t_[i] - t_[i - 1], a = (t_[i] - at[n]) / h, b = (at[n] - t_[i - 1]) / h;
      by_values[i - 1] += a * by[n];
      by_values[i] += b * by[n];
      by_curvature[i - 1] += (a * a * a - a) * h * h / 6 * by[n];
      by_curvature[i] += (b * b * b - b) * h * h / 6 * by[n];
    }
    make_curvature(by_curvature);  // a symmetric system is its own transpose
    for (std::size_t i = 1; i + 1 < t_.size(); ++i) {
      const double left = 6 * by_curvature[i] / (t_[i] - t_[i - 1]);
      const double right = 6 * by_curvature[i] / (t_[i + 1] - t_[i]);
      by_values[i - 1] += left;
      by_values[i] -= left + right;
      by_values[i + 1] += right;
    }
    return by_values;
  }

 private:
  /// The point at the end of the interval that a time lies in.
  [[nodiscard]] std::size_t point_behind(double t) const {
    return static_cast<std::size_t>(std::upper_bound(t_.begin() + 1, t_.end() - 1, t) - t_.begin());
  }

  /// Solves the tridiagonal system of the second derivatives, both 0 at the ends, by elimination and
  /// substitution: `bends` becomes these.
  void make_curvature(std::vector<double>& bends) const {
    std::vector<double> upper(t_.size());
    bends.front() = bends.back() = 0;
    for (std::size_t i = 1; i + 1 < t_.size(); ++i) {
      const double left = t_[i] - t_[i - 1];
      const double right = t_[i + 1] - t_[i];
      const double pivot = 2 * (left + right) - left * upper[i - 1];
      upper[i] = right / pivot;
      bends[i] = (bends[i] - left * bends[i - 1]) / pivot;
    }
    for (std::size_t i = t_.size() - 1; i-- > 0;) bends[i] -= upper[i] * bends[i + 1];
  }

  std::vector<double> t_, s_, curvature_;
  double first_, last_;
};

}  // namespace minimod
