#include "src/solver/propagator.hpp"

#include <algorithm>

#include <Kokkos_Core.hpp>

#include "src/base/error.hpp"
#include "src/device/profiling.hpp"

namespace minimod {

namespace {
/// Multiprocessors that the inner box takes beside the PML. An H200 needs two thirds of them to reach the
/// memory's limit.
int blocks_beside_pml(int multiprocessors) {
  return multiprocessors * 2 / 3;
}
}  // namespace

Propagator::Propagator(Backend& backend, const Grid& grid, const Boundary& boundary, const KernelSet& kernels,
                       Decomposition decomposition)
    : backend_(backend),
      grid_(grid),
      regions_(boundary.spec.regions(grid.n)),
      launches_(make_launches(grid, regions_, decomposition)),
      boundary_(boundary),
      corrections_(backend, grid, boundary),
      u_(backend, grid.layout.size),
      u_next_(backend, grid.layout.size),
      v2dt2_(backend, grid.layout.size),
      phi_(backend, phi_size(grid, regions_, decomposition)),
      eta_x_(upload_as_float(backend, boundary.x.eta)),
      eta_y_(upload_as_float(backend, boundary.y.eta)),
      eta_z_(upload_as_float(backend, boundary.z.eta)),
      weights_(make_stencil_weights<float>(grid.spacing)),
      status_(backend, 1) {
  set_kernels(kernels);
}

void Propagator::set_kernels(const KernelSet& kernels) {
  if (second_waits_) step();
  kernels_ = kernels;
  check_schedule();
  if (kernels.pml->needs_eta_field && regions_.pml_points() > 0 && eta_.size() == 0) make_eta_field();
  if (kernels.inner->needs_v16 && v2dt2_codes_.size() == 0) {
    v2dt2_codes_ = DeviceArray<std::uint16_t>(backend_, grid_.layout.size);
    if (has_velocity_) encode_velocity();
  }
  if (kernels.schedule == Schedule::two_steps && u_first_.size() == 0) {
    DeviceArray<float> first(backend_, grid_.layout.size), second(backend_, grid_.layout.size);
    u_first_ = std::move(first);  // both or none
    u_second_ = std::move(second);
  }
  share_out();
}

/// What no user can ask for: the options are checked before.
void Propagator::check_schedule() const {
  if (kernels_.schedule != Schedule::two_steps) return;
  if (boundary_.spec.is_part_of_the_launches() && source_indices_.size() <= 1) return;
  throw Error(ExitCode::internal,
              "two steps in one launch leave no room for the boundary or source between them",
              "please report this");
}

const Launches& Propagator::launches_of(Formula formula) const {
  return backend_.launches_of(kernels_.of(formula));
}

WorkspaceBytes Propagator::workspace_of(Formula formula) const {
  const Launches& launches = launches_of(formula);
  if (formula == Formula::pml) return launches.pml_workspace;
  if (formula != Formula::inner) return nullptr;
  return kernels_.schedule == Schedule::two_steps ? launches.two_steps_workspace : launches.inner_workspace;
}

/// Multiprocessors and workspace for each launch: all multiprocessors where launches follow each other,
/// shares of them where they run beside each other.
void Propagator::share_out() {
  const int all = backend_.info().units;
  const bool beside = kernels_.schedule == Schedule::beside;
  const double pml_points = static_cast<double>(std::max<std::int64_t>(1, regions_.pml_points()));
  shares_.assign(launches_.size(), {});
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const Formula formula = launches_[i].formula;
    if (formula == Formula::inner && beside) shares_[i].blocks = blocks_beside_pml(all);
    if (formula == Formula::pml && beside) {
      const int for_pml = all - blocks_beside_pml(all);
      const double share = static_cast<double>(launches_[i].box.points()) / pml_points;
      shares_[i].blocks = std::max(1, static_cast<int>(share * for_pml));
    }
    shares_[i].workspace = bytes;
    const WorkspaceBytes needed = workspace_of(formula);
    if (needed != nullptr && !launches_[i].box.empty()) bytes += needed(make_args(i));
  }
  if (bytes != workspace_.size()) workspace_ = DeviceArray<char>(backend_, bytes);
  forget_graphs();
}

