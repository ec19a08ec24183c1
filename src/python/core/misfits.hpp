/// Misfits of arrays, and the part of them that is migrated.
#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "src/python/core/nanobind.hpp"

namespace minimod {

using Samples = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Traces = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
/// Interval of the samples and the first one's time, s.
using Times = std::tuple<double, double>;
/// First and last time, taper, s.
using Window = std::optional<std::tuple<double, double, double>>;

/// Value and derivative of misfit_of, by the name of its kind.
[[nodiscard]] nb::tuple misfit_of_arrays(const Traces& modelled, const Traces& observed, Times times,
                                         const std::string& kind, Window window,
                                         const std::optional<Samples>& weights);

/// Value and derivative of migration_of.
[[nodiscard]] nb::tuple migration_of_arrays(const Traces& modelled, const Traces& observed, Times times,
                                            bool keeps_direct, Window window,
                                            const std::optional<Samples>& weights);

}  // namespace minimod
