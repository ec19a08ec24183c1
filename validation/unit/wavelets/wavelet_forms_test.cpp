/// Signatures with a band of their own: Ormsby, Klauder, and the minimum phase of another.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/wavelets/minimum_phase.hpp"
#include "src/wavelets/wavelet.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

using Catch::Matchers::WithinAbs;

/// Σ s(n dt) exp(−2πi f n dt) dt.
std::complex<double> spectrum_at(const std::vector<double>& s, double dt, double f) {
  std::complex<double> sum = 0;
  for (std::size_t n = 0; n < s.size(); ++n) {
    sum += s[n] * std::polar(dt, -2 * std::numbers::pi * f * static_cast<double>(n) * dt);
  }
  return sum;
}

/// 0 to 1, between corners.
double trapezoid(double f, double f1, double f2, double f3, double f4) {
  return std::clamp(std::min((f - f1) / (f2 - f1), (f4 - f) / (f4 - f3)), 0.0, 1.0);
}

double greatest_between(double first, double last, const std::function<double(double)>& value) {
  double greatest = 0;
  for (double f = first; f <= last; f += (last - first) / 64) greatest = std::max(greatest, value(f));
  return greatest;
}

TEST_CASE("an Ormsby wavelet has the trapezoid of its corners for a spectrum", "[unit]") {
  const Wavelet w = make_wavelet("ormsby:f=5/10/40/50", 1e-3, 1300);
  const auto error = [&](double f) {
    const double exact = trapezoid(f, 5, 10, 40, 50) / (50 + 40 - 10 - 5);
    return std::abs(std::abs(spectrum_at(w.samples, 1e-3, f)) - exact) * (50 + 40 - 10 - 5);
  };
  CHECK(greatest_between(0, 100, error) < 0.05);      // at the corners, which the window rounds
  CHECK(greatest_between(13.4, 36.6, error) < 1e-4);  // two thirds of a ramp away from them
  CHECK(greatest_between(53.4, 400, error) < 1e-4);
  CHECK(greatest_between(0, 1.6, error) < 1e-4);
  CHECK(w.samples[0] == 0);
  CHECK(w.samples[600] == 1);
  CHECK(w.samples[590] == w.samples[610]);
  CHECK_THAT(w.delay(), WithinAbs(0.6, 1e-12));
  CHECK_THAT(w.max_frequency, WithinAbs(49.7, 0.2));
  CHECK(w.notes.empty());
  CHECK(w.description == "ormsby, f = 5/10/40/50 Hz, window +-0.6 s, t0 = 0.6 s");
  CHECK(make_wavelet("ormsby:f=5/10/40/50,t0=0.7", 1e-3, 1400).samples[700] == 1);
  CHECK(make_wavelet("ormsby:f=0/10/10/50,window=0.2", 1e-3, 500).samples[200] == 1);
}

TEST_CASE("a Klauder wavelet is the autocorrelation of its sweep", "[unit]") {
  constexpr double f1 = 5, f2 = 25, length = 2, dt = 1e-3;
  const Wavelet whole = make_wavelet("klauder:f=5/25,T=2,window=2", dt, 4001);
  const auto sweep = [&](double t) {  // analytic signal of the sweep
    return t < 0 || t > length
               ? 0
               : std::polar(1.0, 2 * std::numbers::pi * (f1 * t + (f2 - f1) / (2 * length) * t * t));
  };
  for (const double lag : {0.0, 0.013, 0.05, 0.11, 0.35, 0.9, 1.7}) {
    std::complex<double> sum = 0;
    for (int n = 0; n <= 2000 * 4; ++n)
      sum += sweep(n * dt / 4 + lag) * std::conj(sweep(n * dt / 4)) * dt / 4.0;
    const double window = std::pow(std::cos(std::numbers::pi * lag / 4), 2);
    CAPTURE(lag);
    CHECK_THAT(whole.samples[static_cast<std::size_t>(std::lround((2 + lag) / dt))],
               WithinAbs(window * sum.real() / length, 1e-3));
  }
  const Wavelet w = make_wavelet("klauder:f=60/10,T=8", dt, 900);  // downwards
  CHECK(w.samples[0] == 0);
  CHECK(w.samples[400] == 1);
  const double middle = std::abs(spectrum_at(w.samples, dt, 35));
  const auto error = [&](double f) { return std::abs(std::abs(spectrum_at(w.samples, dt, f)) / middle - 1); };
  CHECK(greatest_between(15, 55, error) < 0.02);
  CHECK(greatest_between(0, 5, [&](double f) { return 1 - error(f); }) < 0.02);
  CHECK(greatest_between(65, 400, [&](double f) { return 1 - error(f); }) < 0.02);
}

