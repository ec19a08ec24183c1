#include "src/wavelets/wavelet.hpp"

#include <cmath>
#include <fstream>
#include <numbers>
#include <numeric>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "validation/unit/base/expect_error.hpp"

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
  CHECK_THAT(wavelet.peak_frequency, WithinRel(15, 1e-4));
  const double x = wavelet.max_frequency / 15;  // the spectrum is x^2 e^(1 - x^2) of its peak
  CHECK_THAT(x * x * std::exp(1 - x * x), WithinRel(0.04, 1e-3));
  CHECK(wavelet.notes.empty());
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
    CHECK(outcome.kind == ErrorKind::parameter);
    CHECK(outcome.message.size() <= longest_message);
  }
}

TEST_CASE("a missing file is missing input", "[unit]") {
  const TemporaryDirectory directory;
  for (const std::string& spec :
       {std::string("riker:f=15"), std::string("no/such.txt"), std::string("no/such.h5"), std::string(),
        directory.path().string(), std::string(5000, 'a'), std::string("a\nb\xff")}) {
    const Outcome outcome = outcome_of([&] { (void)make_wavelet(spec, 1e-3, 10); });
    CHECK(outcome.kind == ErrorKind::missing_input);
    CHECK(outcome.message.size() <= longest_message);
    CHECK(outcome.message.find('\n') == std::string::npos);
  }
}

TEST_CASE("forms at the ends of what can be said are refused, not waited for", "[unit]") {
  for (const char* const spec : {"ricker:f=1e12,t0=-1e300", "ricker:f=15,t0=-1", "gaussian:f=1,t0=1e300",
                                 "ricker:f=1e-6", "gaussian:f=1e-6,t0=0", "ricker:f=15,t0=0.01"}) {
    INFO(spec);
    const Outcome outcome = outcome_of([&] { (void)make_wavelet(spec, 1e-3, 10); });
    CHECK(outcome.kind == ErrorKind::data);
    CHECK(outcome.message.size() <= longest_message);
  }
  CHECK(make_wavelet("ricker:f=1e12", 1e-3, 10).max_frequency < 500.01);  // one sample is not 0: a spike
}

TEST_CASE("one column holds the samples at the dt that is given with it", "[unit]") {
  const TemporaryDirectory directory;
  const std::string file =
      directory.write("w.txt", "\xEF\xBB\xBF# a wavelet\r\n\r\n1.5\r\n -2 # peak\r\n\t3e0\r\n\r\n");
  const Wavelet longer = make_wavelet(file + "@dt=1e-3", 1e-3, 5);
  CHECK(longer.samples == std::vector<double>{1.5, -2, 3, 0, 0});
  CHECK(make_wavelet(file + "@dt=1e-3", 1e-3, 2).samples == std::vector<double>{1.5, -2});
  CHECK(make_wavelet(file + "@dt=2e-3", 2e-3, 3).samples == std::vector<double>{1.5, -2, 3});
  CHECK(make_wavelet(file + "@dt=2e-3", 1e-3, 5).samples[2] == -2);
  CHECK(longer.description == "samples of " + file);
  const Outcome without = outcome_of([&] { (void)make_wavelet(file, 1e-3, 5); });
  CHECK(without.kind == ErrorKind::parameter);
  CHECK(without.says("@dt=1e-3"));
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
    CHECK_THAT(wavelet.peak_frequency, WithinRel(15, 1e-3));
    CHECK_THAT(wavelet.max_frequency, WithinRel(expected.max_frequency, 1e-3));
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

TEST_CASE("a wavelet that starts late or is a little uneven is 0 outside its times", "[unit]") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("w.txt", "0.002 1\n0.003 2\n0.0045 3.5\n0.0055 4.5\n");
  const Wavelet wavelet = make_wavelet(file, 1e-3, 9);
  const std::vector<double> expected = {0, 0, 1, 2, 3, 4, 0, 0, 0};  // a spline keeps a straight line
  CHECK(largest_difference(wavelet.samples, expected) < 1e-12);
  REQUIRE(wavelet.notes.size() == 1);
  CHECK(wavelet.notes[0].words ==
        "the samples of " + file + " are uneven, 0.001 to 0.0015 s apart: a spline goes through them");
}

TEST_CASE("a form and its samples in a file have the same spectrum at every time step", "[unit]") {
  const TemporaryDirectory directory;
  for (const char* const spec : {"ricker:f=20", "gaussian:f=20"}) {
    for (const double dt : {1e-5, 2e-4, 3e-3}) {
      CAPTURE(spec, dt);
      const Wavelet form = make_wavelet(spec, dt, 20);
      std::ostringstream content;
      content.precision(17);
      for (const double s : make_wavelet(spec, 1e-3, 300).samples) content << s << '\n';
      const Wavelet file = make_wavelet(directory.write("w.txt", content.str()) + "@dt=1e-3", dt, 20);
      CHECK_THAT(file.max_frequency, WithinRel(form.max_frequency, 1e-3));
      CHECK_THAT(file.peak_frequency, WithinAbs(form.peak_frequency, 1e-2));
    }
  }
  // The amplitude spectrum of a Gaussian is e^-(F / f)^2, greatest at 0 Hz.
  const Wavelet gaussian = make_wavelet("gaussian:f=20", 1e-3, 4000);
  CHECK_THAT(std::exp(-std::pow(gaussian.max_frequency / 20, 2)), WithinRel(0.04, 1e-2));
  CHECK(gaussian.peak_frequency == 0);
}

