#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <unistd.h>

#include "src/base/files/temporary_directory.hpp"
#include "validation/unit/base/expect_error.hpp"
#include "validation/unit/models/loaded_model.hpp"
#include "validation/unit/models/segy_model_file.hpp"

namespace minimod {
namespace {

/// The values of a raw file as its bytes.
std::string raw_bytes(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift);
  }
  return bytes;
}

ModelSpec raw_spec(const std::string& path, Extent3 n) {
  ModelSpec spec;
  spec.source = path;
  spec.dims = n;
  spec.spacing = Point3{10, 20, 5};
  return spec;
}

// ---- models from the command line

TEST_CASE("wrong models on the command line are errors of usage", "[unit]") {
  for (const char* const source : {"constant:",
                                   "constant:abc",
                                   "constant:nan",
                                   "constant:inf",
                                   "constant:0",
                                   "constant:-5",
                                   "constant:1e39",
                                   "constant:1e-40",
                                   "constant:0x10",
                                   "constant:2000m",
                                   "layered:",
                                   "layered:1500",
                                   "layered:1500@",
                                   "layered:1500@10",
                                   "layered:1500@0,1600@0",
                                   "layered:1500@0,1600@20,1700@10",
                                   "layered:1500@0,",
                                   "layered:1500@0@1",
                                   "layered:0@0",
                                   "layered:1500@nan",
                                   "gradient:",
                                   "gradient:1500",
                                   "gradient:1500+0.6",
                                   "gradient:1500+z",
                                   "gradient:1500+-0.6z",
                                   "gradient:1500+nanz",
                                   "gradient:+0.6z",
                                   "gradient:-1500+0.6z",
                                   "gradient:1e-3z"}) {
    INFO(source);
    CHECK(outcome_of_loading(source).kind == ErrorKind::parameter);
  }
  ModelSpec spec;
  spec.source = "constant:2000";
  spec.spacing = Point3{1, 1, 1};
  CHECK(outcome_of_loading(spec).says("--model-spacing"));
  spec.spacing.reset();
  spec.spacing.reset();
  spec.unit = "knots";
  CHECK(outcome_of_loading(spec).kind == ErrorKind::parameter);
}

TEST_CASE("velocities that no rock has are refused, whatever unit is said", "[unit]") {
  CHECK(outcome_of_loading("constant:2.5").kind == ErrorKind::data);
  CHECK(outcome_of_loading("constant:2.5").says("--velocity-unit km/s"));
  for (const char* const source :
       {"constant:2500000", "constant:15001", "constant:99", "layered:99@0,1500@10"}) {
    INFO(source);
    CHECK(outcome_of_loading(source).kind == ErrorKind::data);
  }
  for (const char* const source : {"constant:15000", "constant:100"}) {
    INFO(source);
    CHECK(outcome_of_loading(source).kind == ErrorKind::none);
  }
  ModelSpec spec;
  spec.source = "constant:2.5";
  spec.unit = "km/s";
  CHECK(load_model(spec).layers.front().v == 2500);
  spec.unit = "m/s";
  CHECK(outcome_of_loading(spec).kind == ErrorKind::data);
  spec.source = "constant:1800";
  spec.unit = "km/s";
  CHECK(outcome_of_loading(spec).says("1.8e+06 m/s, over 15000"));
  spec.source = "constant:10000";
  spec.unit = "ft/s";
  CHECK(load_model(spec).layers.front().v == 3048);
}

// ---- raw

TEST_CASE("a raw file in any order of axes", "[unit]") {
  const TemporaryDirectory directory;
  const Extent3 n{4, 3, 35};
  const VelocityModel plain = load_model(raw_spec(directory.write("a.bin", raw_bytes(marked_values(n))), n));
  CHECK(plain.from_file);
  CHECK(plain.n == n);
  CHECK(plain.spacing == Point3{10, 20, 5});
  CHECK(plain.v == marked_values(n));
  CHECK(plain.v_min == marked(0, 0, 0));
  CHECK(plain.v_max == marked(3, 2, 34));

  std::vector<float> z_fastest;
  for (int x = 0; x < n.x; ++x) {
    for (int y = 0; y < n.y; ++y) {
      for (int z = 0; z < n.z; ++z) z_fastest.push_back(marked(x, y, z));
    }
  }
  ModelSpec spec = raw_spec(directory.write("b.bin", raw_bytes(z_fastest)), n);
  spec.axes = "x,y,z";  // the slowest first, as in the attribute of an HDF5 file
  CHECK(load_model(spec).v == plain.v);
  CHECK(load_model(spec).cut.notes.empty());
  CHECK(plain.cut.axes == "z,y,x");
  REQUIRE(plain.cut.notes.size() == 1);
  CHECK(plain.cut.notes[0].find("guessed to be z,y,x") != std::string::npos);
  for (const char* const axes : {"zyx", "xyz", "z,y", "z,z,x", "a,b,c", "z,y,x,x", "Z,Y,X", ","}) {
    INFO(axes);
    spec.axes = axes;
    CHECK(outcome_of_loading(spec).kind == ErrorKind::parameter);
  }
  spec.axes = "zyx";
  CHECK(outcome_of_loading(spec).says("from which end"));
}

