#include "src/job/outputs/record.hpp"

#include <set>

#include "boundary/measured_reflection.hpp"
#include "kernels/equation_names.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/json.hpp"
#include "src/base/precision_names.hpp"
#include "src/choice/emulated.hpp"
#include "src/io/shot_identity.hpp"
#include "src/job/outputs/provenance.hpp"
#include "src/job/outputs/run_facts.hpp"
#include "src/job/plan/equation_options.hpp"
#include "src/solver/numerics/dispersion.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

Json to_json(Point3 p) {
  return {p.x, p.y, p.z};
}
Json to_json(Extent3 n) {
  return {n.x, n.y, n.z};
}

Json grid_record(const RunPlan& plan) {
  return {{"n", to_json(plan.grid().n)},
          {"spacing_m", to_json(plan.grid().spacing)},
          {"pml_width", plan.problem.layer_width()},
          {"points_inner", plan.medium->inner().points()},
          {"points_pml", plan.grid().n.points() - plan.medium->inner().points()}};
}

Json time_record(const RunPlan& plan) {
  const TimeAxis& time = plan.time();
  return {{"dt_s", time.dt},
          {"steps", time.steps},
          {"zero", name_in(time_zero_names, plan.time_zero)},
          {"first_time_s", time.first},
          {"cfl_fraction", time.dt / plan.dt_limit},
          {"record_dt_s", time.record_dt()},
          {"time_dispersion", name_in(time_dispersion_names, time.dispersion)}};
}

Json source_record(const Problem& problem, const Shot& shot, std::size_t i) {
  const Wavelet& w = *shot.sources[i].wavelet;
  return {{"position_m", to_json(shot.sources[i].position)},
          {"node_position_m", to_json(shot.source_position(problem, i))},
          {"interpolation", interpolation_name(shot.interpolation)},
          {"wavelet", w.description},
          {"amplitude", shot.sources[i].amplitude},
          {"peak_frequency_hz", w.peak_frequency},
          {"max_frequency_hz", w.max_frequency},
          {"delay_s", w.delay()}};
}

/// Facts of all injected traces together: a gather may have 10^5.
Json injection_record(const Shot& shot) {
  const Injection& injection = *shot.injection;
  return {{"file", injection.file()},
          {"crc32", injection.crc32()},
          {"traces", injection.count()},
          {"backward", injection.backward()},
          {"interpolation", interpolation_name(shot.interpolation)},
          {"peak_frequency_hz", shot.wavelet().peak_frequency},
          {"max_frequency_hz", shot.wavelet().max_frequency}};
}

/// The one source's with what the run has of it; of several a list of them.
Json sources_record(const RunPlan& plan, const Shot& shot) {
  const double offset = shot.greatest_offset(plan.problem);
  const Json run = {{"points_per_wavelength", plan.signals.points_per_wavelength},
                    {"greatest_offset_m", offset},
                    {"phase_error_frequency_hz", plan.signals.peak_frequency},
                    {"predicted_phase_error_s", plan.predicted_phase_error(offset)}};
  const bool is_one = shot.sources.size() == 1 && !shot.injection;
  Json record = is_one ? source_record(plan.problem, shot, 0) : Json::object();
  if (shot.injection) record["injected"] = injection_record(shot);
  for (std::size_t i = 0; !is_one && !shot.injection && i < shot.sources.size(); ++i) {
    record["sources"].push_back(source_record(plan.problem, shot, i));
  }
  record.update(run);
  return record;
}

/// Descriptions of the shot's wavelets, each once.
std::string wavelet_descriptions(const Shot& shot) {
  std::string list;
  std::set<const Wavelet*> told;
  for (const PlannedSource& source : shot.sources) {
    if (!told.insert(source.wavelet.get()).second) continue;
    list += (list.empty() ? "" : "; ") + source.wavelet->description;
  }
  return list;
}

/// The shape of the PML's kernels; another boundary has none.
std::string pml_kernel(const RunPlan& plan, const DeviceChoice& choice) {
  return facts_of(plan.problem.domain.boundary.kind).has_formula ? choice.kernels.pml->name : "";
}

