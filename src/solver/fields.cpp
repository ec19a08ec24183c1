#include "src/solver/fields.hpp"

#include <algorithm>

#include <Kokkos_Core.hpp>

#include "src/base/error.hpp"
#include "src/solver/neighbours.hpp"

namespace minimod {

namespace {

std::size_t size_of(const std::vector<PhiPlace>& places) {
  std::size_t size = 0;
  for (const PhiPlace& place : places) size += place.at.size;
  return size;
}

Box3 common(const Box3& a, const Box3& b) {
  return {{std::max(a.begin.x, b.begin.x), std::max(a.begin.y, b.begin.y), std::max(a.begin.z, b.begin.z)},
          {std::min(a.end.x, b.end.x), std::min(a.end.y, b.end.y), std::min(a.end.z, b.end.z)}};
}

/// The elements of each array of every run, in the order of their allocation.
struct FieldSizes {
  std::size_t u, phi, eta_x, eta_y, eta_z;
  FieldSizes(const Grid& grid, const std::vector<PhiPlace>& places)
      : u(grid.layout.size),
        phi(size_of(places)),
        eta_x(grid.n.x + 2),
        eta_y(grid.n.y + 2),
        eta_z(grid.n.z + 2) {}
};

}  // namespace

Fields::Fields(Backend& backend, const Grid& grid, const Boundary& boundary, const std::vector<PhiPlace>& phi,
               Neighbours* neighbours)
    : backend_(backend), grid_(grid), boundary_(boundary), neighbours_(neighbours), phi_places_(phi) {
  const FieldSizes sizes(grid, phi);
  u = {backend, sizes.u, grid.precision};
  u_before = {backend, sizes.u, grid.precision};
  v2dt2_ = {backend, sizes.u, grid.precision};
  phi_ = {backend, sizes.phi, grid.precision};
  eta_x_ = {backend, boundary.x.eta, grid.precision};
  eta_y_ = {backend, boundary.y.eta, grid.precision};
  eta_z_ = {backend, boundary.z.eta, grid.precision};
}

std::vector<std::size_t> Fields::allocations(const Grid& grid, const std::vector<PhiPlace>& phi,
                                             const FieldNeeds& needs) {
  const FieldSizes sizes(grid, phi);
  const std::size_t each = bytes_of(grid.precision);
  std::vector<std::size_t> bytes;
  for (const std::size_t size :
       {sizes.u, sizes.u, sizes.u, sizes.phi, sizes.eta_x, sizes.eta_y, sizes.eta_z}) {
    bytes.push_back(size * each);
  }
  bytes.insert(bytes.end(), needs.ahead + (needs.eta ? 1 : 0), sizes.u * each);
  if (needs.codes) bytes.push_back(sizes.u * sizeof(std::uint16_t));
  if (needs.phi_next) bytes.push_back(sizes.phi * each);
  return bytes;
}

bool Fields::lie_as(const Grid& grid, const std::vector<PhiPlace>& phi) const {
  return grid.layout == grid_.layout &&
         std::ranges::equal(phi, phi_places_, {}, &PhiPlace::at, &PhiPlace::at);
}

void Fields::move_to(const Grid& grid, const std::vector<PhiPlace>& phi) {
  keep({});
  DeviceReals first = moved(u, grid.layout), phi_there = moved_phi(phi);
  u = std::move(first);  // each leaves its room to the next
  u_before = moved(u_before, grid.layout);
  v2dt2_ = moved(v2dt2_, grid.layout);
  phi_ = std::move(phi_there);
  grid_ = grid;
  phi_places_ = phi;
}

/// Plane by plane; the halo stays at rest.
DeviceReals Fields::moved(const DeviceReals& field, const Layout& to) const {
  const Layout& from = grid_.layout;
  DeviceReals there(backend_, to.size, grid_.precision);
  with_real(grid_.precision, [&]<class Real>() {
    std::vector<Real> plane(from.stride_z), moved(to.stride_z);
    for (int z = 0; z < grid_.n.z; ++z) {
      const auto first_of = [this, z](const Layout& at) { return (z + grid_.radius) * at.stride_z; };
      backend_.download(plane.data(), (field.at() + first_of(from)).data, plane.size() * sizeof(Real));
      for (int y = 0; y < grid_.n.y; ++y) {
        std::copy_n(plane.data() + from.index(0, y, z) - first_of(from), grid_.n.x,
                    moved.data() + to.index(0, y, z) - first_of(to));
      }
      backend_.upload((there.at() + first_of(to)).data, moved.data(), moved.size() * sizeof(Real));
    }
  });
  return there;
}

/// A point that has no place there has no φ.
DeviceReals Fields::moved_phi(const std::vector<PhiPlace>& to) const {
  DeviceReals there(backend_, size_of(to), grid_.precision);
  with_real(grid_.precision, [&]<class Real>() {
    std::vector<Real> values(phi_.size()), moved(there.size());
    backend_.download(values.data(), phi_.data(), phi_.bytes());
    for (const PhiPlace& old : phi_places_) {
      for (const PhiPlace& place : to) {
        const Box3 both = common(old.box, place.box);
        if (both.empty()) continue;
        for (int z = both.begin.z; z < both.end.z; ++z) {
          for (int y = both.begin.y; y < both.end.y; ++y) {
            std::copy_n(values.data() + old.at.index(both.begin.x, y, z), both.extent().x,
                        moved.data() + place.at.index(both.begin.x, y, z));
          }
        }
      }
    }
    backend_.upload(there.data(), moved.data(), there.bytes());
  });
  return there;
}

void Fields::provide(const FieldNeeds& needs) {
  const FieldNeeds before{eta_.size() > 0, codes_.size() > 0, static_cast<int>(ahead.size()),
                          phi_next_.size() > 0};
  try {
    return make(needs);
  } catch (const Error& refusal) {
    if (refusal.code() != ExitCode::resource) throw;
  }
  keep(needs);
  try {
    make(needs);
  } catch (const Error&) {
    make(before);
    throw;
  }
}

/// All or nothing.
void Fields::make(const FieldNeeds& needs) {
  std::vector<DeviceReals> more;
  for (int i = static_cast<int>(ahead.size()); i < needs.ahead; ++i) {
    more.emplace_back(backend_, u.size(), grid_.precision);
  }
  DeviceReals eta, phi_next;
  if (needs.phi_next && phi_next_.size() == 0) phi_next = {backend_, phi_.size(), grid_.precision};
  if (needs.eta && eta_.size() == 0) eta = make_eta();
  if (needs.codes && codes_.size() == 0) {
    DeviceArray<std::uint16_t> codes(backend_, u.size());
    if (has_velocity_) encode_velocity(codes);
    codes_ = std::move(codes);
  }
  if (eta.size() > 0) eta_ = std::move(eta);
  if (phi_next.size() > 0) phi_next_ = std::move(phi_next);
  for (auto& field : more) ahead.push_back(std::move(field));
}

void Fields::keep(const FieldNeeds& needs) {
  if (!needs.eta) eta_ = {};
  if (!needs.codes) codes_ = {};
  if (!needs.phi_next) phi_next_ = {};
  while (static_cast<int>(ahead.size()) > needs.ahead) ahead.pop_back();
}

/// The sum of the profiles at every point and at the ghost points one beyond each face.
DeviceReals Fields::make_eta() const {
  const Layout& at = grid_.layout;
  const Extent3 n = grid_.n;
  DeviceReals eta(backend_, at.size, grid_.precision);
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
  return eta;
}

/// Of an array like u, with its halo.
RealsAt Fields::first_of_plane(const DeviceReals& field, int z) const {
  return field.at() + (z + grid_.radius) * grid_.layout.stride_z;
}

void Fields::set_velocity(double dt, const std::function<void(int z, float* plane)>& fill,
                          const std::function<bool(int z)>& repeats) {
  const Layout& at = grid_.layout;
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
      });
      backend_.upload(first_of_plane(v2dt2_, z).data, planes.data(), count * at.stride_z * sizeof(Real));
      for (z += count; z < grid_.n.z && !is_new(z); ++z) {
        backend_.copy(first_of_plane(v2dt2_, z).data, first_of_plane(v2dt2_, z - 1).data,
                      at.stride_z * sizeof(Real));
      }
    }
  });
  has_velocity_ = true;
  code_ = code_of_velocity();  // all slabs together, before one of them makes codes of it
  if (codes_.size() > 0) encode_velocity(codes_);
}

