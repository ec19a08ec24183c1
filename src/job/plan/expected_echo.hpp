/// How loud the absorbing layer's echo will be in the traces of a shot, from its geometry and from what the
/// layer reflects (boundary/spherical_echo.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/job/plan/plan.hpp"

namespace minimod {

/// The loudest echo of the absorbing layer that is expected at a receiver.
struct ExpectedEcho {
  double decibel = 0;  ///< level relative to the direct wave there
  Point3 source, receiver;
  std::string face;         ///< face that sends back most of it
  std::optional<int> shot;  ///< number of the shot, of several
};

/// The loudest echo of the shots: the greatest |u| that the faces with a layer send back, over that of the
/// direct wave at the same receiver, of several sources the nearest one's. Each source has an image behind
/// each face.
///
/// The medium is taken as homogeneous, with the greatest velocity within half a wavelength of the depths of
/// sources and receivers: a layer is the thinnest for its long waves. Under a free surface the mirrored
/// sources count where V changes by less than a fifth; in other media interfaces guide direct wave and echo
/// alike, and none has its mirrored one. Echoes after the run's end do not count. None is found where none
/// comes before, nor of injected traces, whose sizes differ.
///
/// The cost is bounded, whatever the shots: 50,000 ways of shots, sources and receivers, spread evenly, are
/// looked at by what the layer reflects of plane waves; of each face's loudest the echo is computed at 12
/// frequencies and up to 30 wavelengths, where ways are steep and long by plane waves.
[[nodiscard]] std::optional<ExpectedEcho> expected_echo(const RunPlan& plan,
                                                        const std::vector<const ShotGeometry*>& shots);

/// In words: "expected at -52 dB of the direct wave at …".
[[nodiscard]] std::string echo_fact(const RunPlan& plan, const std::optional<ExpectedEcho>& echo);
/// A note of one that is over −40 dB of the direct wave; none of another.
[[nodiscard]] std::vector<std::string> echo_notes(const RunPlan& plan,
                                                  const std::optional<ExpectedEcho>& echo);

}  // namespace minimod
