#include "src/job/outputs/record.hpp"

#include <set>

#include <nlohmann/json.hpp>

#include "kernels/equation_names.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/precision_names.hpp"
#include "src/choice/played.hpp"
#include "src/io/shot_identity.hpp"
#include "src/job/outputs/provenance.hpp"
#include "src/job/outputs/survey_facts.hpp"
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
          {"points_inner", plan.model_box.points()},
          {"points_pml", plan.grid().n.points() - plan.model_box.points()}};
}

Json time_record(const RunPlan& plan) {
  return {{"dt_s", plan.problem.dt},
          {"steps", plan.steps},
          {"zero", name_in(time_zero_names, plan.time_zero)},
          {"first_time_s", plan.first_time},
          {"cfl_fraction", plan.problem.dt / plan.dt_limit},
          {"record_dt_s", plan.problem.dt * plan.record_every},
          {"time_dispersion", name_in(time_dispersion_names, plan.dispersion)}};
}

Json source_record(const RunPlan& plan, std::size_t i) {
  const Wavelet& w = *plan.shot.sources[i].wavelet;
  return {{"position_m", to_json(plan.shot.sources[i].position)},
          {"node_position_m", to_json(plan.source_position(i))},
          {"interpolation", interpolation_name(plan.interpolation)},
          {"wavelet", w.description},
          {"amplitude", plan.shot.sources[i].amplitude},
          {"peak_frequency_hz", w.peak_frequency},
          {"max_frequency_hz", w.max_frequency},
          {"delay_s", w.delay()}};
}

/// Facts of all injected traces together: a gather may have 10^5.
Json injection_record(const RunPlan& plan) {
  const Injection& injection = *plan.injection;
  return {{"file", injection.file()},
          {"crc32", injection.crc32()},
          {"traces", injection.count()},
          {"backward", injection.backward()},
          {"interpolation", interpolation_name(plan.interpolation)},
          {"peak_frequency_hz", plan.shot.wavelet().peak_frequency},
          {"max_frequency_hz", plan.shot.wavelet().max_frequency}};
}

/// The one source's with what the run has of it; of several a list of them.
Json sources_record(const RunPlan& plan) {
  const Json run = {{"points_per_wavelength", plan.points_per_wavelength},
                    {"greatest_offset_m", plan.greatest_offset()},
                    {"phase_error_frequency_hz", plan.peak_frequency},
                    {"predicted_phase_error_s", plan.predicted_phase_error()}};
  const bool is_one = plan.shot.sources.size() == 1 && !plan.injection;
  Json record = is_one ? source_record(plan, 0) : Json::object();
  if (plan.injection) record["injected"] = injection_record(plan);
  for (std::size_t i = 0; !is_one && !plan.injection && i < plan.shot.sources.size(); ++i) {
    record["sources"].push_back(source_record(plan, i));
  }
  record.update(run);
  return record;
}

/// What the wavelets of the shot are, each once.
std::string wavelet_descriptions(const RunPlan& plan) {
  std::string list;
  std::set<const Wavelet*> told;
  for (const PlannedSource& source : plan.shot.sources) {
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

Json boundary_record(const RunPlan& plan) {
  const BoundarySpec& spec = plan.problem.domain.boundary;
  Json record = {{"kind", boundary_name(spec.kind)},
                 {"free_surface", spec.free_surface},
                 {"pml_alpha", plan.problem.boundary.alpha}};
  if (const auto found = plan.reflection()) {
    record["measured_reflection_db"] = {{"face", found->face},
                                        {"edge", found->edge},
                                        {"corner", found->corner},
                                        {"grazing", found->grazing},
                                        {"other_than_measured", plan.other_than_measured()}};
  }
  record["expected_echo"] = nullptr;
  if (plan.echo) {
    record["expected_echo"] = {{"decibel", plan.echo->decibel},
                               {"source_m", to_json(plan.echo->source)},
                               {"receiver_m", to_json(plan.echo->receiver)},
                               {"face", plan.echo->face}};
  }
  return record;
}

/// Of a (V Δt)² that the inner kernel reads in 16 bits.
Json velocity_record(const VelocityCode& code) {
  return {{"v2dt2_bits", 16},
          {"v2dt2_error_m2", code.greatest_error()},
          {"v2dt2_relative_error", code.greatest_relative_error()}};
}

Json result_record(const RunResult& result, bool is_played) {
  return {{"min", result.extremes.min},
          {"max", result.extremes.max},
          {"seconds", result.seconds},
          {"gpt_per_s", result.gpt_per_s},
          {"gb_per_s", result.gb_per_s},
          {"played", is_played},
          {"share_of_copy_bandwidth", is_played ? Json() : Json(result.gb_per_s / result.stream.copy)},
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
    record["compute_capability"] = device.compute_capability.text();
    record["driver"] = device.driver;
  } else {
    record["cpu_level"] = device.cpu_level;
  }
  return record;
}

Json device_record(const DeviceInfo& device, const StreamRates& stream) {
  Json record = device_record(device);
  record["copy_gb_per_s"] = stream.copy;
  record["three_reads_one_write_gb_per_s"] = stream.three_reads_one_write;
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

Json make_record(const RunPlan& plan, const DeviceChoice& choice, const RunResult& result) {
  const std::optional<double> kept = plan.kept_of_reflection();
  Json record{{"schema", "minimod.run/1"},
              {"command_line", plan.command_line},
              {"date", plan.date},
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
                {"file", model_file_record(plan)}}},
              {"boundary", boundary_record(plan)},
              {"source", sources_record(plan)},
              {"receivers",
               {{"count", plan.shot.receivers.size()},
                {"samples", plan.samples()},
                {"greatest_move_m", plan.shot.moves.receivers}}},
              {"result", result_record(result, plays(choice.device, choice.kernels))}};
  if (result.velocity_code) record["velocity"] = velocity_record(*result.velocity_code);
  if (!result.ranks.empty()) {
    record["ranks"] =
        ranks_record(result.ranks, result.transport, plan.problem.cut.layer_cost, plan.grid().n);
  }
  return record;
}

namespace {

ShotGather survey_of(const RunPlan& plan) {
  ShotGather gather;
  for (std::size_t i = 0; i < plan.shot.receivers.size(); ++i) {
    gather.receivers.push_back(plan.receiver_position(i));
  }
  gather.requested_receivers = plan.shot.receivers;
  gather.stations = plan.shot.stations;
  for (std::size_t i = 0; i < plan.shot.sources.size(); ++i) {
    gather.sources.push_back(plan.source_position(i));
    gather.requested_sources.push_back(plan.shot.sources[i].position);
  }
  return gather;
}

}  // namespace

bool keeps_wavelets(const RunPlan& plan) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  return !plan.injection ||
         plan.shot.sources.size() * static_cast<std::size_t>(plan.steps) * sizeof(double) <= most_bytes;
}