/// What the launches get has changed.
void Propagator::forget_graphs() {
  for (auto& graph : beside_) graph.reset();
}

/// The sum of the profiles at every point and at the ghost points one beyond each face.
void Propagator::make_eta_field() {
  const Layout& at = grid_.layout;
  const Extent3 n = grid_.n;
  eta_ = DeviceArray<float>(backend_, at.size);
  const auto value = [](const std::vector<double>& profile, int i) {
    return static_cast<float>(profile[i + 1]);
  };
  std::vector<float> plane(at.stride_z);
  for (int z = -1; z <= n.z; ++z) {
    for (int y = -1; y <= n.y; ++y) {
      float* row = plane.data() + at.index(0, y, 0) - stencil_radius * at.stride_z;
      for (int x = -1; x <= n.x; ++x)
        row[x] = value(boundary_.x.eta, x) + value(boundary_.y.eta, y) + value(boundary_.z.eta, z);
    }
    backend_.upload(eta_.data() + (z + stencil_radius) * at.stride_z, plane.data(),
                    plane.size() * sizeof(float));
  }
}

std::size_t Propagator::bytes_needed(const Grid& grid, const BoundarySpec& boundary, const KernelSet& kernels,
                                     Decomposition decomposition) {
  const Regions regions = boundary.regions(grid.n);
  const int fields = 3 + (kernels.pml->needs_eta_field && regions.pml_points() > 0 ? 1 : 0) +
                     (kernels.schedule == Schedule::two_steps ? 2 : 0);
  const std::size_t codes = kernels.inner->needs_v16 ? sizeof(std::uint16_t) * grid.layout.size : 0;
  return sizeof(float) * (fields * grid.layout.size + phi_size(grid, regions, decomposition)) + codes +
         LayerCorrections::bytes_needed(grid, boundary);
}

void Propagator::set_velocity(double dt, const std::function<void(int z, float* plane)>& fill) {
  const Layout& at = grid_.layout;
  std::vector<float> velocity(std::size_t(grid_.n.x) * grid_.n.y);
  std::vector<float> plane(at.stride_z);
  using Rows = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>;
  for (int z = 0; z < grid_.n.z; ++z) {
    fill(z, velocity.data());
    Kokkos::parallel_for("minimod::v2dt2", Rows(0, grid_.n.y), [&](int y) {
      const float* from = velocity.data() + std::size_t(y) * grid_.n.x;
      float* to = plane.data() + at.index(0, y, 0) - stencil_radius * at.stride_z;
      for (int x = 0; x < grid_.n.x; ++x) {
        const double courant_length = from[x] * dt;
        to[x] = static_cast<float>(courant_length * courant_length);
      }
    });
    backend_.upload(v2dt2_.data() + (z + stencil_radius) * at.stride_z, plane.data(),
                    plane.size() * sizeof(float));
  }
  has_velocity_ = true;
  if (v2dt2_codes_.size() > 0) encode_velocity();
}

/// Between the extremes of all points.
VelocityCode Propagator::code_of_velocity() const {
  const Extent3 n = grid_.n;
  const Extremes found = backend_.extremes(v2dt2_.data(), grid_.layout, {{0, 0, 0}, {n.x, n.y, n.z}});
  return VelocityCode::between(found.min, found.max);
}

/// Plane by plane, with the halo along x and y, whose codes nobody reads.
void Propagator::encode_velocity() {
  v2dt2_code_ = code_of_velocity();
  forget_graphs();
  const std::int64_t size = grid_.layout.stride_z;
  std::vector<float> plane(size);
  std::vector<std::uint16_t> codes(size);
  using Points = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>;
  for (int z = 0; z < grid_.n.z; ++z) {
    const std::int64_t first = (z + stencil_radius) * size;
    backend_.download(plane.data(), v2dt2_.data() + first, size * sizeof(float));
    Kokkos::parallel_for("minimod::v2dt2_codes", Points(0, size),
                         [&](std::int64_t i) { codes[i] = v2dt2_code_.encode(plane[i]); });
    backend_.upload(v2dt2_codes_.data() + first, codes.data(), size * sizeof(std::uint16_t));
  }
}