/// The kernels, and what is known of the choice of them.
Json kernels_record(const RunPlan& plan, const DeviceChoice& choice) {
  Json record = {{"inner", choice.kernels.inner->name}, {"pml", pml_kernel(plan, choice)}};
  record["compiled"] = choice.kernels.inner->compiled || choice.kernels.pml->compiled;
  if (const auto& trial = choice.trial) {
    record["trial"] = {{"sets", trial->sets},
                       {"gpt_per_s", trial->result.gpt_per_s},
                       {"seconds", trial->result.seconds},
                       {"earlier", trial->is_earlier}};
  }
  if (const auto& idle = choice.idle) {
    record["idle_share"] = idle->share;
    record["note"] = idle->note;
  }
  return record;
}

Json boundary_record(const RunPlan& plan, const std::optional<ExpectedEcho>& echo) {
  const BoundarySpec& spec = plan.problem.domain.boundary;
  Json record = {{"kind", boundary_name(spec.kind)},
                 {"free_surface", spec.free_surface},
                 {"pml_alpha", plan.problem.boundary.alpha}};
  if (const auto found = measured_reflection(spec.kind, plan.problem.layer_width())) {
    record["measured_reflection_db"] = {{"face", found->face},
                                        {"edge", found->edge},
                                        {"corner", found->corner},
                                        {"grazing", found->grazing},
                                        {"other_than_measured", plan.other_than_measured()}};
  }
  record["expected_echo"] = nullptr;
  if (echo) {
    record["expected_echo"] = {{"decibel", echo->decibel},
                               {"source_m", to_json(echo->source)},
                               {"receiver_m", to_json(echo->receiver)},
                               {"face", echo->face}};
  }
  return record;
}

/// Record of a (V Δt)² that the inner kernel reads in 16 bits.
Json velocity_record(const VelocityCode& code) {
  return {{"v2dt2_bits", 16},
          {"v2dt2_error_m2", code.greatest_error()},
          {"v2dt2_relative_error", code.greatest_relative_error()}};
}

Json result_record(const RunResult& result, bool is_emulated) {
  return {{"min", result.extremes.min},
          {"max", result.extremes.max},
          {"seconds", result.seconds},
          {"gpt_per_s", result.gpt_per_s},
          {"gb_per_s", result.gb_per_s},
          {"played", is_emulated},
          {"share_of_copy_bandwidth",
           is_emulated || !result.stream ? Json() : Json(result.gb_per_s / result.stream->copy)},
          {"regions", regions_record(result.parts)}};
}

}  // namespace

Json build_record() {
  const BuildInfo& build = build_info();
  return {{"version", build.version},     {"git_hash", build.git_hash},
          {"compiler", build.compiler},   {"cuda_compiler", build.cuda_compiler},
          {"flags", build.flags},         {"cuda_architectures", build.cuda_architectures},
          {"libraries", build.libraries}, {"mpi", mpi_library()}};
}

Json device_record(const DeviceInfo& device) {
  Json record = {{"kind", device.kind},
                 {"name", device.name},
                 {device.is_gpu() ? "multiprocessors" : "threads", device.units},
                 {"memory_bytes", device.memory_bytes}};
  if (device.is_gpu()) {
    record["l2_bytes"] = device.l2_bytes;
    if (device.has_capability()) {
      record["compute_capability"] = device.compute_capability.text();
    } else {
      record["architecture"] = device.architecture;
    }
    record["driver"] = device.driver;
  } else {
    record["cpu_level"] = device.cpu_level;
  }
  return record;
}

Json device_record(const DeviceInfo& device, const std::optional<StreamRates>& stream) {
  Json record = device_record(device);
  record["copy_gb_per_s"] = stream ? Json(stream->copy) : Json();
  record["three_reads_one_write_gb_per_s"] = stream ? Json(stream->three_reads_one_write) : Json();
  return record;
}

Json regions_record(const std::vector<TimedPart>& parts) {
  Json record = Json::object();
  for (const TimedPart& part : parts) record[part.name] = part.seconds;
  return record;
}

Json ranks_record(const std::vector<RankShare>& ranks, std::optional<Transport> transport,
                  std::optional<double> layer_cost, Extent3 n) {
  Json rows = Json::array();
  for (const RankShare& rank : ranks) {
    rows.push_back({{"planes", {rank.slab.begin, rank.slab.end}},
                    {"points", std::int64_t{n.x} * n.y * rank.slab.planes()},
                    {"seconds", rank.seconds},
                    {"bytes_sent", rank.bytes_sent},
                    {"exchange_seconds", rank.exchange_seconds},
                    {"wait_seconds_a_step", rank.wait_seconds}});
  }
  return {{"mpi", mpi_library()},
          {"mpi_takes_gpu_memory", Ranks::world().takes_gpu_memory()},
          {"transport", transport ? Json(name_in(transport_names, *transport)) : Json(nullptr)},
          {"measured_layer_cost", layer_cost ? Json(*layer_cost) : Json(nullptr)},
          {"rows", rows}};
}

