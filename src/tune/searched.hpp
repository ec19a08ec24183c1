/// Subject of a search: a problem on a device, and the tiles of a family, by their names, that can solve it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/measure/subject.hpp"
#include "src/tune/tune.hpp"
#include "src/tune/tune_record.hpp"

namespace minimod {

struct Searched {
  TuneProblem problem;
  /// The family's tiles that a search may try: those to compare the fastest with, which are built in, and the
  /// space.
  std::vector<TuneCandidate> candidates;
  std::string naming;  ///< how they are named
  std::unique_ptr<Subject> subject;
};

/// The kernels of the inner box, of fields without a layer; `options` outlive it. Errors: 64 no such family,
/// one without tiles; 69.
[[nodiscard]] Searched searched_waves(const TuneOptions& options);
/// The kernels of a specification. Errors: 64 no such family, one without tiles for it; 66 no such stencil,
/// 69.
[[nodiscard]] Searched searched_stencil(const TuneOptions& options);

}  // namespace minimod
