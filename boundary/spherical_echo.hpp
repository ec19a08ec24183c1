/// Echo of a point source's wave from an absorbing layer.
#pragma once

#include "boundary/plane_wave.hpp"

namespace minimod {

/// The way of an echo by a face, m: across it there and back, and beside it.
struct EchoPath {
  double across = 0, beside = 0;

  [[nodiscard]] double length() const;
  /// Angle of incidence, 0 where it is normal.
  [[nodiscard]] double angle() const;
};

/// u of a source exp(iωt), times 4π m, in a medium of `velocity` (m/s) at `frequency` (Hz), as if its wave
/// were plane where it meets the layer: R exp(−ikL) / L after L metres.
[[nodiscard]] std::complex<double> plane_echo(const LayerLine& layer, double velocity, double frequency,
                                              const EchoPath& path);

/// The echoes of one frequency from a layer: a point source's wave is an integral over plane waves, those
/// that decay across the face included, each times what the layer reflects of it (Sommerfeld 1909). So it
/// holds along the layer, too, where a spherical wave is reflected otherwise than a plane one.
class SphericalEcho {
 public:
  /// As plane_echo, for these ways, and others between them.
  SphericalEcho(const LayerLine& layer, double velocity, double frequency,
                const std::vector<EchoPath>& paths);

  /// u of a source exp(iωt), times 4π m.
  [[nodiscard]] std::complex<double> at(const EchoPath& path) const;

 private:
  struct PlaneWave {
    double beside;                ///< wave number along the face over k
    std::complex<double> across;  ///< exponent across the face, over k a metre
    std::complex<double> weight;
  };

  double number_;  ///< k, 1/m
  std::vector<PlaneWave> waves_;
};

}  // namespace minimod