Json make_record(const SurveyPlan& run, const std::string& date, const DeviceChoice& choice,
                 const RunResult& result) {
  const RunPlan& plan = run.shared;
  const std::optional<double> kept = plan.kept_of_reflection();
  Json record{{"schema", "minimod.run/1"},
              {"command_line", plan.command_line},
              {"date", date},
              {"build", build_record()},
              {"device", device_record(choice.device, result.stream)},
              {"grid", grid_record(plan)},
              {"time", time_record(plan)},
              {"kernels", kernels_record(plan, choice)},
              {"equation", equation_name(plan.problem.domain.equation)},
              {"order", 2 * plan.grid().radius},
              {"stencil_weights", name_in(star_weights_names, plan.grid().weights)},
              {"precision", precision_name(plan.grid().precision)},
              {"decomposition", decomposition_name(plan.problem.domain.decomposition)},
              {"schedule", choice.kernels.schedule->name()},
              {"model",
               {{"name", plan.medium->model().name},
                {"columns", facts_of(plan.problem.domain.equation).columns},
                {"v_min", plan.medium->v_min()},
                {"v_max", plan.medium->v_max()},
                {"v_highest_node", plan.medium->v_highest()},
                {"band_spacing_m", plan.medium->band_spacing()},
                {"kept_of_reflection_at_f_max", kept ? Json(*kept) : Json(nullptr)},
                {"pml_velocity", plan.problem.domain.boundary.velocity},
                {"file", model_file_record(*plan.medium)}}},
              {"boundary", boundary_record(plan, run.echo)},
              {"source", sources_record(plan, run.first)},
              {"receivers",
               {{"count", run.first.receivers.size()},
                {"samples", plan.time().samples()},
                {"greatest_move_m", run.first.moves.receivers}}},
              {"result", result_record(result, emulates(choice.device, choice.kernels))}};
  if (result.velocity_code) record["velocity"] = velocity_record(*result.velocity_code);
  if (!result.ranks.empty()) {
    record["ranks"] = ranks_record(result.ranks, result.transport, result.layer_cost, plan.grid().n);
  }
  return record;
}

namespace {

/// A gather that has a shot's geometry alone.
ShotGather geometry_of(const Problem& problem, const Shot& shot) {
  ShotGather gather;
  for (std::size_t i = 0; i < shot.receivers.size(); ++i) {
    gather.receivers.push_back(shot.receiver_position(problem, i));
  }
  gather.requested_receivers = shot.receivers;
  gather.stations = shot.stations;
  for (std::size_t i = 0; i < shot.sources.size(); ++i) {
    gather.sources.push_back(shot.source_position(problem, i));
    gather.requested_sources.push_back(shot.sources[i].position);
  }
  return gather;
}

/// Whether the gather has what was fed: of injected traces up to 64 MiB, for their file has them.
bool keeps_wavelets(const Shot& shot, const TimeAxis& time) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  return !shot.injection ||
         shot.sources.size() * static_cast<std::size_t>(time.steps) * sizeof(double) <= most_bytes;
}

}  // namespace

ShotGather make_sections_file(const RunPlan& plan, const Shot& shot, ModelSections sections,
                              CoordinateKind given) {
  ShotGather gather = geometry_of(plan.problem, shot);
  gather.sections = std::move(sections);
  const Extent3 n = plan.grid().n;
  gather.metadata = {{"model", plan.medium->model().name},
                     {"grid", std::vector<std::int64_t>{n.x, n.y, n.z}},
                     {"boundary", boundary_name(plan.problem.domain.boundary.kind)},
                     {"pml_width", std::int64_t{plan.problem.layer_width()}},
                     {"free_surface", std::int64_t{plan.problem.domain.boundary.free_surface ? 1 : 0}},
                     {"coordinates", name_in(coordinate_names, given)},
                     {"program", text("minimod ", build_info().version)}};
  for (auto& entry : model_place(*plan.medium)) gather.metadata.push_back(std::move(entry));
  return gather;
}

