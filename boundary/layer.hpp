/// A kind of absorbing layer: what it is and does. A new one is a file with its object and its measured
/// reflections, and a row of `boundaries` (boundary.hpp); what it does point by point is a function in
/// point_work.hpp.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "boundary/adjoint/drive.hpp"
#include "boundary/cpml/cpml.hpp"
#include "boundary/measured_reflection.hpp"
#include "boundary/point_work.hpp"
#include "boundary/regions.hpp"
#include "kernels/equation_names.hpp"
#include "src/base/precision.hpp"

namespace minimod {

/// Points of an array that lie together, plane z behind plane z.
struct FieldPlace {
  std::string name;                   ///< slabs of a domain have their part of it under the same one
  Box3 box;                           ///< the points
  Layout at;                          ///< layout of rows within a plane
  std::int64_t first = 0, plane = 0;  ///< the first value of the box's first plane, and the values of a plane
  int outside = 0;                    ///< planes of the storage above and below the box
  /// Without columns a device has them so, too; else these are how they stand on the host and in files.
  ChunkLayout chunks = {};
  [[nodiscard]] bool has_plane(int z) const { return z >= box.begin.z - outside && z < box.end.z + outside; }
  /// Where plane z begins.
  [[nodiscard]] std::int64_t of_plane(int z) const { return first + (z - box.begin.z) * plane; }
  /// Number of the value with which plane z begins on a device.
  [[nodiscard]] std::int64_t of_plane_there(int z) const {
    return chunks.columns > 0 ? std::int64_t{chunks.plane_of(z)} * vector_alignment : of_plane(z);
  }
  /// Number of values that a plane has on a device.
  [[nodiscard]] std::int64_t plane_there() const {
    return chunks.columns > 0 ? chunks.plane_values() : plane;
  }
  [[nodiscard]] std::int64_t size_in_rows() const { return plane * (box.extent().z + 2 * outside); }
  /// Values of a device's storage.
  [[nodiscard]] std::int64_t size() const { return chunks.columns > 0 ? chunks.size() : size_in_rows(); }
  friend bool operator==(const FieldPlace&, const FieldPlace&) = default;
};

/// Fields that a layer works on, in the memory of a device.
struct LayerFields {
  const Grid& grid;
  const BoundarySpec& spec;
  Equation equation;
  std::vector<RealsAt> u, u_next, media;           ///< by their numbers in the equation
  std::function<RealsAt(const std::string&)> own;  ///< "a_x", "psi": profiles and memories
};

/// A transposed CPML on a face: point by point, and where a device may have a launch for all, as a whole.
struct CpmlAdjointWork {
  std::vector<PointsOfBox> points;
  std::optional<CpmlAdjointFace> face;
};
/// A piece of what follows the launches of a step.
using LayerWork = std::variant<CpmlWork, CpmlAdjointWork, PointsOfBox>;

class PlaneWaveRows;

/// The points of a layer, each once.
[[nodiscard]] inline std::int64_t points_of_layer(const Grid& grid, const BoundarySpec& spec) {
  return make_regions(grid.n, spec.widths).pml_points();
}

/// The part of a layer in each step, or of its transpose.
class LayerOperator {
 public:
  LayerOperator() = default;
  LayerOperator(const LayerOperator&) = delete;
  LayerOperator& operator=(const LayerOperator&) = delete;
  virtual ~LayerOperator() = default;

  /// Names of its values at each point of an axis beside η: "a" is a_x, a_y and a_z on the device.
  [[nodiscard]] virtual std::vector<std::string> profiles() const { return {}; }
  /// Values of the profiles along an axis.
  [[nodiscard]] virtual std::vector<std::vector<double>> values(const BoundarySpec& /*spec*/,
                                                                const PmlAxis& /*axis*/,
                                                                double /*dt*/) const {
    return {};
  }

  /// Arrays that it keeps of each wavefield beside φ, which is the launches', and where they lie, each alike.
  [[nodiscard]] virtual std::vector<std::string> memories() const { return {}; }
  [[nodiscard]] virtual std::vector<FieldPlace> places(const Grid& /*grid*/,
                                                       const BoundarySpec& /*spec*/) const {
    return {};
  }
  /// Whether a step leaves the new ones in others of their own ("psi_next"), which change places with them
  /// when u⁺ becomes u.
  [[nodiscard]] virtual bool writes_memories_apart() const { return false; }

  /// Work before the launches that make u⁺ of u, behind the sources and receivers of the step before.
  [[nodiscard]] virtual std::vector<LayerWork> work_before(const LayerFields& /*fields*/) const { return {}; }
  /// Work behind the launches that made u⁺ of u, before the source.
  [[nodiscard]] virtual std::vector<LayerWork> work(const LayerFields& /*fields*/) const { return {}; }
  /// The points that this touches, each as often as there are layers over it, and the values that it must
  /// move at least, of each wavefield.
  [[nodiscard]] virtual std::int64_t points(const Grid& /*grid*/, const BoundarySpec& /*spec*/) const {
    return 0;
  }
  [[nodiscard]] virtual double values_moved(const Grid& grid, const BoundarySpec& spec) const {
    return 4 * static_cast<double>(points(grid, spec));
  }
};

class AbsorbingLayer : public LayerOperator {
 public:
  /// The transposed layer; null where nobody has written it. A step's transpose takes λ⁺ to λ; it is computed
  /// for p = (V Δt)² λ, of which the inner formula is the transpose of itself, so that the layer is what
  /// differs from that: corrections. What sources feed and receivers meet is p; the adjoint source at a node
  /// is (V Δt)² times the residual.
  [[nodiscard]] virtual const LayerOperator* adjoint() const { return nullptr; }
  /// The drive of a step (boundary/adjoint/drive.hpp) at all points, behind it: as the inner formula has it,
  /// and in a layer that has a transpose as that layer has it.
  [[nodiscard]] virtual std::vector<PointsOfBox> drive(const LayerFields& fields, const StepFields& step,
                                                       const DriveField& drive) const;

  /// Points of the model beside a face that a layer of differences of that radius corrects, too.
  [[nodiscard]] virtual int corrected_beside(int /*radius*/) const { return 0; }

  /// By width, the narrowest layer that can be had first.
  [[nodiscard]] virtual std::span<const MeasuredReflection> measured() const = 0;
  /// How far its differences of that radius reach, and what a plane wave meets at node m of it
  /// (plane_wave.hpp): u⁺ − 2u + u⁻ over u, and what it adds to the row of any node.
  [[nodiscard]] virtual int reach(int radius) const { return radius; }
  [[nodiscard]] virtual std::complex<double> over_time(const PlaneWaveRows& rows, int m) const = 0;
  virtual void add_to(PlaneWaveRows& /*rows*/, int /*node*/) const {}
};

/// Drives of the inner box by the inner formula, and of the layer's by what of_layer(point) gives.
template <class OfLayer>
[[nodiscard]] std::vector<PointsOfBox> drives(const LayerFields& fields, const StepFields& step,
                                              const DriveField& drive, const OfLayer& of_layer) {
  std::vector<PointsOfBox> all;
  with_real(fields.grid.precision, [&]<class Real>() {
    const Regions regions = make_regions(fields.grid.n, fields.spec.widths);
    const auto point = drive_point<Real>(step, drive);
    all.push_back({regions.inner, InnerDrive<Real>{point}});
    for (const Box3& box : regions.pml) all.push_back({box, of_layer(point)});
  });
  return all;
}

}  // namespace minimod
