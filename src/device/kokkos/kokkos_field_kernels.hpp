/// The kernels on fields beside the code shapes, on an execution space of Kokkos. As functors, which every
/// back end takes.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "boundary/cpml/cpml_lines.hpp"
#include "kernels/cores/kokkos_points.hpp"
#include "kernels/random_field.hpp"
#include "src/device/field_kernels.hpp"

namespace minimod {

namespace on_kokkos {

template <class Work>
struct AtPoint {
  Work work;
  MINIMOD_HD void operator()(int x, int y, int z) const { work_at(work, Index3{x, y, z}); }
};

template <class Real, class At>
struct Inject {
  Real* field;
  At at;
  SourceNodes shares;
  const Real* samples;
  MINIMOD_HD void operator()(int i) const { inject_at(field, at, shares, i, samples); }
};

template <class Real, class At>
struct RecordNodes {
  Real* row;
  const Real* field;
  At at;
  const std::int64_t* nodes;
  MINIMOD_HD void operator()(int i) const { row[i] = field[at.placed(nodes[i])]; }
};

template <class Real, class At>
struct RecordBetweenNodes {
  Real* row;
  const Real* field;
  At at;
  const NodeWeights* receivers;
  MINIMOD_HD void operator()(int i) const { row[i] = receivers[i].value(field, at); }
};

/// Values of a lattice's points, [z][y][x].
template <class Real, class At>
struct Read {
  Real* values;
  const Real* field;
  At at;
  Lattice points;
  MINIMOD_HD void operator()(int x, int y, int z) const {
    const Index3 p = points.at(x, y, z);
    values[(std::int64_t{z} * points.n.y + y) * points.n.x + x] = field[at.index(p.x, p.y, p.z)];
  }
};

template <class Real, class At>
struct Randomize {
  Real* field;
  At at;
  int first_z;
  std::uint32_t seed;
  MINIMOD_HD void operator()(int x, int y, int z) const {
    field[at.index(x, y, z)] = random_value(seed, x, y, z + first_z);
  }
};

/// Point number i of a box, x fastest.
[[nodiscard]] MINIMOD_HD inline Index3 point_of(const Box3& box, std::int64_t i) {
  const Extent3 n = box.extent();
  const std::int64_t row = i / n.x;
  return {box.begin.x + static_cast<int>(i % n.x), box.begin.y + static_cast<int>(row % n.y),
          box.begin.z + static_cast<int>(row / n.y)};
}

template <class Real, class At>
struct FindExtremes {
  const Real* field;
  At at;
  Box3 box;
  MINIMOD_HD void operator()(std::int64_t i, Real& least, Real& greatest, std::int64_t& not_finite) const {
    const Index3 p = point_of(box, i);
    const Real value = field[at.index(p.x, p.y, p.z)];
    if (value < least) least = value;
    if (value > greatest) greatest = value;
    if (!(value - value == 0)) ++not_finite;
  }
};

/// Bits of the greatest magnitude, then the first point that has them.
template <class Real, class At>
struct FindPeak {
  const Real* field;
  At at;
  Box3 box;
  std::uint32_t greatest = 0;
  struct Bits {};
  struct Place {};
  [[nodiscard]] MINIMOD_HD std::uint32_t bits(std::int64_t i) const {
    const Index3 p = point_of(box, i);
    return magnitude_bits(static_cast<float>(field[at.index(p.x, p.y, p.z)]));
  }
  MINIMOD_HD void operator()(const Bits&, std::int64_t i, std::uint32_t& most) const {
    const std::uint32_t here = bits(i);
    if (here > most) most = here;
  }
  MINIMOD_HD void operator()(const Place&, std::int64_t i, std::int64_t& first) const {
    if (i < first && bits(i) == greatest) first = i;
  }
};

/// A thread of a shape whose threads know nothing of each other.
struct LoneThread {
  Index3 of_block, block;
  [[nodiscard]] MINIMOD_HD Index3 thread() const { return of_block; }
  [[nodiscard]] MINIMOD_HD Index3 index() const { return block; }
};

/// A CPML's correction, a line of a layer each: (abreast, other, layer).
template <class Pass>
struct CorrectLine {
  Pass pass;
  MINIMOD_HD void operator()(int abreast, int other, int layer) const {
    using Lines = CpmlLineByLine;
    const int x = abreast / Lines::threads.x, y = other / Lines::threads.y;
    typename Lines::Shared none;
    Lines{}(LoneThread{{abreast % Lines::threads.x, other % Lines::threads.y, 0},
                       {y * Lines::tiles_abreast(pass.box) + x, layer, 0}},
            pass, none);
  }
};

}  // namespace on_kokkos

/// Has read when `start` returns.
template <class Space>
class KokkosFieldReader final : public FieldReader {
 public:
  KokkosFieldReader(Backend& backend, Precision precision, const Lattice& points)
      : backend_(backend),
        points_(points),
        gathered_(backend, points.n.points(), precision),
        values_(gathered_.bytes()) {}