TEST_CASE("a minimum phase keeps the spectrum and has its energy early", "[unit]") {
  for (const char* const spec :
       {"ricker:f=10", "ormsby:f=5/10/40/50", "klauder:f=10/60,T=8", "gaussian:f=20"}) {
    CAPTURE(spec);
    const Wavelet even = make_wavelet(spec, 1e-3, 2000);
    const Wavelet w = make_wavelet(std::string("minimum:") + spec, 1e-3, 2000);
    const auto amplitude = [](const Wavelet& of, double f) {
      return std::abs(spectrum_at(of.samples, 1e-3, f));
    };
    const double greatest = greatest_between(0, 60, [&](double f) { return amplitude(even, f); });
    CHECK(greatest_between(0, 400, [&](double f) {
            return std::abs(amplitude(w, f) - amplitude(even, f)) / greatest;
          }) < 1.1 * minimum_phase_floor);
    double before = 0, before_even = 0;
    for (std::size_t n = 0; n < w.samples.size(); ++n) {
      before += w.samples[n] * w.samples[n];
      before_even += even.samples[n] * even.samples[n];
      if (before < before_even * (1 - 1e-4) - 1e-9)
        FAIL_CHECK("more energy comes early in the other at " << n);
    }
    CHECK(w.notes.empty());
    CHECK_THAT(w.max_frequency, WithinAbs(even.max_frequency, 0.01 * even.max_frequency));
  }
}

TEST_CASE("a signature without zeros is the minimum phase of itself turned round", "[unit]") {
  const TemporaryDirectory directory;
  const auto pulse = [](double t) { return t < 0 ? 0 : std::pow(t / 0.02, 2) * std::exp(2 - t / 0.01); };
  std::string forward, turned;
  for (int i = 0; i <= 400; ++i) {
    forward += text(i * 1e-3, ' ', pulse(i * 1e-3), '\n');
    turned += text(i * 1e-3, ' ', pulse(0.4 - i * 1e-3), '\n');
  }
  const Wavelet exact = make_wavelet(directory.write("f.txt", forward), 1e-3, 400),
                found = make_wavelet("minimum:" + directory.write("t.txt", turned), 1e-3, 400);
  double difference = 0;
  for (std::size_t n = 0; n < 400; ++n) {
    difference = std::max(difference, std::abs(exact.samples[n] - found.samples[n]));
  }
  CHECK(difference < 0.02);
  CHECK(found.description.starts_with("minimum phase of samples of "));
}

TEST_CASE("wrong bands are errors of usage", "[unit]") {
  for (const char* const bad : {"ormsby:f=5/10/40",
                                "ormsby:f=5/10/40/50/60",
                                "ormsby:f=10",
                                "ormsby:f=10/5/40/50",
                                "ormsby:f=5/5/40/50",
                                "ormsby:f=5/10/50/50",
                                "ormsby:f=5/50/40/60",
                                "ormsby:f=0/0/40/50",
                                "ormsby:f=5/10//50",
                                "ormsby:f=-1/10/40/50",
                                "ormsby:f=5/10/40/50,T=8",
                                "ormsby:f=5/10/40/50,window=0",
                                "ormsby",
                                "ormsby:",
                                "klauder:f=10/60",
                                "klauder:f=10,T=8",
                                "klauder:f=10/10,T=8",
                                "klauder:f=10/60,T=0",
                                "klauder:f=10/60,T=-8",
                                "klauder:T=8",
                                "klauder:f=10/60,T=8,T=8",
                                "klauder:f=0/0,T=8",
                                "ricker:f=10/20",
                                "ricker:f=10,window=1",
                                "minimum:ricker:f=0"}) {
    CAPTURE(bad);
    const Outcome outcome = outcome_of([&] { (void)make_wavelet(bad, 1e-3, 10); });
    CHECK(outcome.kind == ErrorKind::parameter);
    CHECK(outcome.message.size() <= longest_message);
  }
  CHECK(outcome_of([] { (void)make_wavelet("minimum:no.txt", 1e-3, 10); }).kind == ErrorKind::missing_input);
  CHECK(outcome_of([] { (void)make_wavelet("minimum:", 1e-3, 10); }).kind == ErrorKind::missing_input);
  const TemporaryDirectory directory;
  const std::string zeros = directory.write("z.txt", "0 0\n1e-3 0\n2e-3 0\n");
  CHECK(outcome_of([&] { (void)make_wavelet("minimum:" + zeros, 1e-3, 10); }).kind == ErrorKind::data);
  for (const char* const spec : {"klauder:f=1e-6/1e12,T=1e9,window=1e9", "ormsby:f=1e-6/2e-6/1e11/1e12"}) {
    CHECK(outcome_of([&] { (void)make_wavelet(spec, 1e-3, 10); }).kind == ErrorKind::data);
    CHECK(outcome_of([&] { (void)make_wavelet(std::string("minimum:") + spec, 1e-3, 10); }).kind ==
          ErrorKind::data);
  }
}

}  // namespace
}  // namespace minimod