ShotGather make_sections_file(const RunPlan& plan, ModelSections sections, CoordinateKind given) {
  ShotGather gather = survey_of(plan);
  gather.sections = std::move(sections);
  const Extent3 n = plan.grid().n;
  gather.metadata = {{"model", plan.medium->model().name},
                     {"grid", std::vector<std::int64_t>{n.x, n.y, n.z}},
                     {"boundary", boundary_name(plan.problem.domain.boundary.kind)},
                     {"pml_width", std::int64_t{plan.problem.layer_width()}},
                     {"free_surface", std::int64_t{plan.problem.domain.boundary.free_surface ? 1 : 0}},
                     {"coordinates", name_in(coordinate_names, given)},
                     {"program", text("minimod ", build_info().version)}};
  for (auto& entry : model_place(plan)) gather.metadata.push_back(std::move(entry));
  return gather;
}

ShotGather make_gather(const RunPlan& plan, const DeviceChoice& choice, Reals traces,
                       ModelSections sections) {
  ShotGather gather = survey_of(plan);
  gather.traces = std::move(traces);
  gather.samples = plan.samples();
  gather.record_dt = plan.problem.dt * plan.record_every;
  gather.first_time = plan.first_time;
  if (keeps_wavelets(plan)) {
    for (std::size_t i = 0; i < plan.shot.sources.size(); ++i) gather.wavelets.push_back(plan.samples_of(i));
  }
  gather.wavelet_dt = plan.problem.dt;
  gather.wavelet_unit = plan.shot.wavelet().unit;
  gather.sections = std::move(sections);
  const Extent3 n = plan.grid().n;
  const Point3 h = plan.grid().spacing;
  const BuildInfo& build = build_info();
  gather.metadata = {
      {shot_number_name, std::int64_t{plan.shot.number}},
      {"dt", plan.problem.dt},
      {"dt_units", "s"},
      {"steps", std::int64_t{plan.steps}},
      {"time_zero", name_in(time_zero_names, plan.time_zero)},
      {"first_time", plan.first_time},
      {time_dispersion_attribute, name_in(time_dispersion_names, plan.dispersion)},
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
      {"interpolation", interpolation_name(plan.interpolation)},
      {"wavelet_description", wavelet_descriptions(plan)},
      {"points_per_wavelength", plan.points_per_wavelength},
      {"dispersion_allowed",
       std::int64_t{plan.points_per_wavelength < least_points_per_wavelength(plan.grid().radius) ? 1 : 0}},
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
  for (auto& entry : facts_of(plan.midpoints)) gather.metadata.push_back(std::move(entry));
  if (plan.injection) {
    gather.metadata.emplace_back(injected_file_attribute, plan.injection->file());
    gather.metadata.emplace_back("injected_crc32", plan.injection->crc32());
    gather.metadata.emplace_back("injected_backward", std::int64_t{plan.injection->backward() ? 1 : 0});
  }
  for (auto& entry : provenance(plan)) gather.metadata.push_back(std::move(entry));
  if (!plan.configuration.empty()) gather.metadata.emplace_back(configuration_attribute, plan.configuration);
  return gather;
}

}  // namespace minimod
