#include "src/job/plan/echo_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace minimod {

namespace {

constexpr double most_wavelengths = 30;  // from source to receiver; beyond them the geometry is made smaller
constexpr double nearly = 1.2;           // ratio of velocities that count as one
constexpr int cosines = 64;
constexpr int trace_times =
    4 * EchoModel::frequencies;  // times of a trace, in the period that the frequencies have

double along(Point3 p, int axis) {
  return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

EchoPath path_by(const EchoFace& face, Point3 source, Point3 receiver) {
  const double s = along(source, face.axis), r = along(receiver, face.axis);
  const double apart = metres_between(source, receiver), straight = s - r;
  return {std::abs(s - face.at) + std::abs(r - face.at),
          std::sqrt(std::max(0.0, apart * apart - straight * straight))};
}

std::vector<EchoFace> faces_of(const RunPlan& plan) {
  const PmlWidths& w = plan.problem.domain.boundary.widths;
  const Point3 end = plan.medium->extent();
  std::vector<EchoFace> faces;
  const auto add = [&](int width, const EchoFace& face) {
    if (width > 0) faces.push_back(face);
  };
  add(w.left, {0, 0, "left"});
  add(w.right, {0, end.x, "right"});
  add(w.front, {1, 0, "front"});
  add(w.back, {1, end.y, "back"});
  add(w.top, {2, 0, "top"});
  add(w.bottom, {2, end.z, "bottom"});
  return faces;
}

/// Whether plane waves say within some dB what a face reflects of a wave.
bool is_plane(const EchoPath& path, double wavelength) {
  constexpr double least_cosine = 0.65, least_wavelengths = 12;
  return path.across > least_cosine * path.length() && path.length() > least_wavelengths * wavelength;
}

/// Spectrum of the samples around the greatest, over the period that the frequencies have. So many are taken
/// that f_max has eight: their number does not depend on the steps.
EchoModel::Spectrum spectrum_of(const Wavelet& wavelet, const std::vector<double>& at) {
  constexpr double samples_of_wave = 8;
  const double spacing = at[1] - at[0], f_max = spacing * EchoModel::frequencies;
  const auto is_less = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto middle = std::ranges::max_element(wavelet.samples, is_less) - wavelet.samples.begin();
  const auto stride = std::max<std::ptrdiff_t>(1, std::llround(1 / (samples_of_wave * f_max * wavelet.dt)));
  const auto half = static_cast<std::ptrdiff_t>(1 / (2 * spacing * wavelet.dt * static_cast<double>(stride)));
  const auto before = std::min(half, middle / stride);
  const auto left = static_cast<std::ptrdiff_t>(wavelet.samples.size()) - 1 - middle;
  EchoModel::Spectrum spectrum;
  for (const double frequency : at) {
    std::complex<double> sum;
    for (std::ptrdiff_t i = -before; i <= std::min(half, left / stride); ++i) {
      const double t = static_cast<double>(i * stride) * wavelet.dt;
      sum += wavelet.samples[middle + i * stride] * std::polar(1.0, -2 * std::numbers::pi * frequency * t);
    }
    spectrum.push_back(sum);
  }
  return spectrum;
}

}  // namespace

double metres_between(Point3 a, Point3 b) {
  const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return std::sqrt(x * x + y * y + z * z);
}

EchoModel::EchoModel(const RunPlan& plan, double velocity)
    : faces_(faces_of(plan)),
      velocity_(velocity),
      seconds_(plan.time().dt * plan.time().steps),
      wavelength_(velocity_ / plan.signals.peak_frequency),
      dt_(plan.time().dt),
      has_mirror_(plan.problem.domain.boundary.free_surface &&
                  plan.medium->v_max() < nearly * plan.medium->v_min()) {
  const double pi = std::numbers::pi;
  for (int i = 0; i < frequencies; ++i) at_.push_back(plan.signals.max_frequency * (i + 0.5) / frequencies);
  for (int i = 0; i < 2 * trace_times; ++i) turns_.push_back(std::polar(1.0, pi * i / trace_times));
  for (const int axis : {0, 1, 2}) {  // all layers have as many points
    const double h = along(plan.grid().spacing, axis);
    const auto same = std::ranges::find_if(lines_, [&](const LayerLine& line) { return line.spacing == h; });
    line_of_[axis] = static_cast<int>(same - lines_.begin());
    if (same != lines_.end()) continue;
    lines_.push_back(layer_line(plan.problem.boundary, axis, h, dt_, plan.grid().difference()));
    plane_.emplace_back(1, 1.0);
    for (int i = 1; i <= cosines; ++i) {
      const double angle = std::acos(static_cast<double>(i) / cosines);
      plane_.back().push_back(std::abs(
          plane_wave_reflection(lines_.back(), velocity_, 2 * pi * plan.signals.peak_frequency, angle)));
    }
  }
}

double EchoModel::by_plane_waves(std::size_t face, Point3 source, Point3 receiver) const {
  const EchoPath path = path_by(faces_[face], source, receiver);
  const double direct = metres_between(source, receiver), way = path.length();
  if (direct == 0 || !is_heard(way)) return 0;
  const std::vector<double>& r = plane_[line_of_[faces_[face].axis]];
  const double cosine = cosines * path.across / way;
  const auto below = std::min(static_cast<std::size_t>(cosine), r.size() - 2);
  return direct / way * std::lerp(r[below], r[below + 1], cosine - static_cast<double>(below));
}

std::vector<EchoModel::Image> EchoModel::images(Point3 source) const {
  std::vector<Image> images{{source, 1}};
  if (has_mirror_) images.push_back({{source.x, source.y, -source.z}, -1});
  return images;
}

double EchoModel::scale(const EchoPair& pair) const {
  return std::min(1.0, most_wavelengths * wavelength_ / metres_between(pair.source, pair.receiver));
}

std::vector<EchoModel::Echo> EchoModel::echoes_of(const std::vector<EchoPair>& pairs) const {
  std::vector<Echo> echoes;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const double factor = scale(pairs[k]);
    for (const Image& image : images(pairs[k].source)) {
      for (std::size_t f = 0; f < faces_.size(); ++f) {
        const EchoPath path = path_by(faces_[f], image.source, pairs[k].receiver);
        if (!is_heard(path.length())) continue;
        echoes.push_back({k, f, image.sign, {factor * path.across, factor * path.beside}});
      }
    }
  }
  return echoes;
}

