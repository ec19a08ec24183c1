/// Where a shot's numbers come from: the file of its model and the part of it that was taken, the command,
/// the date.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/sampled_medium.hpp"
#include "src/base/json.hpp"
#include "src/io/gather/gather.hpp"

namespace minimod {

/// The moment of the call, or that of SOURCE_DATE_EPOCH (s), as "2026-01-31T12:00:00Z" (ISO 8601). Error 64
/// where that is no such.
[[nodiscard]] std::string utc_now();

/// Line of the run's facts on a model from a file: what was assumed, where it lies.
[[nodiscard]] std::string model_file_text(const SampledMedium& medium);

/// Where the nodes of a model from a file are; nothing of another model. File coordinates = model_origin + a
/// turn of the model's by model_x_axis about z (models/file_coordinates.hpp).
[[nodiscard]] std::vector<std::pair<std::string, AttributeValue>> model_place(const SampledMedium& medium);

/// `command_line` and `date`; of a model from a file also how it was cut and its place.
[[nodiscard]] std::vector<std::pair<std::string, AttributeValue>> provenance(const SampledMedium& medium,
                                                                             const std::string& command_line,
                                                                             const std::string& date);

/// Record of the model's file: the same under shorter names, and `notes`; null without a file.
[[nodiscard]] Json model_file_record(const SampledMedium& medium);

}  // namespace minimod
