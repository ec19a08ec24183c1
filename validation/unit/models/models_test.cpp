#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>

#include <catch2/catch_test_macros.hpp>
#include <unistd.h>

#include "models/sampled_medium.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "validation/cases/means/hdf5_writer.hpp"
#include "validation/unit/base/expect_error.hpp"
#include "validation/unit/models/loaded_model.hpp"
#include "validation/unit/models/segy_model_file.hpp"

namespace minimod {
namespace {

// ---- files of every kind

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

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

std::string write_hdf5(
    const TemporaryDirectory& directory, const std::vector<hsize_t>& dims, const std::vector<float>& values,
    const std::function<void(hid_t)>& add_attributes = [](hid_t) {}) {
  std::string path = (directory.path() / "model.h5").string();
  const Hdf5Writer writer(path);
  add_attributes(writer.dataset("vp", dims, values, H5T_IEEE_F32LE));
  return path;
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

// ---- HDF5

TEST_CASE("an HDF5 volume, and what its attributes say", "[unit]") {
  const TemporaryDirectory directory;
  const Extent3 n{4, 3, 2};
  const auto spacing = [](hid_t dataset) {
    Hdf5Writer::attribute(dataset, "spacing", std::vector<double>{5, 20, 10});
  };
  const VelocityModel plain = load(write_hdf5(directory, {2, 3, 4}, marked_values(n), spacing));
  CHECK(plain.n == n);
  CHECK(plain.spacing == Point3{10, 20, 5});
  CHECK(plain.v == marked_values(n));

  const VelocityModel turned = load(write_hdf5(directory, {2, 3, 4}, marked_values(n), [&](hid_t dataset) {
    spacing(dataset);
    Hdf5Writer::attribute(dataset, "axes", std::string("x,z,y"));
  }));
  CHECK(turned.n == Extent3{2, 4, 3});
  CHECK(turned.spacing == Point3{5, 10, 20});
  CHECK(turned.v[1] == plain.v[12]);
  CHECK(turned.v[2] == plain.v[1]);
}

TEST_CASE("an option and an HDF5 file's attribute must agree", "[unit]") {
  const TemporaryDirectory directory;
  std::vector<float> values = marked_values({4, 3, 2});
  for (float& v : values) v /= 1000;
  ModelSpec spec;
  spec.source = write_hdf5(directory, {2, 3, 4}, values, [](hid_t dataset) {
    Hdf5Writer::attribute(dataset, "spacing", std::vector<double>{5});
    Hdf5Writer::attribute(dataset, "units", std::string("km/s"));
    Hdf5Writer::attribute(dataset, "axes", std::vector<const char*>{"z", "y", "x"});
  });
  CHECK(std::abs(load_model(spec).v_min - 1000) < 1e-3);
  CHECK(load_model(spec).spacing == Point3{5, 5, 5});
  CHECK(load_model(spec).cut.notes.empty());
  const ModelSpec silent = spec;
  spec.unit = "km/s";
  spec.axes = "z,y,x";
  spec.spacing = Point3{5, 5, 5};
  CHECK(load_model(spec).n == Extent3{4, 3, 2});

  const auto contradiction = [&](const std::function<void(ModelSpec&)>& change) {
    spec = silent;
    change(spec);
    const Outcome outcome = outcome_of_loading(spec);
    CHECK(outcome.kind == ErrorKind::data);
    CHECK(outcome.says("leave out the option"));
    return outcome.message;
  };
  CHECK(contradiction([](ModelSpec& s) { s.unit = "m/s"; }).find("in km/s") != std::string::npos);
  CHECK(contradiction([](ModelSpec& s) { s.axes = "x,y,z"; }).find("z,y,x") != std::string::npos);
  CHECK(contradiction([](ModelSpec& s) {
          s.spacing = Point3{5, 5, 6};
        }).find("5, 5, 5 m") != std::string::npos);
  spec = silent;
  spec.dims = Extent3{2, 3, 4};
  CHECK(outcome_of_loading(spec).says("4 x 3 x 2 nodes (x, y, z), --model-dims says 2 x 3 x 4"));
}

TEST_CASE("an HDF5 file without axes says that they were guessed", "[unit]") {
  const TemporaryDirectory directory;
  const auto notes_of = [&](const std::vector<hsize_t>& dims) {
    const auto model = load(write_hdf5(directory, dims, marked_values({2, 2, 2}), [](hid_t dataset) {
      Hdf5Writer::attribute(dataset, "spacing", std::vector<double>{5});
    }));
    REQUIRE(model.cut.notes.size() == 1);
    return model.cut.notes[0];
  };
  CHECK(notes_of({2, 2, 2}).find("guessed to be z,y,x") != std::string::npos);
  CHECK(notes_of({2, 4}).find("guessed to be z,x") != std::string::npos);
}

TEST_CASE("the origin of an HDF5 file moves with the crop", "[unit]") {
  const TemporaryDirectory directory;
  const auto written = [&](const std::vector<double>& origin) {
    return write_hdf5(directory, {2, 3, 4}, marked_values({4, 3, 2}), [&](hid_t dataset) {
      Hdf5Writer::attribute(dataset, "spacing", std::vector<double>{5, 20, 10});
      Hdf5Writer::attribute(dataset, "origin", origin);
    });
  };
  ModelSpec spec;
  spec.source = written({100, 4200000, 500000});
  CHECK(load_model(spec).cut.coordinates.origin == Point3{500000, 4200000, 100});
  spec.crop = Box3{{1, 2, 1}, {4, 3, 2}};
  spec.decimate = {2, 1, 1};
  const ModelCut cut = load_model(spec).cut;
  CHECK(cut.coordinates.origin == Point3{500010, 4200040, 105});
  CHECK(cut.coordinates.to_model({500030, 4200041, 105}) == Point3{20, 1, 0});
  CHECK(cut.crop == Box3{{1, 2, 1}, {4, 3, 2}});
  CHECK(cut.decimate == Index3{2, 1, 1});
  CHECK(cut.spacing == Point3{10, 20, 5});
  CHECK(outcome_of_loading(written({1, 2})).says("origin of 2 numbers"));
  CHECK(outcome_of_loading(written({1, std::nan(""), 2})).kind == ErrorKind::data);
}

TEST_CASE("HDF5 sections and flat datasets", "[unit]") {
  const TemporaryDirectory directory;
  const auto spacing = [](hid_t dataset) {
    Hdf5Writer::attribute(dataset, "spacing", std::vector<double>{5, 10});
  };
  const VelocityModel section_model = load(write_hdf5(directory, {2, 4}, marked_values({4, 1, 2}), spacing));
  CHECK(section_model.n == Extent3{4, 1, 2});
  CHECK(section_model.spacing == Point3{10, 10, 5});
  CHECK(section_model.v == marked_values({4, 1, 2}));
  const VelocityModel turned =
      load(write_hdf5(directory, {4, 2}, marked_values({2, 1, 4}), [&](hid_t dataset) {
        spacing(dataset);
        Hdf5Writer::attribute(dataset, "axes", std::string("xz"));
      }));
  CHECK(turned.n == Extent3{4, 1, 2});
  CHECK(turned.spacing == Point3{5, 5, 10});

  ModelSpec flat;
  flat.source = write_hdf5(directory, {24}, marked_values({4, 3, 2}));
  flat.spacing = Point3{1, 1, 1};
  CHECK(outcome_of_loading(flat).says("[24]"));
  flat.dims = Extent3{4, 3, 2};
  CHECK(load_model(flat).v == marked_values({4, 3, 2}));
  flat.dims = Extent3{4, 3, 3};
  CHECK(outcome_of_loading(flat).says("4 x 3 x 3"));
  CHECK(
      outcome_of_loading(write_hdf5(directory, {1, 2, 3, 4}, marked_values({4, 3, 2}))).says("[1, 2, 3, 4]"));
}

TEST_CASE("wrong attributes of an HDF5 file are refused", "[unit]") {
  const TemporaryDirectory directory;
  const auto outcome_with = [&](const std::string& name, const auto& value) {
    return outcome_of_loading(write_hdf5(directory, {2, 3, 4}, marked_values({4, 3, 2}), [&](hid_t dataset) {
      Hdf5Writer::attribute(dataset, name, value);
      if (name != "spacing") Hdf5Writer::attribute(dataset, "spacing", std::vector<double>{5});
    }));
  };
  CHECK(outcome_with("other", std::string("x")).kind == ErrorKind::none);
  CHECK(outcome_with("units", std::string("knots")).says("--velocity-unit"));
  CHECK(outcome_with("axes", std::string("z,x")).says("--model-axes"));
  CHECK(outcome_with("axes", std::string("a,b\n,c")).says("'a,b\\x0a,c'"));
  CHECK(outcome_with("spacing", std::vector<double>{1, 2}).says("--model-spacing"));
  CHECK(outcome_with("spacing", std::vector<double>{1, 0, 1}).kind == ErrorKind::data);
  CHECK(outcome_with("spacing", std::vector<double>{std::nan("")}).kind == ErrorKind::data);
  CHECK(outcome_with("spacing", std::string("5")).kind == ErrorKind::data);
  const Outcome silent = outcome_of_loading(write_hdf5(directory, {1, 2}, {1500, 1600}));
  CHECK(silent.says("--model-spacing, the distance of the file's nodes"));
  CHECK(silent.says("--spacing is that of the run's, to which they are resampled"));
  CHECK(silent.message.find('\n') == std::string::npos);
}

TEST_CASE("a dataset by its path, a big-endian one, and integers", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  const Extent3 n{4, 3, 2};
  {
    const Hdf5Writer writer(path);
    const hdf5::Handle group(H5Gcreate2(writer.file(), "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    const std::vector<double> spacing = {5};
    Hdf5Writer::attribute(writer.dataset("a/big", {2, 3, 4}, marked_values(n), H5T_IEEE_F32BE), "spacing",
                          spacing);
    // Integers are numbers as floats are: netCDF files pack velocities into them.
    Hdf5Writer::attribute(writer.dataset("vp", {1, 2}, std::vector<int>{1500, 1600}, H5T_STD_I32LE),
                          "spacing", spacing);
  }
  CHECK(load(path + ":/a/big").v == marked_values(n));
  CHECK(load(path).v == std::vector<float>{1500, 1600});
  CHECK(outcome_of_loading(path + ":/a/bog").says("/a/big"));
}

TEST_CASE("the Marmousi model", "[unit]") {
  const std::string path = std::string(MINIMOD_SOURCE_DIR) + "/models/data/marmousi_vp.h5";
  const VelocityModel model = load(path);
  CHECK(model.n == Extent3{1601, 1, 401});
  CHECK(model.spacing == Point3{7.5, 7.5, 7.5});
  CHECK(std::abs(model.v_min - 1028) < 0.01);
  CHECK(model.v_max == 4700);

  ModelSpec part;
  part.source = path;
  part.crop = Box3{{800, 0, 100}, {900, 0, 300}};
  part.decimate = {4, 1, 7};
  const VelocityModel cropped = load_model(part);
  CHECK(cropped.n == Extent3{25, 1, 29});
  CHECK(std::abs(cropped.v[2 * 25 + 3] / model.v[114 * 1601 + 812] - 1) < 0.1);
}

TEST_CASE("an HDF5 file cut anywhere is refused", "[unit]") {
  const TemporaryDirectory directory;
  const std::string bytes = content_of(std::string(MINIMOD_SOURCE_DIR) + "/models/data/marmousi_vp.h5");
  REQUIRE(bytes.size() > 100000);
  for (std::size_t i = 0; i < 200; ++i) {
    INFO(i);
    const std::string cut = bytes.substr(0, i < 50 ? 41 * i : bytes.size() * i / 200);
    CHECK(outcome_of_loading(directory.write("a.h5", cut)).kind == ErrorKind::data);
  }
}

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