TEST_CASE("a raw file whose bytes are swapped is told", "[unit]") {
  const TemporaryDirectory directory;
  const Extent3 n{4, 3, 2};
  std::string bytes = raw_bytes(marked_values(n));
  for (std::size_t i = 0; i < bytes.size(); i += 4) std::reverse(bytes.begin() + i, bytes.begin() + i + 4);
  const Outcome outcome = outcome_of_loading(raw_spec(directory.write("a.bin", bytes), n));
  CHECK(outcome.kind == ErrorKind::data);
  CHECK(outcome.says("with 1000 if its bytes are swapped"));
}

TEST_CASE("spacings that differ a hundredfold are refused", "[unit]") {
  const TemporaryDirectory directory;
  ModelSpec spec = raw_spec(directory.write("a.bin", raw_bytes(marked_values({4, 3, 2}))), {4, 3, 2});
  spec.spacing = Point3{10, 10, 0.1};
  CHECK(outcome_of_loading(spec).kind == ErrorKind::none);
  spec.spacing = Point3{10, 10, 0.01};
  CHECK(outcome_of_loading(spec).kind == ErrorKind::data);
  CHECK(outcome_of_loading(spec).says("--model-spacing"));
}

TEST_CASE("crop and decimate choose nodes of the file", "[unit]") {
  const TemporaryDirectory directory;
  const Extent3 n{6, 5, 4};
  ModelSpec spec = raw_spec(directory.write("a.bin", raw_bytes(marked_values(n))), n);
  spec.crop = Box3{{1, 0, 2}, {6, 0, 4}};
  spec.decimate = {2, 3, 1};
  const VelocityModel model = load_model(spec);
  CHECK(model.n == Extent3{3, 2, 2});
  CHECK(model.spacing == Point3{20, 60, 5});
  // The values grow by 100, 10 and 1 along the axes: a mean over a cell inside lies near the kept node's.
  CHECK(model.v.size() == 12);
  CHECK(std::abs(model.v[1 + 3 * 0 + 6 * 1] - marked(3, 0, 3)) < 12);
  CHECK(std::abs(model.v[1 + 3 * 1 + 6 * 0] - marked(3, 3, 2)) < 6);
  spec.crop = Box3{{1, 0, 2}, {7, 0, 4}};
  CHECK(outcome_of_loading(spec).says("within 0:6"));
  spec.crop = Box3{{3, 0, 0}, {3, 0, 0}};
  CHECK(outcome_of_loading(spec).kind == ErrorKind::parameter);
  spec.crop.reset();
  spec.decimate = {0, 1, 1};
  CHECK(outcome_of_loading(spec).kind == ErrorKind::parameter);
  spec.decimate = {2147483647, 2147483647, 2147483647};
  CHECK(load_model(spec).n == Extent3{1, 1, 1});
  spec.decimate = {1, 1, 1};
  CHECK(load_model(spec).v == marked_values(n));
}

TEST_CASE("a model knows its greatest velocity between two depths, with and without its values", "[unit]") {
  const auto greatest = [](const std::string& source, double top, double bottom) {
    ModelSpec spec;
    spec.source = source;
    return greatest_velocity(load_model(spec), top, bottom);
  };
  CHECK(greatest("layered:1500@0,3000@100,2000@200", 0, 99) == 1500);
  CHECK(greatest("layered:1500@0,3000@100,2000@200", 50, 100) == 3000);
  CHECK(greatest("layered:1500@0,3000@100,2000@200", 200, 900) == 2000);
  CHECK(greatest("gradient:1500+0.5z", 100, 300) == 1650);
  const TemporaryDirectory directory;
  const Extent3 n{6, 5, 4};
  ModelSpec spec = raw_spec(directory.write("a.bin", raw_bytes(marked_values(n))), n);
  spec.crop = Box3{{0, 0, 1}, {4, 5, 4}};
  const double h = load_model(spec).cut.spacing.z;
  for (const int decimated : {1, 2}) {
    spec.decimate = {decimated, 1, decimated};
    for (const VelocityModel& model : {load_model(spec), load_model_without_values(spec)}) {
      CHECK(greatest_velocity(model, 0, 0.5 * h) == marked(3, 4, 2));
      CHECK(greatest_velocity(model, 0, h) == marked(3, 4, 3));
      CHECK(greatest_velocity(model, 9 * h, 12 * h) == marked(3, 4, 3));
    }
  }
}

