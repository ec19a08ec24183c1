/// The transposed time step: dot products of a shot with its transpose, of Born's approximation with the
/// gradient, and the gradient against differences.
#include <algorithm>
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "kernels/random_field.hpp"
#include "kernels/registry.hpp"
#include "src/device/backend.hpp"
#include "src/solver/schedules.hpp"
#include "validation/cases/means/domain.hpp"

namespace minimod {

namespace {

constexpr int steps = 60;

/// Random values of a step and a source or receiver.
std::vector<double> random_samples(int seed, int number) {
  std::vector<double> samples(steps);
  for (int i = 0; i < steps; ++i) samples[i] = random_value(seed, i, number, 0);
  return samples;
}

double dot(const std::vector<double>& one, const std::vector<double>& other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) sum += one[i] * other[i];
  return sum;
}

/// A domain with random velocities whose waves reach all faces, and places of its sources and receivers.
struct Case {
  Domain domain;
  std::vector<NodeWeights> sources, receivers;
};

Case make_case(BoundaryKind kind, bool free_surface, int radius, Precision precision, int width,
               Interpolation interpolation) {
  Case made;
  Domain& domain = made.domain;
  domain.n = {27, 24, 25};
  domain.h = 10;
  domain.stretch = {1, 1.25, 0.9};
  domain.kind = kind;
  domain.free_surface = free_surface;
  domain.radius = radius;
  domain.precision = precision;
  domain.pml_width = width;
  domain.pml_velocity = 2600;
  domain.frequency = 15;
  domain.interpolation = interpolation;
  domain.velocity_at = [](Index3 p) { return 2000 + 500 * random_value(7, p.x, p.y, p.z); };
  domain.dt = 1.2e-3;
  const auto place = [&](Point3 position) {
    if (interpolation == Interpolation::nearest)
      return at_node({int(position.x), int(position.y), int(position.z)});
    return sinc_weights(position, domain.n, interpolation, free_surface);
  };
  made.sources = {place({13.3, 11.6, 12.2}), place({7.9, 9.1, 8.4})};
  made.receivers = {place({9.2, 14.8, 7.5}), place({18.4, 8.3, 16.9}), place({13.3, 11.6, 12.2})};
  return made;
}

/// Kernels of the host, or of a GPU.
KernelSet kernels_of(const Domain& domain, const Backend& backend) {
  const char* const name = backend.info().is_gpu() ? "gmem_8x8x8" : "reference";
  const CodeShape& shape = find_shape(name, domain.radius, domain.precision);
  return {&shape, &shape, &sequence()};
}

/// The propagator of a case, or of its transpose.
Propagator make(Backend& backend, const Case& c, bool is_adjoint,
                const std::function<double(Index3)>& velocity) {
  const Domain& domain = c.domain;
  const Boundary forward = domain.problem().boundary;
  const BoundarySpec spec = is_adjoint ? adjoint_of(forward) : forward.spec;
  const Boundary boundary = make_boundary(spec, domain.n, domain.spacing(), domain.dt);
  StepProblem problem{make_grid(domain.n, domain.spacing(), spec, domain.radius, domain.precision), spec};
  problem.has_drives = !is_adjoint;
  Propagator made(backend, problem, boundary, kernels_of(domain, backend));
  made.set_velocity(domain.dt, [&](int z, float* plane) {
    for (int y = 0; y < domain.n.y; ++y)
      for (int x = 0; x < domain.n.x; ++x) *plane++ = static_cast<float>(velocity({x, y, z}));
  });
  return made;
}

void feed(Propagator& propagator, const std::vector<NodeWeights>& places,
          const std::vector<std::vector<double>>& samples) {
  std::vector<FedSource> sources;
  for (std::size_t i = 0; i < places.size(); ++i) sources.push_back({places[i], samples[i]});
  propagator.set_sources(sources);
}

using Samples = std::vector<std::vector<double>>;  // a row each source or receiver

Samples random_samples_of(int seed, std::size_t count) {
  Samples all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(random_samples(seed, static_cast<int>(i)));
  return all;
}

double dot(const Samples& one, const Samples& other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) sum += dot(one[i], other[i]);
  return sum;
}