std::vector<EchoModel::Waves> EchoModel::waves(const std::vector<EchoPair>& pairs) const {
  const std::vector<Echo> echoes = echoes_of(pairs);
  const Spectrum none(frequencies);
  std::vector<Waves> waves(pairs.size(), {none, {faces_.size(), none}});
  std::vector<EchoPath> paths(echoes.size());
  std::ranges::transform(echoes, paths.begin(), &Echo::path);
  for (int i = 0; i < frequencies && !paths.empty(); ++i) {
    const double number = wave_number(2 * std::numbers::pi * at_[i], velocity_, dt_);
    const bool are_plane =
        std::ranges::all_of(paths, [&](const EchoPath& path) { return is_plane(path, velocity_ / at_[i]); });
    std::vector<SphericalEcho> by_line;
    for (const LayerLine& line : lines_) {
      if (!are_plane) by_line.emplace_back(line, velocity_, at_[i], paths);
    }
    for (const Echo& echo : echoes) {
      const int line = line_of_[faces_[echo.face].axis];
      waves[echo.pair].echoes[echo.face][i] +=
          echo.sign *
          (are_plane ? plane_echo(lines_[line], velocity_, at_[i], echo.path) : by_line[line].at(echo.path));
    }
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      for (const Image& image : images(pairs[k].source)) {
        const double r = scale(pairs[k]) * metres_between(image.source, pairs[k].receiver);
        waves[k].direct[i] += image.sign * std::polar(1 / r, -number * r);
      }
    }
  }
  return waves;
}

/// The frequencies are half a step off the multiples of one, whose period they turn the sign after.
double EchoModel::peak_of(Spectrum waves, const Spectrum& signature) const {
  for (int i = 0; i < frequencies; ++i) waves[i] *= signature[i];
  double greatest = 0;
  for (int n = 0; n < trace_times; ++n) {
    double u = 0;
    for (int i = 0; i < frequencies; ++i)
      u += (waves[i] * turns_[(2 * i + 1) * n % (2 * trace_times)]).real();
    greatest = std::max(greatest, std::abs(u));
  }
  return greatest;
}

EchoModel::Sizes EchoModel::sizes(const Waves& waves, const Wavelet& wavelet) const {
  const Spectrum signature = spectrum_of(wavelet, at_);
  Sizes sizes{peak_of(waves.direct, signature), 0, 0};
  Spectrum all(frequencies);
  double loudest = 0;
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    for (int i = 0; i < frequencies; ++i) all[i] += waves.echoes[f][i];
    const double size = peak_of(waves.echoes[f], signature);
    if (size <= loudest) continue;
    loudest = size;
    sizes.loudest_face = f;
  }
  sizes.echo = peak_of(all, signature);
  return sizes;
}

}  // namespace minimod
