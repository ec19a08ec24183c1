/// Memory, or disk, for the history of a shot whose steps are taken back.
#pragma once

#include "src/job/gradient/history/gradient_plan.hpp"
#include "src/job/gradient/history/record_store.hpp"
#include "src/job/gradient/history/reversible_box.hpp"

namespace minimod {

/// Points of a record, x fastest, from value `first` of it on.
struct RecordPiece {
  Box3 box;
  std::size_t first = 0;
};

struct BoundaryPlan {
  Box3 box;                              ///< the reversible points
  std::vector<RecordPiece> frame, rest;  ///< planes beside them, of each step; drives, where they are kept
  std::size_t frame_values = 0, values = 0;  ///< values of a record without and with drives
  std::vector<std::size_t> bytes;            ///< the record of each step
  bool is_packed = false;                    ///< in blocks of 16 bits
  RecordPlace place = RecordPlace::device;
  [[nodiscard]] std::size_t total() const;
};

/// On the device where it holds all; else in the folder for states, where there is one, or in the memory of a
/// GPU's host. `beside`: bytes of the device that will not be free any more. Errors: 64 a layer that leaves
/// nothing to be taken back; 71.
[[nodiscard]] BoundaryPlan plan_boundary(const Problem& problem, Backend& backend,
                                         const HistoryOptions& history, std::size_t beside);

}  // namespace minimod
