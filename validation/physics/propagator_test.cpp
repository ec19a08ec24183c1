/// Promises of a propagator: its forecast of memory, its kernels when others are refused, its state.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "kernels/equations/jacobi.hpp"
#include "src/base/error.hpp"
#include "src/ranks/domain_part.hpp"
#include "src/solver/fields/checkpoint.hpp"
#include "src/solver/fields/memory.hpp"
#include "validation/physics/schedule_run.hpp"

using namespace minimod;

namespace {

const KernelSet portable{&find_shape("kokkos"), &find_shape("kokkos")};

/// Shapes that need what others do not: steps ahead, codes, η, a workspace.
KernelSet pairs() {
  return {&find_shape("reference"), &find_shape("reference"), &whole()};
}

KernelSet coded() {
  static const CodeShape shape = [] {
    CodeShape coded = find_shape("kokkos");
    coded.needs.v16 = true;
    return coded;
  }();
  return {&shape, portable.pml};
}

class LaunchWithWorkspace final : public PlannedLaunch {
 public:
  [[nodiscard]] std::size_t workspace_bytes() const override { return 12345; }
  void run(const LaunchArgs& args, Stream /*stream*/) override {
    auto* const memory = static_cast<unsigned char*>(args.workspace);
    CHECK(std::ranges::count(std::span(memory, workspace_bytes()), 0) == 12345);
    std::ranges::fill(std::span(memory, workspace_bytes()), 1);
    run_once(find_shape("kokkos").host.inner, args);
  }
};

KernelSet with_workspace() {
  static const CodeShape shape = [] {
    CodeShape works = find_shape("kokkos");
    works.host.inner = [](const LaunchArgs&) { return std::make_unique<LaunchWithWorkspace>(); };
    return works;
  }();
  return {&shape, portable.pml};
}

/// A shape that does not take the grid.
KernelSet refused() {
  static const CodeShape shape = [] {
    CodeShape refuses = find_shape("kokkos");
    refuses.host.inner = [](const LaunchArgs&) -> std::unique_ptr<PlannedLaunch> {
      throw Error(ErrorKind::resource, "too many blocks", "take another");
    };
    return refuses;
  }();
  return {&shape, portable.pml, &beside()};
}

KernelSet eta_field() {
  return {&find_shape("smem_eta_3_8x8x8"), &find_shape("smem_eta_3_8x8x8")};
}

const ScheduleCase small{{40, 35, 31}, 6, {20, 16, 15}};

std::vector<double> whole_field(const Propagator& propagator) {
  return propagator.wavefield({{0, 0, 0}, {small.n.x, small.n.y, small.n.z}});
}

Propagator make_swinging(Backend& backend, const KernelSet& kernels) {
  Propagator propagator = make_propagator(backend, small, kernels);
  propagator.set_source(small.source, std::vector<double>(30, 1e3));
  propagator.set_random_field(5);
  return propagator;
}

}  // namespace

