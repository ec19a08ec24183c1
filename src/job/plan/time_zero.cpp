#include "src/job/plan/time_zero.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/wavelets/wavelet.hpp"

namespace minimod {

std::string wavelet_name(const ShotGeometry& shot, const ShotSource& source, TimeZero zero) {
  const std::string& first = shot.sources.front().wavelet;
  return zero == TimeZero::onset || source.wavelet == first ? source.wavelet
                                                            : source.wavelet + " beside " + first;
}

void SignaturesOfShots::know(const std::string& spec, Signature signature) {
  const double peak = zero_ == TimeZero::peak ? peak_time(signature, dt_) : 0;
  known_.insert({spec, {std::move(signature), peak}});
}

const SignaturesOfShots::Known& SignaturesOfShots::known(const std::string& spec) {
  if (!known_.contains(spec)) know(spec, make_signature(spec));
  return known_.at(spec);
}

Signature SignaturesOfShots::of(const ShotGeometry& shot, const ShotSource& source) {
  const Signature& signature = known(source.wavelet).signature;
  const double peak = known(shot.sources.front().wavelet).peak;
  return peak == 0 ? signature : earlier(signature, peak);
}

double SignaturesOfShots::first(const std::vector<ShotGeometry>& shots) {
  double first = std::numeric_limits<double>::max();
  for (const ShotGeometry& shot : shots) {
    const double peak = known(shot.sources.front().wavelet).peak;
    for (const ShotSource& source : shot.sources) {
      first = std::min(first, known(source.wavelet).signature.first - peak);
    }
  }
  return first;
}

}  // namespace minimod