/// Samples of all steps but the first state, which is at rest. Calls before(n) and behind(n) around step n.
template <class Before, class Behind>
Samples run(Propagator& propagator, const std::vector<NodeWeights>& receivers, const Before& before,
            const Behind& behind) {
  propagator.set_receivers_between({receivers.begin(), receivers.end()}, steps);
  for (int n = 0; n < steps; ++n) {
    before(n);
    propagator.step();
    behind(n);
    propagator.record();
  }
  const Reals& batch = propagator.fetch_batch();
  Samples samples(receivers.size());
  for (std::size_t i = 0; i < batch.size(); ++i) samples[i % receivers.size()].push_back(batch[i]);
  return samples;
}

Samples reversed(Samples samples, double factor) {
  for (std::vector<double>& trace : samples) {
    std::reverse(trace.begin(), trace.end());
    for (double& value : trace) value *= factor;
  }
  return samples;
}

double cell(const Domain& domain) {
  const Point3 h = domain.spacing();
  return h.x * h.y * h.z;
}

/// Calls work(p) for the points of a box, x fastest.
template <class Work>
void for_points(Extent3 n, const Work& work) {
  for (int z = 0; z < n.z; ++z)
    for (int y = 0; y < n.y; ++y)
      for (int x = 0; x < n.x; ++x) work(Index3{x, y, z});
}

/// Everything of a case that the derivative is made of.
class Linearized {
 public:
  explicit Linearized(const Case& c, std::unique_ptr<Backend> backend = make_host_backend())
      : case_(c), backend_(std::move(backend)) {
    const Extent3 n = c.domain.n;
    layout_ = packed_layout(n);
    points_ = static_cast<std::size_t>(n.points());
  }

  [[nodiscard]] double velocity(Index3 p) const { return static_cast<float>(case_.domain.velocity_of(p)); }

  /// Traces of the sources with these samples, whose drives are kept.
  Samples model(const Samples& fed) {
    Propagator forward = make(*backend_, case_, false, [&](Index3 p) { return velocity(p); });
    feed(forward, case_.sources, fed);
    drives_.clear();
    for (int n = 0; n < steps; ++n) drives_.emplace_back(*backend_, points_, case_.domain.precision);
    return run(
        forward, case_.receivers, [&](int) { forward.keep_earlier(); },
        [&](int n) { forward.make_drive(drive(n)); });
  }

  /// Samples that a change of (V Δt)² by these ratios adds to them.
  Samples born(const std::vector<double>& ratios) {
    Propagator scattered = make(*backend_, case_, false, [&](Index3 p) { return velocity(p); });
    const DeviceReals ratio(*backend_, ratios, case_.domain.precision);
    const auto scatter = [&](int n) { scattered.scatter(drive(n), ratio.at()); };
    return run(
        scattered, case_.receivers, [](int) {}, scatter);
  }

  /// The transpose of both: of samples at the receivers, samples at the sources, and by ratios of (V Δt)².
  Samples transpose(const Samples& residual, std::vector<double>* gradient = nullptr) {
    Propagator adjoint = make(*backend_, case_, true, [&](Index3 p) { return velocity(p); });
    feed(adjoint, case_.receivers, reversed(residual, cell(case_.domain)));
    const std::vector<double> zeros(points_);
    DeviceArray<double> product(*backend_, zeros);
    const auto correlate = [&](int n) {
      if (gradient != nullptr)
        adjoint.correlate({{drive(steps - 1 - n), adjoint.all_points()}}, product.data());
    };
    Samples at_sources = reversed(run(
                                      adjoint, case_.sources, [](int) {}, correlate),
                                  1 / cell(case_.domain));
    if (gradient != nullptr) {
      std::vector<double> sum(points_);
      backend_->download(sum.data(), product.data(), points_ * sizeof(double));
      std::size_t i = 0;
      for_points(case_.domain.n, [&](Index3 p) {
        gradient->push_back(sum[i++] / std::pow(velocity(p) * case_.domain.dt, 2));
      });
    }
    return at_sources;
  }