TEST_CASE("A propagator takes the memory that was forecast, to the byte", "[physics]") {
  const auto host = make_host_backend();
  const auto kind = GENERATE(BoundaryKind::pml, BoundaryKind::cpml, BoundaryKind::sponge);
  const auto decomposition = GENERATE(Decomposition::seven, Decomposition::one);
  const bool between_nodes = GENERATE(false, true);
  const auto equation = GENERATE(Equation::wave, Equation::density);
  if (kind != BoundaryKind::pml && decomposition != Decomposition::seven) return;
  const BoundarySpec boundary = make_boundary_spec(kind, 6, false, 3000, 10);
  StepProblem problem{make_grid(small.n, {20, 20, 20}, boundary), boundary, decomposition, between_nodes};
  problem.equation = equation;
  problem.has_drives = between_nodes;
  const CodeShape& kokkos = find_shape("kokkos", stencil_radius, Precision::float32, equation);
  std::vector<KernelSet> sets{{&kokkos, &kokkos}};
  if (equation == Equation::wave) sets.insert(sets.end(), {pairs(), coded(), with_workspace(), eta_field()});
  for (const KernelSet& kernels : sets) {
    problem.several_sources = kernels.schedule != &whole();
    if (!kernels.schedule->why_not(problem).empty()) continue;
    CAPTURE(kernels.inner->name, static_cast<int>(kind), static_cast<int>(decomposition), between_nodes);
    const std::size_t sources = problem.several_sources ? 3 : 1;
    const ShotSize shot{sources * (between_nodes ? 8U * 8 * 8 : 1U), sources * 77, 5, 66};
    const std::size_t forecast = bytes_needed(*host, problem, kernels, shot);
    REQUIRE(host->allocated_bytes() == 0);
    Propagator propagator(*host, problem, make_boundary(boundary, small.n, {20, 20, 20}, 1e-3), kernels);
    propagator.set_columns(usual_columns(equation, small.n.z));
    propagator.set_velocity(1e-3,
                            [](int, float* plane) { std::fill_n(plane, small.n.x * small.n.y, 2000.F); });
    const NodeWeights place = between_nodes
                                  ? sinc_weights({20.3, 16.2, 15.1}, small.n, Interpolation::sinc4, false)
                                  : at_node(small.source);
    REQUIRE(sources * place.count.points() == shot.source_nodes);
    propagator.set_sources(std::vector<FedSource>(sources, {place, std::vector<double>(77, 1)}));
    const auto set_receivers = [&] {
      if (between_nodes) {
        const std::vector<NodeWeights> places(shot.receivers, place);
        propagator.set_receivers_between({places.begin(), places.end()}, shot.batch);
      } else {
        propagator.set_receivers(std::vector<Index3>(shot.receivers, small.source), shot.batch);
      }
    };
    set_receivers();
    CHECK(host->allocated_bytes() == forecast);
    for (const KernelSet& others : sets) {  // no set leaves anything behind
      if (others.schedule->why_not(problem).empty()) propagator.set_kernels(others);
    }
    propagator.set_kernels(kernels);
    set_receivers();  // lost by fields that come to lie otherwise
    CHECK(host->allocated_bytes() == forecast);
  }
}

TEST_CASE("Each step finds its workspace zeroed, whatever the steps before left there", "[physics]") {
  const auto host = make_host_backend();
  Propagator propagator = make_swinging(*host, with_workspace());
  for (int n = 0; n < 60; ++n) {
    if (n == 25) propagator.set_kernels(portable);
    if (n == 27) propagator.set_kernels(with_workspace());
    propagator.step();
  }
}

TEST_CASE("The fields that a checkpoint keeps are forecast under every schedule", "[physics]") {
  const auto host = make_host_backend();
  const BoundarySpec boundary = make_boundary_spec(BoundaryKind::pml, 6, false, 3000, 10);
  const StepProblem problem{make_grid(small.n, {20, 20, 20}, boundary), boundary};
  for (const Schedule* schedule : all_schedules()) {
    const CodeShape& shape = find_shape(schedule == &whole() ? "reference" : "kokkos");
    const Propagator propagator(*host, problem, make_boundary(boundary, small.n, {20, 20, 20}, 1e-3),
                                {&shape, &shape, schedule});
    CAPTURE(schedule->name());
    CHECK(state_bytes(problem, *schedule) == state_bytes(propagator));
  }
}

namespace {

/// Effect of sources after some steps: the whole field, and two receivers' samples.
std::pair<std::vector<double>, std::vector<double>> after_steps(Backend& host,
                                                                const std::vector<FedSource>& sources) {
  Propagator propagator = make_propagator(host, small, portable);
  propagator.set_sources(sources);
  propagator.set_receivers({small.source, {5, 6, 7}}, 40);
  for (int n = 0; n < 40; ++n) {
    propagator.step();
    propagator.record();
  }
  return {whole_field(propagator), propagator.fetch_batch().as_doubles()};
}

/// The greatest |a + b - sum| over the greatest |sum|.
double excess(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& sum) {
  double greatest = 0, difference = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    greatest = std::max<double>(greatest, std::abs(sum[i]));
    difference = std::max<double>(difference, std::abs(double{a[i]} + b[i] - sum[i]));
  }
  return difference / greatest;
}

}  // namespace