std::optional<VelocityCode> Propagator::velocity_code() const {
  return kernels_.inner->needs_v16 ? std::optional(v2dt2_code_) : std::nullopt;
}

void Propagator::round_velocity_to_codes() {
  const VelocityCode code = code_of_velocity();
  const Box3& box = regions_.inner;
  std::vector<float> row(box.extent().x);
  for (int z = box.begin.z; z < box.end.z; ++z) {
    for (int y = box.begin.y; y < box.end.y; ++y) {
      float* const there = v2dt2_.data() + grid_.layout.index(box.begin.x, y, z);
      backend_.download(row.data(), there, row.size() * sizeof(float));
      for (float& value : row) value = code.decode(code.encode(value));
      backend_.upload(there, row.data(), row.size() * sizeof(float));
    }
  }
}

void Propagator::set_source(Index3 node, const std::vector<double>& samples) {
  set_source_nodes({node}, {1}, samples);
}

void Propagator::set_source_between(const NodeWeights& place, const std::vector<double>& samples) {
  std::vector<Index3> nodes;
  std::vector<double> weights;
  for (int k = 0; k < place.count.z; ++k) {
    for (int j = 0; j < place.count.y; ++j) {
      for (int i = 0; i < place.count.x; ++i) {
        nodes.push_back({place.first.x + i, place.first.y + j, place.first.z + k});
        weights.push_back(double{place.x[i]} * place.y[j] * place.z[k]);
      }
    }
  }
  set_source_nodes(nodes, weights, samples);
}

/// The samples carry the scale of the first node, the weights the ratio of the others to it.
void Propagator::set_source_nodes(const std::vector<Index3>& nodes, const std::vector<double>& weights,
                                  const std::vector<double>& samples) {
  std::vector<std::int64_t> indices;
  std::vector<double> scaled_weights;
  float first = 0;
  for (const Index3& node : nodes) {
    indices.push_back(grid_.layout.index(node.x, node.y, node.z));
    float v2dt2 = 0;
    backend_.download(&v2dt2, v2dt2_.data() + indices.back(), sizeof v2dt2);
    if (indices.size() == 1) first = v2dt2;
    scaled_weights.push_back(weights[indices.size() - 1] * v2dt2 / first);
  }
  const Point3 h = grid_.spacing;
  const double scale = first / (h.x * h.y * h.z);
  std::vector<double> scaled(samples.size());
  for (std::size_t n = 0; n < samples.size(); ++n) scaled[n] = scale * samples[n];
  source_node_ = nodes.front();
  source_indices_ = DeviceArray<std::int64_t>(backend_, indices);
  source_weights_ = upload_as_float(backend_, scaled_weights);
  source_samples_ = upload_as_float(backend_, scaled);
  check_schedule();
}

void Propagator::set_receivers(const std::vector<Index3>& nodes, int batch) {
  std::vector<std::int64_t> indices;
  indices.reserve(nodes.size());
  for (const Index3& node : nodes) indices.push_back(grid_.layout.index(node.x, node.y, node.z));
  receiver_indices_ = DeviceArray<std::int64_t>(backend_, indices);
  receiver_places_ = {};
  make_batch(nodes.size(), batch);
}

void Propagator::set_receivers_between(const std::vector<NodeWeights>& places, int batch) {
  receiver_indices_ = {};
  receiver_places_ = DeviceArray<NodeWeights>(backend_, places);
  make_batch(places.size(), batch);
}

void Propagator::make_batch(std::size_t receivers, int samples) {
  receivers_ = static_cast<int>(receivers);
  batch_size_ = samples;
  batch_filled_ = 0;
  batch_ = DeviceArray<float>(backend_, std::size_t(samples) * receivers);
}

void Propagator::set_at_rest() {
  second_waits_ = false;
  for (const auto* field : {&u_, &u_next_, &phi_}) {
    if (field->size() > 0) backend_.clear(field->data(), field->size() * sizeof(float));
  }
  corrections_.reset();
}

void Propagator::set_random_field(std::uint32_t seed) {
  set_at_rest();
  const Extent3 n = grid_.n;
  for (const auto* field : {&u_, &u_next_}) {
    backend_.randomize(field->data(), grid_.layout, {{0, 0, 0}, {n.x, n.y, n.z}}, seed);
    corrections_.close_surface(field->data());
  }
}