TEST_CASE("a jump at the start reaches up to the Nyquist frequency", "[unit]") {
  const Wavelet smooth = make_wavelet("gaussian:f=20", 1e-3, 400);
  const Wavelet cut = make_wavelet("gaussian:f=20,t0=0.04", 1e-3, 400);
  CHECK(smooth.notes.empty());
  REQUIRE(cut.notes.size() == 1);
  CHECK(cut.notes[0].words == "the wavelet starts with a jump of 0.2 % of its greatest value");
  const TemporaryDirectory directory;
  const Wavelet spike = make_wavelet(directory.write("w.txt", "1\n0\n0\n") + "@dt=1e-3", 1e-3, 10);
  CHECK_THAT(spike.max_frequency, WithinRel(500, 1e-6));
  REQUIRE(spike.notes.size() == 1);
}

TEST_CASE("the spectrum does not depend on how long the run is", "[unit]") {
  const Wavelet cut = make_wavelet("ricker:f=15", 1e-3, 90), whole = make_wavelet("ricker:f=15", 1e-3, 4000);
  CHECK(cut.max_frequency == whole.max_frequency);
  CHECK(cut.peak_frequency == whole.peak_frequency);
  CHECK(cut.samples.size() == 90);
  CHECK(whole.notes.empty());
  REQUIRE(cut.notes.size() == 1);
  CHECK(cut.notes[0].words.starts_with("the run ends at 0.09 s, and "));
}

TEST_CASE("a wrong text file is named with its line", "[unit]") {
  const TemporaryDirectory directory;
  const auto read = [&](std::string_view content, const std::string& dt = "") {
    const std::string file = directory.write("w.txt", content) + dt;
    return outcome_of([&] { (void)make_wavelet(file, 1e-3, 10); });
  };
  CHECK(read("").kind == ErrorKind::data);
  CHECK(read("# only this\n\n").kind == ErrorKind::data);
  CHECK(read("0\n0\n", "@dt=1e-3").says("zero"));
  CHECK(read("1\n2\nx\n").says("w.txt:3:1: 'x'"));
  CHECK(read("0 1\n1 nan\n").says("w.txt:2:3: 'nan'"));
  CHECK(read("0 1\n1 1\n1 2\n").says("w.txt:3:1: time 1 s"));
  CHECK(
      read("0 0\n1 1\n2 0\n60 0\n").says("w.txt:4:1: time 60 s comes 58 s after the one before, where 1 s"));
  CHECK(read("0 0\n1 1\n1.001 0\n2 0\n3 0\n").says("w.txt:3:1: time 1.001 s"));
  CHECK(read("0;0\n1;x\n").says("w.txt:2:3: 'x'"));
  CHECK(read("0 1\n1\n").says("w.txt:2:1: has 1 columns, not 2"));
  CHECK(read("1 2 3\n").says("w.txt:1:1: has 3 columns, not 1 to 2"));
  CHECK(read("0,1\n1,\n").says("w.txt:2:3: ''"));
  CHECK(read("0 1\n").says("w.txt:1: is the only sample"));
  CHECK(read("0 1e308\n1e-9 -1e308\n2e-9 1e308\n").says("overflow"));
  CHECK(read(std::string(5000, '1')).says("w.txt:1: is longer than 4096"));
  CHECK(read(std::string("\xff\xd8\xff\xe0\0\x10JFIF", 10)).kind == ErrorKind::data);
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
  CHECK_THAT(wavelet.max_frequency, WithinRel(make_wavelet("ricker:f=15", 7e-4, 500).max_frequency, 1e-3));

  write_hdf5(file, {1, 2, 3}, 0);
  CHECK(outcome_of([&] { (void)make_wavelet(file, 1e-3, 10); }).says("dt"));
  write_hdf5(file, {1, 2, 3}, -1);
  CHECK(outcome_of([&] { (void)make_wavelet(file, 1e-3, 10); }).kind == ErrorKind::data);
  write_hdf5(file, {1, std::nan(""), 3}, 1);
  CHECK(outcome_of([&] { (void)make_wavelet(file, 1e-3, 10); }).says("index 1"));
  const std::string text_file = directory.write("text.h5", "1\n2\n");
  CHECK(outcome_of([&] { (void)make_wavelet(text_file, 1e-3, 10); }).kind == ErrorKind::data);
}

TEST_CASE("a wavelet ends behind its last sample of note", "[unit]") {
  const auto end_of = [](const std::vector<double>& samples) {
    Wavelet wavelet;
    wavelet.fed = samples;
    return wavelet.end();
  };
  CHECK(end_of({}) == 0);
  CHECK(end_of({0, 0, 0}) == 0);
  CHECK(end_of({0, 1, 0, 0}) == 2);
  CHECK(end_of({0, 100, -1.1e-4, 0.9e-4, 0}) == 3);
  CHECK(end_of({1, 0, std::nan(""), 0}) == 3);
  CHECK(end_of({1, HUGE_VAL, 1, 0}) == 3);  // infinity makes no other sample small
  CHECK(end_of({1, 1e300, 1, 0}) == 2);
  const Wavelet ricker = make_wavelet("ricker:f=15", 1e-3, 1000);
  CHECK(ricker.end() > 180);
  CHECK(ricker.end() < 220);
}

}  // namespace
}  // namespace minimod
