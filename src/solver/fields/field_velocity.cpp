/// (V Δt)², and what is made of it.
#include <algorithm>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "src/base/error.hpp"
#include "src/base/work/wanted_work.hpp"
#include "src/solver/fields/fields.hpp"
#include "src/solver/neighbours.hpp"

namespace minimod {

void Fields::set_velocity(double dt, const std::function<void(int z, float* plane)>& fill,
                          const std::function<bool(int z)>& repeats) {
  const Layout& at = grid_.layout;
  const FieldPlanes v2dt2 = planes_of(*find(FieldRole::medium));
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
      require_wanted();
      int count = 0;
      const int first = z;
      for (; count < most && z + count < grid_.n.z && is_new(z + count); ++count) {
        fill(z + count, velocity.data() + count * points);
      }
      Kokkos::parallel_for("minimod::v2dt2", Rows(0, std::size_t(count) * grid_.n.y), [&](int row) {
        const float* from = velocity.data() + std::size_t(row) * grid_.n.x;
        Real* to = planes.data() + at.index(0, row % grid_.n.y, row / grid_.n.y) - grid_.radius * at.stride_z;
        for (int x = 0; x < grid_.n.x; ++x) to[x] = squared_courant_length<Real>(from[x], dt);
        if (equation_->modulus == nullptr) return;
        const Index3 p{0, row % grid_.n.y, first + row / grid_.n.y};
        double modulus = modulus_at(p);
        for (int x = 0; x < grid_.n.x; ++x) {
          if (!columns_.are_of_depth()) modulus = modulus_at({x, p.y, p.z});
          to[x] = static_cast<Real>(modulus * squared_courant_length<double>(from[x], dt));
        }
      });
      v2dt2.put(first, count, planes.data());
      const int begin = z += count;
      while (z < grid_.n.z && !is_new(z)) ++z;
      v2dt2.repeat(begin, z - begin);
    }
  });
  encode_velocity();
}

void Fields::set_velocity(double dt, const PlacedNodes& model) {
  if (equation_->modulus != nullptr) {
    throw Error(ErrorKind::internal, "nodes of a model have no columns", "please report this");
  }
  const Extent3 n = grid_.n;
  placed(*find(FieldRole::medium)).visit([&]<class Real, class At>(Real* medium, const At& at) {
    backend_.field_kernels().for_each_point({{0, 0, 0}, {n.x, n.y, n.z}},
                                            MediumOfNodes<Real, At>{model, dt, at, medium});
  });
  encode_velocity();
}

void Fields::encode_velocity() {
  has_velocity_ = true;
  code_ = code_of_velocity();  // all slabs together, before one of them makes codes of it
  if (const Array* codes = find(FieldRole::codes)) encode_velocity(*codes);
}

/// The device gathers them: a download a row takes a minute of a million nodes.
std::vector<double> Fields::medium_of(std::size_t number, const std::vector<std::int64_t>& nodes) const {
  const DeviceArray<std::int64_t> indices(backend_, nodes);
  const DeviceReals gathered(backend_, nodes.size(), grid_.precision);
  backend_.field_kernels().record(gathered.at(), placed(*find(FieldRole::medium, number)), indices.data(),
                                  static_cast<int>(nodes.size()));
  Reals values(grid_.precision, nodes.size());
  backend_.download(values.at().data, gathered.data(), values.bytes());
  return values.as_doubles();
}

std::vector<double> Fields::medium_at(std::size_t number, const std::vector<Index3>& nodes) const {
  const Box3 own = grid_.own();
  std::vector<std::int64_t> here;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].z < own.begin.z || nodes[i].z >= own.end.z) continue;
    here.push_back(grid_.index(nodes[i]));
    numbers.push_back(i);
  }
  const std::vector<double> found = here.empty() ? std::vector<double>() : medium_of(number, here);
  std::vector<double> values(nodes.size());
  for (std::size_t k = 0; k < here.size(); ++k) values[numbers[k]] = found[k];
  return neighbours_ == nullptr ? values : neighbours_->from_owners(values);
}

/// Between the extremes of all points.
VelocityCode Fields::code_of_velocity() const {
  const Extent3 n = grid_.n;
  const Extremes here =
      backend_.field_kernels().extremes(placed(*find(FieldRole::medium)), {{0, 0, 0}, {n.x, n.y, n.z}});
  const Extremes found = neighbours_ == nullptr ? here : neighbours_->of_all(here);
  return VelocityCode::between(static_cast<float>(found.min), static_cast<float>(found.max));
}

/// In rows, whatever the medium lies in.
void Fields::encode_velocity(const Array& codes) const {
  const Extent3 n = grid_.n;
  auto* const to = static_cast<std::uint16_t*>(static_cast<void*>(codes.values.data()));
  placed(*find(FieldRole::medium)).visit([&]<class Real, class At>(const Real* medium, const At& at) {
    if constexpr (std::is_same_v<Real, float>) {
      backend_.field_kernels().for_each_point({{0, 0, 0}, {n.x, n.y, n.z}},
                                              CodesOfMedium<At>{code_, at, medium, grid_.layout, to});
    }
  });
}

std::optional<VelocityCode> Fields::velocity_code() const {
  return find(FieldRole::codes) != nullptr ? std::optional(code_) : std::nullopt;
}

void Fields::round_velocity_to_codes(const Box3& box) {
  const VelocityCode code = code_of_velocity();
  const FieldPlanes medium = planes_of(*find(FieldRole::medium));
  const Layout& at = grid_.layout;
  std::vector<float> plane(at.stride_z);
  for (int z = box.begin.z; z < box.end.z; ++z) {
    medium.take(z, 1, plane.data());
    for (int y = box.begin.y; y < box.end.y; ++y) {
      float* const row = plane.data() + at.index(0, y, 0) - grid_.radius * at.stride_z;
      for (int x = box.begin.x; x < box.end.x; ++x) row[x] = code.decode(code.encode(row[x]));
    }
    medium.put(z, 1, plane.data());
  }
}

}  // namespace minimod
