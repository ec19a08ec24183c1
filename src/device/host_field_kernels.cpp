#include <algorithm>
#include <cmath>
#include <limits>

#include <Kokkos_Core.hpp>

#include "boundary/cpml/cpml_rows.hpp"
#include "kernels/host/cpu_level.hpp"
#include "kernels/random_field.hpp"
#include "kernels/stencil.hpp"
#include "src/device/field_kernels.hpp"

namespace minimod {

namespace {
using Space = Kokkos::DefaultHostExecutionSpace;

/// Peak of the points of `box` with that z. Looks for the row alone at first, in a loop that becomes vectors.
template <class Real>
Peak peak_of_plane(const Real* field, const Layout& at, const Box3& box, int z) {
  Peak peak{0, {box.begin.x, box.begin.y, z}};
  for (int y = box.begin.y; y < box.end.y; ++y) {
    const Real* const row = field + at.index(0, y, z);
    std::uint32_t greatest = 0;
    for (int x = box.begin.x; x < box.end.x; ++x)
      greatest = std::max(greatest, magnitude_bits(static_cast<float>(row[x])));
    if (greatest > peak.bits) peak = {greatest, {box.begin.x, y, z}};
  }
  const Real* const row = field + at.index(0, peak.node.y, z);
  while (magnitude_bits(static_cast<float>(row[peak.node.x])) != peak.bits) ++peak.node.x;
  return peak;
}

/// Has read when `start` returns.
class HostFieldReader final : public FieldReader {
 public:
  HostFieldReader(Backend& backend, const Grid& grid, const Lattice& points)
      : at_(grid.layout), points_(points), values_(backend, points.n.points(), grid.precision) {}

  void start(RealsAt field) override {
    with_real(field.precision, [&]<class Real>() { read(field.of<Real>()); });
  }
  [[nodiscard]] std::span<const std::byte> wait() override {
    return {static_cast<const std::byte*>(values_.data()), values_.bytes()};
  }

 private:
  template <class Real>
  void read(const Real* field) {
    const Kokkos::RangePolicy<Space> rows(0, std::int64_t{points_.n.y} * points_.n.z);
    const Layout at = at_;
    const Lattice points = points_;
    Real* const values = values_.at().of<Real>();
    Kokkos::parallel_for("minimod::read", rows, [=](std::int64_t row) {
      const Index3 from =
          points.at(0, static_cast<int>(row % points.n.y), static_cast<int>(row / points.n.y));
      const Real* const first = field + at.index(from.x, from.y, from.z);
      for (int x = 0; x < points.n.x; ++x)
        values[row * points.n.x + x] = first[std::int64_t{x} * points.stride.x];
    });
  }

  Layout at_;
  Lattice points_;
  DeviceReals values_;
};

class HostFieldKernels final : public FieldKernels {
 public:
  explicit HostFieldKernels(Backend& backend) : backend_(backend) {}

  void for_each_point(const Box3& box, const PointWork& work) override {
    if (box.empty()) return;
    const Extent3 n = box.extent();
    const Kokkos::RangePolicy<Space> rows(0, std::int64_t{n.y} * n.z);
    const auto run = [&](const auto& on_point) {
      const CpuLevel level = cpu_level();
      Kokkos::parallel_for("minimod::for_each_point", rows, [=](std::int64_t row) {
        const int y = box.begin.y + static_cast<int>(row % n.y),
                  z = box.begin.z + static_cast<int>(row / n.y);
        at_cpu_level(level, [&] {
          MINIMOD_INDEPENDENT
          for (int x = box.begin.x; x < box.end.x; ++x) on_point(Index3{x, y, z});
        });
      });
    };
    std::visit(run, work);
  }

  void correct(const CpmlWork& work) override {
    std::visit([](const auto& pass) { correct_across_axis(pass); }, work);
  }

  void inject(RealsAt field, const SourceNodes& shares, RealsAt samples) override {
    with_real(field.precision, [&]<class Real>() {
      for (int i = 0; i < shares.count; ++i) inject_at(field.of<Real>(), shares, i, samples.of<Real>());
    });
  }

