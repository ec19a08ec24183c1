#include "src/job/gradient/source_gradient.hpp"

#include <numeric>

namespace minimod {

namespace {

constexpr int steps_of_batch = 64;

}  // namespace

SourceRecorder::SourceRecorder(Propagator& adjoint, const Problem& problem, const Shot& shot)
    : adjoint_(adjoint),
      problem_(problem),
      sources_(shot.sources.size()),
      kept_(problem.grid().precision, 0) {
  std::vector<NodeWeights> places;
  for (const PlannedSource& source : shot.sources) places.push_back(shot.place_of(problem, source));
  adjoint_.set_receivers_between({places.begin(), places.end()}, steps_of_batch);
}

void SourceRecorder::record() {
  adjoint_.record();
  if (++in_batch_ < steps_of_batch) return;
  kept_.append(adjoint_.fetch_batch());
  in_batch_ = 0;
}

std::vector<double> SourceRecorder::by_fed(double factor) {
  if (in_batch_ > 0) kept_.append(adjoint_.fetch_batch());
  in_batch_ = 0;
  const Point3 h = problem_.grid().spacing;
  const auto steps = static_cast<std::size_t>(problem_.time.steps);
  std::vector<double> derivatives(sources_ * steps);
  for (std::size_t i = 0; i < sources_; ++i) {
    for (std::size_t n = 0; n < steps; ++n)
      derivatives[i * steps + n] = factor / (h.x * h.y * h.z) * kept_[(steps - 1 - n) * sources_ + i];
  }
  return derivatives;
}

std::vector<double> by_amplitude(const Shot& shot, const std::vector<double>& by_fed) {
  std::vector<double> derivatives;
  auto own = by_fed.begin();
  for (const PlannedSource& source : shot.sources) {
    const std::vector<double>& fed = source.wavelet->fed;
    derivatives.push_back(std::inner_product(fed.begin(), fed.end(), own, 0.0));
    own += static_cast<std::ptrdiff_t>(fed.size());
  }
  return derivatives;
}

}  // namespace minimod
