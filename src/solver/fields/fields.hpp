/// The fields of a slab: a domain, or what lies of it between two planes z.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "boundary/boundary.hpp"
#include "src/solver/fields/field_planes.hpp"
#include "src/solver/fields/field_table.hpp"

namespace minimod {

/// Memory of the device that belongs to the state or that a neighbour fills.
struct FieldPart {
  std::string name;
  RealsAt at;
  std::size_t size = 0;  ///< in reals
  [[nodiscard]] std::size_t bytes() const { return size * bytes_of(at.precision); }
};

class Neighbours;

class Fields {
 public:
  /// The arrays of a table, at rest, the profiles with the boundary's values. `neighbours`: of a slab. Error
  /// 71 when the device's memory does not hold them.
  Fields(Backend& backend, const Grid& grid, const Boundary& boundary, const FieldTable& table,
         Neighbours* neighbours = nullptr, Equation equation = Equation::wave);

  /// Array `number` of those with a role, or that of a name; null where there is none.
  [[nodiscard]] RealsAt at(FieldRole role, std::size_t number = 0) const;
  [[nodiscard]] RealsAt at(std::string_view name) const;
  [[nodiscard]] std::vector<PlacedField> all(FieldRole role) const;
  /// The wavefield that is watched, recorded and kept in snapshots.
  [[nodiscard]] PlacedField observed() const {
    require();
    return placed(*find(FieldRole::state));
  }
  /// Where the pages of the first array with a role lie.
  [[nodiscard]] FieldPages pages(FieldRole role) const;
  /// Arrays with one role and those with another change places.
  void swap(FieldRole one, FieldRole other);

  /// Has what a table has, where that says for `grid`: what is of every run with the values that it had at
  /// the same points. Makes the new beside the old, or where the device does not hold both, gives up the old
  /// one by one. Error 71 leaves all as it was, at the same addresses, unless the device then refuses what it
  /// said it has: the fields are lost.
  void change_to(const Grid& grid, const FieldTable& table);
  [[nodiscard]] bool are_lost() const { return are_lost_; }
  [[nodiscard]] bool lie_as(const FieldTable& table) const;

  [[nodiscard]] const EquationFacts& equation() const { return *equation_; }
  /// Takes the medium beyond V; before set_velocity. Nothing for an equation without columns.
  void set_columns(const MediumColumns& columns);
  /// Takes V (m/s) plane by plane: fill(z, plane) writes the n.x · n.y values of plane z, x fastest. Where
  /// repeats(z), which is not asked of the first plane, plane z has those of plane z - 1, and no fill is
  /// called.
  void set_velocity(double dt, const std::function<void(int z, float* plane)>& fill,
                    const std::function<bool(int z)>& repeats = {});
  /// Takes V of nodes in memory that the device reads, for an equation without columns.
  void set_velocity(double dt, const PlacedNodes& model);
  /// A medium at nodes of this slab or its ghosts, by their Grid::index. The first is (V Δt)².
  [[nodiscard]] std::vector<double> medium_of(std::size_t number,
                                              const std::vector<std::int64_t>& nodes) const;
  /// A medium at nodes that may lie in other slabs of the domain, all of which ask for the same.
  [[nodiscard]] std::vector<double> medium_at(std::size_t number, const std::vector<Index3>& nodes) const;
  /// The code of the 16-bit (V Δt)², where there is one.
  [[nodiscard]] std::optional<VelocityCode> velocity_code() const;
  /// Puts into the (V Δt)² of `box` what its 16-bit codes stand for.
  void round_velocity_to_codes(const Box3& box);

  /// Puts the wavefields and what layers keep of them to rest.
  void set_at_rest();
  /// The same random values in [-1, 1) in the wavefields at this and the previous step.
  void set_random(std::uint32_t seed);

  /// Arguments that every launch gets of them.
  [[nodiscard]] LaunchArgs args() const;

  /// Parts that the future depends on beside the medium, where a step is ahead or not.
  [[nodiscard]] std::vector<FieldPart> state(bool ahead) const;
  /// Values of a part of the state, by its name, from `first` on, as they follow each other in rows.
  void take(std::string_view part, std::size_t first, Reals& values) const;
  void put(std::string_view part, std::size_t first, const Reals& values) const;
  /// Planes of an array that the neighbour above (z less) or below fills in an exchange, ghosts and halo, and
  /// the planes of this slab that it wants in return.
  enum class Side { above, below };
  struct SharedPlanes {
    FieldPart halo, edge;
  };
  /// Shared planes of all arrays with a role, in the neighbour's order.
  [[nodiscard]] std::vector<SharedPlanes> shared(FieldRole role, Side side) const;

  /// Extremes of the observed wavefield over the slab's own points.
  [[nodiscard]] Extremes extremes() const;
  /// The same over the points of `box`, x fastest.
  [[nodiscard]] std::vector<double> wavefield(const Box3& box) const;
  [[nodiscard]] const Grid& grid() const { return grid_; }

 private:
  struct Array {
    Field field;
    DeviceArray<std::byte> values;
    FieldPages pages = {};  ///< where it lies in chunks
  };
  [[nodiscard]] Array make(const Field& field) const;
  [[nodiscard]] RealsAt reals(const Array& array) const { return {array.values.data(), grid_.precision}; }
  /// An array that lies as u does.
  [[nodiscard]] PlacedField placed(const Array& array) const;
  [[nodiscard]] FieldPlanes planes_of(const Array& array) const {
    return planes_of(array, array.field.places.front());
  }
  [[nodiscard]] FieldPlanes planes_of(const Array& array, const FieldPlace& place) const {
    return {backend_, placed(array), place};
  }
  [[nodiscard]] const Array* find(FieldRole role, std::size_t number = 0) const;
  [[nodiscard]] const Array* find(std::string_view name) const;
  [[nodiscard]] bool fit_in_turns_alone(const std::vector<Field>& wanted, const FieldTable& table) const;
  /// Error 71 when they are lost.
  void require() const;
  void put(Array array);
  void move(const Array& array, const Array& there) const;
  /// Releases what the table does not have.
  void keep(const FieldTable& table);
  void fill_eta(const FieldPlanes& eta) const;
  /// Values at a node and those that follow along x.
  [[nodiscard]] std::vector<double> read_row(const PlacedField& field, Index3 node, int count) const;
  [[nodiscard]] double modulus_at(Index3 p) const;
  [[nodiscard]] VelocityCode code_of_velocity() const;
  /// Makes codes of a medium that is set.
  void encode_velocity();
  void encode_velocity(const Array& codes) const;

  Backend& backend_;
  Grid grid_;
  Boundary boundary_;
  Neighbours* neighbours_;  ///< null: the whole domain is here
  const EquationFacts* equation_;
  MediumColumns columns_;
  std::vector<Array> arrays_;
  VelocityCode code_;  ///< meaning of the codes
  bool has_velocity_ = false, are_lost_ = false;
};

}  // namespace minimod
