#include <cmath>
#include <numeric>

#include <catch2/catch_test_macros.hpp>

#include "models/velocity_model.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

constexpr Extent3 array_nodes{7, 5, 6};

/// Values like a medium's, other ones at each node.
std::vector<float> some_velocities() {
  std::vector<float> v(array_nodes.points());
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<float>(1500 + 3 * i + 100 * std::sin(0.7 * i));
  return v;
}

ModelSpec array_spec(const std::vector<float>& v) {
  ModelSpec spec;
  spec.source = array_source;
  spec.array = std::make_shared<ModelArray>(ModelArray{array_nodes, {10, 20, 5}, v});
  return spec;
}

ModelSpec file_spec(const TemporaryDirectory& directory, const std::vector<float>& v) {
  ModelSpec spec;
  spec.source = directory.write("v.bin", {reinterpret_cast<const char*>(v.data()), 4 * v.size()});
  spec.dims = array_nodes;
  spec.axes = "z,y,x";
  spec.spacing = Point3{10, 20, 5};
  return spec;
}

TEST_CASE("An array is read as a raw file of its bytes is", "[unit]") {
  const TemporaryDirectory directory;
  const std::vector<float> v = some_velocities();
  ModelSpec array = array_spec(v), file = file_spec(directory, v);
  for (const Index3 decimate : {Index3{1, 1, 1}, Index3{2, 1, 3}}) {
    for (const bool crops : {false, true}) {
      for (ModelSpec* spec : {&array, &file}) {
        spec->decimate = decimate;
        if (crops) spec->crop = Box3{{1, 0, 2}, {7, 4, 6}};
      }
      const VelocityModel a = load_model(array), b = load_model(file);
      CHECK(a.v == b.v);
      CHECK(a.n == b.n);
      CHECK(a.spacing == b.spacing);
      CHECK(a.v_min == b.v_min);
      CHECK(a.v_max == b.v_max);
      CHECK(a.greatest == b.greatest);
      CHECK(a.cut.crc32 == b.cut.crc32);
      CHECK(a.cut.axes == b.cut.axes);
    }
  }
}

TEST_CASE("Planes of an array are held as a file's", "[unit]") {
  const std::vector<float> v = some_velocities();
  VelocityModel model = load_model_without_values(array_spec(v));
  CHECK(model.v.empty());
  hold_planes(model, {2, 4});
  CHECK(model.v == std::vector<float>(v.begin() + 2 * 35, v.begin() + 4 * 35));
}

TEST_CASE("Values of an array that are no velocities are refused", "[unit]") {
  std::vector<float> v = some_velocities();
  for (const float wrong : {-1.0F, 0.0F, NAN, INFINITY}) {
    v[40] = wrong;
    CHECK(outcome_of([&] { (void)load_model(array_spec(v)); }).kind == ErrorKind::data);
  }
}

}  // namespace
}  // namespace minimod
