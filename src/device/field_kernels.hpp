/// The kernels that compute on fields beside the code shapes: sources, receivers, corrections of boundaries,
/// peaks. A device has one object of them (Backend::field_kernels).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "boundary/cpml/cpml.hpp"
#include "boundary/point_work.hpp"
#include "kernels/node_weights.hpp"
#include "src/device/backend.hpp"
#include "src/device/peak.hpp"
#include "src/device/placed_field.hpp"

namespace minimod {

/// Nodes that the sources of a shot feed, in a backend's memory: shares of their samples, in the order of the
/// nodes; shares of one node stand behind each other.
struct SourceNodes {
  const std::int64_t* nodes = nullptr;
  RealsAt weights;
  const std::int32_t* sources = nullptr;  ///< source of each share
  int count = 0;
};

/// Adds the shares of the node at which entry `i` is the first; nothing at the others. What a node gets is
/// added in the order of the entries, on every device.
template <class Real, class At>
MINIMOD_HD inline void inject_at(Real* field, const At& at, const SourceNodes& shares, int i,
                                 const Real* samples) {
  const auto* const weights = static_cast<const Real*>(shares.weights.data);
  const std::int64_t node = shares.nodes[i];
  if (i > 0 && shares.nodes[i - 1] == node) return;
  for (int k = i; k < shares.count && shares.nodes[k] == node; ++k) {
    field[at.placed(node)] += weights[k] * samples[shares.sources[k]];
  }
}

/// The least and the greatest value of a field, and whether all are finite.
struct Extremes {
  double min = 0, max = 0;
  bool finite = true;
};

/// Takes points of a field to the host while the device goes on.
class FieldReader {
 public:
  FieldReader() = default;
  FieldReader(const FieldReader&) = delete;
  FieldReader& operator=(const FieldReader&) = delete;
  virtual ~FieldReader() = default;

  /// Starts to read the field as it is behind the launches of lane 0 so far, after `wait` for the last one.
  virtual void start(const PlacedField& field) = 0;
  /// The bytes of what was read, [z][y][x], when it is there; it stays until the next start. From any thread.
  [[nodiscard]] virtual std::span<const std::byte> wait() = 0;
};

/// All run behind the launches of lane 0.
class FieldKernels {
 public:
  FieldKernels() = default;
  FieldKernels(const FieldKernels&) = delete;
  FieldKernels& operator=(const FieldKernels&) = delete;
  virtual ~FieldKernels() = default;

  virtual void for_each_point(const Box3& box, const PointWork& work) = 0;
  /// Does the work of boxes that have no point in common, in any order.
  virtual void for_each_point(const std::vector<PointsOfBox>& boxes) {
    for (const PointsOfBox& points : boxes) for_each_point(points.box, points.work);
  }
  /// The correction by a CPML's layers across one axis.
  virtual void correct(const CpmlWork& pass) = 0;
  /// Corrects by a CPML's transposed layer on a face, at once; false, and nothing done, where the device has
  /// no launch for that.
  [[nodiscard]] virtual bool correct(const CpmlAdjointFace& face) = 0;
  /// field[nodes[i]] += weights[i] samples[sources[i]] for i < count, by nodes as Grid::index has them; all
  /// of one precision, as below.
  virtual void inject(const PlacedField& field, const SourceNodes& shares, RealsAt samples) = 0;
  /// row[i] = field[nodes[i]] for i < count, by such nodes.
  virtual void record(RealsAt row, const PlacedField& field, const std::int64_t* nodes, int count) = 0;
  /// row[i] = the field between the nodes at receivers[i], i < count.
  virtual void record(RealsAt row, const PlacedField& field, const NodeWeights* receivers, int count) = 0;

  /// A reader of these points of fields of a precision; it takes their values once of the device's memory,
  /// and once of the host's where that is another.
  [[nodiscard]] virtual std::unique_ptr<FieldReader> make_reader(Precision precision,
                                                                 const Lattice& points) = 0;

  /// Sets all points to random_value(seed, x, y, z), z counted in the domain that the grid is cut from.
  virtual void randomize(const PlacedField& field, const Grid& grid, std::uint32_t seed) = 0;

  /// Over the points of `box`.
  [[nodiscard]] virtual Extremes extremes(const PlacedField& field, const Box3& box) = 0;
  /// Starts to look for the peak of a field over the points of `box`, which is not empty, behind the launches
  /// of lane 0 so far; waits for nothing. One peak is looked for at a time.
  virtual void start_peak(const PlacedField& field, const Box3& box) = 0;
  /// The peak that was looked for, once; nothing when none was, or, without `wait`, when it is not found yet.
  [[nodiscard]] virtual std::optional<Peak> take_peak(bool wait) = 0;
};

/// Field kernels of the host's cores.
[[nodiscard]] std::unique_ptr<FieldKernels> make_host_field_kernels(Backend& backend);

}  // namespace minimod
