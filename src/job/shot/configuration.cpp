#include "src/job/shot/configuration.hpp"

#include "kernels/equation_names.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/json.hpp"
#include "src/base/precision_names.hpp"

namespace minimod {

namespace {

/// Names in the heads of checkpoints, whose hashes journals and gathers have: bytes of files, which stay
/// whatever the options that most of them are called after become.
namespace key {
constexpr const char model[] = "--model", model_content[] = "the model's crc32",
                     model_axes[] = "--model-axes", model_dims[] = "--model-dims",
                     model_unit[] = "--model-unit", model_spacing[] = "--model-spacing (m)",
                     change[] = "--change, its crc32", crop[] = "--crop", decimate[] = "--decimate",
                     segy_header[] = "--segy-header", source[] = "--source (m)", wavelet[] = "--wavelet",
                     wavelet_samples[] = "the wavelet's crc32", inject[] = "--inject",
                     injected_content[] = "the injected file's crc32", sources[] = "the sources' crc32",
                     program[] = "the program's version", arithmetic[] = "its arithmetic",
                     equation[] = "--equation", grid[] = "--grid", spacing[] = "--spacing (m)",
                     order[] = "--order", stencil_weights[] = "--stencil-weights",
                     precision[] = "--precision", boundary[] = "--boundary", pml_width[] = "--pml-width",
                     pml_velocity[] = "--pml-velocity (m/s)", pml_alpha[] = "--pml-alpha",
                     free_surface[] = "--free-surface", dt[] = "--dt (s)", steps[] = "--steps",
                     first_time[] = "the first step's time (s)", record_dt[] = "--record-dt (steps)",
                     time_dispersion[] = "--time-dispersion", interpolation[] = "--interpolation",
                     snapshot_steps[] = "--snapshot-every, its steps' crc32",
                     snapshot_origin[] = "--snapshot-box's origin (m)",
                     snapshot_spacing[] = "--snapshot-stride's spacing (m)",
                     snapshot_nodes[] = "nodes of a snapshot", receivers[] = "--receivers",
                     receiver_positions[] = "the receivers' crc32",
                     sums_of_inner[] = "--kernel's order of sums",
                     sums_of_pml[] = "--pml-kernel's order of sums",
                     bits_of_velocity[] = "--kernel's bits of V";
}  // namespace key

/// A shot looks for what it can go on from before its kernels are chosen.
bool is_of_kernels(std::string_view name) {
  return name == key::sums_of_inner || name == key::sums_of_pml || name == key::bits_of_velocity;
}

template <class Value>
std::string checksum_of(const std::vector<Value>& values) {
  return hexadecimal(crc32(std::as_bytes(std::span(values))));
}

Json numbers_of(Point3 p) {
  return {p.x, p.y, p.z};
}

void add_model(Configuration& all, const RunPlan& plan) {
  const VelocityModel& model = plan.medium->model();
  all[key::model] = model.name;
  if (!model.from_file) return;
  const ModelCut& cut = model.cut;
  const Box3& crop = cut.crop;
  all[key::model_content] = hexadecimal(cut.crc32);
  all[key::model_axes] = cut.axes;
  all[key::model_dims] = {cut.dims.x, cut.dims.y, cut.dims.z};
  all[key::model_unit] = cut.unit;
  all[key::model_spacing] = numbers_of(cut.spacing);
  all[key::crop] = {crop.begin.x, crop.end.x, crop.begin.y, crop.end.y, crop.begin.z, crop.end.z};
  all[key::decimate] = {cut.decimate.x, cut.decimate.y, cut.decimate.z};
  const SegyWords& words = model.spec.segy;
  if (words == SegyWords{}) return;
  const auto first_byte = [](const std::optional<int>& word) { return word ? Json(*word) : Json(); };
  all[key::segy_header] = {{"inline", first_byte(words.inline_number)},
                           {"crossline", first_byte(words.crossline_number)},
                           {"x", first_byte(words.x)},
                           {"y", first_byte(words.y)},
                           {"in depth", words.in_depth}};
}

void add_sources(Configuration& configuration, const Shot& shot) {
  Json positions = Json::array(), wavelets = positions, signals = positions;
  for (const PlannedSource& source : shot.sources) {
    positions.push_back(numbers_of(source.position));
    wavelets.push_back(source.wavelet->description);
    // As they are: what becomes of small ones as float depends on whether a device was made, for that flushes
    // them.
    signals.push_back(checksum_of(source.samples()));
  }
  configuration[key::source] = positions;
  configuration[key::wavelet] = wavelets;
  configuration[key::wavelet_samples] = signals;
}

void add_injection(Configuration& configuration, const Shot& shot) {
  std::vector<Point3> positions;
  for (const PlannedSource& source : shot.sources) positions.push_back(source.position);
  configuration[key::inject] = shot.injection->description();
  configuration[key::injected_content] = shot.injection->crc32();
  configuration[key::sources] = checksum_of(positions);
}

}  // namespace

Configuration shared_configuration(const RunPlan& plan) {
  const BoundarySpec& boundary = plan.problem.domain.boundary;
  Configuration all;
  all[key::program] = build_info().version;
  all[key::arithmetic] = arithmetic_version;
  if (plan.problem.domain.equation != Equation::wave)
    all[key::equation] = equation_name(plan.problem.domain.equation);
  add_model(all, plan);
  if (plan.change) all[key::change] = hexadecimal(plan.change->crc32);
  all[key::grid] = {plan.grid().n.x, plan.grid().n.y, plan.grid().n.z};
  all[key::spacing] = numbers_of(plan.grid().spacing);
  all[key::order] = 2 * plan.grid().radius;
  all[key::stencil_weights] = name_in(star_weights_names, plan.grid().weights);
  all[key::precision] = precision_name(plan.grid().precision);
  all[key::boundary] = boundary_name(boundary.kind);
  all[key::pml_width] = plan.problem.layer_width();
  all[key::pml_velocity] = boundary.velocity;
  all[key::pml_alpha] = plan.problem.boundary.alpha;
  all[key::free_surface] = boundary.free_surface;
  all[key::dt] = plan.time().dt;
  all[key::steps] = plan.time().steps;
  all[key::first_time] = plan.time().first;
  all[key::record_dt] = plan.time().record_every;
  all[key::time_dispersion] = name_in(time_dispersion_names, plan.time().dispersion);
  all[key::interpolation] = interpolation_name(plan.interpolation);
  if (const SnapshotPlan& snapshots = plan.snapshots; !snapshots.empty()) {
    const Extent3 n = snapshots.nodes.n;
    all[key::snapshot_steps] = checksum_of(snapshots.steps);
    all[key::snapshot_origin] = numbers_of(snapshots.origin);
    all[key::snapshot_spacing] = numbers_of(snapshots.spacing);
    all[key::snapshot_nodes] = {n.x, n.y, n.z};
  }
  return all;
}

void add_kernels(Configuration& configuration, const KernelSet& kernels) {
  const CodeShape &inner = *kernels.inner, &pml = *kernels.pml;
  configuration[key::bits_of_velocity] = inner.needs.v16 ? 16 : 32;
  configuration[key::sums_of_inner] = kernels.schedule->sums(inner);
  configuration[key::sums_of_pml] = pml.needs.eta_field ? "eta in 3-D" : kernels.schedule->sums(pml);
}

void add_kernels_of_survey(Configuration& configuration, const DeviceChoice& choice) {
  add_kernels(configuration, choice.kernels);
  if (!choice.is_among_others) return;
  for (const char* name : {key::sums_of_inner, key::sums_of_pml}) configuration[name] = "auto";
}

Configuration with_shot(Configuration all, const Shot& shot) {
  (shot.injection ? add_injection : add_sources)(all, shot);
  all[key::receivers] = shot.receivers.size();
  all[key::receiver_positions] = checksum_of(shot.receivers);
  return all;
}

std::string hash_of(const Configuration& configuration) {
  const std::string all = configuration.dump();
  return hexadecimal(crc32(std::as_bytes(std::span(all))));
}

std::string differences(const Configuration& there, const Configuration& here) {
  std::string all;
  const auto compare = [&](const std::string& name) {
    const bool is_there = there.contains(name), is_here = here.contains(name);
    if (is_there != is_here ? is_of_kernels(name) : there[name] == here[name]) return;
    all += text(all.empty() ? "" : ", ", name, " is ", is_there ? there[name].dump() : "none", " there and ",
                is_here ? here[name].dump() : "none", " here");
  };
  for (const auto& [name, value] : here.members()) compare(name);
  for (const auto& [name, value] : there.members()) {
    if (!here.contains(name)) compare(name);
  }
  return escaped(all, 110);
}

}  // namespace minimod