TEST_CASE("A shot of two sources is the sum of two shots", "[physics]") {
  const auto host = make_host_backend();
  const bool between_nodes = GENERATE(false, true);
  const auto place = [&](Point3 p) {
    const Index3 node{int(p.x), int(p.y), int(p.z)};
    return between_nodes ? sinc_weights(p, small.n, Interpolation::sinc4, false) : at_node(node);
  };
  std::vector<double> first(30), second(20);  // one goes silent before the other
  for (std::size_t n = 0; n < first.size(); ++n) first[n] = 1e3 * std::sin(0.3 * double(n));
  for (std::size_t n = 0; n < second.size(); ++n) second[n] = -400 * std::cos(0.2 * double(n));
  // Far apart, with common nodes, at one place.
  for (const Point3 other : {Point3{10.4, 22.7, 12.2}, {21.6, 16.2, 15.9}, {20.3, 16.2, 15.1}}) {
    const FedSource a{place({20.3, 16.2, 15.1}), first}, b{place(other), second};
    const auto alone_a = after_steps(*host, {a});
    const auto alone_b = after_steps(*host, {b});
    const auto both = after_steps(*host, {a, b});
    CAPTURE(between_nodes, other.x);
    CHECK(excess(alone_a.first, alone_b.first, both.first) < 2e-6);
    CHECK(excess(alone_a.second, alone_b.second, both.second) < 2e-6);
    CHECK(same_bits(both.first, after_steps(*host, {a, b}).first));
  }
}

TEST_CASE("Two steps in a launch have one source", "[physics]") {
  const auto host = make_host_backend();
  Propagator propagator = make_propagator(*host, small, pairs());
  const FedSource source{at_node(small.source), {1}};
  propagator.set_sources({source});
  CHECK_THROWS_AS(propagator.set_sources({source, source}), Error);
}

TEST_CASE("Kernels that are refused leave those at work as they were", "[physics]") {
  const auto host = make_host_backend();
  for (const KernelSet& kernels : {portable, pairs(), coded(), with_workspace()}) {
    CAPTURE(kernels.inner->name, kernels.schedule->name());
    Propagator undisturbed = make_swinging(*host, kernels);
    Propagator propagator = make_swinging(*host, kernels);
    for (int n = 0; n < 10; ++n) undisturbed.step();
    const std::size_t bytes = host->allocated_bytes();
    while (propagator.steps_done() < 10) {
      propagator.step();
      CHECK_THROWS_AS(propagator.set_kernels(refused()), Error);
      CHECK(propagator.plan().kernels().inner == kernels.inner);
    }
    CHECK(host->allocated_bytes() == bytes);
    CHECK(same_bits(whole_field(propagator), whole_field(undisturbed)));
  }
}

TEST_CASE("A free surface is where it was when kernels want the fields to lie otherwise", "[physics]") {
  const auto host = make_host_backend();
  ScheduleCase under_surface = small;
  under_surface.free_surface = true;
  const KernelSet at_once{portable.inner, portable.pml, &whole_step()};
  const auto field_with = [&](const KernelSet& first) {
    Propagator propagator = make_propagator(*host, under_surface, first);
    propagator.set_random_field(5);
    propagator.step();
    CHECK(propagator.lies_for(at_once) == (first.schedule == at_once.schedule));
    propagator.set_kernels(at_once);
    for (int n = 0; n < 5; ++n) propagator.step();
    return whole_field(propagator);
  };
  CHECK(same_bits(field_with(portable), field_with(at_once)));
}