std::vector<double> Fields::v2dt2_from(Index3 node, int count) const {
  const Box3 own = grid_.own();
  std::vector<double> row(static_cast<std::size_t>(count));
  if (node.z >= own.begin.z && node.z < own.end.z) {
    row = read(v2dt2_, grid_.layout.index(node.x, node.y, node.z), row.size());
  }
  if (neighbours_ == nullptr) return row;
  for (double& value : row) value = neighbours_->from_owner(value);
  return row;
}

std::vector<double> Fields::read(const DeviceReals& field, std::int64_t first, std::size_t count) const {
  return with_real(grid_.precision, [&]<class Real>() {
    std::vector<Real> values(count);
    backend_.download(values.data(), (field.at() + first).data, count * sizeof(Real));
    return std::vector<double>(values.begin(), values.end());
  });
}

/// Between the extremes of all points.
VelocityCode Fields::code_of_velocity() const {
  const Extent3 n = grid_.n;
  const Extremes here = backend_.extremes(v2dt2_.at(), grid_.layout, {{0, 0, 0}, {n.x, n.y, n.z}});
  const Extremes found = neighbours_ == nullptr ? here : neighbours_->of_all(here);
  return VelocityCode::between(static_cast<float>(found.min), static_cast<float>(found.max));
}

/// Of floats, plane by plane, with the halo along x and y, whose codes nobody reads.
void Fields::encode_velocity(DeviceArray<std::uint16_t>& codes) {
  const std::int64_t size = grid_.layout.stride_z;
  std::vector<float> plane(size);
  std::vector<std::uint16_t> encoded(size);
  using Points = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>;
  for (int z = 0; z < grid_.n.z; ++z) {
    const std::int64_t first = (z + grid_.radius) * size;
    backend_.download(plane.data(), first_of_plane(v2dt2_, z).data, size * sizeof(float));
    Kokkos::parallel_for("minimod::v2dt2_codes", Points(0, size),
                         [&](std::int64_t i) { encoded[i] = code_.encode(plane[i]); });
    backend_.upload(codes.data() + first, encoded.data(), size * sizeof(std::uint16_t));
  }
}

