/// The plan of what a gradient keeps of its shot: the history that memory, or a disk, holds.
#pragma once

#include <optional>
#include <string>

#include "src/base/choices.hpp"
#include "src/job/gradient/history/reversal.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/modeled_shot.hpp"

namespace minimod {

enum class HistoryKind {
  automatic,   ///< drives of all steps where memory holds them, else states along the way: exact
  boundary,    ///< the steps of the inner box are taken back from what is beside it: exact but for rounding
  boundary16,  ///< from that in 16 bits (boundary/adjoint/value_blocks.hpp)
};
inline constexpr NamedChoice<HistoryKind> history_names[] = {{HistoryKind::automatic, "auto"},
                                                             {HistoryKind::boundary, "boundary"},
                                                             {HistoryKind::boundary16, "boundary16"}};

/// History of a shot that its gradient takes.
struct HistoryOptions {
  std::optional<std::size_t> memory;  ///< bytes for drives and states at most; nothing: most of what is free
  int every = 1;                      ///< steps that one drive stands for; 1: the gradient is exact
  int illumination_every = 1;         ///< the same of the illuminations: a multiple of that
  int shots_at_once = 1;       ///< shots of this host, or slabs of them, which share its free memory and disk
  std::string states_on = {};  ///< folder of what lies not beside the drives; empty: the host
  int on_device = 1;           ///< shots, or slabs of them, that share what is free of a GPU's memory
  HistoryKind kind = HistoryKind::automatic;
  /// Whether steps are taken back.
  [[nodiscard]] bool goes_back() const { return kind != HistoryKind::automatic; }
};

/// Checks that `at_once` shots of the problem, or slabs like this one of it, and their transposes fit on the
/// device beside each other, and the least history of them, and that a folder for states may be written and
/// has room for one of each. Takes no memory for it. Errors: 71; 73, 74, 77 of the folder; 64 a cut that the
/// transpose cannot have.
void check_gradient_memory(const Problem& problem, const SurveyPlan& shots, const DeviceChoice& choice,
                           const HistoryOptions& history, int at_once);

/// Errors of a folder for states, where one is given: 73, 77 it takes no file; 74 it has no room for so many
/// bytes of each of the shots at once.
void check_folder(const HistoryOptions& history, std::size_t bytes);

/// The most steps that a drive may stand for. Of p times the drive, whose frequencies reach up to 2 f_max,
/// the sum over every k-th step, times k, has beside the sum over all what lies at multiples of 1 / (k Δt).
/// These multiples are 3 f_max or more, not 2 f_max, since wavelets have some amplitude above f_max.
[[nodiscard]] int steps_by_nyquist(double max_frequency, double dt);

/// Grid of a drive: that of this rank's part of the shot, with its ghosts.
[[nodiscard]] Grid grid_of_drives(const Problem& problem, const KernelSet& kernels);
/// Kernels of the shot, or where its steps are taken back and these compute several in a launch, others.
[[nodiscard]] KernelSet kernels_of_shot(const Problem& problem, const DeviceChoice& choice,
                                        const HistoryOptions& history);
/// Bytes of a state along the way.
[[nodiscard]] std::size_t bytes_of_state(const Propagator& propagator);
/// Bytes of the sums of a shot at all points of this rank's part.
[[nodiscard]] std::size_t bytes_of_sums(const Problem& problem, const Backend& backend);
/// Memory for the history of one of so many `parts` of a shot; `beside`: bytes of the device that will not be
/// free any more.
[[nodiscard]] ReversalMemory memory_for(Backend& backend, const HistoryOptions& history, int parts,
                                        std::size_t beside);
/// The reversal of a shot whose states have so many bytes, the same on all ranks of a domain that is cut,
/// each of which has room for it; `beside`: bytes of the device that will not be free any more. Without
/// actions where the steps are taken back.
[[nodiscard]] Reversal reversal_of(const Problem& problem, const KernelSet& kernels, Backend& backend,
                                   std::size_t state, const HistoryOptions& history, std::size_t beside);

}  // namespace minimod
