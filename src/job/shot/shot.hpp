/// One of the shots that a plan is for: its sources and receivers on the nodes of a problem.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "src/job/geometry/acquisition.hpp"
#include "src/job/plan/injection.hpp"
#include "src/ranks/problem.hpp"
#include "src/wavelets/wavelet.hpp"

namespace minimod {

struct RunPlan;

struct PlannedSource {
  Point3 position;  ///< m, as asked for
  Index3 node;      ///< the nearest, also where the interpolation takes more
  std::shared_ptr<const Wavelet> wavelet;
  double amplitude = 1;  ///< times the wavelet

  /// s(t) at the time steps.
  [[nodiscard]] std::vector<double> samples() const;
};

/// A shot: what is fed into a problem, and where it is recorded. Positions are m, nodes those of the domain.
struct Shot {
  int number = first_shot_number;
  std::vector<PlannedSource> sources;
  std::shared_ptr<const Injection> injection;  ///< gather fed in place of their wavelet; null: that
  std::vector<Point3> receivers;               ///< as asked for
  std::vector<std::int64_t> stations;          ///< numbers that the field gave them; empty: none
  std::vector<Index3> receiver_nodes;          ///< the nearest
  Interpolation interpolation = Interpolation::nearest;
  Moves moves;                   ///< positions' moves to nodes; 0: interpolated
  double scale = 1;              ///< scale of run_scale.hpp: u over the run's
  int receivers_on_surface = 0;  ///< receivers on a free surface, where u is 0

  /// Wavelet of the first source, or the one that stands for all injected traces.
  [[nodiscard]] const Wavelet& wavelet() const { return *sources.front().wavelet; }
  /// The steps before the last wavelet's end.
  [[nodiscard]] int signal_end() const;
  /// s(t) of source i at the time steps.
  [[nodiscard]] std::vector<double> samples_of(std::size_t i, const TimeAxis& time) const;
  /// Samples that the scheme is given in their place, over the scale, also when the shot is no more.
  [[nodiscard]] std::function<std::vector<double>(std::size_t i)> feed(const TimeAxis& time) const;

  /// Where the problem is recorded for positions between nodes, fastest in the order of lines and grids; a
  /// thread's own.
  [[nodiscard]] std::function<NodeWeights(Point3)> placing(const Problem& problem) const;
  /// Where the problem is fed or recorded for a position.
  [[nodiscard]] NodeWeights place_of(const Problem& problem, Point3 position) const;
  [[nodiscard]] NodeWeights place_of(const Problem& problem, const PlannedSource& source) const;
  /// The position that is: that of the nearest node, or the very one.
  [[nodiscard]] Point3 source_position(const Problem& problem, std::size_t i) const;
  [[nodiscard]] Point3 receiver_position(const Problem& problem, std::size_t i) const;
  /// From a source to the receiver farthest from it, m; of more than 10^7 pairs no less than that.
  [[nodiscard]] double greatest_offset(const Problem& problem) const;
};

/// The shot of one of the geometries that was planned for. Error 65 for positions outside the model, a source
/// on the free surface, wavelets of different units.
[[nodiscard]] Shot place_shot(const RunPlan& plan, const ShotGeometry& geometry);

}  // namespace minimod