TEST_CASE("a raw file has exactly the size of its points", "[unit]") {
  const TemporaryDirectory directory;
  const Extent3 n{3, 2, 2};
  const std::string bytes = raw_bytes(marked_values(n));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK(outcome_of_loading(raw_spec(directory.write("a.bin", bytes.substr(0, size)), n)).kind ==
          ErrorKind::data);
  }
  CHECK(outcome_of_loading(raw_spec(directory.write("a.bin", bytes + "x"), n)).kind == ErrorKind::data);
  const std::string path = directory.write("a.bin", bytes);
  const int most = std::numeric_limits<int>::max();
  CHECK(outcome_of_loading(raw_spec(path, {most, most, most})).kind == ErrorKind::data);
  CHECK(outcome_of_loading(path).says("--model-dims"));
  CHECK(outcome_of_loading(path).kind == ErrorKind::parameter);
  ModelSpec spec = raw_spec(path, n);
  spec.spacing.reset();
  CHECK(outcome_of_loading(spec).kind == ErrorKind::parameter);
}

TEST_CASE("km/s become m/s by one rounding", "[unit]") {
  const TemporaryDirectory directory;
  ModelSpec spec = raw_spec(directory.write("a.bin", raw_bytes({1.5F, 1.4732F, 4.7F})), {3, 1, 1});
  CHECK(outcome_of_loading(spec).says("--velocity-unit km/s"));
  spec.unit = "km/s";
  const VelocityModel model = load_model(spec);
  CHECK(model.v == std::vector<float>{1500, static_cast<float>(1000.0 * double(1.4732F)), 4700});
}

TEST_CASE("what is no velocity is told with its node and how many there are", "[unit]") {
  const TemporaryDirectory directory;
  const Extent3 n{4, 3, 2};
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          0.0F, -0.0F, -2000.0F, std::numeric_limits<float>::denorm_min()}) {
    INFO(bad);
    std::vector<float> values = marked_values(n);
    values[2 + 4 * 1 + 12] = values[3 + 4 * 2 + 12] = bad;
    ModelSpec spec = raw_spec(directory.write("a.bin", raw_bytes(values)), n);
    const Outcome outcome = outcome_of_loading(spec);
    CHECK(outcome.kind == ErrorKind::data);
    CHECK(outcome.says("(2, 1, 1), the first of 2 "));
    spec.crop = Box3{{3, 1, 1}, {4, 3, 2}};
    CHECK(outcome_of_loading(spec).says("(3, 2, 1), the first of 1 "));
    spec.crop = Box3{{0, 0, 0}, {2, 3, 2}};
    CHECK(outcome_of_loading(spec).kind == ErrorKind::none);
  }
}

// ---- files of every kind

TEST_CASE("a model that cannot be opened has the exit code of its reason", "[unit]") {
  const TemporaryDirectory directory;
  for (const char* const name : {"a.h5", "a.sgy"}) {
    INFO(name);
    CHECK(outcome_of_loading((directory.path() / name).string()).kind == ErrorKind::missing_input);
    const std::string jpeg = directory.write(name, "\xff\xd8\xff\xe0 JFIF" + std::string(5000, '\x5a'));
    CHECK(outcome_of_loading(jpeg).kind == ErrorKind::data);
    std::filesystem::remove(jpeg);
    std::filesystem::create_directory(directory.path() / name);
    CHECK(outcome_of_loading((directory.path() / name).string()).kind == ErrorKind::missing_input);
  }
  CHECK(outcome_of_loading(raw_spec((directory.path() / "a.bin").string(), {1, 1, 1})).kind ==
        ErrorKind::missing_input);
  const std::string unreadable = directory.write("u.sgy", section(2, 2).bytes());
  std::filesystem::permissions(unreadable, std::filesystem::perms::none);
  if (geteuid() != 0) CHECK(outcome_of_loading(unreadable).kind == ErrorKind::permission);
}

}  // namespace
}  // namespace minimod