StencilArgs<float> Propagator::make_args(std::size_t number) const {
  const RegionLaunch& launch = launches_[number];
  StencilArgs<float> args;
  args.box = launch.box;
  args.inner = regions_.inner;
  args.updates_inner = launch.formula == Formula::mixed;
  args.layout = grid_.layout;
  args.phi_layout = launch.phi;
  args.u = u_.data();
  args.u_before = u_next_.data();
  args.u_next = u_next_.data();
  args.v2dt2 = v2dt2_.data();
  args.v2dt2_codes = v2dt2_codes_.data();
  args.v2dt2_code = v2dt2_code_;
  args.phi = phi_.data();
  args.eta = eta_.data();
  args.eta_x = eta_x_.data() + 1;
  args.eta_y = eta_y_.data() + 1;
  args.eta_z = eta_z_.data() + 1;
  args.weights = weights_;
  if (workspace_.size() > 0) args.workspace = workspace_.data() + shares_[number].workspace;
  args.status = status_.data();
  args.most_blocks = shares_[number].blocks;
  const Point3 h = grid_.spacing;
  args.gradient_x = static_cast<float>(1 / (4 * h.x * h.x));
  args.gradient_y = static_cast<float>(1 / (4 * h.y * h.y));
  args.gradient_z = static_cast<float>(1 / (4 * h.z * h.z));
  return args;
}

void Propagator::step(bool timed) {
  const ProfilingRegion whole_step("step");
  if (second_waits_) {
    second_waits_ = false;
    std::swap(u_, u_next_);
    std::swap(u_, u_second_);
  } else if (kernels_.schedule == Schedule::two_steps) {
    compute_two_steps();
    second_waits_ = true;
    std::swap(u_next_, u_first_);
    std::swap(u_, u_next_);
  } else {
    if (kernels_.schedule == Schedule::beside) {
      step_beside(timed);
    } else {
      step_in_sequence(timed);
    }
    corrections_.absorb(u_.data(), u_next_.data(), v2dt2_.data());
    if (timed && corrects()) backend_.mark(static_cast<int>(launches_.size()) + 1);
    inject(u_next_.data(), steps_done_);
    corrections_.close_surface(u_next_.data());
    std::swap(u_, u_next_);
  }
  ++steps_done_;
}

void Propagator::step_in_sequence(bool timed) {
  if (timed) backend_.mark(0);
  clear_workspace();
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const Formula formula = launches_[i].formula;
    const ProfilingRegion region(launches_[i].name), kernel(kernels_.of(formula).name);
    backend_.launch(launches_of(formula).of(formula), make_args(i), 0);
    if (timed) backend_.mark(static_cast<int>(i) + 1);
  }
}

void Propagator::step_beside(bool timed) {
  if (timed) backend_.mark(0);
  backend_.replay(beside_[u_.data() < u_next_.data() ? 0 : 1], [this] { launch_beside(); });
  if (timed) backend_.mark(1);
}

/// The inner box leaves some multiprocessors to the PML.
void Propagator::launch_beside() {
  clear_workspace();
  backend_.fork(static_cast<int>(launches_.size()) - 1);
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const Formula formula = launches_[i].formula;
    const ProfilingRegion region(launches_[i].name), kernel(kernels_.of(formula).name);
    backend_.launch(launches_of(formula).of(formula), make_args(i), static_cast<int>(i));
  }
  backend_.join();
}

/// Into u_first_ and u_second_. The inner box's second step reads the PML's first around it; the PML's second
/// reads the inner box's first.
void Propagator::compute_two_steps() {
  backend_.mark(0);
  launch_pml(u_.data(), u_next_.data(), u_first_.data());
  StencilArgs<float> args = make_args(0);
  args.u_next = u_first_.data();
  args.u_second = u_second_.data();
  if (!regions_.inner.contains(source_node_)) {
    inject(u_first_.data(), steps_done_);
  } else if (steps_done_ < static_cast<int>(source_samples_.size())) {
    args.source = source_node_;
    args.source_sample = source_samples_.data() + steps_done_;
  }
  backend_.mark(1);
  {
    const ProfilingRegion region(launches_[0].name), kernel(kernels_.inner->name);
    backend_.launch(launches_of(Formula::inner).two_steps, args, 0);
  }
  backend_.mark(2);
  launch_pml(u_first_.data(), u_.data(), u_second_.data());
  inject(u_second_.data(), steps_done_ + 1);
  backend_.mark(3);
}

