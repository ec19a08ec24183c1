/// Actions of `minimod stencil verify` and `run`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/base/extents.hpp"
#include "src/choice/kernel_options.hpp"
#include "src/measure/stencils/stencil_fields.hpp"
#include "src/ranks/rank_options.hpp"
#include "src/stencil/language/specification.hpp"

namespace minimod {

struct StencilRunOptions {
  KernelOptions device;  ///< options of which --device alone is heard
  std::string kernel;    ///< names, "all"; empty: what the command takes
  std::optional<Extent3> grid;
  std::optional<int> steps;
  std::optional<stencil::Precision> precision;  ///< arrays' precision; nothing: the specification's
  StencilFieldOptions fields;
  RankOptions ranks;
  std::optional<int> repeats;  ///< nothing: five
  bool unverified = false;
  bool as_json = false;

  [[nodiscard]] int timed_runs() const { return repeats.value_or(5); }
  /// Whether one is given that only run hears.
  [[nodiscard]] bool is_of_run() const {
    return repeats || unverified || !fields.file.empty() || !fields.slices.empty() || fields.force;
  }
  /// Whether one is given that only verify and run hear.
  [[nodiscard]] bool is_of_kernels() const {
    return !kernel.empty() || grid || steps || precision || ranks.count || !ranks.planes.empty() ||
           ranks.transport || ranks.share_gpu || is_of_run();
  }
};

/// A line for each kernel of each specification ("all": those of the program); on the host that of its
/// cores and, emulated, those of all other families but the ones with _ro, which are the same there. Ranks
/// cut the grid among them. Errors: 64 unknown kernels, and slabs that are too thin, 65 where a kernel
/// disagrees with the interpreter, 66 unknown specifications, 69 devices and compilers that are not there.
void verify_stencils(const std::vector<std::string>& names, const StencilRunOptions& options);

/// Verifies one kernel of one specification, measures its speed, and writes what its steps leave. Errors as
/// above, those of claim_fields and write_fields, and 71 memory that is not there.
void run_stencil(const std::vector<std::string>& names, const StencilRunOptions& options);

}  // namespace minimod
