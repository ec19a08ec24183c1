/// The half sweeps of a plate on the host, the threads of a GPU as fibers among them, against the formula in
/// a plain loop over the nodes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "kernels/host/host_block.hpp"
#include "kernels/random_field.hpp"
#include "kernels/relaxation/relaxation_kernels.hpp"
#include "kernels/relaxation/relaxation_list.hpp"

namespace minimod::relaxation {

namespace {

/// A plate of random values whose storage has NaN between them.
template <class Real>
struct PlateField {
  PlateArgs<Real> args;
  std::vector<Real> storage;

  PlateField(Extent3 n, Storage order) : args(n, order, Weights<Real>::of(1.7, 0.8)) {
    storage.assign(static_cast<std::size_t>(args.layout.size), std::nan(""));
    args.t = storage.data();
    for (int j = -1; j <= n.y; ++j) {
      for (int i = -1; i <= n.x; ++i) at(i, j) = Real(random_value(3, i, j, 0));
    }
  }
  PlateField(const PlateField&) = delete;
  PlateField& operator=(const PlateField&) = delete;

  [[nodiscard]] Real& at(int i, int j) {
    return storage.at(static_cast<std::size_t>(index_of_node(args.layout, i, j)));
  }

  /// [j][i], the frame too.
  [[nodiscard]] std::vector<Real> nodes() {
    std::vector<Real> values;
    for (int j = -1; j <= args.n.y; ++j) {
      for (int i = -1; i <= args.n.x; ++i) values.push_back(at(i, j));
    }
    return values;
  }
};

/// Two iterations by a plain loop; colour by colour, or node after node.
template <class Real>
std::vector<Real> expected_nodes(Extent3 n, bool red_black) {
  PlateField<Real> field(n, Storage::packed_rows);
  for (int half = 0; half < 4; ++half) {
    if (!red_black && half % 2 == 1) continue;
    for (int j = 0; j < n.y; ++j) {
      for (int i = 0; i < n.x; ++i) {
        if (red_black && (i + j) % 2 != half % 2) continue;
        field.at(i, j) = relaxed(field.args.weights, field.at(i, j), field.at(i - 1, j), field.at(i + 1, j),
                                 field.at(i, j - 1), field.at(i, j + 1));
      }
    }
  }
  return field.nodes();
}

template <class Real>
void check_host_kernels(Extent3 n) {
  for (const Kernel& kernel : all_kernels()) {
    CAPTURE(kernel.name, n.x, n.y, sizeof(Real));
    PlateField<Real> field(n, kernel.storage);
    for (int half = 0; half < 4; ++half) {
      kernel.launcher<Real>(false).half_sweep(field.args.of_colour(half % 2), {});
    }
    CHECK(field.nodes() == expected_nodes<Real>(n, kernel.is_red_black));
  }
}

class NoBarrierBlock : public HostBlock {
 public:
  using HostBlock::HostBlock;
  void sync() const {}
};

template <class Shape, class Block>
bool is_like_the_others() {
  const Extent3 n{37, 21, 1};
  PlateField<float> field(n, Shape::storage);
  for (int half = 0; half < 4; ++half) {
    run_on_host<Shape, PlateArgs<float>, Block>(field.args.of_colour(half % 2), 5);
  }
  return field.nodes() == expected_nodes<float>(n, true);
}

}  // namespace

TEST_CASE("Every kernel of a plate gives the bits of the plain loop on the host", "[shapes]") {
  const Extent3 n = GENERATE(Extent3{1, 1, 1}, Extent3{1, 40, 1}, Extent3{40, 1, 1}, Extent3{2, 3, 1},
                             Extent3{32, 16, 1}, Extent3{64, 32, 1}, Extent3{33, 17, 1}, Extent3{61, 45, 1},
                             Extent3{129, 7, 1}, Extent3{6, 130, 1});
  check_host_kernels<float>(n);
  check_host_kernels<double>(n);
}

TEST_CASE("Nodes of a plate have places of their own, and begin lines where they are aligned", "[shapes]") {
  const Storage order = GENERATE(Storage::packed_rows, Storage::aligned_rows, Storage::colours_apart);
  for (const Extent3 n : {Extent3{1, 1, 1}, Extent3{30, 5, 1}, Extent3{31, 4, 1}, Extent3{62, 3, 1}}) {
    const Layout layout = make_plate_layout(n, order, sizeof(float));
    std::set<std::int64_t> places;
    for (int j = -1; j <= n.y; ++j) {
      for (int i = -1; i <= n.x; ++i) places.insert(index_of_node(layout, i, j));
      if (order == Storage::aligned_rows) CHECK(index_of_node(layout, 0, j) % 32 == 0);
      if (order == Storage::colours_apart) CHECK(layout.index(0, j, 0) % 32 == 0);
    }
    CHECK(places.size() == static_cast<std::size_t>(n.x + 2) * static_cast<std::size_t>(n.y + 2));
    CHECK(*places.begin() >= 0);
    CHECK(*places.rbegin() < layout.size);
  }
}

TEST_CASE("The greatest defect of a plate, and of one with a NaN", "[shapes]") {
  const Storage order = GENERATE(Storage::packed_rows, Storage::aligned_rows, Storage::colours_apart);
  const Extent3 n{37, 21, 1};
  PlateField<double> field(n, order);
  field.args.weights = Weights<double>::of(1, 0.8);
  double greatest = 0;
  for (int j = 0; j < n.y; ++j) {
    for (int i = 0; i < n.x; ++i) {
      const double b2 = 0.64, mean = (field.at(i - 1, j) + field.at(i + 1, j) +
                                      b2 * (field.at(i, j - 1) + field.at(i, j + 1))) /
                                     (2 * (1 + b2));
      greatest = std::max(greatest, std::abs(mean - field.at(i, j)));
    }
  }
  const auto find_defect = find_kernel(portable_kernel).launcher<double>(false).find_defect;
  std::uint64_t bits = 0;
  find_defect(field.args, &bits, {});
  double found = 0;
  std::memcpy(&found, &bits, sizeof found);
  CHECK(std::abs(found - greatest) < 1e-14);
  field.at(20, 11) = std::nan("");
  bits = 0;
  find_defect(field.args, &bits, {});
  std::memcpy(&found, &bits, sizeof found);
  CHECK(std::isnan(found));
}

TEST_CASE("A shape of a plate that forgets its barrier is found out", "[shapes]") {
  CHECK(is_like_the_others<FullShared<float, 16, 16>, HostBlock>());
  CHECK(!is_like_the_others<FullShared<float, 16, 16>, NoBarrierBlock>());
  CHECK(is_like_the_others<PartialShared<float, 16, 16>, HostBlock>());
  CHECK(!is_like_the_others<PartialShared<float, 16, 16>, NoBarrierBlock>());
}

TEST_CASE("Kernels of a plate are found by name and by family", "[shapes]") {
  std::set<std::string> names;
  for (const Kernel& kernel : all_kernels()) {
    names.insert(kernel.name);
    CHECK(&find_kernel(kernel.name) == &kernel);
  }
  CHECK(names.size() == all_kernels().size());
  CHECK(find_kernel("partial_shared").name == "partial_shared_16x16");
  CHECK(find_kernel("smem_partial_32x8").name == "partial_shared_32x8");
  CHECK(find_kernel("tiled").name == "full_shared_16x16");
  CHECK(find_kernel("gmem_32x8").name == "coalesced_32x8");
}

}  // namespace minimod::relaxation