  void record(RealsAt row, RealsAt field, const std::int64_t* nodes, int count) override {
    with_real(field.precision, [&]<class Real>() {
      for (int i = 0; i < count; ++i) row.of<Real>()[i] = field.of<Real>()[nodes[i]];
    });
  }

  void record(RealsAt row, RealsAt field, const Layout& at, const NodeWeights* receivers,
              int count) override {
    with_real(field.precision, [&]<class Real>() {
      Kokkos::parallel_for("minimod::record", Kokkos::RangePolicy<Space>(0, count),
                           [=](int i) { row.of<Real>()[i] = receivers[i].value(field.of<Real>(), at); });
    });
  }

  [[nodiscard]] std::unique_ptr<FieldReader> make_reader(const Grid& grid, const Lattice& points) override {
    return std::make_unique<HostFieldReader>(backend_, grid, points);
  }

  void randomize(RealsAt field, const Grid& grid, std::uint32_t seed) override {
    with_real(field.precision, [&]<class Real>() {
      Real* const values = field.of<Real>();
      Kokkos::parallel_for("minimod::randomize", Kokkos::RangePolicy<Space>(0, grid.n.z), [=](int z) {
        for (int y = 0; y < grid.n.y; ++y) {
          for (int x = 0; x < grid.n.x; ++x) {
            values[grid.layout.index(x, y, z)] = random_value(seed, x, y, z + grid.first_z);
          }
        }
      });
    });
  }

  [[nodiscard]] Extremes extremes(RealsAt field, const Layout& at, const Box3& box) override {
    return with_real(field.precision, [&]<class Real>() { return extremes_of(field.of<Real>(), at, box); });
  }

  void start_peak(RealsAt field, const Layout& at, const Box3& box) override {
    std::vector<Peak> peaks(box.extent().z);
    const Kokkos::RangePolicy<Space> planes(0, box.extent().z);
    with_real(field.precision, [&]<class Real>() {
      Kokkos::parallel_for("minimod::start_peak", planes, [&](int i) {
        peaks[i] = peak_of_plane(field.of<Real>(), at, box, box.begin.z + i);
      });
    });
    peak_ = *std::ranges::max_element(peaks, {}, &Peak::bits);
  }
  [[nodiscard]] std::optional<Peak> take_peak(bool /*wait*/) override {
    return std::exchange(peak_, std::nullopt);
  }

 private:
  template <class Pass>
  static void correct_across_axis(const Pass& pass) {
    switch (pass.axis) {
      case 0:
        return correct_across<0>(pass);
      case 1:
        return correct_across<1>(pass);
      default:
        return correct_across<2>(pass);
    }
  }
  template <int Axis, class Pass>
  static void correct_across(const Pass& pass) {
    const CpuLevel level = cpu_level();
    const Kokkos::RangePolicy<Space> parts(0, CpmlParts<Axis>::count(pass));
    Kokkos::parallel_for("minimod::correct", parts,
                         [=](std::int64_t part) { correct_part<Axis>(level, pass, part); });
  }

  template <class Real>
  static Extremes extremes_of(const Real* field, const Layout& at, const Box3& box) {
    Real greatest_found = std::numeric_limits<Real>::lowest(), least_found = std::numeric_limits<Real>::max();
    std::int64_t not_finite = 0;
    const Kokkos::RangePolicy<Space> planes(box.begin.z, box.end.z);
    Kokkos::parallel_reduce(
        "minimod::extremes", planes,
        [=](int z, Real& least, Real& greatest, std::int64_t& bad) {
          for (int y = box.begin.y; y < box.end.y; ++y) {
            for (int x = box.begin.x; x < box.end.x; ++x) {
              const Real value = field[at.index(x, y, z)];
              least = std::min(least, value);
              greatest = std::max(greatest, value);
              bad += std::isfinite(value) ? 0 : 1;
            }
          }
        },
        Kokkos::Min<Real>(least_found), Kokkos::Max<Real>(greatest_found),
        Kokkos::Sum<std::int64_t>(not_finite));
    return {least_found, greatest_found, not_finite == 0};
  }

  Backend& backend_;
  std::optional<Peak> peak_;
};
}  // namespace

std::unique_ptr<FieldKernels> make_host_field_kernels(Backend& backend) {
  return std::make_unique<HostFieldKernels>(backend);
}

}  // namespace minimod