void Propagator::clear_workspace() {
  if (workspace_.size() > 0) backend_.clear(workspace_.data(), workspace_.size());
}

void Propagator::launch_pml(const float* u, const float* u_before, float* u_next) {
  clear_workspace();
  for (std::size_t i = 1; i < launches_.size(); ++i) {
    StencilArgs<float> args = make_args(i);
    args.u = u;
    args.u_before = u_before;
    args.u_next = u_next;
    const ProfilingRegion region(launches_[i].name), kernel(kernels_.pml->name);
    backend_.launch(launches_of(Formula::pml).pml, args, 0);
  }
}

void Propagator::inject(float* u_next, int step) {
  if (step >= static_cast<int>(source_samples_.size())) return;
  const SourceNodes source{source_indices_.data(), source_weights_.data(),
                           static_cast<int>(source_indices_.size())};
  backend_.inject(u_next, source, source_samples_.data() + step);
}

std::vector<TimedPart> Propagator::timed_parts() const {
  const std::int64_t inner = regions_.inner.points(), pml = regions_.pml_points();
  const auto seconds = [&](int mark) { return backend_.seconds_between(mark, mark + 1); };
  if (kernels_.schedule == Schedule::beside) return {{"step", Formula::mixed, inner + pml, seconds(0)}};
  if (kernels_.schedule == Schedule::two_steps) {
    return {{"inner", Formula::inner, inner, seconds(1) / 2},
            {"pml", Formula::pml, pml, (seconds(0) + seconds(2)) / 2}};
  }
  std::vector<TimedPart> parts;
  for (const RegionLaunch& launch : launches_) {
    parts.push_back(
        {launch.name, launch.formula, launch.box.points(), seconds(static_cast<int>(parts.size()))});
  }
  if (corrects()) {
    parts.push_back({"layer", Formula::pml, LayerCorrections::points(grid_, boundary_.spec),
                     seconds(static_cast<int>(parts.size()))});
  }
  return parts;
}

void Propagator::check_status() const {
  unsigned gave_up = 0;
  backend_.download(&gave_up, status_.data(), sizeof gave_up);
  if (gave_up == 0) return;
  backend_.clear(status_.data(), sizeof gave_up);
  throw Error(
      ExitCode::resource,
      text("blocks of ", kernels_.inner->name, " waited for others that did not run; the field is lost"),
      "give the GPU to this run alone, or take another --kernel");
}

void Propagator::record() {
  float* const row = batch_.data() + std::size_t(batch_filled_) * receivers_;
  if (receiver_places_.size() > 0) {
    backend_.record(row, u_.data(), grid_.layout, receiver_places_.data(), receivers_);
  } else {
    backend_.record(row, u_.data(), receiver_indices_.data(), receivers_);
  }
  ++batch_filled_;
}

std::vector<float> Propagator::fetch_batch() {
  std::vector<float> samples(std::size_t(batch_filled_) * receivers_);
  backend_.download(samples.data(), batch_.data(), samples.size() * sizeof(float));
  check_status();
  batch_filled_ = 0;
  return samples;
}

Extremes Propagator::extremes() const {
  check_status();
  const Extent3 n = grid_.n;
  return backend_.extremes(u_.data(), grid_.layout, {{0, 0, 0}, {n.x, n.y, n.z}});
}

std::vector<float> Propagator::wavefield(const Box3& box) const {
  check_status();
  const Extent3 n = box.extent();
  std::vector<float> values(n.points());
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      const std::int64_t from = grid_.layout.index(box.begin.x, box.begin.y + y, box.begin.z + z);
      backend_.download(values.data() + (std::int64_t{z} * n.y + y) * n.x, u_.data() + from,
                        n.x * sizeof(float));
    }
  }
  return values;
}

}  // namespace minimod