  void start(const PlacedField& field) override {
    field.visit([&]<class Real, class At>(const Real* values, const At& at) {
      const Extent3 n = points_.n;
      for_points<Space>("minimod::read", {{}, {n.x, n.y, n.z}},
                        on_kokkos::Read<Real, At>{gathered_.at().template of<Real>(), values, at, points_});
    });
    backend_.download(values_.data(), gathered_.data(), values_.size());
  }
  [[nodiscard]] std::span<const std::byte> wait() override { return values_; }

 private:
  Backend& backend_;
  Lattice points_;
  DeviceReals gathered_;
  std::vector<std::byte> values_;
};

template <class Space>
class KokkosFieldKernels final : public FieldKernels {
 public:
  explicit KokkosFieldKernels(Backend& backend) : backend_(backend) {}

  void for_each_point(const Box3& box, const PointWork& work) override {
    std::visit(
        [&]<class Work>(const Work& on_point) {
          for_points<Space>("minimod::for_each_point", box, on_kokkos::AtPoint<Work>{on_point});
        },
        work);
  }

  void correct(const CpmlWork& work) override {
    std::visit(
        [&]<class Pass>(const Pass& pass) {
          for_points<Space>("minimod::correct", pass.box, on_kokkos::CorrectLine<Pass>{pass});
        },
        work);
  }
  [[nodiscard]] bool correct(const CpmlAdjointFace& /*face*/) override { return false; }

  void inject(const PlacedField& field, const SourceNodes& shares, RealsAt samples) override {
    field.visit([&]<class Real, class At>(Real* values, const At& at) {
      for_all("minimod::inject", shares.count,
              on_kokkos::Inject<Real, At>{values, at, shares, samples.of<Real>()});
    });
  }

  void record(RealsAt row, const PlacedField& field, const std::int64_t* nodes, int count) override {
    field.visit([&]<class Real, class At>(const Real* values, const At& at) {
      for_all("minimod::record", count, on_kokkos::RecordNodes<Real, At>{row.of<Real>(), values, at, nodes});
    });
  }
  void record(RealsAt row, const PlacedField& field, const NodeWeights* receivers, int count) override {
    field.visit([&]<class Real, class At>(const Real* values, const At& at) {
      for_all("minimod::record", count,
              on_kokkos::RecordBetweenNodes<Real, At>{row.of<Real>(), values, at, receivers});
    });
  }

  [[nodiscard]] std::unique_ptr<FieldReader> make_reader(Precision precision,
                                                         const Lattice& points) override {
    return std::make_unique<KokkosFieldReader<Space>>(backend_, precision, points);
  }

  void randomize(const PlacedField& field, const Grid& grid, std::uint32_t seed) override {
    field.visit([&]<class Real, class At>(Real* values, const At& at) {
      for_points<Space>("minimod::randomize", {{}, {grid.n.x, grid.n.y, grid.n.z}},
                        on_kokkos::Randomize<Real, At>{values, at, grid.first_z, seed});
    });
  }

  [[nodiscard]] Extremes extremes(const PlacedField& field, const Box3& box) override {
    return field.visit([&]<class Real, class At>(const Real* values, const At& at) -> Extremes {
      Real least = std::numeric_limits<Real>::max(), greatest = std::numeric_limits<Real>::lowest();
      std::int64_t not_finite = 0;
      Kokkos::parallel_reduce("minimod::extremes", all_of<>(box),
                              on_kokkos::FindExtremes<Real, At>{values, at, box}, Kokkos::Min<Real>(least),
                              Kokkos::Max<Real>(greatest), Kokkos::Sum<std::int64_t>(not_finite));
      return {least, greatest, not_finite == 0};
    });
  }

  /// Waits for the peak, which others look for meanwhile: a reduction of Kokkos tells nobody that it is over.
  void start_peak(const PlacedField& field, const Box3& box) override {
    peak_ = field.visit([&]<class Real, class At>(const Real* values, const At& at) -> Peak {
      using Finder = on_kokkos::FindPeak<Real, At>;
      Finder finder{values, at, box};
      std::int64_t first = 0;
      Kokkos::parallel_reduce("minimod::peak", all_of<typename Finder::Bits>(box), finder,
                              Kokkos::Max<std::uint32_t>(finder.greatest));
      Kokkos::parallel_reduce("minimod::peak", all_of<typename Finder::Place>(box), finder,
                              Kokkos::Min<std::int64_t>(first));
      return {finder.greatest, on_kokkos::point_of(box, first)};
    });
  }
  [[nodiscard]] std::optional<Peak> take_peak(bool /*wait*/) override {
    return std::exchange(peak_, std::nullopt);
  }

 private:
  template <class... Tag>
  static auto all_of(const Box3& box) {
    return Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>, Tag...>(0, box.points());
  }
  template <class Work>
  static void for_all(const char* name, int count, const Work& work) {
    Kokkos::parallel_for(name, Kokkos::RangePolicy<Space, Kokkos::IndexType<int>>(0, count), work);
  }

  Backend& backend_;
  std::optional<Peak> peak_;
};

}  // namespace minimod
