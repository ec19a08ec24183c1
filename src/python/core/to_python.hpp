/// Results of a shot as objects of Python.
#pragma once

#include <vector>

#include "src/io/gather/gather.hpp"
#include "src/python/core/modeling.hpp"
#include "src/python/core/nanobind.hpp"

namespace minimod {

/// The gather by names: arrays that own what it had, its positions [receiver, 3] in m, and its metadata.
[[nodiscard]] nb::dict gather_of(ShotGather gather);

/// An array that owns these values.
[[nodiscard]] nb::object array_of(std::vector<double> values, std::vector<std::size_t> shape);
/// [z, y, x] of nodes, [z, x] of a section's.
[[nodiscard]] nb::object array_of(NodeValues values);

/// Sums at nodes by their names, and where they are there `by_fed` [source, step] and `by_amplitude`
/// [source].
[[nodiscard]] nb::dict derivatives_of(ShotDerivatives all);

}  // namespace minimod
