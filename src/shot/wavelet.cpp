#include "src/shot/wavelet.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <numbers>
#include <string_view>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/hdf5.hpp"
#include "src/base/number_rows.hpp"
#include "src/base/parse.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view option = "--wavelet";
constexpr double energy_share = 0.99;
constexpr double negligible_share = 1e-6;
/// erf(sqrt(2) F / f) = 0.99: the energy spectrum of e^-(pi f t)^2 is proportional to e^(-2 (F / f)^2).
constexpr double gaussian_max_frequency = 1.288;
constexpr std::int64_t max_samples = 10'000'000;

struct Parameters {
  double frequency = 0, t0 = 0;
};

/// "f=15,t0=0.1".
Parameters parse_parameters(std::string_view text, const std::string& spec) {
  const std::string remedy = "give ricker:f=15 or ricker:f=15,t0=0.1 (Hz, s)";
  const auto wrong = [&](const std::string& what) {
    return Error(ExitCode::usage, minimod::text(option, " '", escaped(spec, 60), "' ", what), remedy);
  };
  std::optional<double> frequency;
  std::optional<double> t0;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equal = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equal);
    const std::string_view value = part.substr(std::min(equal + 1, part.size()));
    if (name != "f" && name != "t0") throw wrong("has the unknown parameter '" + escaped(name, 30) + "'");
    auto& target = name == "f" ? frequency : t0;
    if (target) throw wrong("has " + std::string(name) + " twice");
    target = parse_number(value, minimod::text(option, " ", name));
  }
  if (!frequency) throw wrong("has no frequency f");
  // Anything seismic, sonic or medical lies far inside; outside, 1 / f and f^2 leave the range of a double.
  if (*frequency < 1e-6 || *frequency > 1e12) throw wrong("has an f outside 1e-6 to 1e12 Hz");
  return {*frequency, t0.value_or(1.5 / *frequency)};
}

/// a = (pi f (t - t0))^2, capped where e^-a has long been 0, so that a e^-a stays a number.
double exponent(const Parameters& p, double t) {
  const double root = std::numbers::pi * p.frequency * (t - p.t0);
  return std::min(root * root, 1e4);
}

template <class Function>
std::vector<double> sample(Function s, double dt, int steps) {
  std::vector<double> samples(static_cast<std::size_t>(steps));
  for (int n = 0; n < steps; ++n) samples[static_cast<std::size_t>(n)] = s(n * dt);
  return samples;
}

Wavelet make_ricker(const Parameters& p, double dt, int steps) {
  const auto s = [&](double t) { return ricker(t, p.frequency, p.t0); };
  return {sample(s, dt, steps), dt, p.frequency, 2.5 * p.frequency,
          text("ricker, f = ", p.frequency, " Hz, t0 = ", p.t0, " s")};
}

Wavelet make_gaussian(const Parameters& p, double dt, int steps) {
  const auto s = [&](double t) { return std::exp(-exponent(p, t)); };
  return {sample(s, dt, steps), dt, 0, gaussian_max_frequency * p.frequency,
          text("gaussian, f = ", p.frequency, " Hz, t0 = ", p.t0, " s")};
}

/// The natural cubic spline through (times, values), 0 outside.
class Spline {
 public:
  Spline(std::vector<double> times, std::vector<double> values)
      : t_(std::move(times)), s_(std::move(values)), curvature_(t_.size()) {
    // The tridiagonal system of the second derivatives, both 0 at the ends, by elimination and substitution.
    std::vector<double> upper(t_.size());
    for (std::size_t i = 1; i + 1 < t_.size(); ++i) {
      const double left = t_[i] - t_[i - 1];
      const double right = t_[i + 1] - t_[i];
      const double bend = 6 * ((s_[i + 1] - s_[i]) / right - (s_[i] - s_[i - 1]) / left);
      const double pivot = 2 * (left + right) - left * upper[i - 1];
      upper[i] = right / pivot;
      curvature_[i] = (bend - left * curvature_[i - 1]) / pivot;
    }
    for (std::size_t i = t_.size() - 1; i-- > 0;) curvature_[i] -= upper[i] * curvature_[i + 1];
  }

