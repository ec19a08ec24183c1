/// Where the magnitude of a field is greatest, as every device finds it.
#include <limits>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "kernels/random_field.hpp"
#include "src/device/field_kernels.hpp"

using namespace minimod;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// More points than a warp takes at once along x, and more rows than a GPU has warps at work; no extent is
/// round.
const Grid grid = make_grid({301, 97, 75}, {20, 20, 20}, 27);
const Box3 odd_box{{3, 5, 2}, {300, 92, 72}};

/// Random values in [-1, 1) at the points, NaN in the halo and in the padding.
std::vector<float> random_field() {
  std::vector<float> field(grid.layout.size, not_a_number);
  for (int z = 0; z < grid.n.z; ++z) {
    for (int y = 0; y < grid.n.y; ++y) {
      for (int x = 0; x < grid.n.x; ++x) field[grid.layout.index(x, y, z)] = random_value(3, x, y, z);
    }
  }
  return field;
}

struct Point {
  Index3 node;
  float value;
};

/// With these values at some points.
Peak peak_of(Backend& backend, const std::vector<Point>& points, Precision precision = Precision::float32) {
  std::vector<float> values = random_field();
  for (const Point& p : points) values[grid.layout.index(p.node.x, p.node.y, p.node.z)] = p.value;
  const DeviceReals field(backend, {values.begin(), values.end()}, precision);
  backend.field_kernels().start_peak({field.at(), grid.layout}, odd_box);
  return backend.field_kernels().take_peak(true).value();
}

void check_peaks(Backend& backend) {
  const Index3 first = odd_box.begin, last{299, 91, 71}, inside{270, 60, 31};
  for (const Index3 node : {first, last, inside}) {
    for (const float value : {2.F, -2.F, infinity, -infinity, not_a_number, -not_a_number}) {
      CAPTURE(node.x, node.y, node.z, value);
      // Infinity and NaN outside the box are not seen.
      std::vector<Point> points{{{2, 5, 2}, not_a_number}, {{300, 91, 71}, -infinity}, {node, value}};
      if (std::isnan(value)) points.push_back({{150, 50, 37}, infinity});
      if (std::isinf(value)) points.push_back({{150, 50, 37}, 3e38F});
      for (const Precision precision : {Precision::float32, Precision::float64}) {
        const Peak peak = peak_of(backend, points, precision);
        CHECK(peak.node == node);
        CHECK(peak.bits == magnitude_bits(value));
      }
    }
  }
}

}  // namespace

TEST_CASE("The peak of a field on the host", "[unit]") {
  const auto host = make_host_backend();
  check_peaks(*host);
}

TEST_CASE("A field at rest has a peak of 0 in the box", "[unit]") {
  const auto host = make_host_backend();
  const DeviceReals field(*host, grid.layout.size, Precision::float32);
  host->field_kernels().start_peak({field.at(), grid.layout}, odd_box);
  const Peak peak = host->field_kernels().take_peak(false).value();
  CHECK(peak.magnitude() == 0);
  CHECK(odd_box.contains(peak.node));
}

TEST_CASE("A peak is taken once", "[unit]") {
  const auto host = make_host_backend();
  CHECK_FALSE(host->field_kernels().take_peak(true));
  static_cast<void>(peak_of(*host, {}));
  CHECK_FALSE(host->field_kernels().take_peak(true));
}

TEST_CASE("The peak of a field on the GPU is the host's", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto host = make_host_backend(), gpu = gpu_devices.make(0);
  check_peaks(*gpu);
  const Peak expected = peak_of(*host, {}), peak = peak_of(*gpu, {});
  CHECK(peak.bits == expected.bits);
  CHECK_FALSE(gpu->field_kernels().take_peak(true));
}

TEST_CASE("A peak is found behind the launches, while the host goes on, on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const std::vector<float> random = random_field();
  const DeviceReals field(*gpu, {random.begin(), random.end()}, Precision::float32);
  gpu->field_kernels().start_peak({field.at(), grid.layout}, odd_box);
  gpu->clear(field.data(), field.bytes());
  std::optional<Peak> peak;
  while (!(peak = gpu->field_kernels().take_peak(false))) std::this_thread::yield();
  CHECK(peak->magnitude() > 0.9F);
  gpu->field_kernels().start_peak({field.at(), grid.layout}, odd_box);
  CHECK(gpu->field_kernels().take_peak(true).value().magnitude() == 0);
}