 private:
  [[nodiscard]] DriveField drive(int n) { return {drives_[n].at(), layout_}; }

  const Case& case_;
  std::unique_ptr<Backend> backend_;
  Layout layout_;
  std::size_t points_ = 0;
  std::vector<DeviceReals> drives_;
};

std::vector<double> random_ratios(const Case& c) {
  std::vector<double> ratios;
  for_points(c.domain.n, [&](Index3 p) { ratios.push_back(random_value(91, p.x, p.y, p.z)); });
  return ratios;
}

double norm(const Samples& samples) {
  return std::sqrt(dot(samples, samples));
}

Samples difference(Samples one, const Samples& other) {
  for (std::size_t i = 0; i < one.size(); ++i)
    for (std::size_t k = 0; k < one[i].size(); ++k) one[i][k] -= other[i][k];
  return one;
}

/// Dot products that should be one: in double over what they are, in single over the norms, as their terms
/// cancel.
void check_same(double one, double other, double norms, Precision precision) {
  const bool is_double = precision == Precision::float64;
  CHECK(std::abs(one - other) < (is_double ? 1e-12 * std::abs(one) : 1e-6 * norms));
}

void check_transpose(const Case& c, std::unique_ptr<Backend> backend = make_host_backend()) {
  Linearized linear(c, std::move(backend));
  const Precision precision = c.domain.precision;
  CAPTURE(boundary_name(c.domain.kind), c.domain.free_surface, c.domain.radius, c.domain.pml_width,
          precision == Precision::float64);
  const Samples fed = random_samples_of(3, c.sources.size());
  const Samples residual = random_samples_of(4, c.receivers.size());
  const std::vector<double> ratios = random_ratios(c);
  const Samples traces = linear.model(fed);
  std::vector<double> gradient;
  const Samples at_sources = linear.transpose(residual, &gradient);
  const Samples scattered = linear.born(ratios);
  check_same(dot(traces, residual), dot(fed, at_sources), norm(traces) * norm(residual), precision);
  check_same(dot(scattered, residual), dot(ratios, gradient), norm(scattered) * norm(residual), precision);
}

/// The sums behind one step of the transpose, of a field and a drive of random values, over all points.
template <class Real>
void check_sums(Precision precision) {
  const Case c = make_case(BoundaryKind::cpml, false, stencil_radius, precision, 3, Interpolation::nearest);
  const std::unique_ptr<Backend> backend = make_host_backend();
  Propagator adjoint = make(*backend, c, true, c.domain.velocity_at);
  adjoint.set_random_field(5);
  const Extent3 n = c.domain.n;
  const std::vector<double> p = adjoint.wavefield({{0, 0, 0}, {n.x, n.y, n.z}}), drives = random_ratios(c);
  const DeviceReals drive(*backend, drives, precision), of_drive(*backend, p.size(), precision),
      of_p(*backend, p.size(), precision);
  const DeviceArray<double> alone(*backend, p.size()), beside(*backend, p.size());
  const std::vector<DriveWithin> whole{{DriveField{drive.at(), packed_layout(n)}, adjoint.all_points()}};
  adjoint.correlate(whole, alone.data());
  adjoint.illuminate(whole, beside.data(), of_drive.at(), of_p.at());
  const auto same = [&](const auto* sums, const auto& expected) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < p.size(); ++i) count += sums[i] == expected(i) ? 1 : 0;
    return count == p.size();
  };
  const auto product = [&](std::size_t i) { return p[i] * drives[i]; };
  const auto square = [](double value) { return static_cast<Real>(value) * static_cast<Real>(value); };
  CHECK(same(alone.data(), product));
  CHECK(same(beside.data(), product));
  CHECK(same(of_drive.at().of<Real>(), [&](std::size_t i) { return square(drives[i]); }));
  CHECK(same(of_p.at().of<Real>(), [&](std::size_t i) { return square(p[i]); }));
}

}  // namespace

TEST_CASE("The sums of a transposed step are its products with the drive, and the squares of both",
          "[unit]") {
  check_sums<float>(Precision::float32);
  check_sums<double>(Precision::float64);
}