TEST_CASE("A medium whose planes repeat is the one of which every plane is told", "[physics]") {
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(make_host_backend());
  if (gpu_devices.find().count > 0) backends.push_back(gpu_devices.make(0));
  const Extent3 n = GENERATE(Extent3{21, 17, 40}, Extent3{700, 500, 12});  // many planes at once, each alone
  const auto precision = GENERATE(Precision::float32, Precision::float64);
  const BoundarySpec boundary = make_boundary_spec(BoundaryKind::pml, 3, false, 3000, 10);
  const Grid grid = make_grid(n, {20, 20, 20}, boundary, 4, precision);
  const FieldTable table = make_field_table(arrays_of(Equation::wave), grid, boundary, {});
  const auto is_new = [](int z) { return z <= 1 || z == 4 || z == 5 || z == 11; };
  const auto fill = [&](int z, float* plane) {
    const int last_new = z >= 11 ? 11 : z >= 5 ? 5 : z >= 4 ? 4 : std::min(z, 1);
    for (int i = 0; i < n.x * n.y; ++i) plane[i] = static_cast<float>(1500 + 97 * last_new + i % 1000);
  };
  for (const auto& backend : backends) {
    CAPTURE(backend->info().name, n.x);
    Fields told(*backend, grid, make_boundary(boundary, n, {20, 20, 20}, 1e-3), table);
    Fields repeated(*backend, grid, make_boundary(boundary, n, {20, 20, 20}, 1e-3), table);
    told.set_velocity(1e-3, fill);
    std::vector<int> asked;
    const auto note_and_fill = [&](int z, float* plane) {
      asked.push_back(z);
      fill(z, plane);
    };
    repeated.set_velocity(1e-3, note_and_fill, [&](int z) { return !is_new(z); });
    CHECK(asked == std::vector<int>{0, 1, 4, 5, 11});
    const auto bytes_of_medium = [&](const Fields& fields) {
      std::vector<std::byte> bytes(grid.layout.size * bytes_of(precision));
      backend->download(bytes.data(), fields.at(FieldRole::medium).data, bytes.size());
      return bytes;
    };
    CHECK(bytes_of_medium(repeated) == bytes_of_medium(told));
  }
}

TEST_CASE("A propagator goes on from a state as the one that it was read from", "[physics]") {
  const auto host = make_host_backend();
  const auto kind = GENERATE(BoundaryKind::pml, BoundaryKind::cpml, BoundaryKind::sponge);
  const int steps_before = GENERATE(6, 7);  // a step is ahead after the odd ones
  for (const KernelSet& kernels : {portable, pairs()}) {
    const BoundarySpec boundary = make_boundary_spec(kind, 6, false, 3000, 10);
    const StepProblem problem{make_grid(small.n, {20, 20, 20}, boundary), boundary};
    if (!kernels.schedule->why_not(problem).empty()) continue;
    CAPTURE(kernels.schedule->name(), static_cast<int>(kind), steps_before);
    const auto make = [&] {
      Propagator made(*host, problem, make_boundary(boundary, small.n, {20, 20, 20}, 1e-3), kernels);
      made.set_velocity(1e-3, [](int z, float* plane) {
        for (int i = 0; i < small.n.x * small.n.y; ++i) plane[i] = static_cast<float>(2000 + (i + z) % 900);
      });
      made.set_source(small.source, std::vector<double>(30, 1e3));
      return made;
    };
    Propagator first = make();
    first.set_random_field(5);
    for (int n = 0; n < steps_before; ++n) first.step();
    std::map<std::string, std::vector<float>> state;
    read_state(first, [&](const FieldPart& part, std::size_t at, const Reals& values) {
      CHECK(at == state[part.name].size());
      state[part.name].insert(state[part.name].end(), values.of<float>().begin(), values.of<float>().end());
    });
    const bool is_ahead = first.is_ahead();
    CHECK(is_ahead == (kernels.schedule == &whole() && steps_before % 2 == 1));
    Propagator second = make();
    second.set_random_field(9);  // the field before does not matter
    second.step();
    const auto source = [&](const FieldPart& part, std::size_t at, Reals& values) {
      std::copy_n(state[part.name].begin() + static_cast<std::ptrdiff_t>(at), values.size(),
                  values.of<float>().begin());
    };
    put_back(steps_before, is_ahead, source, second);
    CHECK(second.steps_done() == steps_before);
    CHECK(same_bits(whole_field(second), whole_field(first)));
    for (int n = 0; n < 9; ++n) {
      first.step();
      second.step();
    }
    CHECK(same_bits(whole_field(second), whole_field(first)));
  }
}

