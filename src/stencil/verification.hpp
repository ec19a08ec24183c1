/// Kernels of specifications against the interpreter of their equations.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/stencil/interpreter.hpp"
#include "src/stencil/kernels.hpp"

namespace minimod::stencil {

struct Problem {
  Extent3 n{37, 29, 23};  ///< which no tile divides
  int steps = 20;
};

/// What came of a kernel.
struct Verdict {
  KernelName kernel;
  std::string why_not;       ///< there is no such kernel, or it wrote outside the grid; else empty
  bool is_left_out = false;  ///< there is none for this specification
  double error = 0;          ///< relative L2 over the grid, the greatest of all results
  double tolerance = 0;

  [[nodiscard]] bool passed() const { return is_left_out || (why_not.empty() && error <= tolerance); }
};

/// Of arrays in float 1e-6, in double 1e-14.
[[nodiscard]] double tolerance_of(const Specification& specification);

/// What the equations give after the steps of a problem, for kernels that are held against it one by one.
class Expectation {
 public:
  Expectation(const Specification& specification, const Problem& problem);

  /// Compiles the kernel and runs it. Errors: those of compile_kernels.
  [[nodiscard]] Verdict verdict_of(const KernelName& name, Backend* gpu) const;
  /// Of one that was compiled for the problem's grid.
  [[nodiscard]] Verdict verdict_of(const KernelName& name, const Kernel& kernel, Backend* gpu) const;

 private:
  Problem problem_;
  Interpreter right_;
};

/// Steps of the interpreter and of each kernel from the same values. What a family cannot do is left out;
/// what the GPU cannot launch, and what writes outside the grid, has failed. `gpu`: null where the host plays
/// the threads. Errors: those of compile_kernels.
[[nodiscard]] std::vector<Verdict> verify(const Specification& specification,
                                          const std::vector<KernelName>& names, const Problem& problem,
                                          Backend* gpu);

/// The same of several, side by side on all cores; tell(i, verdicts) comes in their order.
void verify_all(const std::vector<Specification>& specifications, const std::vector<KernelName>& names,
                const Problem& problem, Backend* gpu,
                const std::function<void(std::size_t, const std::vector<Verdict>&)>& tell);

}  // namespace minimod::stencil
