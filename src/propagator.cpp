#include "src/propagator.hpp"

#include <algorithm>

#include <Kokkos_Core.hpp>

namespace minimod {

namespace {
/// A profiling region that Kokkos Tools see, for the lifetime of the object.
class ProfilingRegion {
 public:
  explicit ProfilingRegion(std::string_view name) { Kokkos::Profiling::pushRegion(std::string(name)); }
  ProfilingRegion(const ProfilingRegion&) = delete;
  ProfilingRegion& operator=(const ProfilingRegion&) = delete;
  ~ProfilingRegion() { Kokkos::Profiling::popRegion(); }
};

DeviceArray<float> upload_as_float(Backend& backend, const std::vector<double>& values) {
  return {backend, std::vector<float>(values.begin(), values.end())};
}
}  // namespace

Propagator::Propagator(Backend& backend, const Grid& grid, const PmlWidths& widths,
                       const PmlProfiles& profiles, const KernelSet& kernels, Decomposition decomposition)
    : backend_(backend),
      grid_(grid),
      regions_(make_regions(grid.n, widths)),
      launches_(make_launches(grid, regions_, decomposition)),
      profiles_(profiles),
      u_(backend, grid.layout.size),
      u_next_(backend, grid.layout.size),
      v2dt2_(backend, grid.layout.size),
      phi_(backend, phi_size(grid, regions_, decomposition)),
      eta_x_(upload_as_float(backend, profiles.x)),
      eta_y_(upload_as_float(backend, profiles.y)),
      eta_z_(upload_as_float(backend, profiles.z)),
      weights_(make_stencil_weights<float>(grid.spacing)) {
  set_kernels(kernels);
}

void Propagator::set_kernels(const KernelSet& kernels) {
  kernels_ = kernels;
  if (kernels.pml->needs_eta_field && eta_.size() == 0) make_eta_field();
  std::size_t bytes = 0;
  for (const RegionLaunch& launch : launches_) {
    const WorkspaceBytes needed = kernels.of(launch.formula).device.workspace_bytes;
    if (launch.formula == Formula::inner && needed != nullptr)
      bytes = std::max(bytes, needed(make_args(launch)));
  }
  if (bytes != workspace_.size()) workspace_ = DeviceArray<char>(backend_, bytes);
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
        row[x] = value(profiles_.x, x) + value(profiles_.y, y) + value(profiles_.z, z);
    }
    backend_.upload(eta_.data() + (z + stencil_radius) * at.stride_z, plane.data(),
                    plane.size() * sizeof(float));
  }
}

std::size_t Propagator::bytes_needed(const Grid& grid, const Regions& regions, const KernelSet& kernels,
                                     Decomposition decomposition) {
  const int fields = kernels.pml->needs_eta_field ? 4 : 3;
  return sizeof(float) * (fields * grid.layout.size + phi_size(grid, regions, decomposition));
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
}

void Propagator::set_source(Index3 node, const std::vector<double>& samples) {
  source_index_ = grid_.layout.index(node.x, node.y, node.z);
  float v2dt2 = 0;
  backend_.download(&v2dt2, v2dt2_.data() + source_index_, sizeof v2dt2);
  const Point3 h = grid_.spacing;
  const double scale = v2dt2 / (h.x * h.y * h.z);
  std::vector<float> scaled(samples.size());
  for (std::size_t n = 0; n < samples.size(); ++n) scaled[n] = static_cast<float>(scale * samples[n]);
  source_samples_ = DeviceArray<float>(backend_, scaled);
}

void Propagator::set_receivers(const std::vector<Index3>& nodes, int batch) {
  std::vector<std::int64_t> indices;
  indices.reserve(nodes.size());
  for (const Index3& node : nodes) indices.push_back(grid_.layout.index(node.x, node.y, node.z));
  receivers_ = static_cast<int>(nodes.size());
  batch_size_ = batch;
  batch_filled_ = 0;
  receiver_indices_ = DeviceArray<std::int64_t>(backend_, indices);
  batch_ = DeviceArray<float>(backend_, std::size_t(batch) * nodes.size());
}

void Propagator::set_random_field(std::uint32_t seed) {
  const Extent3 n = grid_.n;
  for (const auto* field : {&u_, &u_next_}) {
    backend_.randomize(field->data(), grid_.layout, {{0, 0, 0}, {n.x, n.y, n.z}}, seed);
  }
}

StencilArgs<float> Propagator::make_args(const RegionLaunch& launch) const {
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
  args.phi = phi_.data();
  args.eta = eta_.data();
  args.eta_x = eta_x_.data() + 1;
  args.eta_y = eta_y_.data() + 1;
  args.eta_z = eta_z_.data() + 1;
  args.weights = weights_;
  args.workspace = workspace_.data();
  const Point3 h = grid_.spacing;
  args.gradient_x = static_cast<float>(1 / (4 * h.x * h.x));
  args.gradient_y = static_cast<float>(1 / (4 * h.y * h.y));
  args.gradient_z = static_cast<float>(1 / (4 * h.z * h.z));
  return args;
}

void Propagator::launch(const RegionLaunch& launch) {
  const CodeShape& shape = kernels_.of(launch.formula);
  if (launch.formula == Formula::inner && workspace_.size() > 0) {
    backend_.clear(workspace_.data(), workspace_.size());
  }
  backend_.launch(shape, launch.formula, make_args(launch));
}

void Propagator::step(bool timed) {
  const ProfilingRegion whole_step("step");
  if (timed) backend_.mark(0);
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const ProfilingRegion region(launches_[i].name);
    launch(launches_[i]);
    if (timed) backend_.mark(static_cast<int>(i) + 1);
  }
  if (steps_done_ < static_cast<int>(source_samples_.size())) {
    backend_.inject(u_next_.data(), source_index_, source_samples_.data(), steps_done_);
  }
  std::swap(u_, u_next_);
  ++steps_done_;
}

Propagator::LaunchSeconds Propagator::launch_seconds() const {
  LaunchSeconds seconds(launches_.size());
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    seconds[i] = backend_.seconds_between(static_cast<int>(i), static_cast<int>(i) + 1);
  }
  return seconds;
}

void Propagator::record() {
  backend_.record(batch_.data() + std::size_t(batch_filled_) * receivers_, u_.data(),
                  receiver_indices_.data(), receivers_);
  ++batch_filled_;
}

std::vector<float> Propagator::fetch_batch() {
  std::vector<float> samples(std::size_t(batch_filled_) * receivers_);
  backend_.download(samples.data(), batch_.data(), samples.size() * sizeof(float));
  batch_filled_ = 0;
  return samples;
}

Extremes Propagator::extremes() const {
  const Extent3 n = grid_.n;
  return backend_.extremes(u_.data(), grid_.layout, {{0, 0, 0}, {n.x, n.y, n.z}});
}

std::vector<float> Propagator::wavefield(const Box3& box) const {
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