std::optional<VelocityCode> Fields::velocity_code() const {
  return codes_.size() > 0 ? std::optional(code_) : std::nullopt;
}

void Fields::round_velocity_to_codes(const Box3& box) {
  const VelocityCode code = code_of_velocity();
  std::vector<float> row(box.extent().x);
  for (int z = box.begin.z; z < box.end.z; ++z) {
    for (int y = box.begin.y; y < box.end.y; ++y) {
      void* const there = (v2dt2_.at() + grid_.layout.index(box.begin.x, y, z)).data;
      backend_.download(row.data(), there, row.size() * sizeof(float));
      for (float& value : row) value = code.decode(code.encode(value));
      backend_.upload(there, row.data(), row.size() * sizeof(float));
    }
  }
}

void Fields::set_at_rest() {
  for (const auto* field : {&u, &u_before, &phi_, &phi_next_}) {
    if (field->size() > 0) backend_.clear(field->data(), field->bytes());
  }
}

void Fields::set_random(std::uint32_t seed) {
  backend_.randomize(u.at(), grid_, seed);
  backend_.randomize(u_before.at(), grid_, seed);
}

LaunchArgs<> Fields::args() const {
  LaunchArgs<> args;
  args.layout = grid_.layout;
  args.u = u.data();
  args.u_before = u_before.data();
  args.u_next = u_before.data();
  args.v2dt2 = v2dt2_.data();
  args.v2dt2_codes = codes_.data();
  args.v2dt2_code = code_;
  args.phi = phi_.data();
  args.phi_next = phi_next_.data();
  args.eta = eta_.data();
  args.eta_x = (eta_x_.at() + 1).data;
  args.eta_y = (eta_y_.at() + 1).data;
  args.eta_z = (eta_z_.at() + 1).data;
  args.spacing = grid_.spacing;
  args.shift = boundary_.alpha;
  return args;
}

std::vector<FieldPart> Fields::state() const {
  const auto all = [](const char* name, const DeviceReals& field) {
    return FieldPart{name, field.at(), field.size()};
  };
  return {all("u", u), all("u_before", u_before), all("phi", phi_)};
}

FieldPart Fields::planes(const char* name, RealsAt field, int first_z, int count) const {
  const std::int64_t plane = grid_.layout.stride_z;
  return {name, field + (first_z + grid_.radius) * plane, static_cast<std::size_t>(count * plane)};
}

FieldPart Fields::halo(RealsAt field, Side side) const {
  const int count = grid_.ghosts() + grid_.radius;
  return planes("halo", field, side == Side::above ? -grid_.radius : grid_.own().end.z, count);
}

FieldPart Fields::edge(RealsAt field, Side side) const {
  const int count = grid_.ghosts() + grid_.radius;
  return planes("edge", field, side == Side::above ? grid_.own().begin.z : grid_.own().end.z - count, count);
}

std::vector<Fields::PhiGhosts> Fields::phi_ghosts(Side side) const {
  const bool is_above = side == Side::above;
  const int count = is_above ? grid_.ghosts_above : grid_.ghosts_below;
  const int ghosts = is_above ? 0 : grid_.n.z - count, edge = is_above ? count : ghosts - count;
  if (count == 0) return {};
  std::vector<PhiGhosts> found;
  for (const auto& [box, at] : phi_places_) {
    if (is_above ? box.begin.z > 0 : box.end.z < grid_.n.z) continue;
    const auto part = [&, &box = box, &at = at](const char* what, int first_z) {
      if (at == grid_.layout) return planes(what, phi_.at(), first_z, count);
      return FieldPart{what, phi_.at() + plane_of_box(at, box, grid_.layout, first_z),
                       static_cast<std::size_t>(count * at.stride_z)};
    };
    found.push_back({part("ghosts", ghosts), part("edge", edge)});
  }
  return found;
}

Extremes Fields::extremes() const {
  return backend_.extremes(u.at(), grid_.layout, grid_.own());
}

std::vector<double> Fields::wavefield(const Box3& box) const {
  const Extent3 n = box.extent();
  std::vector<double> values(n.points());
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      const std::int64_t from = grid_.layout.index(box.begin.x, box.begin.y + y, box.begin.z + z);
      std::ranges::copy(read(u, from, n.x), values.data() + (std::int64_t{z} * n.y + y) * n.x);
    }
  }
  return values;
}

}  // namespace minimod
