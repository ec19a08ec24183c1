/// Values that a shot, or several, leave at the nodes of a gradient or an image, and how they come there from
/// all points of the run.
#pragma once

#include <functional>
#include <optional>

#include "models/sampled_medium.hpp"
#include "src/base/choices.hpp"
#include "src/base/reals.hpp"
#include "src/job/gradient/imaging.hpp"

namespace minimod {

/// Parameters that a gradient is by.
enum class GradientBy { velocity, squared_slowness };
inline constexpr NamedChoice<GradientBy> gradient_by_names[] = {{GradientBy::velocity, "v"},
                                                                {GradientBy::squared_slowness, "slowness2"}};

/// The sum that the adjoint field with the drives is made into.
struct SumKind {
  GradientBy by = GradientBy::velocity;
  std::optional<ImagingCondition> condition;  ///< an image, which is by nothing; nothing: a gradient
};

/// Values at the nodes of the run within the layer, x fastest; of a section that the run extrudes, sums over
/// y, so that they are its nodes'.
struct NodeValues {
  Extent3 n;
  Reals values;
  /// Sums are doubles, whatever the others are.
  void add(const NodeValues& others);
  [[nodiscard]] NodeValues rounded_to(Precision precision) const;
};

/// Sums over the steps of a shot, in its precision, or over several shots, in double.
struct GradientSums {
  /// The adjoint field with the drives: the derivative of the misfit, of its unit over that of the parameter,
  /// or an image.
  NodeValues correlation;
  /// Σ (∂²u/∂t²)² of the modelled field over the steps, and Σ λ² of the adjoint one: how much either sees of
  /// a node. Both by every few steps, as HistoryOptions has it, each for all that it stands for.
  NodeValues source_illumination, receiver_illumination;
  void add(const GradientSums& others);
  [[nodiscard]] GradientSums rounded_to(Precision precision) const;
};

/// Sums over the steps at the points of some planes of the run, x fastest.
struct PointSums {
  const double* product = nullptr;  ///< p times the drives; of an image as make_image has it
  RealsAt drive, adjoint;           ///< squares
};
/// Sums of planes begin <= z < end of the run, until the next call.
using ReadPointSums = std::function<PointSums(IndexRange planes)>;

/// Factors of them.
struct SumFactors {
  double dt = 0;                               ///< s
  double product = 1, drive = 1, adjoint = 1;  ///< steps of a sample, times the sums' scale
};

/// Folds the sums of the run's planes begin <= z < end onto the nodes in them: those of the layer, which lie
/// among the same planes, have the velocity of the model's outermost nodes, whose derivatives are theirs,
/// too. Rows are added in their order, each plane is read once, `planes_at_once` at a time, or more where a
/// node has more. Error 65 where a value is not finite.
[[nodiscard]] GradientSums fold(const ReadPointSums& sums, const SumFactors& factors,
                                const SampledMedium& medium, const SumKind& kind, Precision precision,
                                IndexRange planes, int planes_at_once);

}  // namespace minimod
