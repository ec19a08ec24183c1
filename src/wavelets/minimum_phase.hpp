/// The causal signature that has its energy earliest among all of one amplitude spectrum.
#pragma once

#include "src/wavelets/signature.hpp"

namespace minimod {

/// White noise that a minimum phase is made with, of the greatest amplitude of the spectrum: where a band is
/// empty there is no phase. It falls by 24 dB an octave above f_max, so that the signature begins smoothly.
inline constexpr double minimum_phase_floor = 1e-3;

/// The minimum-phase equivalent of `signature`, from t = 0 on (Kolmogorov's factorization: the phase is minus
/// the Hilbert transform of the logarithm of the amplitude; Oppenheim & Schafer, Discrete-Time Signal
/// Processing, by the folded cepstrum). Its amplitude spectrum is the root of the squares' sum of that of
/// `signature` and of the floor. Error 65 for one that is not finite, zero throughout, or over 4096
/// periods of its f_max long.
[[nodiscard]] Signature minimum_phase_of(const Signature& signature);

}  // namespace minimod
