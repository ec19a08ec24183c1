/// The arrays of a run as a table, which follows from the equation, the boundary and the schedule. Memory,
/// allocation, the state of a checkpoint, the halos between ranks and what launches are given follow from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "boundary/boundary.hpp"
#include "boundary/decomposition.hpp"
#include "boundary/layer.hpp"
#include "src/solver/equation_facts.hpp"

namespace minimod {

enum class FieldRole {
  state,      ///< a wavefield at tₙ
  before,     ///< the same at tₙ₋₁; a step writes u⁺ there
  medium,     ///< read alone by steps, (V Δt)² first
  auxiliary,  ///< memory of a layer for a wavefield
  profile,    ///< profile of a layer along an axis
  // Arrays that some kernels and schedules want beyond those of every run.
  next,            ///< a wavefield at tₙ₊₁, of launches of two steps; or where a step writes u⁺ apart
  second,          ///< the same at tₙ₊₂; belongs to the state while that step is ahead
  auxiliary_next,  ///< φ⁺, or another memory a step later, in a storage of its own
  codes,           ///< (V Δt)² in 16 bits
  eta,             ///< η as a 3-D array
};

[[nodiscard]] constexpr bool is_of_every_run(FieldRole role) {
  return role <= FieldRole::profile;
}

/// Whether it is what the future of a run depends on beside its medium, where a step is ahead or not.
[[nodiscard]] constexpr bool belongs_to_state(FieldRole role, bool ahead) {
  return role == FieldRole::state || role == FieldRole::before || role == FieldRole::auxiliary ||
         (ahead && role == FieldRole::second);
}

/// One array.
struct Field {
  std::string name;  ///< also in checkpoints
  FieldRole role = FieldRole::state;
  std::vector<FieldPlace> places;  ///< one behind the other; none of a profile
  std::size_t size = 0;            ///< values of all of them on a device
  int halo = 0;                    ///< points beyond a place that a step reads
  std::size_t value_bytes = 0;     ///< bytes of a real of the run's precision, or of a code
  [[nodiscard]] std::size_t bytes() const { return size * value_bytes; }
  /// Values of all of them in rows, as a checkpoint has them.
  [[nodiscard]] std::size_t size_in_rows() const;
};

/// Arrays that the steps of an equation go by.
struct EquationArrays {
  std::vector<std::string> wavefields, media;
};
[[nodiscard]] inline EquationArrays arrays_of(Equation equation) {
  return {facts_of(equation).wavefields, facts_of(equation).media};
}

struct FieldTable {
  std::vector<Field> fields;

  /// Null where there is none.
  [[nodiscard]] const Field* find(std::string_view name) const;
  [[nodiscard]] std::vector<Field> with(FieldRole role) const;
  /// In the order of a checkpoint.
  [[nodiscard]] std::vector<Field> state(bool ahead) const;
  /// Adds the arrays with a role that is not of every run, once.
  void add(FieldRole role);
};

/// The arrays of every run, but for those without values. `launches`: of a step, those that damp have φ.
[[nodiscard]] FieldTable make_field_table(const EquationArrays& equation, const Grid& grid,
                                          const BoundarySpec& boundary,
                                          const std::vector<RegionLaunch>& launches);

/// The profiles in such a table, along x, y and z.
struct NamedProfile {
  std::string name;
  const std::vector<double>* values;
};
[[nodiscard]] std::vector<NamedProfile> profiles_of(const Boundary& boundary);

}  // namespace minimod
