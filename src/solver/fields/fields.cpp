#include "src/solver/fields/fields.hpp"

#include <algorithm>
#include <iterator>

#include "src/base/error.hpp"
#include "src/base/work/wanted_work.hpp"
#include "src/solver/neighbours.hpp"

namespace minimod {

namespace {

Box3 common(const Box3& a, const Box3& b) {
  return {{std::max(a.begin.x, b.begin.x), std::max(a.begin.y, b.begin.y), std::max(a.begin.z, b.begin.z)},
          {std::min(a.end.x, b.end.x), std::min(a.end.y, b.end.y), std::min(a.end.z, b.end.z)}};
}

}  // namespace

Fields::Fields(Backend& backend, const Grid& grid, const Boundary& boundary, const FieldTable& table,
               Neighbours* neighbours, Equation equation)
    : backend_(backend),
      grid_(grid),
      boundary_(boundary),
      neighbours_(neighbours),
      equation_(&facts_of(equation)) {
  change_to(grid, table);
  with_real(grid.precision, [&]<class Real>() {
    for (const auto& [name, values] : profiles_of(boundary)) {
      const std::vector<Real> rounded(values->begin(), values->end());
      backend.upload(at(name).data, rounded.data(), rounded.size() * sizeof(Real));
    }
  });
}

const Fields::Array* Fields::find(FieldRole role, std::size_t number) const {
  for (const Array& array : arrays_) {
    if (array.field.role == role && number-- == 0) return &array;
  }
  return nullptr;
}

const Fields::Array* Fields::find(std::string_view name) const {
  for (const Array& array : arrays_) {
    if (array.field.name == name) return &array;
  }
  return nullptr;
}

RealsAt Fields::at(FieldRole role, std::size_t number) const {
  const Array* const found = find(role, number);
  return found == nullptr ? RealsAt{nullptr, grid_.precision} : reals(*found);
}

RealsAt Fields::at(std::string_view name) const {
  const Array* const found = find(name);
  return found == nullptr ? RealsAt{nullptr, grid_.precision} : reals(*found);
}

std::vector<PlacedField> Fields::all(FieldRole role) const {
  std::vector<PlacedField> found;
  for (const Array& array : arrays_) {
    if (array.field.role == role) found.push_back(placed(array));
  }
  return found;
}

FieldPages Fields::pages(FieldRole role) const {
  const Array* const found = find(role);
  return found == nullptr ? FieldPages{} : found->pages;
}

PlacedField Fields::placed(const Array& array) const {
  const ChunkLayout& chunks = array.field.places.front().chunks;
  if (chunks.columns == 0) return {reals(array), grid_.layout};
  return {reals(array), ChunksOfField{chunks, array.pages}};
}

Fields::Array Fields::make(const Field& field) const {
  require_wanted();
  Array array{field, {backend_, field.bytes()}};
  if (!field.places.empty() && field.places.front().chunks.columns > 0)
    array.pages = backend_.pages_of(array.values.data(), field.bytes());
  return array;
}

void Fields::swap(FieldRole one, FieldRole other) {
  auto next = arrays_.begin();
  for (Array& array : arrays_) {
    if (array.field.role != one) continue;
    next = std::find_if(next, arrays_.end(), [=](const Array& a) { return a.field.role == other; });
    std::swap(array.values, next->values);
    std::swap(array.pages, (next++)->pages);
  }
}

bool Fields::lie_as(const FieldTable& table) const {
  return std::ranges::all_of(arrays_, [&](const Array& array) {
    const Field* const there = table.find(array.field.name);
    return there == nullptr || there->places == array.field.places;
  });
}

void Fields::change_to(const Grid& grid, const FieldTable& table) {
  require();
  std::vector<Field> wanted;
  std::ranges::copy_if(table.fields, std::back_inserter(wanted), [&](const Field& field) {
    const Array* const there = find(field.name);
    return there == nullptr || there->field.places != field.places;
  });
  const bool in_turns = fit_in_turns_alone(wanted, table);
  std::vector<Array> made;
  const auto add = [&](const Field& field) { made.push_back(make(field)); };
  if (!in_turns) std::ranges::for_each(wanted, add);
  grid_ = grid;
  try {
    if (in_turns) keep(table);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (in_turns) add(wanted[i]);
      put(std::move(made[i]));
    }
    keep(table);
  } catch (const Error& refusal) {
    arrays_.clear();
    are_lost_ = true;
    throw Error(refusal.kind(), text(refusal.what(), ", and the fields are lost"), "begin anew");
  }
}