TEST_CASE("A shape that reads eta of a launch with both formulas has it without a layer too", "[physics]") {
  const auto host = make_host_backend();
  const auto field_with = [&](const char* name, Decomposition decomposition) {
    Domain domain{{20, 20, 20}, 20, 2e-3};
    const CodeShape& shape = find_shape(name);
    Propagator propagator = make_propagator(*host, domain, {&shape, &shape}, decomposition);
    propagator.set_random_field(4);
    for (int n = 0; n < 3; ++n) propagator.step();
    return propagator.wavefield(domain.whole());
  };
  const auto expected = field_with("reference", Decomposition::one);
  for (const char* name : {"smem_eta_1_8x8x8", "smem_eta_3_8x8x8"}) {
    CHECK(relative_difference(field_with(name, Decomposition::one), expected) <= 1e-6);
    CHECK(relative_difference(field_with(name, Decomposition::two), expected) <= 1e-6);
  }
}

TEST_CASE("A step of Jacobi iterations is the star alone", "[physics]") {
  const auto host = make_host_backend();
  const int radius = GENERATE(1, 2, 4);
  const char* const name = GENERATE("reference", "gmem_5x3x7");
  const CodeShape& shape = find_shape(name, radius, Precision::float64, Equation::jacobi);
  CAPTURE(name, radius);
  const Extent3 n{13, 11, 12};
  const Point3 spacing{20, 16, 12.5};
  const BoundarySpec none = make_boundary_spec(BoundaryKind::pml, 0, false, 3000, 10);
  const StepProblem domain{.grid = make_grid(n, spacing, none, radius, Precision::float64),
                           .boundary = none,
                           .equation = Equation::jacobi};
  const DomainPart part = make_part(*host, make_problem(domain, {1e-3}), {&shape, &shape});
  part.propagator->set_velocity(1e-3, [&](int, float* plane) { std::fill_n(plane, n.x * n.y, 2000.F); });
  part.propagator->set_random_field(5);
  const auto field = [&] { return part.propagator->wavefield({{0, 0, 0}, {n.x, n.y, n.z}}); };
  const std::vector<double> before = field();
  part.propagator->step();
  const auto u = [&](int x, int y, int z) {
    const bool is_inside = x >= 0 && y >= 0 && z >= 0 && x < n.x && y < n.y && z < n.z;
    return is_inside ? before[(static_cast<std::size_t>(z) * n.y + y) * n.x + x] : 0;
  };
  const DifferenceWeights weights = difference_weights(radius);
  const double tau = jacobi_relaxation(radius, spacing);
  double worst = 0;
  std::size_t i = 0;
  const std::vector<double> after = field();
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) {
        Point3 second{weights.centre * u(x, y, z), weights.centre * u(x, y, z), weights.centre * u(x, y, z)};
        for (int m = 1; m <= radius; ++m) {
          const double weight = weights.second[m - 1];
          second.x += weight * (u(x - m, y, z) + u(x + m, y, z));
          second.y += weight * (u(x, y - m, z) + u(x, y + m, z));
          second.z += weight * (u(x, y, z - m) + u(x, y, z + m));
        }
        const double laplacian = second.x / (spacing.x * spacing.x) + second.y / (spacing.y * spacing.y) +
                                 second.z / (spacing.z * spacing.z);
        worst = std::max(worst, std::abs(after[i++] - (u(x, y, z) + tau * laplacian)));
      }
    }
  }
  CHECK(worst < 1e-14);
}