ShotGather make_gather(const RunPlan& plan, const Shot& shot, const ShotIdentity& identity,
                       const DeviceChoice& choice) {
  const TimeAxis& time = plan.time();
  ShotGather gather = geometry_of(plan.problem, shot);
  gather.samples = time.samples();
  gather.record_dt = time.record_dt();
  gather.first_time = time.first;
  if (keeps_wavelets(shot, time)) {
    for (std::size_t i = 0; i < shot.sources.size(); ++i) gather.wavelets.push_back(shot.samples_of(i, time));
  }
  gather.wavelet_dt = time.dt;
  gather.wavelet_unit = shot.wavelet().unit;
  const Extent3 n = plan.grid().n;
  const Point3 h = plan.grid().spacing;
  const double points = plan.signals.points_per_wavelength;
  const BuildInfo& build = build_info();
  gather.metadata = {
      {shot_number_name, std::int64_t{shot.number}},
      {"dt", time.dt},
      {"dt_units", "s"},
      {"steps", std::int64_t{time.steps}},
      {"time_zero", name_in(time_zero_names, plan.time_zero)},
      {"first_time", time.first},
      {time_dispersion_attribute, name_in(time_dispersion_names, time.dispersion)},
      {"equation", text(facts_of(plan.problem.domain.equation).formula, ", of ",
                        difference_fact(plan.grid().difference()), " in space, of order 2 in time")},
      {"scaling", facts_of(plan.problem.domain.equation).scaling},
      {"model", plan.medium->model().name},
      {"model_v_min", double{plan.medium->v_min()}},
      {"model_v_max", double{plan.medium->v_max()}},
      {"grid", std::vector<std::int64_t>{n.x, n.y, n.z}},
      {"spacing", std::vector<double>{h.x, h.y, h.z}},
      {"spacing_units", "m"},
      {"order", std::int64_t{2} * plan.grid().radius},
      {"stencil_weights", name_in(star_weights_names, plan.grid().weights)},
      {"precision", precision_name(plan.grid().precision)},
      {"pml_width", std::int64_t{plan.problem.layer_width()}},
      {"pml_velocity", plan.problem.domain.boundary.velocity},
      {"pml_alpha", plan.problem.boundary.alpha},
      {"boundary", boundary_name(plan.problem.domain.boundary.kind)},
      {"free_surface", std::int64_t{plan.problem.domain.boundary.free_surface ? 1 : 0}},
      {"interpolation", interpolation_name(shot.interpolation)},
      {"wavelet_description", wavelet_descriptions(shot)},
      {"points_per_wavelength", points},
      {"dispersion_allowed", std::int64_t{points < least_points_per_wavelength(plan.grid().radius) ? 1 : 0}},
      {"kernel_inner", choice.kernels.inner->name},
      {"kernel_pml", pml_kernel(plan, choice)},
      {"device", choice.device.name},
      {"program", text("minimod ", build.version)},
      {"git_hash", build.git_hash},
      {"compiler", text(build.compiler, build.cuda_compiler.empty() ? "" : ", ", build.cuda_compiler)}};
  if (plan.problem.domain.equation != Equation::wave) {
    gather.metadata.emplace_back("equation_name", equation_name(plan.problem.domain.equation));
    gather.metadata.emplace_back("model_columns", columns_text(plan.problem.domain.equation));
  }
  if (plan.change) {
    gather.metadata.emplace_back("change", plan.change->name);
    gather.metadata.emplace_back("change_crc32", hexadecimal(plan.change->crc32));
  }
  for (auto& entry : facts_of(plan.midpoints)) gather.metadata.push_back(std::move(entry));
  if (shot.injection) {
    gather.metadata.emplace_back(injected_file_attribute, shot.injection->file());
    gather.metadata.emplace_back("injected_crc32", shot.injection->crc32());
    gather.metadata.emplace_back("injected_backward", std::int64_t{shot.injection->backward() ? 1 : 0});
  }
  for (auto& entry : provenance(*plan.medium, plan.command_line, identity.date))
    gather.metadata.push_back(std::move(entry));
  if (!identity.configuration.empty())
    gather.metadata.emplace_back(configuration_attribute, identity.configuration);
  return gather;
}

}  // namespace minimod
