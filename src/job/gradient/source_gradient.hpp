/// Derivatives by what the sources of a shot feed.
#pragma once

#include <vector>

#include "src/job/shot/shot.hpp"
#include "src/solver/propagator.hpp"

namespace minimod {

/// The adjoint field at a shot's sources, which is the derivative by their samples, the last first.
class SourceRecorder {
 public:
  /// Has the transpose record there. It and the problem must outlive the recorder.
  SourceRecorder(Propagator& adjoint, const Problem& problem, const Shot& shot);

  /// Behind each step of the transpose.
  void record();
  /// Derivatives [source][step] by the samples that the scheme is given, amplitudes in them, when all steps
  /// are recorded; `factor`: unit of the adjoint field, of a misfit over a sample's.
  [[nodiscard]] std::vector<double> by_fed(double factor);

 private:
  Propagator& adjoint_;
  const Problem& problem_;
  std::size_t sources_;
  int in_batch_ = 0;
  Reals kept_;  ///< [step][source]
};

/// Derivatives by the amplitudes of the sources.
[[nodiscard]] std::vector<double> by_amplitude(const Shot& shot, const std::vector<double>& by_fed);

}  // namespace minimod
