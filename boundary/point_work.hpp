/// Work of a boundary point by point around the launches of a step, on any device.
#pragma once

#include <variant>

#include "boundary/cpml/cpml_adjoint.hpp"
#include "boundary/drive.hpp"
#include "boundary/pml_adjoint.hpp"
#include "boundary/sponge.hpp"
#include "kernels/free_surface.hpp"

namespace minimod {

/// Templates in both precisions.
template <template <class> class... Works>
using InBothPrecisions = std::variant<Works<float>..., Works<double>...>;

/// Functions of a point, of which each writes to its own point or column only.
using PointWork = InBothPrecisions<Taper, OddImage, PmlAdjointDamping, PmlAdjointTerms, PmlAdjointMemory,
                                   CpmlAdjointZeta, CpmlAdjointPsi, CpmlAdjointTerms, InnerWithdrawal,
                                   PmlWithdrawal, TaperedWithdrawal, Drive, Correlation, Scattering>;

}  // namespace minimod