/// Whether the device says that it holds them where each takes the place of an old one, and not all at once.
bool Fields::fit_in_turns_alone(const std::vector<Field>& wanted, const FieldTable& table) const {
  std::size_t free = backend_.free_bytes(), all = 0;
  for (const Field& field : wanted) all += backend_.granted_bytes(field.bytes());
  if (all <= free) return false;
  for (const Array& array : arrays_) {
    if (table.find(array.field.name) == nullptr) free += backend_.granted_bytes(array.field.bytes());
  }
  for (const Field& field : wanted) {
    const std::size_t bytes = backend_.granted_bytes(field.bytes());
    if (bytes > free) return false;
    const Array* const there = find(field.name);
    free += (there == nullptr ? 0 : backend_.granted_bytes(there->field.bytes())) - bytes;
  }
  return true;
}

void Fields::require() const {
  if (!are_lost_) return;
  throw Error(ErrorKind::resource, "the fields were given up for others that the device refused",
              "begin anew");
}

/// In the place of the array of its name, with what that has.
void Fields::put(Array array) {
  const auto there =
      std::ranges::find_if(arrays_, [&](const Array& a) { return a.field.name == array.field.name; });
  const FieldRole role = array.field.role;
  if (role == FieldRole::eta) fill_eta(planes_of(array));
  if (role == FieldRole::codes && has_velocity_) encode_velocity(array);
  if (there == arrays_.end()) {
    arrays_.push_back(std::move(array));
    return;
  }
  if (is_of_every_run(role)) move(*there, array);
  *there = std::move(array);
}

void Fields::keep(const FieldTable& table) {
  std::erase_if(arrays_, [&](const Array& array) { return table.find(array.field.name) == nullptr; });
}

/// Plane by plane, those outside too, where a free surface has its image. Points that have no place in the
/// old are at rest.
void Fields::move(const Array& array, const Array& there) const {
  with_real(grid_.precision, [&]<class Real>() {
    std::vector<Real> old_plane, plane;
    for (const FieldPlace& place : there.field.places) {
      for (int z = place.box.begin.z - place.outside; place.has_plane(z); ++z) {
        plane.assign(place.plane, 0);
        for (const FieldPlace& old : array.field.places) {
          const Box3 both = common(old.box, place.box);
          if (both.empty() || !old.has_plane(z)) continue;
          old_plane.resize(old.plane);
          planes_of(array, old).take(z, 1, old_plane.data());
          for (int y = both.begin.y; y < both.end.y; ++y) {
            std::copy_n(old_plane.data() + old.at.index(both.begin.x, y, z) - old.of_plane(z),
                        both.extent().x,
                        plane.data() + place.at.index(both.begin.x, y, z) - place.of_plane(z));
          }
        }
        planes_of(there, place).put(z, 1, plane.data());
      }
    }
  });
}

/// The sum of the profiles at every point and at the ghost points one beyond each face.
void Fields::fill_eta(const FieldPlanes& eta) const {
  const Layout& at = grid_.layout;
  const Extent3 n = grid_.n;
  with_real(grid_.precision, [&]<class Real>() {
    const auto value = [](const std::vector<double>& profile, int i) {
      return static_cast<Real>(profile[i + 1]);
    };
    std::vector<Real> plane(at.stride_z);
    for (int z = -1; z <= n.z; ++z) {
      for (int y = -1; y <= n.y; ++y) {
        Real* row = plane.data() + at.index(0, y, 0) - grid_.radius * at.stride_z;
        for (int x = -1; x <= n.x; ++x)
          row[x] = value(boundary_.x.eta, x) + value(boundary_.y.eta, y) + value(boundary_.z.eta, z);
      }
      eta.put(z, 1, plane.data());
    }
  });
}

std::vector<double> Fields::read_row(const PlacedField& field, Index3 node, int count) const {
  return with_real(grid_.precision, [&]<class Real>() {
    std::vector<Real> values(static_cast<std::size_t>(count));
    for (int i = 0, points = 0; i < count; i += points) {
      const Index3 first{node.x + i, node.y, node.z};
      points = std::min(count - i, field.abreast(first.x));
      backend_.download(values.data() + i, field.at(first).data, points * sizeof(Real));
    }
    return std::vector<double>(values.begin(), values.end());
  });
}

