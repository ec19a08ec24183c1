/// Outputs of a run for scripts: the record in JSON, and the metadata of the gather.
#pragma once

#include "src/base/json.hpp"
#include "src/io/gather/gather.hpp"
#include "src/io/shot_identity.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/modeled_shot.hpp"

namespace minimod {

/// The build part and the device part of every record, the latter with the device's rates of
/// memory, which are null where they were not measured.
[[nodiscard]] Json build_record();
[[nodiscard]] Json device_record(const DeviceInfo& device);
[[nodiscard]] Json device_record(const DeviceInfo& device, const std::optional<StreamRates>& stream);

/// Seconds of each part of a step, by name.
[[nodiscard]] Json regions_record(const std::vector<TimedPart>& parts);

/// How a domain of `n` points was cut: the MPI library, whether it is CUDA-aware, the transport where there
/// is one, and a row a rank.
[[nodiscard]] Json ranks_record(const std::vector<RankShare>& ranks, std::optional<Transport> transport,
                                std::optional<double> layer_cost, Extent3 n);

/// The record of a run of one shot: schema, build, device, grid, time, kernels, model, source, receivers,
/// result; velocity where the inner kernel reads it with an error.
[[nodiscard]] Json make_record(const SurveyPlan& run, const std::string& date, const DeviceChoice& choice,
                               const RunResult& result);

/// The gather of a shot, but for what it has recorded and the sections of its model.
[[nodiscard]] ShotGather make_gather(const RunPlan& plan, const Shot& shot, const ShotIdentity& identity,
                                     const DeviceChoice& choice);

/// A gather of what is known before a run, for write_sections: no traces and no wavelet; positions in the
/// model's coordinates, and what they were given in.
[[nodiscard]] ShotGather make_sections_file(const RunPlan& plan, const Shot& shot, ModelSections sections,
                                            CoordinateKind given);

}  // namespace minimod