  double operator()(double t) const {
    // A sample at the very end must not be lost to the rounding of n dt.
    const double slack = 1e-9 * (t_.back() - t_.front());
    if (t < t_.front() - slack || t > t_.back() + slack) return 0;
    const auto above = std::upper_bound(t_.begin() + 1, t_.end() - 1, t);
    const auto i = static_cast<std::size_t>(above - t_.begin());
    const double h = t_[i] - t_[i - 1];
    const double a = (t_[i] - t) / h;
    const double b = (t - t_[i - 1]) / h;
    return a * s_[i - 1] + b * s_[i] +
           ((a * a * a - a) * curvature_[i - 1] + (b * b * b - b) * curvature_[i]) * h * h / 6;
  }

 private:
  std::vector<double> t_, s_, curvature_;
};

/// Discrete Fourier transform in place; the size is a power of two.
void transform(std::vector<std::complex<double>>& x) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    // j counts with the bits reversed: the carry runs from the highest bit down.
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t half = 1; half < n; half *= 2) {
    const double angle = -std::numbers::pi / static_cast<double>(half);
    for (std::size_t k = 0; k < half; ++k) {
      const std::complex<double> twiddle = std::polar(1.0, angle * static_cast<double>(k));
      for (std::size_t i = k; i < n; i += 2 * half) {
        const std::complex<double> odd = twiddle * x[i + half];
        x[i + half] = x[i] - odd;
        x[i] += odd;
      }
    }
  }
}

struct Spectrum {
  double peak = 0, max = 0;  // Hz
};

/// Where the spectrum of samples `dt` apart is greatest, and the frequency under which 99 % of the energy
/// lies.
Spectrum measure_spectrum(const std::vector<double>& samples, double dt) {
  // Zeros behind the samples make the steps of frequency fine.
  constexpr std::size_t least = 1 << 14;
  std::vector<std::complex<double>> x(std::max(least, std::bit_ceil(2 * samples.size())));
  std::ranges::copy(samples, x.begin());
  transform(x);
  const std::size_t nyquist = x.size() / 2;
  std::vector<double> energy(nyquist + 1);
  double total = 0;
  for (std::size_t k = 0; k <= nyquist; ++k) {
    energy[k] = std::norm(x[k]);
    // Every frequency but the first and the last stands for its negative too.
    total += (k == 0 || k == nyquist ? 1 : 2) * energy[k];
  }
  std::size_t k = 0;
  for (double sum = energy[0]; sum < energy_share * total && k < nyquist;) sum += 2 * energy[++k];
  const double step = 1 / (static_cast<double>(x.size()) * dt);
  const auto peak = std::ranges::max_element(energy) - energy.begin();
  return {static_cast<double>(peak) * step, static_cast<double>(k) * step};
}

/// All of a wavelet of a file but its samples at the run's time steps; `samples` are those of the file.
Wavelet describe(std::vector<double> samples, double sample_dt, const fs::path& path) {
  const std::string name = escaped(path.native(), 80);
  double greatest = 0;
  for (const double s : samples) greatest = std::max(greatest, std::abs(s));
  if (greatest == 0)
    throw Error(ExitCode::data, "wavelet '" + name + "' is zero throughout", "give a signal");
  for (double& s : samples) s /= greatest;  // so that the energy of samples near 1e200 is a number
  const Spectrum spectrum = measure_spectrum(samples, sample_dt);
  return {{}, 0, spectrum.peak, spectrum.max, "samples of " + name};
}

/// The wavelet through the points (times, values), two or more, at the run's time steps.
Wavelet resample(std::vector<double> times, std::vector<double> values, double dt, int steps,
                 const fs::path& path) {
  const double first = times.front();
  const double mean_dt = (times.back() - first) / static_cast<double>(times.size() - 1);
  const int count = static_cast<int>(times.size());
  const Spline spline(std::move(times), std::move(values));
  const auto even = sample([&](double t) { return spline(first + t); }, mean_dt, count);
  auto samples = sample(spline, dt, steps);
  const auto finite = [](double s) { return std::isfinite(s); };
  if (!std::ranges::all_of(even, finite) || !std::ranges::all_of(samples, finite)) {
    throw Error(ExitCode::data,
                "the times or values of wavelet '" + escaped(path.native(), 80) + "' overflow when resampled",
                "give seconds and values below 1e100");
  }
  Wavelet wavelet = describe(even, mean_dt, path);
  wavelet.samples = std::move(samples);
  wavelet.dt = dt;
  return wavelet;
}

