#include "src/job/plan/time_zero.hpp"

#include <algorithm>
#include <limits>

#include "src/wavelets/wavelet.hpp"

namespace minimod {

std::string wavelet_name(const ShotGeometry& shot, const ShotSource& source, TimeZero zero) {
  const std::string& first = shot.sources.front().wavelet;
  return zero == TimeZero::onset || source.wavelet == first ? source.wavelet
                                                            : source.wavelet + " beside " + first;
}

const SignaturesOfShots::Known& SignaturesOfShots::known(const std::string& spec) {
  const auto found = known_.find(spec);
  if (found != known_.end()) return found->second;
  Known known{make_signature(spec), 0};
  if (zero_ == TimeZero::peak) known.peak = peak_time(known.signature, dt_);
  return known_.emplace(spec, std::move(known)).first->second;
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
