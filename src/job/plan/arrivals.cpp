#include "src/job/plan/arrivals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {
namespace {

/// From one source to the receiver that it reaches first.
struct Arrival {
  double time = std::numeric_limits<double>::max();  ///< s
  double way = 0, onset = 0;                         ///< m, s
};

Note note_of(const Arrival& first, double end, double v) {
  return {text("the run ends at ", end, " s, before any arrival: none is at a receiver before ", first.time,
               " s, ", first.way, " m at ", v, " m/s from a wavelet that begins at ", first.onset,
               " s; take a larger ", option("tmax")),
          "no arrival", first.time - end};
}

}  // namespace

void ArrivalNotes::add(const Shot& shot) {
  constexpr std::size_t most_pairs = 10'000'000;
  const double end = problem_.time.at(problem_.time.steps), v = fastest_;
  const std::size_t receivers = shot.receivers.size();
  Arrival first;
  std::size_t pairs = 0;
  for (std::size_t k = 0; k < shot.sources.size(); ++k) {
    const Point3 from = shot.source_position(problem_, k);
    const double onset = shot.sources[k].wavelet->onset, reach = v * std::max(0., end - onset);
    for (std::size_t n = 0; n < receivers; ++n) {
      if (++pairs > most_pairs) return;  // too many to be sure at once
      const std::size_t i = (in_reach_ + n) % receivers;
      const Point3 to = shot.receiver_position(problem_, i);
      const double x = to.x - from.x, y = to.y - from.y, z = to.z - from.z, square = x * x + y * y + z * z;
      if (onset <= end && square <= reach * reach) {
        in_reach_ = i;
        return;
      }
      const double way = std::sqrt(square);
      if (onset + way / v < first.time) first = {onset + way / v, way, onset};
    }
  }
  notes_.add(text("shot ", shot.number), note_of(first, end, v));
}

}  // namespace minimod
