#include "src/job/plan/run_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/error.hpp"
#include "src/base/notes.hpp"
#include "src/base/option.hpp"
#include "src/base/small_values.hpp"

namespace minimod {

double run_scale_of(double amplitude, Precision precision) {
  constexpr int least = -32, greatest = 32;
  constexpr int range = 1000;  // powers whose inverse is a double
  const double most =
      with_real(precision, []<class Real>() { return double{std::numeric_limits<Real>::max()}; });
  if (!(amplitude > 0 && amplitude <= most)) return 1;
  const bool is_near = amplitude >= std::exp2(least) && amplitude <= std::exp2(greatest);
  return is_near ? 1 : std::exp2(std::clamp(std::ilogb(amplitude), -range, range));
}

template <class Real>
void scale_up(std::span<Real> values, double scale) {
  const SmallValuesCount here;
  double greatest = 0;
  for (Real& value : values) {
    const double scaled = scale * double{value};
    greatest = std::max(greatest, std::abs(scaled));
    value = static_cast<Real>(scaled);
  }
  if (greatest <= std::numeric_limits<Real>::max()) return;
  throw Error(ErrorKind::data,
              text("|u| reaches ", greatest, ", over the ", std::numeric_limits<Real>::max(),
                   " that the run's precision holds"),
              text("give a smaller wavelet, or ", option("precision"), " double"));
}

template void scale_up(std::span<float> values, double scale);
template void scale_up(std::span<double> values, double scale);

void scale_traces(Reals& traces, double scale) {
  with_real(traces.precision(), [&]<class Real>() {
    Reals::Values<Real>& values = traces.of<Real>();
    Real greatest = 0;
    for (const Real value : values) greatest = std::max(greatest, std::abs(value));
    scale_up(std::span(values), scale);
    const double kept = scale * double{greatest};
    if (greatest == 0 || kept >= std::numeric_limits<Real>::min()) return;
    tell(text("|u| at the receivers is ", kept, " at most, of which the run's precision ",
              "keeps few digits or none: give a greater wavelet"));
  });
}

}  // namespace minimod
