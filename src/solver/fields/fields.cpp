#include "src/solver/fields/fields.hpp"

#include <algorithm>
#include <iterator>

#include <Kokkos_Core.hpp>

#include "src/base/error.hpp"
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

std::vector<RealsAt> Fields::all(FieldRole role) const {
  std::vector<RealsAt> found;
  for (const Array& array : arrays_) {
    if (array.field.role == role) found.push_back(reals(array));
  }
  return found;
}

void Fields::swap(FieldRole one, FieldRole other) {
  auto next = arrays_.begin();
  for (Array& array : arrays_) {
    if (array.field.role != one) continue;
    next = std::find_if(next, arrays_.end(), [=](const Array& a) { return a.field.role == other; });
    std::swap(array.values, (next++)->values);
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
  const auto make = [&](const Field& field) { made.push_back({field, {backend_, field.bytes()}}); };
  if (!in_turns) std::ranges::for_each(wanted, make);
  grid_ = grid;
  try {
    if (in_turns) keep(table);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (in_turns) make(wanted[i]);
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
  if (role == FieldRole::eta) fill_eta(reals(array));
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
          backend_.download(old_plane.data(), (reals(array) + old.of_plane(z)).data,
                            old_plane.size() * sizeof(Real));
          for (int y = both.begin.y; y < both.end.y; ++y) {
            std::copy_n(old_plane.data() + old.at.index(both.begin.x, y, z) - old.of_plane(z),
                        both.extent().x,
                        plane.data() + place.at.index(both.begin.x, y, z) - place.of_plane(z));
          }
        }
        backend_.upload((reals(there) + place.of_plane(z)).data, plane.data(), plane.size() * sizeof(Real));
      }
    }
  });
}

/// The sum of the profiles at every point and at the ghost points one beyond each face.
void Fields::fill_eta(RealsAt eta) const {
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
      backend_.upload(first_of_plane(eta, z).data, plane.data(), plane.size() * sizeof(Real));
    }
  });
}

/// First value of a plane of an array like u, with its halo.
RealsAt Fields::first_of_plane(RealsAt field, int z) const {
  return field + (z + grid_.radius) * grid_.layout.stride_z;
}

void Fields::set_velocity(double dt, const std::function<void(int z, float* plane)>& fill,
                          const std::function<bool(int z)>& repeats) {
  const Layout& at = grid_.layout;
  const RealsAt v2dt2 = this->at(FieldRole::medium);
  // A plane alone is not worth waking threads for; what is far larger costs the time to be had and cleared.
  constexpr std::size_t bytes_at_once = std::size_t{1} << 21;
  const std::size_t points = std::size_t(grid_.n.x) * grid_.n.y;
  const auto is_new = [&](int z) { return z == 0 || !repeats || !repeats(z); };
  int all_new = 0;
  for (int z = 0; z < grid_.n.z; ++z) all_new += is_new(z) ? 1 : 0;
  const int most =
      static_cast<int>(std::clamp<std::size_t>(bytes_at_once / (points * sizeof(float)), 1, all_new));
  std::vector<float> velocity(most * points);
  using Rows = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>;
  with_real(grid_.precision, [&]<class Real>() {
    std::vector<Real> planes(most * at.stride_z);
    int z = 0;
    while (z < grid_.n.z) {
      int count = 0;
      const int first = z;
      for (; count < most && z + count < grid_.n.z && is_new(z + count); ++count) {
        fill(z + count, velocity.data() + count * points);
      }
      Kokkos::parallel_for("minimod::v2dt2", Rows(0, std::size_t(count) * grid_.n.y), [&](int row) {
        const float* from = velocity.data() + std::size_t(row) * grid_.n.x;
        Real* to = planes.data() + at.index(0, row % grid_.n.y, row / grid_.n.y) - grid_.radius * at.stride_z;
        for (int x = 0; x < grid_.n.x; ++x) {
          const double courant_length = from[x] * dt;
          to[x] = static_cast<Real>(courant_length * courant_length);
        }
        if (equation_->modulus == nullptr) return;
        const Index3 p{0, row % grid_.n.y, first + row / grid_.n.y};
        double modulus = modulus_at(p);
        for (int x = 0; x < grid_.n.x; ++x) {
          const double courant_length = from[x] * dt;
          if (!columns_.are_of_depth()) modulus = modulus_at({x, p.y, p.z});
          to[x] = static_cast<Real>(modulus * (courant_length * courant_length));
        }
      });
      backend_.upload(first_of_plane(v2dt2, z).data, planes.data(), count * at.stride_z * sizeof(Real));
      for (z += count; z < grid_.n.z && !is_new(z); ++z) {
        backend_.copy(first_of_plane(v2dt2, z).data, first_of_plane(v2dt2, z - 1).data,
                      at.stride_z * sizeof(Real));
      }
    }
  });
  has_velocity_ = true;
  code_ = code_of_velocity();  // all slabs together, before one of them makes codes of it
  if (const Array* codes = find(FieldRole::codes)) encode_velocity(*codes);
}

