/// How far modelled traces are from observed ones, and the derivative of that by the modelled ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/base/choices.hpp"
#include "src/base/reals.hpp"

namespace minimod {

enum class MisfitKind {
  l2,          ///< ½ Σ (d − o)²
  normalized,  ///< ½ Σ (d/|d| − o/|o|)² of traces, each over its norm; blind to amplitudes
};
inline constexpr NamedChoice<MisfitKind> misfit_names[] = {{MisfitKind::l2, "l2"},
                                                           {MisfitKind::normalized, "normalized"}};

/// Times that count, s: between the first and the last all, outside of them less and less by half a period of
/// a cosine that is `taper` long.
struct TimeWindow {
  double first = 0, last = 0, taper = 0;
  /// Factor of both traces at a time.
  [[nodiscard]] double factor(double time) const;
};

struct MisfitOptions {
  MisfitKind kind = MisfitKind::l2;
  std::optional<TimeWindow> window;  ///< nothing: all times
  std::vector<double> weights;       ///< factors of the traces' residuals; empty: 1
  bool keeps_residual = false;
};

/// Times of samples.
struct SampleTimes {
  std::size_t count = 0;
  double dt = 0, first = 0;  ///< s
};

struct Misfit {
  double value = 0;                ///< sum over the traces, of the squared unit of these; not times Δt
  std::vector<double> derivative;  ///< [receiver][sample], by the modelled samples
  std::vector<double> residual;    ///< the same whose squares are summed; empty where it is not kept
};

/// Error 64 where a window has none of the samples, not even in its taper.
void require_samples(const std::optional<TimeWindow>& window, const SampleTimes& times);

/// The misfit of traces [receiver][sample]. A trace without a sample that is not 0 in the window counts,
/// where it is normalized, as one of zeros, by which nothing can be derived: its derivative is 0.
[[nodiscard]] Misfit misfit_of(const Reals& modelled, const Reals& observed, const SampleTimes& times,
                               const MisfitOptions& options);

/// The one whose derivative is given: the sum of the products of both.
[[nodiscard]] Misfit misfit_with(std::vector<double> derivative, const Reals& modelled);

}  // namespace minimod
