/// The signatures that the shots of a survey name, on the time axes of their shots.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/io/gather/shot_geometry.hpp"
#include "src/job/plan/shot_options.hpp"
#include "src/wavelets/signature.hpp"

namespace minimod {

/// Name that tells the wavelet of a source from others: its words, and where t = 0 is a peak those of the
/// shot's first source, whose peak that is.
[[nodiscard]] std::string wavelet_name(const ShotGeometry& shot, const ShotSource& source, TimeZero zero);

/// Each is read once. All sources of a shot keep their times to each other: the peak that becomes t = 0 is
/// the first source's.
class SignaturesOfShots {
 public:
  /// \param dt Of the run, s
  SignaturesOfShots(TimeZero zero, double dt) : zero_(zero), dt_(dt) {}

  /// A signature that no file and no form has.
  void know(const std::string& spec, Signature signature);
  /// Errors: those of make_signature; 65 one of over 10^7 time steps.
  [[nodiscard]] Signature of(const ShotGeometry& shot, const ShotSource& source);
  /// Where the earliest of all begins, s.
  [[nodiscard]] double first(const std::vector<ShotGeometry>& shots);

 private:
  struct Known {
    Signature signature;
    double peak = 0;  ///< s, where it is greatest; 0 unless that is asked for
  };
  const Known& known(const std::string& spec);

  TimeZero zero_;
  double dt_;
  std::map<std::string, Known> known_;
};

}  // namespace minimod
