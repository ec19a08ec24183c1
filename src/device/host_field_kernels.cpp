#include <algorithm>
#include <cmath>
#include <limits>

#include <Kokkos_Core.hpp>

#include "boundary/cpml/cpml_rows.hpp"
#include "kernels/host/cpu_level.hpp"
#include "kernels/random_field.hpp"
#include "kernels/stencil.hpp"
#include "src/base/process/threads.hpp"
#include "src/device/field_kernels.hpp"

namespace minimod {

namespace {
using Space = Kokkos::DefaultHostExecutionSpace;

/// Peak of the points of `box` with that z. Looks for the row alone at first, in a loop that becomes vectors.
template <class Real, class At>
Peak peak_of_plane(const Real* field, const At& at, const Box3& box, int z) {
  const auto bits_at = [=](int x, int y) {
    return magnitude_bits(static_cast<float>(field[at.index(x, y, z)]));
  };
  Peak peak{0, {box.begin.x, box.begin.y, z}};
  for (int y = box.begin.y; y < box.end.y; ++y) {
    std::uint32_t greatest = 0;
    for (int x = box.begin.x; x < box.end.x; ++x) greatest = std::max(greatest, bits_at(x, y));
    if (greatest > peak.bits) peak = {greatest, {box.begin.x, y, z}};
  }
  while (bits_at(peak.node.x, peak.node.y) != peak.bits) ++peak.node.x;
  return peak;
}

/// Has read when `start` returns.
class HostFieldReader final : public FieldReader {
 public:
  HostFieldReader(Backend& backend, Precision precision, const Lattice& points)
      : points_(points), values_(backend, points.n.points(), precision) {}

  void start(const PlacedField& field) override {
    field.visit([&](const auto* values, const auto& at) { read(values, at); });
  }
  [[nodiscard]] std::span<const std::byte> wait() override {
    return {static_cast<const std::byte*>(values_.data()), values_.bytes()};
  }

 private:
  template <class Real, class At>
  void read(const Real* field, const At& at) {
    const Kokkos::RangePolicy<Space> rows(0, std::int64_t{points_.n.y} * points_.n.z);
    const Lattice points = points_;
    Real* const values = values_.at().of<Real>();
    Kokkos::parallel_for("minimod::read", rows, [=](std::int64_t row) {
      const Index3 from =
          points.at(0, static_cast<int>(row % points.n.y), static_cast<int>(row / points.n.y));
      for (int x = 0; x < points.n.x; ++x)
        values[row * points.n.x + x] = field[at.index(from.x + x * points.stride.x, from.y, from.z)];
    });
  }

  Lattice points_;
  DeviceReals values_;
};

/// Calls work(i) for 0 <= i < count, on all cores where many are worth waking them.
template <class Work>
void for_few_or_many(const char* name, int count, const Work& work) {
  if (static_cast<std::size_t>(count) >= many_values) {
    Kokkos::parallel_for(name, Kokkos::RangePolicy<Space>(0, count), work);
  } else {
    for (int i = 0; i < count; ++i) work(i);
  }
}

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
          for (int x = box.begin.x; x < box.end.x; ++x) work_at(on_point, Index3{x, y, z});
        });
      });
    };
    std::visit(run, work);
  }

  void correct(const CpmlWork& work) override {
    std::visit([](const auto& pass) { correct_across_axis(pass); }, work);
  }

  [[nodiscard]] bool correct(const CpmlAdjointFace& /*face*/) override { return false; }

  void inject(const PlacedField& field, const SourceNodes& shares, RealsAt samples) override {
    field.visit([&]<class Real>(Real* values, const auto& at) {
      for_few_or_many("minimod::inject", shares.count,
                      [=](int i) { inject_at(values, at, shares, i, samples.of<Real>()); });
    });
  }

  void record(RealsAt row, const PlacedField& field, const std::int64_t* nodes, int count) override {
    field.visit([&]<class Real>(const Real* values, const auto& at) {
      for_few_or_many("minimod::record_nodes", count,
                      [=](int i) { row.of<Real>()[i] = values[at.placed(nodes[i])]; });
    });
  }

  void record(RealsAt row, const PlacedField& field, const NodeWeights* receivers, int count) override {
    field.visit([&]<class Real>(const Real* values, const auto& at) {
      Kokkos::parallel_for("minimod::record", Kokkos::RangePolicy<Space>(0, count),
                           [=](int i) { row.of<Real>()[i] = receivers[i].value(values, at); });
    });
  }

  [[nodiscard]] std::unique_ptr<FieldReader> make_reader(Precision precision,
                                                         const Lattice& points) override {
    return std::make_unique<HostFieldReader>(backend_, precision, points);
  }

  void randomize(const PlacedField& field, const Grid& grid, std::uint32_t seed) override {
    field.visit([&](auto* values, const auto& at) {
      Kokkos::parallel_for("minimod::randomize", Kokkos::RangePolicy<Space>(0, grid.n.z), [=](int z) {
        for (int y = 0; y < grid.n.y; ++y) {
          for (int x = 0; x < grid.n.x; ++x)
            values[at.index(x, y, z)] = random_value(seed, x, y, z + grid.first_z);
        }
      });
    });
  }

  [[nodiscard]] Extremes extremes(const PlacedField& field, const Box3& box) override {
    return field.visit([&](const auto* values, const auto& at) { return extremes_of(values, at, box); });
  }

  void start_peak(const PlacedField& field, const Box3& box) override {
    std::vector<Peak> peaks(box.extent().z);
    const Kokkos::RangePolicy<Space> planes(0, box.extent().z);
    field.visit([&](const auto* values, const auto& at) {
      Kokkos::parallel_for("minimod::start_peak", planes,
                           [&](int i) { peaks[i] = peak_of_plane(values, at, box, box.begin.z + i); });
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

  template <class Real, class At>
  static Extremes extremes_of(const Real* field, const At& at, const Box3& box) {
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
