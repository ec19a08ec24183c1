/// What a right shape computes: the wavefield of the host's `reference`.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "src/solver/propagator.hpp"

namespace minimod {

/// The medium of a check: as it is, or as a shape has it that reads 16-bit codes of it.
enum class Medium { exact, rounded_to_codes };

/// Computed when asked for, once for each medium.
class ExpectedField {
 public:
  /// The field after the steps of a check; the medium is rounded behind set_velocity.
  using Compute = std::function<std::vector<double>(Backend&, const KernelSet&, Medium)>;

  explicit ExpectedField(Compute compute) : compute_(std::move(compute)) {}
  /// In the medium that `shape` has.
  [[nodiscard]] const std::vector<double>& of(const CodeShape& shape);

 private:
  Compute compute_;
  std::vector<double> exact_, rounded_;
};

}  // namespace minimod