void Fields::set_at_rest() {
  for (const Array& array : arrays_) {
    const FieldRole role = array.field.role;
    if (belongs_to_state(role, false) || role == FieldRole::auxiliary_next)
      backend_.clear(array.values.data(), array.values.size());
  }
}

void Fields::set_random(std::uint32_t seed) {
  for (const FieldRole role : {FieldRole::state, FieldRole::before}) {
    for (const PlacedField& field : all(role)) backend_.field_kernels().randomize(field, grid_, seed);
  }
}

LaunchArgs Fields::args() const {
  require();
  LaunchArgs args(grid_);
  args.u = at(FieldRole::state).data;
  args.u_before = at(FieldRole::before).data;
  args.u_next = at(FieldRole::before).data;
  args.v2dt2 = at(FieldRole::medium).data;
  args.v2dt2_codes = static_cast<const std::uint16_t*>(at(FieldRole::codes).data);
  args.v2dt2_code = code_;
  args.phi = at(FieldRole::auxiliary).data;
  args.phi_next = at(FieldRole::auxiliary_next).data;
  args.eta = at(FieldRole::eta).data;
  args.eta_x = (at("eta_x") + 1).data;
  args.eta_y = (at("eta_y") + 1).data;
  args.eta_z = (at("eta_z") + 1).data;
  args.shift = boundary_.alpha;
  for (std::size_t i = 1; i < equation_->media.size(); ++i) args.media[i - 1] = at(FieldRole::medium, i).data;
  if (equation_->wavefields.size() > 1) {
    args.q = at(FieldRole::state, 1).data;
    args.q_before = args.q_next = at(FieldRole::before, 1).data;
    args.q_phi = at("phi_" + equation_->wavefields[1]).data;
  }
  if (!grid_.in_chunks()) return args;
  args.pages.u = pages(FieldRole::state);
  args.pages.u_before = pages(FieldRole::before);
  args.pages.v2dt2 = pages(FieldRole::medium);
  args.pages.phi = pages(FieldRole::auxiliary);
  args.pages.phi_next = pages(FieldRole::auxiliary_next);
  args.side_of_multiprocessor = backend_.l2_sides(grid_.n).of_multiprocessor;
  return args;
}

std::vector<FieldPart> Fields::state(bool ahead) const {
  std::vector<FieldPart> parts;
  for (const Array& array : arrays_) {
    const Field& field = array.field;
    if (belongs_to_state(field.role, ahead))
      parts.push_back({field.name, reals(array), field.size_in_rows()});
  }
  return parts;
}

void Fields::take(std::string_view part, std::size_t first, Reals& values) const {
  planes_of(*find(part)).take_values(first, values);
}

void Fields::put(std::string_view part, std::size_t first, const Reals& values) const {
  planes_of(*find(part)).put_values(first, values);
}

std::vector<Fields::SharedPlanes> Fields::shared(FieldRole role, Side side) const {
  const Box3 own = grid_.own();
  std::vector<SharedPlanes> found;
  for (const Array& array : arrays_) {
    const int halo = array.field.halo, count = grid_.ghosts() + halo;
    if (array.field.role != role || count == 0) continue;
    for (const FieldPlace& place : array.field.places) {
      const auto planes = [&](int first_z) {
        return FieldPart{array.field.name, reals(array) + place.of_plane_there(first_z),
                         static_cast<std::size_t>(count * place.plane_there())};
      };
      if (side == Side::above && place.box.begin.z == 0)
        found.push_back({planes(-halo), planes(own.begin.z)});
      if (side == Side::below && place.box.end.z == grid_.n.z)
        found.push_back({planes(own.end.z), planes(own.end.z - count)});
    }
  }
  return found;
}

Extremes Fields::extremes() const {
  return backend_.field_kernels().extremes(observed(), grid_.own());
}

std::vector<double> Fields::wavefield(const Box3& box) const {
  const Extent3 n = box.extent();
  std::vector<double> values(n.points());
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      const Index3 from{box.begin.x, box.begin.y + y, box.begin.z + z};
      std::ranges::copy(read_row(observed(), from, n.x), values.data() + (std::int64_t{z} * n.y + y) * n.x);
    }
  }
  return values;
}

}  // namespace minimod