TEST_CASE("The transposed time step is the transpose, in every layer, order and precision", "[unit]") {
  for (const BoundaryKind kind : {BoundaryKind::pml, BoundaryKind::cpml, BoundaryKind::sponge}) {
    for (const bool surface : {false, true}) {
      for (const int radius : {1, 2, 3, 4, 5, 6, 7, 8}) {
        for (const Precision precision : {Precision::float64, Precision::float32}) {
          check_transpose(make_case(kind, surface, radius, precision, 7, Interpolation::sinc4));
          check_transpose(make_case(kind, surface, radius, precision, 3, Interpolation::nearest));
        }
      }
    }
  }
}

TEST_CASE("The transposed time step is the transpose on a GPU, in every layer and precision", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  for (const BoundaryKind kind : {BoundaryKind::pml, BoundaryKind::cpml, BoundaryKind::sponge}) {
    for (const bool surface : {false, true}) {
      for (const int radius : {2, 4, 8}) {
        for (const Precision precision : {Precision::float64, Precision::float32}) {
          for (const int width : {3, 7, 11}) {
            check_transpose(make_case(kind, surface, radius, precision, width, Interpolation::sinc4),
                            gpu_devices.make(0));
          }
        }
      }
    }
  }
}

TEST_CASE("The transposed time step is the transpose without a layer and with one that fills the grid",
          "[unit]") {
  for (const BoundaryKind kind : {BoundaryKind::pml, BoundaryKind::cpml, BoundaryKind::sponge})
    for (const int width : {0, 11})
      check_transpose(
          make_case(kind, false, stencil_radius, Precision::float64, width, Interpolation::sinc8));
}

TEST_CASE("The transposed time step is the transpose with a layer on one face alone", "[unit]") {
  for (const BoundaryKind kind : {BoundaryKind::pml, BoundaryKind::cpml, BoundaryKind::sponge}) {
    for (int PmlWidths::*face : {&PmlWidths::left, &PmlWidths::right, &PmlWidths::front, &PmlWidths::back,
                                 &PmlWidths::top, &PmlWidths::bottom}) {
      Case c = make_case(kind, face == &PmlWidths::bottom, stencil_radius, Precision::float64, 7,
                         Interpolation::sinc4);
      PmlWidths layers;
      layers.*face = 7;
      c.domain.layers = layers;
      check_transpose(c);
    }
  }
}

TEST_CASE("Born's approximation is the derivative of the traces", "[unit]") {
  for (const BoundaryKind kind : {BoundaryKind::pml, BoundaryKind::cpml, BoundaryKind::sponge}) {
    Case c = make_case(kind, true, stencil_radius, Precision::float64, 5, Interpolation::sinc4);
    const auto base = [](Index3 p) { return 1700 + std::round(300 * random_value(7, p.x, p.y, p.z)); };
    const auto change = [](Index3 p) { return 64 * std::round(random_value(8, p.x, p.y, p.z)); };
    const Samples fed = random_samples_of(3, c.sources.size());
    c.domain.velocity_at = base;
    Linearized linear(c);
    const Samples traces = linear.model(fed);
    std::vector<double> ratios;  // ratios of V²
    for_points(c.domain.n, [&](Index3 p) { ratios.push_back(2 * change(p) / base(p)); });
    const Samples derivative = linear.born(ratios);
    std::vector<double> errors;
    for (int k = 2; k <= 19; k += 1) {  // over five decades, changes that floats hold
      const double epsilon = std::ldexp(1, -k);
      Case other = c;
      other.domain.velocity_at = [&](Index3 p) { return base(p) + epsilon * change(p); };
      Samples rest = difference(Linearized(other).model(fed), traces);
      for (std::size_t i = 0; i < rest.size(); ++i)
        for (std::size_t n = 0; n < rest[i].size(); ++n) rest[i][n] -= epsilon * derivative[i][n];
      errors.push_back(norm(rest));
    }
    CAPTURE(boundary_name(kind), errors);
    for (std::size_t k = 3; k < errors.size(); k += 3)
      CHECK(std::abs(std::log2(errors[k - 3] / errors[k]) / 3 - 2) < 0.01);
  }
}

}  // namespace minimod
