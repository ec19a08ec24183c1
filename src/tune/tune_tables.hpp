/// How `minimod tune` shows what it found.
#pragma once

#include "src/tune/tune_record.hpp"

namespace minimod {

/// Device, problem, and how many candidates there are.
void print_search(const TuneRecord& record);
/// A line for each candidate that was measured, the fastest first, and what became of the others.
void print_candidates(const TuneRecord& record);
/// The fastest, beside the fastest of those that are built in.
/// Unit of the record's merit.
[[nodiscard]] const char* merit_unit(const TuneRecord& record);
void print_winner(const TuneRecord& record);
/// For each form of the model, what it would have found with `percent` of the candidates, where all were
/// measured; else how many of those that it ranks were.
void print_model(const TuneRecord& record, double percent);

}  // namespace minimod