std::vector<double> Fields::medium_from(std::size_t number, Index3 node, int count) const {
  const Box3 own = grid_.own();
  std::vector<double> row(static_cast<std::size_t>(count));
  if (node.z >= own.begin.z && node.z < own.end.z) {
    row = read(at(FieldRole::medium, number), grid_.layout.index(node.x, node.y, node.z), row.size());
  }
  if (neighbours_ == nullptr) return row;
  for (double& value : row) value = neighbours_->from_owner(value);
  return row;
}

std::vector<double> Fields::read(RealsAt field, std::int64_t first, std::size_t count) const {
  return with_real(grid_.precision, [&]<class Real>() {
    std::vector<Real> values(count);
    backend_.download(values.data(), (field + first).data, count * sizeof(Real));
    return std::vector<double>(values.begin(), values.end());
  });
}

/// Between the extremes of all points.
VelocityCode Fields::code_of_velocity() const {
  const Extent3 n = grid_.n;
  const Extremes here =
      backend_.field_kernels().extremes(at(FieldRole::medium), grid_.layout, {{0, 0, 0}, {n.x, n.y, n.z}});
  const Extremes found = neighbours_ == nullptr ? here : neighbours_->of_all(here);
  return VelocityCode::between(static_cast<float>(found.min), static_cast<float>(found.max));
}

/// Encodes floats, plane by plane, with the halo along x and y, whose codes nobody reads.
void Fields::encode_velocity(const Array& codes) const {
  const std::int64_t size = grid_.layout.stride_z;
  std::vector<float> plane(size);
  std::vector<std::uint16_t> encoded(size);
  using Points = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>;
  for (int z = 0; z < grid_.n.z; ++z) {
    const std::size_t first = (z + grid_.radius) * size * sizeof(std::uint16_t);
    backend_.download(plane.data(), first_of_plane(at(FieldRole::medium), z).data, size * sizeof(float));
    Kokkos::parallel_for("minimod::v2dt2_codes", Points(0, size),
                         [&](std::int64_t i) { encoded[i] = code_.encode(plane[i]); });
    backend_.upload(codes.values.data() + first, encoded.data(), size * sizeof(std::uint16_t));
  }
}

std::optional<VelocityCode> Fields::velocity_code() const {
  return find(FieldRole::codes) != nullptr ? std::optional(code_) : std::nullopt;
}

void Fields::round_velocity_to_codes(const Box3& box) {
  const VelocityCode code = code_of_velocity();
  std::vector<float> row(box.extent().x);
  for (int z = box.begin.z; z < box.end.z; ++z) {
    for (int y = box.begin.y; y < box.end.y; ++y) {
      void* const there = (at(FieldRole::medium) + grid_.layout.index(box.begin.x, y, z)).data;
      backend_.download(row.data(), there, row.size() * sizeof(float));
      for (float& value : row) value = code.decode(code.encode(value));
      backend_.upload(there, row.data(), row.size() * sizeof(float));
    }
  }
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
    for (const RealsAt field : all(role)) backend_.field_kernels().randomize(field, grid_, seed);
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
  return args;
}

std::vector<FieldPart> Fields::state(bool ahead) const {
  std::vector<FieldPart> parts;
  for (const Array& array : arrays_) {
    const Field& field = array.field;
    if (belongs_to_state(field.role, ahead)) parts.push_back({field.name, reals(array), field.size});
  }
  return parts;
}

std::vector<Fields::SharedPlanes> Fields::shared(FieldRole role, Side side) const {
  const Box3 own = grid_.own();
  std::vector<SharedPlanes> found;
  for (const Array& array : arrays_) {
    const int halo = array.field.halo, count = grid_.ghosts() + halo;
    if (array.field.role != role || count == 0) continue;
    for (const FieldPlace& place : array.field.places) {
      const auto planes = [&](int first_z) {
        return FieldPart{array.field.name, reals(array) + place.of_plane(first_z),
                         static_cast<std::size_t>(count * place.plane)};
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
  return backend_.field_kernels().extremes(observed(), grid_.layout, grid_.own());
}

std::vector<double> Fields::wavefield(const Box3& box) const {
  const Extent3 n = box.extent();
  std::vector<double> values(n.points());
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      const std::int64_t from = grid_.layout.index(box.begin.x, box.begin.y + y, box.begin.z + z);
      std::ranges::copy(read(observed(), from, n.x), values.data() + (std::int64_t{z} * n.y + y) * n.x);
    }
  }
  return values;
}

}  // namespace minimod
