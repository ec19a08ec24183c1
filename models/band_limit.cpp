#include "models/band_limit.hpp"

#include <array>
#include <cstddef>
#include <numbers>

namespace minimod {

namespace {

constexpr double cutoff = 0.92;  // share of the Nyquist wavenumber
constexpr double kaiser = 5.5;   // β
constexpr int places = 512;      // places of the table, a cell

/// The modified Bessel function I₀, by its series.
double bessel_i0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; term > 1e-17 * sum; ++k) {
    term *= x * x / (4.0 * k * k);
    sum += term;
  }
  return sum;
}

/// w, not normalized.
double window(double cells) {
  const double share = cells / ripple_cells, x = std::numbers::pi * cutoff * cells;
  if (share * share >= 1) return 0;
  return (x == 0 ? 1 : std::sin(x) / x) * bessel_i0(kaiser * std::sqrt(1 - share * share));
}

/// ∫w from 0 to 8 cells, 1/2 in all, at evenly spaced places: by Simpson's rule, right to 1e-13.
class StepTable {
 public:
  StepTable() {
    constexpr double h = 1.0 / places;
    for (std::size_t i = 1; i < integral_.size(); ++i) {
      const double from = h * static_cast<double>(i - 1);
      integral_[i] = integral_[i - 1] + h / 6 * (window(from) + 4 * window(from + h / 2) + window(from + h));
    }
    scale_ = 0.5 / integral_.back();
  }

  /// Cubic between two places, with w as the slope.
  [[nodiscard]] double at(double cells) const {
    const auto i = std::min(static_cast<std::size_t>(cells * places), integral_.size() - 2);
    constexpr double h = 1.0 / places;
    const double t = cells * places - static_cast<double>(i), from = h * static_cast<double>(i);
    const double a = integral_[i], b = integral_[i + 1];
    const double slope_a = h * window(from), slope_b = h * window(from + h);
    return scale_ * (a + t * (slope_a + t * (3 * (b - a) - 2 * slope_a - slope_b +
                                             t * (2 * (a - b) + slope_a + slope_b))));
  }

 private:
  std::array<double, ripple_cells * places + 1> integral_{};
  double scale_ = 1;
};

}  // namespace

double step_response(double cells) {
  static const StepTable table;
  if (cells <= -ripple_cells) return 0;
  if (cells >= ripple_cells) return 1;
  return cells < 0 ? 0.5 - table.at(-cells) : 0.5 + table.at(cells);
}

double kept_of_reflection(double points_per_wavelength) {
  constexpr int steps = 64 * ripple_cells;
  const double wavenumber = 4 * std::numbers::pi / points_per_wavelength;
  double sum = 0, whole = 0;
  for (int i = -steps; i <= steps; ++i) {
    const double cells = static_cast<double>(i) * ripple_cells / steps, w = window(cells);
    sum += w * std::cos(wavenumber * cells);
    whole += w;
  }
  return std::clamp(sum / whole, 0.0, 1.0);
}

double tolerance_at(double position) {
  return 1e-7 * std::max(1.0, std::abs(position));
}

Shares shares_around(double position, double width, int nodes) {
  const double cell = std::max(width, 1.0), reach = ripple_cells * cell;
  const auto node_at = [nodes](double place) {
    return static_cast<int>(std::clamp(place, 0.0, nodes - 1.0));
  };
  Shares shares{node_at(std::floor(position - reach + 0.5)), {}};
  const int last = std::max(shares.first, node_at(std::ceil(position + reach - 0.5)));
  double before = 0;
  for (int node = shares.first; node <= last; ++node) {
    const double upto = node == last ? 1 : 1 - step_response((position - node - 0.5) / cell);
    shares.weights.push_back(upto - before);
    before = upto;
  }
  return shares;
}

ResampledAxis ResampledAxis::over(int points, double ratio, int nodes) {
  ResampledAxis axis;
  axis.copies = nodes == 1 || std::abs(ratio - 1) <= tolerance_at(1);
  axis.shares.reserve(points);
  for (int i = 0; i < points; ++i) {
    axis.shares.push_back(axis.copies ? Shares{std::min(i, nodes - 1), {1}}
                                      : shares_around(i * ratio, ratio, nodes));
  }
  return axis;
}

IndexRange ResampledAxis::with_neighbours(IndexRange wanted) const {
  if (copies) return wanted;
  return {std::max(wanted.begin - 1, 0), std::min(wanted.end + 1, points())};
}

IndexRange ResampledAxis::nodes(IndexRange wanted) const {
  const IndexRange all = with_neighbours(wanted);
  return {shares[all.begin].first, shares[all.end - 1].end()};
}

void resample_row(const ResampledAxis& axis, IndexRange wanted, std::span<const double> row, int first,
                  const SlownessBounds& bounds, std::span<double> samples) {
  const auto sample = [&](int i) {
    const Shares& shares = axis.shares[i];
    const double* const from = row.data() + (shares.first - first);
    double sum = 0;
    for (std::size_t k = 0; k < shares.weights.size(); ++k) sum += shares.weights[k] * from[k];
    return sum;
  };
  if (axis.copies) {
    for (int i = wanted.begin; i < wanted.end; ++i) samples[i - wanted.begin] = sample(i);
    return;
  }
  const IndexRange all = axis.with_neighbours(wanted);
  double here = sample(wanted.begin), before = all.begin < wanted.begin ? sample(all.begin) : here;
  for (int i = wanted.begin; i < wanted.end; ++i) {
    const double after = i + 1 < all.end ? sample(i + 1) : here;
    samples[i - wanted.begin] = settled(before, here, after, bounds);
    before = here;
    here = after;
  }
}

void settle_rows(std::span<const double> before, std::span<const double> here, std::span<const double> after,
                 const SlownessBounds& bounds, std::span<double> settled_rows) {
  for (std::size_t i = 0; i < here.size(); ++i) {
    settled_rows[i] = settled(before[i], here[i], after[i], bounds);
  }
}

}  // namespace minimod
