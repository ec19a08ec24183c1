/// Kernels of specifications against the interpreter of their equations.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "src/measure/measurement.hpp"
#include "src/ranks/stencil_part.hpp"
#include "src/stencil/interpreter.hpp"
#include "src/stencil/kernels.hpp"

namespace minimod::stencil {

struct Problem {
  Extent3 n{37, 29, 23};  ///< extents that no tile divides
  int steps = 20;
};

/// Results of the equations after the steps of a problem, for kernels that are held against it one by one.
class Expectation {
 public:
  /// Each rank of a cut grid has all of it, and holds its slab of a kernel's against it.
  Expectation(Specification specification, const Problem& problem, const DomainCut& cut = {});

  /// Compiles the kernel and runs it: right with arrays in float within 1e-6, in double within 1e-14, if it
  /// writes nothing outside the grid. Errors: those of compile_kernels and of StencilPart, 65 equations that
  /// give no numbers.
  [[nodiscard]] Verdict verdict_of(const KernelName& name, Backend* gpu);
  /// Verdict on a kernel that was compiled for this rank's slab, or the problem's grid where it is not cut.
  [[nodiscard]] Verdict verdict_of(const KernelName& name, const Kernel& kernel, Backend* gpu);

 private:
  /// By the kernel's sweep, computed when it is asked for first.
  [[nodiscard]] const Interpreter& right(Sweep sweep);

  Specification specification_;
  Problem problem_;
  DomainCut cut_;
  std::map<Sweep, Interpreter> right_;
};

/// Has all kernels in the cache of compiled code, compiled beside each other for a grid of `n` points. What
/// does not compile says so when it is asked for.
void compile_ahead(const std::vector<Specification>& specifications, const std::vector<KernelName>& names,
                   Extent3 n, Backend* gpu);

/// Steps of the interpreter and of each kernel from the same values, in the order of the names. What a family
/// cannot do is left out; what the GPU cannot launch, and what writes outside the grid, has failed. `gpu`:
/// null where the host emulates the threads. Of a grid that is cut each rank holds its slab against the whole
/// grid's interpreter. Errors: those of compile_kernels and of StencilPart.
[[nodiscard]] std::vector<Verdict> verify(const Specification& specification,
                                          const std::vector<KernelName>& names, const Problem& problem,
                                          Backend* gpu, const DomainCut& cut = {});

/// The same of several side by side on all cores; tell(i, verdicts) comes in their order.
void verify_all(const std::vector<Specification>& specifications, const std::vector<KernelName>& names,
                const Problem& problem, Backend* gpu,
                const std::function<void(std::size_t, const std::vector<Verdict>&)>& tell);

}  // namespace minimod::stencil
