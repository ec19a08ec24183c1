/// The reflection of an absorbing layer, measured against a domain in which nothing returns.
#pragma once

#include <vector>

#include "boundary/measured_reflection.hpp"
#include "validation/cases/means/runner.hpp"

namespace minimod {

/// A source and the receivers that hear it, in points of the model. The faces whose answers would come after
/// the end have no layer: there the domain just ends.
struct ReflectionShot {
  std::vector<double> samples;  ///< samples of the source's signature, `dt` apart
  double dt = 0;                ///< s
  Index3 source;
  std::vector<Index3> receivers;
  Extent3 n;        ///< nodes of the model
  PmlWidths faces;  ///< 1 where the layer is, else 0
  PmlWidths room;   ///< points beyond each face that keep the reflections of a closed box away
};

/// Points of the model, a cube, along each axis.
inline constexpr int reflection_model = 73;

/// Source in the centre, receivers at the centres of a face and of an edge and at a corner; `samples` as long
/// as the run, at most 1 s.
[[nodiscard]] ReflectionShot centred_shot(std::vector<double> samples, double dt);

/// The traces with that boundary: kind, width, profile's velocity and the rest of `layer`, whose extents and
/// time step are set here.
[[nodiscard]] std::vector<std::vector<double>> traces_with(Runner& runner, Domain layer,
                                                           const ReflectionShot& shot);

/// The traces of a domain so large that nothing returns within the shot's time.
[[nodiscard]] std::vector<std::vector<double>> traces_without(Runner& runner, const ReflectionShot& shot);

/// The greatest difference over the greatest value, dB.
[[nodiscard]] double reflection_decibel(const std::vector<double>& trace,
                                        const std::vector<double>& expected);

/// Measures rows of boundary/*_reflection.inc, under its conditions.
class ReflectionMeter {
 public:
  explicit ReflectionMeter(Runner& runner);
  [[nodiscard]] Reflection measure(BoundaryKind kind, int width) const;

 private:
  Runner& runner_;
  ReflectionShot centred_, grazing_;
  std::vector<std::vector<double>> expected_centred_, expected_grazing_;
};

}  // namespace minimod
