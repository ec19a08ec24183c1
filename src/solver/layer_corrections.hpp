/// The part of a boundary that follows the launches of a step: what its layer does there, and the free
/// surface. What these need on the device is among the fields.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "boundary/layer.hpp"
#include "src/device/field_kernels.hpp"
#include "src/solver/fields/fields.hpp"

namespace minimod {

/// Corrections across x among the work of a layer, that launches may make.
[[nodiscard]] LayerArgs layers_across_x(const std::vector<LayerWork>& work);
/// Work behind the launches of a step, without fields: it says where the layers lie.
[[nodiscard]] std::vector<LayerWork> work_without_fields(const Grid& grid, const BoundarySpec& spec,
                                                         Equation equation);

/// Fields for the layer of a boundary, which outlives what is made of them.
[[nodiscard]] LayerFields layer_fields(const Fields& fields, const BoundarySpec& spec);

class LayerCorrections {
 public:
  LayerCorrections(Backend& backend, const Grid& grid, const BoundarySpec& spec)
      : backend_(backend), grid_(grid), spec_(spec) {}

  /// Bytes that a step's corrections must move at least, of all wavefields.
  [[nodiscard]] static double bytes_moved(const Grid& grid, const BoundarySpec& spec,
                                          Equation equation = Equation::wave);

  /// Whether a layer follows the launches.
  [[nodiscard]] bool absorbs() const { return !spec_.has_formula(); }
  [[nodiscard]] bool writes_memories_apart() const { return layer_of(spec_).writes_memories_apart(); }
  /// Points that follow launches, which may make the corrections across x themselves.
  [[nodiscard]] std::int64_t points(bool without_x) const;

  /// Before the launches that make u⁺ of u. Whether it has changed u, in which all slabs of a domain agree.
  bool prepare(const Fields& fields);
  /// Corrections that launches which make u⁺ of u may make themselves.
  [[nodiscard]] LayerArgs across_x(const Fields& fields);
  /// Behind the launches that made u⁺ of u, before the source: all, or those that the launches have left.
  void absorb(const Fields& fields, bool without_x);
  /// Whether layers stay as launches make them, from now on.
  void leave_out(bool layers) { is_left_out_ = layers; }
  /// Behind fields that have moved.
  void forget() {
    before_.clear();
    behind_.clear();
  }
  /// Behind the source: makes the free surface of a wavefield.
  void close_surface(const PlacedField& u) const;

 private:
  Backend& backend_;
  Grid grid_;
  BoundarySpec spec_;
  bool is_left_out_ = false;
  /// By where u and u⁺ are.
  using WorkOfFields = std::map<std::pair<void*, void*>, std::vector<LayerWork>>;
  using MakeWork = std::vector<LayerWork> (LayerOperator::*)(const LayerFields&) const;
  /// Work that `make` gives, which is asked once.
  const std::vector<LayerWork>& work_of(WorkOfFields& known, const Fields& fields, MakeWork make);
  void do_work(const LayerWork& work);

  WorkOfFields before_, behind_;
};

}  // namespace minimod
