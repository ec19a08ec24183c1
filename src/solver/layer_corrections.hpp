/// The part of a boundary that follows the launches of a step: the CPML's corrections, the sponge's taper,
/// the free surface. Owns what these need on the device.
#pragma once

#include <vector>

#include "boundary/boundary.hpp"
#include "src/device/backend.hpp"
#include "src/solver/fields.hpp"

namespace minimod {

class LayerCorrections {
 public:
  /// Error 71 when the device's memory does not hold ψ and ζ.
  LayerCorrections(Backend& backend, const Grid& grid, const Boundary& boundary);

  /// The bytes of every allocation.
  [[nodiscard]] static std::vector<std::size_t> allocations(const Grid& grid, const BoundarySpec& spec);

  /// Where ψ, and ζ, of the layer of a CPML on a face lie: its planes z one behind the other.
  struct Memory {
    int face;                   ///< 0 left, 1 right, 2 front, 3 back, 4 top, 5 bottom
    Box3 box;                   ///< the layer's points
    std::int64_t first, plane;  ///< the first value, and those of a plane
    [[nodiscard]] std::int64_t size() const { return plane * (box.end.z - box.begin.z); }
  };
  [[nodiscard]] static std::vector<Memory> memories(const Grid& grid, const BoundarySpec& spec);

  /// Bytes that a step's corrections must move at least: a CPML reads and writes u⁺, ψ and ζ and reads u and
  /// V² in its layers (8 values a point), without ψ and ζ up to R points inwards of them (4); a sponge reads
  /// and writes u and u⁺ (4).
  [[nodiscard]] static double bytes_moved(const Grid& grid, const BoundarySpec& spec);

  /// The points that the corrections of a step touch, each as often as there are layers over it.
  [[nodiscard]] static std::int64_t points(const Grid& grid, const BoundarySpec& spec);

  /// Whether a layer follows the launches.
  [[nodiscard]] bool absorbs() const { return spec_.kind != BoundaryKind::pml; }
  [[nodiscard]] std::int64_t points() const { return points(grid_, spec_); }
  /// What the future of a run depends on.
  [[nodiscard]] std::vector<FieldPart> state() const;

  /// Forgets the waves that it has met.
  void reset();
  /// Behind the launches that made u_next of u, before the source.
  void absorb(RealsAt u, RealsAt u_next, RealsAt v2dt2);
  /// Behind the source: makes the free surface of u.
  void close_surface(RealsAt u);

 private:
  /// The profile of an axis on the device.
  struct Axis {
    DeviceReals a, b, taper;
  };
  void make_passes();
  template <class Real>
  [[nodiscard]] std::vector<CpmlPass<Real>> passes() const;
  template <class Real>
  [[nodiscard]] CpmlPass<Real> pass_across(int axis) const;

  Backend& backend_;
  Grid grid_;
  BoundarySpec spec_;
  Axis x_, y_, z_;
  DeviceReals psi_, zeta_;
  std::vector<CpmlWork> passes_;
};

}  // namespace minimod
