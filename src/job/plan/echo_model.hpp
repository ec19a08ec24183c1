/// The echoes of a run's faces in a homogeneous medium, by image sources.
#pragma once

#include <complex>
#include <vector>

#include "boundary/spherical_echo.hpp"
#include "src/job/plan/plan.hpp"

namespace minimod {

[[nodiscard]] double metres_between(Point3 a, Point3 b);

/// The model's outermost nodes before a layer.
struct EchoFace {
  int axis = 0;
  double at = 0;  ///< m
  const char* name = "";
};

/// A source and a receiver of a shot.
struct EchoPair {
  Point3 source, receiver;
  const ShotSource* planned = nullptr;
  const ShotGeometry* shot = nullptr;
};

class EchoModel {
 public:
  /// At which the echo is looked at: (i + 1/2) / 12 of f_max.
  static constexpr int frequencies = 12;
  using Spectrum = std::vector<std::complex<double>>;

  /// The waves of a unit source at a receiver, by frequency.
  struct Waves {
    Spectrum direct;
    std::vector<Spectrum> echoes;  ///< echo of each face
  };
  /// The greatest |u|, over a factor that all have.
  struct Sizes {
    double direct = 0, echo = 0;
    std::size_t loudest_face = 0;
  };

  /// In a medium of `velocity`, m/s.
  EchoModel(const RunPlan& plan, double velocity);

  [[nodiscard]] const std::vector<EchoFace>& faces() const { return faces_; }

  /// Echo of a face over direct wave by what the layer reflects of plane waves of the peak frequency; 0 where
  /// none comes before the end.
  [[nodiscard]] double by_plane_waves(std::size_t face, Point3 source, Point3 receiver) const;
  [[nodiscard]] std::vector<Waves> waves(const std::vector<EchoPair>& pairs) const;

  [[nodiscard]] Sizes sizes(const Waves& waves, const Wavelet& wavelet) const;

 private:
  /// The way of an image's wave by a face to a pair's receiver.
  struct Echo {
    std::size_t pair = 0, face = 0;
    double sign = 1;
    EchoPath path;
  };
  struct Image {
    Point3 source;
    double sign = 1;
  };

  [[nodiscard]] std::vector<Image> images(Point3 source) const;
  [[nodiscard]] bool is_heard(double way) const { return way < velocity_ * seconds_; }
  /// By which the geometry of a pair is smaller than it is.
  [[nodiscard]] double scale(const EchoPair& pair) const;
  [[nodiscard]] std::vector<Echo> echoes_of(const std::vector<EchoPair>& pairs) const;
  [[nodiscard]] double peak_of(Spectrum waves, const Spectrum& signature) const;

  std::vector<EchoFace> faces_;
  std::vector<LayerLine> lines_;            ///< layers that differ
  int line_of_[3] = {};                     ///< by axis
  std::vector<std::vector<double>> plane_;  ///< |R| of a plane wave, of each line, at i / 64 of the cosine
  std::vector<double> at_;                  ///< Hz
  Spectrum turns_;                          ///< factors of a whole circle
  double velocity_, seconds_, wavelength_, dt_;
  bool has_mirror_;
};

}  // namespace minimod