Wavelet read_text(const fs::path& path, double dt, int steps) {
  const NumberRows rows = read_number_rows(
      path, {1, 2, {}, "one column of samples, or time (s) and value; put # before other text"});
  if (rows.columns == 1) {
    Wavelet wavelet = describe(rows.values, dt, path);
    wavelet.samples = rows.values;
    wavelet.samples.resize(static_cast<std::size_t>(steps));
    wavelet.dt = dt;
    return wavelet;
  }
  if (rows.rows() == 1) throw line_error(path, rows.lines[0], 0, "is the only sample", "give two or more");
  std::vector<double> times(rows.rows());
  std::vector<double> values(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    times[i] = rows.at(i, 0);
    values[i] = rows.at(i, 1);
    if (i > 0 && times[i] <= times[i - 1]) {
      throw line_error(path, rows.lines[i], 1,
                       text("time ", times[i], " s is not after ", times[i - 1], " s, the one before"),
                       "give increasing times");
    }
  }
  return resample(std::move(times), std::move(values), dt, steps, path);
}

Wavelet read_hdf5(const fs::path& path, double dt, int steps) {
  const auto wrong = [&](const std::string& what, const std::string& remedy) {
    return Error(ExitCode::data, "/wavelet of '" + escaped(path.native(), 80) + "' " + what, remedy);
  };
  const hdf5::Handle file = hdf5::open_for_reading(path);
  const hdf5::Handle dataset = hdf5::open_float_dataset(file, "/wavelet", path);
  const hdf5::Shape shape = hdf5::shape_of(dataset);
  if (shape.dims.size() != 1) {
    throw wrong(text("has ", shape.dims.size(), " dimensions"), "give one dimension, time");
  }
  if (shape.count() < 2 || shape.count() > max_samples) {
    throw wrong(text("has ", shape.count(), " samples"), text("give 2 to ", max_samples));
  }
  const std::vector<double> file_dt = hdf5::read_number_attribute(dataset, "dt");
  if (file_dt.size() != 1 || !std::isfinite(file_dt[0]) || file_dt[0] <= 0) {
    throw wrong("has no attribute dt above 0", "write the time between its samples (s) as attribute dt");
  }
  std::vector<double> values = hdf5::read_doubles(dataset, path);
  const auto bad = std::ranges::find_if_not(values, [](double s) { return std::isfinite(s); });
  if (bad != values.end()) {
    throw wrong(text("holds ", *bad, " at index ", bad - values.begin()), "give finite samples");
  }
  std::vector<double> times(values.size());
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = static_cast<double>(i) * file_dt[0];
  return resample(std::move(times), std::move(values), dt, steps, path);
}

}  // namespace

double ricker(double t, double f, double t0) {
  const double a = exponent({f, t0}, t);
  return (1 - 2 * a) * std::exp(-a);
}

double Wavelet::delay() const {
  const auto greatest = std::ranges::max_element(samples, {}, [](double s) { return std::abs(s); });
  return static_cast<double>(greatest - samples.begin()) * dt;
}

int Wavelet::end() const {
  double greatest = 0;
  for (const double s : samples) {
    if (std::isfinite(s)) greatest = std::max(greatest, std::abs(s));
  }
  const auto is_negligible = [&](double s) { return std::abs(s) <= negligible_share * greatest; };
  const auto last = std::find_if_not(samples.rbegin(), samples.rend(), is_negligible);
  return static_cast<int>(samples.rend() - last);
}

Wavelet make_wavelet(const std::string& spec, double dt, int steps) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = std::string_view(spec).substr(0, colon);
  if (name == "ricker" || name == "gaussian") {
    const auto rest =
        colon == std::string::npos ? std::string_view() : std::string_view(spec).substr(colon + 1);
    const Parameters parameters = parse_parameters(rest, spec);
    return (name == "ricker" ? make_ricker : make_gaussian)(parameters, dt, steps);
  }
  const fs::path path(spec);
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw Error(ExitCode::missing_input,
                text(option, " '", escaped(spec, 80), "' is neither a known form nor a file"),
                "give ricker:f=15, gaussian:f=15 or a file of samples");
  }
  const bool is_hdf5 = path.extension() == ".h5" || path.extension() == ".hdf5";
  return is_hdf5 ? read_hdf5(path, dt, steps) : read_text(path, dt, steps);
}

}  // namespace minimod
