#include "src/shot/wavelet.hpp"

#include <cmath>
#include <fstream>
#include <numbers>
#include <numeric>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "src/base/hdf5.hpp"
#include "src/base/temporary_directory.hpp"
#include "validation/unit/expect_error.hpp"

namespace minimod {
namespace {

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

double ricker(double f, double t0, double t) {
  const double a = std::pow(std::numbers::pi * f * (t - t0), 2);
  return (1 - 2 * a) * std::exp(-a);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Two columns of the 15 Hz Ricker wavelet, `sample_dt` apart.
std::string ricker_columns(double sample_dt, int count, const std::string& separator = " ",
                           const std::string& line_end = "\n") {
  std::string content;
  for (int i = 0; i < count; ++i) {
    std::ostringstream line;
    line.precision(17);
    line << i * sample_dt << separator << ricker(15, 0.1, i * sample_dt) << line_end;
    content += line.str();
  }
  return content;
}

TEST_CASE("a Ricker wavelet is the formula at the time steps", "[unit]") {
  const Wavelet wavelet = make_wavelet("ricker:f=15,t0=0.1", 5e-4, 400);
  REQUIRE(wavelet.samples.size() == 400);
  for (int n = 0; n < 400; ++n) {
    CHECK_THAT(wavelet.samples[static_cast<std::size_t>(n)], WithinAbs(ricker(15, 0.1, n * 5e-4), 1e-14));
  }
  CHECK(wavelet.samples[200] == 1);
  CHECK(wavelet.dt == 5e-4);
  CHECK(wavelet.peak_frequency == 15);
  CHECK(wavelet.max_frequency == 37.5);
  CHECK(wavelet.description == "ricker, f = 15 Hz, t0 = 0.1 s");
}

TEST_CASE("known wavelets start smoothly and integrate to what they must", "[unit]") {
  const Wavelet wavelet = make_wavelet("ricker:f=15", 1e-3, 400);
  CHECK(std::abs(wavelet.samples[0]) < 1e-7);
  CHECK_THAT(std::accumulate(wavelet.samples.begin(), wavelet.samples.end(), 0.0), WithinAbs(0, 1e-6));
  const Wavelet gaussian = make_wavelet("gaussian:f=15", 1e-3, 400);
  CHECK(gaussian.samples[0] < 1e-9);
  CHECK(gaussian.samples[100] == 1);
  const double integral = 1e-3 * std::accumulate(gaussian.samples.begin(), gaussian.samples.end(), 0.0);
  CHECK_THAT(integral, WithinRel(1 / (15 * std::sqrt(std::numbers::pi)), 1e-8));
}

TEST_CASE("a wrong form is an error of usage", "[unit]") {
  for (const char* const bad :
       {"ricker", "ricker:", "ricker:15", "ricker:f", "ricker:f=", "ricker:f=0", "ricker:f=-1",
        "ricker:f=nan", "ricker:f=15,f=20", "ricker:f=15,", "ricker:f=15,t0=inf", "ricker:f=15,q=1",
        "ricker:t0=0.1", "ricker:f=1e-320", "ricker:f=1e300", "gaussian:f=15;t0=1"}) {
    INFO(bad);
    const Outcome outcome = outcome_of([&] { (void)make_wavelet(bad, 1e-3, 10); });
    CHECK(outcome.code == ExitCode::usage);
    CHECK(outcome.message.size() <= longest_message);
  }
  for (const double value : make_wavelet("ricker:f=1e12,t0=-1e300", 1e-3, 10).samples) CHECK(value == 0);
}

TEST_CASE("a missing file is missing input", "[unit]") {
  const TemporaryDirectory directory;
  for (const std::string& spec :
       {std::string("riker:f=15"), std::string("no/such.txt"), std::string("no/such.h5"), std::string(),
        directory.path().string(), std::string(5000, 'a'), std::string("a\nb\xff")}) {
    const Outcome outcome = outcome_of([&] { (void)make_wavelet(spec, 1e-3, 10); });
    CHECK(outcome.code == ExitCode::missing_input);
    CHECK(outcome.message.size() <= longest_message);
    CHECK(outcome.message.find('\n') == std::string::npos);
  }
}

TEST_CASE("one column holds the samples at the run's own dt", "[unit]") {
  const TemporaryDirectory directory;
  const std::string file =
      directory.write("w.txt", "\xEF\xBB\xBF# a wavelet\r\n\r\n1.5\r\n -2 # peak\r\n\t3e0\r\n\r\n");
  const Wavelet longer = make_wavelet(file, 1e-3, 5);
  CHECK(longer.samples == std::vector<double>{1.5, -2, 3, 0, 0});
  CHECK(make_wavelet(file, 1e-3, 2).samples == std::vector<double>{1.5, -2});
  CHECK(longer.description == "samples of " + file);
}

TEST_CASE("two columns are resampled, and f_max is that of the signal", "[unit]") {
  const TemporaryDirectory directory;
  const Wavelet expected = make_wavelet("ricker:f=15,t0=0.1", 7e-4, 500);
  for (const auto& [separator, line_end] :
       {std::pair{" ", "\n"}, {",", "\r\n"}, {"\t", "\n"}, {" , ", "\n\n# comment\n"}}) {
    const std::string file = directory.write("w.txt", ricker_columns(2e-3, 101, separator, line_end));
    const Wavelet wavelet = make_wavelet(file, 7e-4, 500);
    CHECK(largest_difference(wavelet.samples, expected.samples) < 2e-4);
    CHECK(wavelet.samples.back() == 0);
    CHECK_THAT(wavelet.peak_frequency, WithinAbs(15, 0.1));
    // The energy spectrum f^4 exp(-2 (f / f0)^2) has 99 % under 1.942 f0 (chi-squared, 5 degrees of freedom).
    CHECK_THAT(wavelet.max_frequency, WithinRel(1.942 * 15, 0.01));
  }
  const std::string file = directory.write("w.txt", ricker_columns(7e-4, 500));
  CHECK(largest_difference(make_wavelet(file, 7e-4, 500).samples, expected.samples) < 1e-13);
}

TEST_CASE("resampling converges with the fourth order", "[unit]") {
  const TemporaryDirectory directory;
  const Wavelet expected = make_wavelet("ricker:f=15,t0=0.1", 7e-4, 280);
  const auto error = [&](double sample_dt, int count) {
    const std::string file = directory.write("w.txt", ricker_columns(sample_dt, count));
    return largest_difference(make_wavelet(file, 7e-4, 280).samples, expected.samples);
  };
  CHECK_THAT(error(2e-3, 101) / error(1e-3, 201), WithinAbs(16, 2));
}

TEST_CASE("a wavelet that starts late or is uneven is 0 outside its times", "[unit]") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("w.txt", "0.002 1\n0.003 2\n0.005 4\n0.006 5\n");
  const Wavelet wavelet = make_wavelet(file, 1e-3, 9);
  const std::vector<double> expected = {0, 0, 1, 2, 3, 4, 5, 0, 0};  // a spline keeps a straight line
  CHECK(largest_difference(wavelet.samples, expected) < 1e-12);
}

TEST_CASE("the 99 % rule agrees with the Gaussian's closed form", "[unit]") {
  const TemporaryDirectory directory;
  const Wavelet gaussian = make_wavelet("gaussian:f=20", 1e-3, 4000);
  std::ostringstream content;
  content.precision(17);
  for (const double s : gaussian.samples) content << s << '\n';
  const Wavelet wavelet = make_wavelet(directory.write("w.txt", content.str()), 1e-3, 4000);
  CHECK_THAT(wavelet.max_frequency, WithinRel(gaussian.max_frequency, 0.01));
  CHECK(wavelet.peak_frequency == 0);
}

TEST_CASE("a wrong text file is named with its line", "[unit]") {
  const TemporaryDirectory directory;
  const auto read = [&](std::string_view content) {
    const std::string file = directory.write("w.txt", content);
    return outcome_of([&] { (void)make_wavelet(file, 1e-3, 10); });
  };
  CHECK(read("").code == ExitCode::data);
  CHECK(read("# only this\n\n").code == ExitCode::data);
  CHECK(read("0\n0\n").says("zero"));
  CHECK(read("1\n2\nx\n").says("w.txt:3:1: 'x'"));
  CHECK(read("0 1\n1 nan\n").says("w.txt:2:3: 'nan'"));
  CHECK(read("0 1\n1 1\n1 2\n").says("w.txt:3:1: time 1 s"));
  CHECK(read("0 1\n1\n").says("w.txt:2:1: has 1 columns, not 2"));
  CHECK(read("1 2 3\n").says("w.txt:1:1: has 3 columns, not 1 to 2"));
  CHECK(read("0,1\n1,\n").says("w.txt:2:3: ''"));
  CHECK(read("0 1\n").says("w.txt:1: is the only sample"));
  CHECK(read("0 1e308\n1e-9 -1e308\n2e-9 1e308\n").says("overflow"));
  CHECK(read(std::string(5000, '1')).says("w.txt:1: is longer than 4096"));
  CHECK(read(std::string("\xff\xd8\xff\xe0\0\x10JFIF", 10)).code == ExitCode::data);
  CHECK(read("1\n2\nx" + std::string(300, '\xff')).message.size() <= longest_message);
}

TEST_CASE("a huge file is refused after a bounded part of it", "[unit]") {
  const TemporaryDirectory directory;
  const std::string line = directory.write("line.txt", "1\n");
  std::filesystem::resize_file(line, std::uintmax_t{1} << 30);
  CHECK(outcome_of([&] { (void)make_wavelet(line, 1e-3, 10); }).says("line.txt:2: is longer than"));
  std::filesystem::resize_file(line, (std::uintmax_t{1} << 30) + 1);
  CHECK(outcome_of([&] { (void)make_wavelet(line, 1e-3, 10); }).says("larger than 1 GiB"));
  std::string line_ends;
  line_ends.resize(10'000'001, '\n');
  const std::string many = directory.write("many.txt", line_ends);
  CHECK(outcome_of([&] { (void)make_wavelet(many, 1e-3, 10); }).says("10000000 lines"));
}

/// Writes /wavelet as float64, with the attribute dt unless that is 0.
void write_hdf5(const std::string& file, const std::vector<double>& samples, double dt) {
  const hdf5::Handle handle(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  const hsize_t count = samples.size();
  const hdf5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const hdf5::Handle dataset(
      H5Dcreate2(handle, "wavelet", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  REQUIRE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, samples.data()) >= 0);
  if (dt == 0) return;
  const hdf5::Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
  const hdf5::Handle attribute(H5Acreate2(dataset, "dt", H5T_IEEE_F64LE, scalar, H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose);
  REQUIRE(H5Awrite(attribute, H5T_NATIVE_DOUBLE, &dt) >= 0);
}

TEST_CASE("an HDF5 wavelet is resampled from its dt", "[unit]") {
  const TemporaryDirectory directory;
  const std::string file = (directory.path() / "w.h5").string();
  write_hdf5(file, make_wavelet("ricker:f=15,t0=0.1", 2e-3, 101).samples, 2e-3);
  const Wavelet wavelet = make_wavelet(file, 7e-4, 500);
  CHECK(largest_difference(wavelet.samples, make_wavelet("ricker:f=15,t0=0.1", 7e-4, 500).samples) < 2e-4);
  CHECK_THAT(wavelet.max_frequency, WithinRel(1.942 * 15, 0.01));

  write_hdf5(file, {1, 2, 3}, 0);
  CHECK(outcome_of([&] { (void)make_wavelet(file, 1e-3, 10); }).says("dt"));
  write_hdf5(file, {1, 2, 3}, -1);
  CHECK(outcome_of([&] { (void)make_wavelet(file, 1e-3, 10); }).code == ExitCode::data);
  write_hdf5(file, {1, std::nan(""), 3}, 1);
  CHECK(outcome_of([&] { (void)make_wavelet(file, 1e-3, 10); }).says("index 1"));
  const std::string text_file = directory.write("text.h5", "1\n2\n");
  CHECK(outcome_of([&] { (void)make_wavelet(text_file, 1e-3, 10); }).code == ExitCode::data);
}

TEST_CASE("a wavelet ends behind its last sample of note", "[unit]") {
  const auto end_of = [](const std::vector<double>& samples) {
    Wavelet wavelet;
    wavelet.samples = samples;
    return wavelet.end();
  };
  CHECK(end_of({}) == 0);
  CHECK(end_of({0, 0, 0}) == 0);
  CHECK(end_of({0, 1, 0, 0}) == 2);
  CHECK(end_of({0, 100, -1.1e-4, 0.9e-4, 0}) == 3);
  CHECK(end_of({1, 0, std::nan(""), 0}) == 3);
  CHECK(end_of({1, HUGE_VAL, 1, 0}) == 3);  // which makes no other sample small
  CHECK(end_of({1, 1e300, 1, 0}) == 2);
  const Wavelet ricker = make_wavelet("ricker:f=15", 1e-3, 1000);
  CHECK(ricker.end() > 180);
  CHECK(ricker.end() < 220);
}

}  // namespace
}  // namespace minimod
