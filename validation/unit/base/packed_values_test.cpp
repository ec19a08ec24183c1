/// Numbers of HDF5 files that stand for others: packed by the CF conventions, integers, times in other units.
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/wavelets/wavelet.hpp"
#include "validation/cases/means/hdf5_writer.hpp"
#include "validation/unit/base/expect_error.hpp"
#include "validation/unit/models/loaded_model.hpp"

namespace minimod {
namespace {

using Attributes = std::vector<std::pair<std::string, double>>;

/// A section of 1 x 3 nodes.
template <class Value>
std::string packed(const TemporaryDirectory& directory, const std::vector<Value>& stored, hid_t type,
                   const Attributes& attributes) {
  std::string path = (directory.path() / "m.h5").string();
  const Hdf5Writer writer(path);
  const hdf5::Handle dataset = writer.dataset("vp", {1, 3}, stored, type);
  Hdf5Writer::attribute(dataset, "spacing", std::vector<double>{5});
  for (const auto& [name, value] : attributes)
    Hdf5Writer::attribute(dataset, name, std::vector<double>{value});
  return path;
}

std::vector<float> floats_of(const std::string& path) {
  const hdf5::Handle file = hdf5::open_for_reading(path);
  return hdf5::read_floats(hdf5::open_float_dataset(file, "vp", path), path);
}

/// A Ricker of 101 samples, 2 ms apart, whose times are `in_second` to a second and said to be in `units`.
std::string timed(const TemporaryDirectory& directory, double in_second, const std::string& units,
                  hid_t time_type = H5T_IEEE_F64LE) {
  std::string path = (directory.path() / "w.h5").string();
  const std::vector<double> samples = make_wavelet("ricker:f=15,t0=0.1", 2e-3, 101).samples;
  std::vector<double> times(samples.size());
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = std::round(2e-3 * i * in_second * 1e6) / 1e6;
  const Hdf5Writer writer(path);
  (void)writer.dataset("wavelet", {samples.size()}, samples, H5T_IEEE_F64LE);
  const hdf5::Handle time = writer.dataset("time", {times.size()}, times, time_type);
  if (!units.empty()) Hdf5Writer::attribute(time, "units", units);
  return path;
}

}  // namespace

TEST_CASE("packed values are unpacked, floats and integers alike", "[unit]") {
  const TemporaryDirectory directory;
  const Attributes attributes = {{"scale_factor", 2}, {"add_offset", -1200}};
  const std::vector<float> values = {2000, 2230, 2460};
  CHECK(load(packed(directory, std::vector<float>{1600, 1715, 1830}, H5T_IEEE_F32LE, attributes)).v ==
        values);
  for (const hid_t type : {H5T_STD_I16BE, H5T_STD_I32LE, H5T_STD_U16LE, H5T_STD_I64LE}) {
    const std::string path = packed(directory, std::vector<int>{1600, 1715, 1830}, type, attributes);
    CHECK(load(path).v == values);
    CHECK(floats_of(path) == values);
  }
  CHECK(load(packed(directory, std::vector<int>{1500, 1600, 1700}, H5T_STD_I16LE, {})).v ==
        std::vector<float>{1500, 1600, 1700});
  const std::string signed_path = packed(directory, std::vector<int>{-1, 0, 100}, H5T_STD_I8LE, attributes);
  {
    const hdf5::Handle file(H5Fopen(signed_path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const hdf5::Handle dataset(H5Dopen2(file, "vp", H5P_DEFAULT), H5Dclose);
    Hdf5Writer::attribute(dataset, "_Unsigned", std::string("true"));
  }
  CHECK(floats_of(signed_path) == std::vector<float>{2 * 255 - 1200, -1200, -1000});
}

TEST_CASE("missing values are no velocities, and a scale is a number", "[unit]") {
  const TemporaryDirectory directory;
  const std::vector<int> stored = {1600, -999, 1700};
  for (const char* const name : {"_FillValue", "missing_value"}) {
    const std::string path =
        packed(directory, stored, H5T_STD_I16LE, {{"scale_factor", 1}, {"add_offset", 3000}, {name, -999}});
    const Outcome outcome = outcome_of([&] { (void)load(path); });
    CHECK(outcome.kind == ErrorKind::data);
    CHECK(outcome.says("velocity nan at node (x, y, z) = (1, 0, 0), the first of 1"));
  }
  const std::vector<float> rounded = {1600, 1e20F, 1700};
  CHECK(std::isnan(floats_of(packed(directory, rounded, H5T_IEEE_F32LE, {{"_FillValue", 1e20}}))[1]));
  for (const auto& [name, value] :
       Attributes{{"scale_factor", 0}, {"scale_factor", NAN}, {"add_offset", HUGE_VAL}}) {
    const std::string path = packed(directory, stored, H5T_STD_I16LE, {{name, value}});
    const Outcome outcome = outcome_of([&] { (void)load(path); });
    CHECK(outcome.kind == ErrorKind::data);
    CHECK(outcome.says(name));
  }
}

TEST_CASE("a wavelet's times are read in the unit that they name", "[unit]") {
  const TemporaryDirectory directory;
  const auto samples_of = [](const std::string& path) { return make_wavelet(path, 7e-4, 300).samples; };
  const auto right = samples_of(timed(directory, 1, ""));
  const auto is_right = [&](const std::string& path) {
    const auto samples = samples_of(path);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (std::abs(samples[i] - right[i]) > 1e-9) return false;
    }
    return samples.size() == right.size();
  };
  for (const char* const unit : {"s", "seconds"}) CHECK(is_right(timed(directory, 1, unit)));
  for (const char* const unit : {"ms", "milliseconds"}) CHECK(is_right(timed(directory, 1e3, unit)));
  CHECK(is_right(timed(directory, 1e6, "us")));
  CHECK(is_right(timed(directory, 1e6, "microseconds", H5T_STD_I32LE)));
  CHECK(is_right(timed(directory, 1e9, "nanoseconds", H5T_STD_I64LE)));
  for (const char* const unit : {"min", "hours", "seconds since 1970-01-01", "m"}) {
    const Outcome outcome = outcome_of([&] { (void)samples_of(timed(directory, 1, unit)); });
    CHECK(outcome.kind == ErrorKind::data);
    CHECK(outcome.says(std::string("has the units '") + unit + "'"));
  }
}

}  // namespace minimod
