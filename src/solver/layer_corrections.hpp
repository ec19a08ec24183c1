/// The part of a boundary that follows the launches of a step: the CPML's corrections, the sponge's taper,
/// the free surface. What these need on the device is among the fields.
#pragma once

#include <vector>

#include "boundary/boundary.hpp"
#include "src/device/field_kernels.hpp"
#include "src/solver/fields/fields.hpp"

namespace minimod {

class LayerCorrections {
 public:
  LayerCorrections(Backend& backend, const Fields& fields, const Boundary& boundary);

  /// Where ψ, and ζ, of the layers of a CPML lie, each by its face's name.
  [[nodiscard]] static std::vector<FieldPlace> memories(const Grid& grid, const BoundarySpec& spec);

  /// Bytes that a step's corrections must move at least: a CPML reads and writes u⁺, ψ and ζ and reads u and
  /// V² in its layers (8 values a point, and the media that its terms read), without ψ, ζ and these up to R
  /// points inwards of them (4); a sponge reads and writes u and u⁺ (4). Of each wavefield.
  [[nodiscard]] static double bytes_moved(const Grid& grid, const BoundarySpec& spec,
                                          Equation equation = Equation::wave);

  /// The points that the corrections of a step touch, each as often as there are layers over it.
  [[nodiscard]] static std::int64_t points(const Grid& grid, const BoundarySpec& spec);

  /// Whether a layer follows the launches.
  [[nodiscard]] bool absorbs() const { return !facts_of(spec_.kind).has_formula; }
  [[nodiscard]] std::int64_t points() const { return points(grid_, spec_); }

  /// Behind the launches that made u⁺ of u, before the source.
  void absorb(const Fields& fields);
  /// Behind the source: makes the free surface of a wavefield.
  void close_surface(const Fields& fields, RealsAt u) const;

 private:
  template <class Pass>
  [[nodiscard]] std::vector<Pass> passes(const Fields& fields) const;
  template <class Pass>
  [[nodiscard]] Pass pass_across(int axis, const Fields& fields) const;

  Backend& backend_;
  Grid grid_;
  BoundarySpec spec_;
  std::vector<CpmlWork> passes_;
};

}  // namespace minimod
