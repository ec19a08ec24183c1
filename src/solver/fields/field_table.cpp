#include "src/solver/fields/field_table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace minimod {

namespace {

FieldPlace place_in_grid(const Grid& grid) {
  const std::int64_t plane = grid.layout.stride_z;
  const Box3 all{{0, 0, 0}, {grid.n.x, grid.n.y, grid.n.z}};
  return {"grid", all, grid.layout, grid.radius * plane, plane, grid.radius, grid.chunks};
}

/// φ of the launches that damp, each in a storage of its own or all in one like u's.
std::vector<FieldPlace> places_of_phi(const Grid& grid, const std::vector<RegionLaunch>& launches) {
  std::vector<FieldPlace> places;
  for (const auto& [name, formula, box, phi] : launches) {
    if (!formula_damps(formula)) continue;
    if (phi == grid.layout) return {place_in_grid(grid)};
    const std::int64_t first = plane_of_box(phi, box, grid.layout, box.begin.z);
    places.push_back({name, box, phi, first, phi.stride_z, 0});
  }
  return places;
}

/// How the arrays with a role follow from others; their names end so.
struct Derivation {
  FieldRole role, from;
  const char* ending;
};
constexpr Derivation derivations[] = {{FieldRole::next, FieldRole::state, "_next"},
                                      {FieldRole::second, FieldRole::state, "_ahead"},
                                      {FieldRole::auxiliary_next, FieldRole::auxiliary, "_next"},
                                      {FieldRole::codes, FieldRole::medium, "_codes"},
                                      {FieldRole::eta, FieldRole::medium, "_eta"}};

}  // namespace

std::size_t Field::size_in_rows() const {
  std::size_t values = 0;
  for (const FieldPlace& place : places) values += place.size_in_rows();
  return values;
}

const Field* FieldTable::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

std::vector<Field> FieldTable::with(FieldRole role) const {
  std::vector<Field> found;
  std::ranges::copy_if(fields, std::back_inserter(found), [=](const Field& f) { return f.role == role; });
  return found;
}

std::vector<Field> FieldTable::state(bool ahead) const {
  std::vector<Field> found;
  std::ranges::copy_if(fields, std::back_inserter(found),
                       [=](const Field& f) { return belongs_to_state(f.role, ahead); });
  return found;
}

void FieldTable::add(FieldRole role) {
  if (!with(role).empty()) return;
  const Derivation& how = *std::ranges::find(derivations, role, &Derivation::role);
  std::vector<Field> from = with(how.from);
  const bool of_velocity = how.from == FieldRole::medium;
  if (of_velocity) from.resize(1);
  for (Field& field : from) {
    field.name += how.ending;
    field.role = role;
    if (role == FieldRole::codes) field.value_bytes = sizeof(std::uint16_t);
    if (role == FieldRole::eta) field.halo = 1;
    fields.push_back(std::move(field));
  }
}

FieldTable make_field_table(const EquationArrays& equation, const Grid& grid, const BoundarySpec& boundary,
                            const std::vector<RegionLaunch>& launches) {
  const LayerOperator& layer = layer_of(boundary);
  FieldTable table;
  const auto add = [&](const std::string& name, FieldRole role, const std::vector<FieldPlace>& places,
                       int halo = 0) {
    std::size_t size = 0;
    for (const FieldPlace& place : places) size += place.size();
    if (size > 0) table.fields.push_back({name, role, places, size, halo, bytes_of(grid.precision)});
  };
  const std::vector<FieldPlace> in_grid{place_in_grid(grid)};
  for (const auto& name : equation.wavefields) add(name, FieldRole::state, in_grid, grid.radius);
  for (const auto& name : equation.wavefields) add(name + "_before", FieldRole::before, in_grid, grid.radius);
  for (const auto& name : equation.media) add(name, FieldRole::medium, in_grid);
  for (const auto& name : equation.wavefields) {
    const std::string ending = name == equation.wavefields.front() ? "" : "_" + name;
    add("phi" + ending, FieldRole::auxiliary, places_of_phi(grid, launches));
    for (const std::string& memory : layer.memories())
      add(memory + ending, FieldRole::auxiliary, layer.places(grid, boundary));
  }
  for (const auto& [axis, n] : {std::pair("_x", grid.n.x), {"_y", grid.n.y}, {"_z", grid.n.z}}) {
    const auto add_profile = [&, axis = axis](const std::string& name, std::size_t size) {
      table.fields.push_back({name + axis, FieldRole::profile, {}, size, 0, bytes_of(grid.precision)});
    };
    add_profile("eta", n + 2);  // with a ghost value at either end
    for (const std::string& name : layer.profiles()) add_profile(name, n);
  }
  return table;
}

std::vector<NamedProfile> profiles_of(const Boundary& boundary) {
  const std::vector<std::string> own = layer_of(boundary.spec).profiles();
  std::vector<NamedProfile> named;
  for (const auto& [axis, profile] :
       {std::pair("_x", &boundary.x), {"_y", &boundary.y}, {"_z", &boundary.z}}) {
    named.push_back({std::string("eta") + axis, &profile->eta});
    for (std::size_t i = 0; i < own.size(); ++i) named.push_back({own[i] + axis, &profile->own[i]});
  }
  return named;
}

}  // namespace minimod
