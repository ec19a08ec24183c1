#include <cmath>
#include <fstream>
#include <functional>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/cases/means/hdf5_writer.hpp"
#include "validation/unit/base/expect_error.hpp"
#include "validation/unit/models/loaded_model.hpp"

namespace minimod {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string write_hdf5(
    const TemporaryDirectory& directory, const std::vector<hsize_t>& dims, const std::vector<float>& values,
    const std::function<void(hid_t)>& add_attributes = [](hid_t) {}) {
  std::string path = (directory.path() / "model.h5").string();
  const Hdf5Writer writer(path);
  add_attributes(writer.dataset("vp", dims, values, H5T_IEEE_F32LE));
  return path;
}

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

}  // namespace
}  // namespace minimod
