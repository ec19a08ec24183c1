#include "src/job/shot/configuration.hpp"

#include "kernels/equation_names.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/json.hpp"
#include "src/base/precision_names.hpp"

namespace minimod {

namespace {

constexpr const char* sums_of_inner = "--kernel's order of sums";
constexpr const char* sums_of_pml = "--pml-kernel's order of sums";
constexpr const char* bits_of_velocity = "--kernel's bits of V";

/// A shot looks for what it can go on from before its kernels are chosen.
bool is_of_kernels(std::string_view name) {
  return name == sums_of_inner || name == sums_of_pml || name == bits_of_velocity;
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
  all["--model"] = model.name;
  if (!model.from_file) return;
  const ModelCut& cut = model.cut;
  const Box3& crop = cut.crop;
  all["the model's crc32"] = hexadecimal(cut.crc32);
  all["--model-axes"] = cut.axes;
  all["--model-dims"] = {cut.dims.x, cut.dims.y, cut.dims.z};
  all["--model-unit"] = cut.unit;
  all["--model-spacing (m)"] = numbers_of(cut.spacing);
  all["--crop"] = {crop.begin.x, crop.end.x, crop.begin.y, crop.end.y, crop.begin.z, crop.end.z};
  all["--decimate"] = {cut.decimate.x, cut.decimate.y, cut.decimate.z};
  const SegyWords& words = model.spec.segy;
  if (words == SegyWords{}) return;
  const auto first_byte = [](const std::optional<int>& word) { return word ? Json(*word) : Json(); };
  all["--segy-header"] = {{"inline", first_byte(words.inline_number)},
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
  configuration["--source (m)"] = positions;
  configuration["--wavelet"] = wavelets;
  configuration["the wavelet's crc32"] = signals;
}

void add_injection(Configuration& configuration, const Injection& injection, const Shot& shot) {
  std::vector<Point3> positions;
  for (const PlannedSource& source : shot.sources) positions.push_back(source.position);
  configuration["--inject"] = injection.description();
  configuration["the injected file's crc32"] = injection.crc32();
  configuration["the sources' crc32"] = checksum_of(positions);
}

}  // namespace

Configuration shared_configuration(const RunPlan& plan) {
  const BoundarySpec& boundary = plan.problem.domain.boundary;
  Configuration all;
  all["the program's version"] = build_info().version;
  all["its arithmetic"] = arithmetic_version;
  if (plan.problem.domain.equation != Equation::wave)
    all["--equation"] = equation_name(plan.problem.domain.equation);
  add_model(all, plan);
  all["--grid"] = {plan.grid().n.x, plan.grid().n.y, plan.grid().n.z};
  all["--spacing (m)"] = numbers_of(plan.grid().spacing);
  all["--order"] = 2 * plan.grid().radius;
  all["--stencil-weights"] = name_in(star_weights_names, plan.grid().weights);
  all["--precision"] = precision_name(plan.grid().precision);
  all["--boundary"] = boundary_name(boundary.kind);
  all["--pml-width"] = plan.problem.layer_width();
  all["--pml-velocity (m/s)"] = boundary.velocity;
  all["--pml-alpha"] = plan.problem.boundary.alpha;
  all["--free-surface"] = boundary.free_surface;
  all["--dt (s)"] = plan.problem.dt;
  all["--steps"] = plan.steps;
  all["the first step's time (s)"] = plan.first_time;
  all["--record-dt (steps)"] = plan.record_every;
  all["--time-dispersion"] = name_in(time_dispersion_names, plan.dispersion);
  all["--interpolation"] = interpolation_name(plan.interpolation);
  if (const SnapshotPlan& snapshots = plan.snapshots; !snapshots.empty()) {
    const Extent3 n = snapshots.nodes.n;
    all["--snapshot-every, its steps' crc32"] = checksum_of(snapshots.steps);
    all["--snapshot-box's origin (m)"] = numbers_of(snapshots.origin);
    all["--snapshot-stride's spacing (m)"] = numbers_of(snapshots.spacing);
    all["nodes of a snapshot"] = {n.x, n.y, n.z};
  }
  return all;
}

void add_kernels(Configuration& configuration, const KernelSet& kernels) {
  const CodeShape &inner = *kernels.inner, &pml = *kernels.pml;
  configuration[bits_of_velocity] = inner.needs.v16 ? 16 : 32;
  configuration[sums_of_inner] = kernels.schedule->sums(inner);
  configuration[sums_of_pml] = pml.needs.eta_field ? "eta in 3-D" : kernels.schedule->sums(pml);
}

void add_kernels_of_survey(Configuration& configuration, const DeviceChoice& choice) {
  add_kernels(configuration, choice.kernels);
  if (!choice.is_among_others) return;
  for (const char* name : {sums_of_inner, sums_of_pml}) configuration[name] = "auto";
}

void add_shot(Configuration& configuration, const RunPlan& plan, const Shot& shot) {
  if (plan.injection) {
    add_injection(configuration, *plan.injection, shot);
  } else {
    add_sources(configuration, shot);
  }
  configuration["--receivers"] = shot.receivers.size();
  configuration["the receivers' crc32"] = checksum_of(shot.receivers);
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
  for (const auto& [name, value] : here.items()) compare(name);
  for (const auto& [name, value] : there.items()) {
    if (!here.contains(name)) compare(name);
  }
  return escaped(all, 110);
}

}  // namespace minimod
