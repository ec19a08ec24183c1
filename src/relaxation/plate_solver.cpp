#include "src/relaxation/plate_solver.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "kernels/random_field.hpp"
#include "src/device/stopwatch.hpp"

namespace minimod::relaxation {

namespace {

constexpr int repeats_of_graph = 20;  // repeats given to a GPU at once

/// Inverse of size_bits.
template <class Real>
double value_of_bits(std::uint64_t bits) {
  using Bits = std::conditional_t<sizeof(Real) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  return std::bit_cast<Real>(static_cast<Bits>(bits));
}

template <class Real>
class DevicePlate final : public PlateSolver {
 public:
  DevicePlate(Backend& backend, const Kernel& kernel, const HeatProblem& problem, double omega)
      : backend_(backend),
        on_gpu_(backend.info().is_gpu()),
        launcher_(kernel.launcher<Real>(on_gpu_)),
        problem_(problem),
        args_(problem.n, kernel.storage, Weights<Real>::of(omega, problem.beta())),
        jacobi_(Weights<Real>::of(1, problem.beta())),
        values_(backend, static_cast<std::size_t>(args_.layout.size)),
        greatest_(backend, 1),
        staging_(static_cast<std::size_t>(args_.layout.size)) {
    args_.t = values_.data();
    backend_.on_stream([&](Stream) {  // with the GPU at hand
      if (launcher_.facts != nullptr) facts_ = launcher_.facts(args_.box);
    });
  }

  void start_cold() override {
    for_nodes([&](int i, int j, Real& value) { value = is_inside(i, j) ? 0 : Real(problem_.frame(i, j)); });
    upload();
  }

  void randomize(std::uint32_t seed) override {
    for_nodes([&](int i, int j, Real& value) { value = Real(random_value(seed, i, j, 0)); });
    upload();
  }

  void relax(int iterations) override {
    repeat(iterations, graph_of_both_, [&] {
      give(0);
      give(1);
    });
  }

  [[nodiscard]] double defect() override {
    PlateArgs<Real> args = args_;
    args.weights = jacobi_;
    backend_.clear(greatest_.data(), sizeof(std::uint64_t));
    backend_.on_stream([&](Stream stream) { launcher_.find_defect(args, greatest_.data(), stream); });
    std::uint64_t bits = 0;
    backend_.download(&bits, greatest_.data(), sizeof bits);
    const double scale = problem_.scale();
    return value_of_bits<Real>(bits) / (scale > 0 ? scale : 1);
  }

  [[nodiscard]] std::vector<double> temperatures() override {
    download();
    std::vector<double> inside;
    inside.reserve(static_cast<std::size_t>(problem_.n.points()));
    for_nodes([&](int i, int j, const Real& value) {
      if (is_inside(i, j)) inside.push_back(value);
    });
    return inside;
  }

  [[nodiscard]] RunTimes time_run(int iterations) override {
    start_cold();
    Stopwatch watch(backend_);
    watch.start();
    upload();
    watch.lap();
    relax(iterations);
    watch.lap();
    download();
    watch.lap();
    return {watch.seconds(0), watch.seconds(1), watch.seconds(2)};
  }

  [[nodiscard]] double time_colour(int colour, int launches) override {
    Stopwatch watch(backend_);
    watch.start();
    repeat(launches, graph_of_colour_[colour], [&] { give(colour); });
    watch.lap();
    return watch.seconds();
  }

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }

 private:
  [[nodiscard]] bool is_inside(int i, int j) const {
    return i >= 0 && i < problem_.n.x && j >= 0 && j < problem_.n.y;
  }

  /// Works on the nodes of plate and frame, i fastest.
  void for_nodes(const auto& work) {
    for (int j = -1; j <= problem_.n.y; ++j) {
      for (int i = -1; i <= problem_.n.x; ++i) {
        work(i, j, staging_[static_cast<std::size_t>(index_of_node(args_.layout, i, j))]);
      }
    }
  }

  void upload() { backend_.upload(values_.data(), staging_.data(), staging_.size() * sizeof(Real)); }
  void download() { backend_.download(staging_.data(), values_.data(), staging_.size() * sizeof(Real)); }

  void give(int colour) {
    backend_.on_stream([&](Stream stream) { launcher_.half_sweep(args_.of_colour(colour), stream); });
  }

  /// `times` times what `work` launches.
  void repeat(int times, std::unique_ptr<LaunchGraph>& graph, const auto& work) {
    for (; on_gpu_ && times >= repeats_of_graph; times -= repeats_of_graph) {
      backend_.replay(graph, [&] {
        for (int k = 0; k < repeats_of_graph; ++k) work();
      });
    }
    for (int k = 0; k < times; ++k) work();
  }

  Backend& backend_;
  bool on_gpu_;
  PlateLauncher<Real> launcher_;
  HeatProblem problem_;
  PlateArgs<Real> args_;
  Weights<Real> jacobi_;
  DeviceArray<Real> values_;
  DeviceArray<std::uint64_t> greatest_;
  std::vector<Real> staging_;  // in the layout of the device
  std::unique_ptr<LaunchGraph> graph_of_both_, graph_of_colour_[2];
  LaunchFacts facts_;
};

}  // namespace

StopRule make_stop_rule(const HeatProblem& problem, double omega, double tolerance) {
  constexpr double looks = 32, patience = 3, least = 100, most = 1e9;
  const double expected = std::min(expected_iterations(problem, omega, 1 / tolerance), most / patience);
  return {tolerance, std::max(1, static_cast<int>(expected / looks)),
          static_cast<int>(std::max(least, patience * expected))};
}

Convergence PlateSolver::converge(const StopRule& rule) {
  Convergence outcome;
  while (!outcome.converged && outcome.iterations < rule.most_iterations) {
    relax(rule.look_every);
    outcome.iterations += rule.look_every;
    outcome.defect = defect();
    outcome.converged = outcome.defect <= rule.tolerance;
    if (!std::isfinite(outcome.defect)) break;
  }
  return outcome;
}

PlateBytes plate_bytes(const Backend& backend, const HeatProblem& problem, Storage storage,
                       Precision precision) {
  const std::size_t value_bytes = bytes_of(precision);
  const auto values =
      static_cast<std::size_t>(make_plate_layout(problem.n, storage, static_cast<int>(value_bytes)).size);
  const auto nodes = static_cast<std::size_t>(problem.n.points());
  return {backend.granted_bytes(values * value_bytes) + backend.granted_bytes(8),
          values * value_bytes + nodes * sizeof(double)};
}

std::unique_ptr<PlateSolver> make_plate_solver(Backend& backend, const Kernel& kernel,
                                               const HeatProblem& problem, double omega,
                                               Precision precision) {
  if (precision == Precision::float32) {
    return std::make_unique<DevicePlate<float>>(backend, kernel, problem, omega);
  }
  return std::make_unique<DevicePlate<double>>(backend, kernel, problem, omega);
}

bool runs_on(const Kernel& kernel, bool on_gpu) {
  return kernel.launcher<float>(on_gpu).half_sweep != nullptr;
}

}  // namespace minimod::relaxation
