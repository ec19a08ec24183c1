/// A domain cut into slabs that exchange their edges gives the bits of the whole one.
#include "src/ranks/slab.hpp"

#include <algorithm>
#include <numeric>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "kernels/registry.hpp"
#include "src/solver/propagator.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/physics/slabs.hpp"

using namespace minimod;

namespace {

constexpr Extent3 n{40, 35, 62};
constexpr int cut = 29;

/// Two steps in one launch, which counts what it has done of its rim above.
class CountingLaunch final : public PlannedLaunch {
 public:
  explicit CountingLaunch(bool has_rim) : has_rim_(has_rim) {}
  [[nodiscard]] int counts_of_rim() const override { return has_rim_ ? 3 : 0; }
  void run(const LaunchArgs& args, Stream /*stream*/) override {
    CHECK((args.rim_done != nullptr) == has_rim_);
    if (has_rim_) *args.rim_done += counts_of_rim();
    ++launches;
    run_once(find_shape("reference").host.whole, args);
  }
  static inline int launches = 0;

 private:
  bool has_rim_;
};

const CodeShape& counting() {
  static const CodeShape shape = [] {
    CodeShape counts = find_shape("reference");
    counts.host.whole = [](const LaunchArgs& args) {
      return std::make_unique<CountingLaunch>(args.ghosts_above > 0);
    };
    return counts;
  }();
  return shape;
}

/// Neighbours to whom what an exchange would send must be what the step leaves; and an edge that is ready
/// early must be so when the launch is over that comes behind the exchange's opening.
class WatchingNeighbours final : public SilentNeighbours {
 public:
  WatchingNeighbours(Backend& backend, Fields::Side side) : backend_(backend), side_(side) {}

  void open_exchange() override { opened_before_ = CountingLaunch::launches; }
  void start_exchange(const Fields& fields, FieldRole role, const Ready& above) override {
    if (above.is_early()) {
      ++early_;
      CHECK(*above.counter == above.number);
      CHECK(opened_before_ + 1 == CountingLaunch::launches);
    }
    edge_ = fields.shared(role, side_).front().edge;
    sent_ = values_of(backend_, edge_);
  }
  void finish_exchange() override { has_sent_the_last_ = sent_ == values_of(backend_, edge_); }
  [[nodiscard]] bool has_sent_the_last() const { return has_sent_the_last_; }
  [[nodiscard]] int early() const { return early_; }

 private:
  Backend& backend_;
  Fields::Side side_;
  FieldPart edge_;
  std::vector<char> sent_;
  bool has_sent_the_last_ = false;
  int opened_before_ = -1;  ///< launch before which it was opened
  int early_ = 0;           ///< exchanges whose edge above was
};

Propagator make_slab(Backend& backend, const BoundarySpec& domain, const KernelSet& kernels, int begin,
                     int end, Neighbours* neighbours = nullptr) {
  return make_slab(backend, n, domain, kernels, {begin, end}, neighbours);
}

}  // namespace

TEST_CASE("Two slabs that exchange their edges give the bits of the whole domain", "[physics]") {
  struct Given {
    BoundaryKind kind;
    bool in_whole;
    int radius;
    Precision precision = Precision::float32;
  };
  const auto [kind, in_whole, radius, precision] =
      GENERATE(Given{BoundaryKind::pml, false, 4}, Given{BoundaryKind::pml, true, 4},
               Given{BoundaryKind::pml, false, 1}, Given{BoundaryKind::pml, false, 8},
               Given{BoundaryKind::pml, true, 1}, Given{BoundaryKind::pml, true, 8},
               Given{BoundaryKind::pml, true, 3, Precision::float64}, Given{BoundaryKind::cpml, false, 4},
               Given{BoundaryKind::cpml, false, 8}, Given{BoundaryKind::sponge, false, 4},
               Given{BoundaryKind::pml, false, 4, Precision::float64},
               Given{BoundaryKind::cpml, false, 3, Precision::float64},
               Given{BoundaryKind::sponge, false, 4, Precision::float64});
  const bool free_surface = GENERATE(false, true);
  const BoundarySpec domain = make_boundary_spec(kind, 6, free_surface, 3000, 10);
  const auto host = make_host_backend();
  const CodeShape& kokkos = find_shape("kokkos", radius, precision);
  const KernelSet kernels{&kokkos, &kokkos}, at_once{&kokkos, &kokkos, &whole_step()};
  const int source_z = cut + GENERATE(1, 3, 4);  // in the rim, and behind it
  CAPTURE(static_cast<int>(kind), free_surface, source_z, in_whole, radius, bytes_of(precision));

  Propagator whole = make_slab(*host, domain, kernels, 0, n.z);
  WatchingNeighbours below(*host, Fields::Side::below), above(*host, Fields::Side::above);
  Propagator upper = make_slab(*host, domain, in_whole ? at_once : kernels, 0, cut, &below);
  Propagator lower = make_slab(*host, domain, in_whole ? at_once : kernels, cut, n.z, &above);
  CHECK((upper.plan().launches_of_rims() > 0) == (kind == BoundaryKind::pml));
  const std::vector<double> samples(20, 1e3);
  whole.set_source({17, 20, source_z}, samples);
  lower.set_source({17, 20, source_z - cut}, samples);
  for (std::size_t step = 0; step < samples.size(); ++step) {
    exchange(upper, lower);
    for (Propagator* propagator : {&whole, &upper, &lower}) propagator->step();
    REQUIRE(below.has_sent_the_last());
    REQUIRE(above.has_sent_the_last());
  }
  CHECK(whole.extremes().max > 0);
  CHECK(same_bits(whole.wavefield({{0, 0, 0}, {n.x, n.y, cut}}),
                  upper.wavefield({{0, 0, 0}, {n.x, n.y, cut}})));
  CHECK(same_bits(whole.wavefield({{0, 0, cut}, {n.x, n.y, n.z}}),
                  lower.wavefield({{0, 0, 0}, {n.x, n.y, n.z - cut}})));
}

TEST_CASE(
    "Two slabs with ghosts take two steps between their exchanges and give the bits of the whole domain",
    "[physics]") {
  const auto host = make_host_backend();
  const CodeShape& kokkos = find_shape("kokkos");
  const bool free_surface = GENERATE(false, true);
  const BoundarySpec domain = make_boundary_spec(BoundaryKind::pml, 6, free_surface, 3000, 10);
  const KernelSet in_pairs{&counting(), &counting(), &whole()};
  // In the layer, in what the slabs exchange, in the ghosts of the upper one, and far from the cut.
  const Index3 source = GENERATE(Index3{2, 20, cut + 2}, Index3{17, 20, cut + 3}, Index3{17, 20, cut + 7},
                                 Index3{17, 20, cut - 1}, Index3{17, 20, 50});
  CAPTURE(source.x, source.z, free_surface);

  Propagator whole_domain = make_slab(*host, domain, {&kokkos, &kokkos}, 0, n.z);
  WatchingNeighbours below(*host, Fields::Side::below), above(*host, Fields::Side::above);
  Propagator upper = make_slab(*host, domain, in_pairs, 0, cut, &below);
  Propagator lower = make_slab(*host, domain, in_pairs, cut, n.z, &above);
  CHECK(upper.fields().grid().n.z == cut + 4);
  CHECK(upper.plan().launches_of_rims() == 0);
  const std::vector<double> samples(13, 1e3);
  const bool is_above = source.z < cut;
  for (Propagator* slab : {&whole_domain, is_above ? &upper : &lower, is_above ? &lower : &upper}) {
    const int first_z = slab == &lower ? cut : 0;
    slab->set_source({source.x, source.y, source.z - first_z}, samples);
    if (slab != &upper) slab->set_receivers({{3, 9, cut + 5 - first_z}}, static_cast<int>(samples.size()));
  }
  const auto own_points = [](Propagator& slab) {
    std::int64_t points = 0;
    for (const TimedPart& part : slab.timed_parts()) points += part.points;
    return points;
  };
  CHECK_FALSE(upper.lies_for({&kokkos, &kokkos}));
  CHECK_THROWS_AS(upper.set_kernels({&kokkos, &kokkos}), Error);  // the neighbours know where it lies
  for (std::size_t step = 0; step < samples.size(); ++step) {
    if (step % 2 == 0) exchange(upper, lower);
    for (Propagator* propagator : {&whole_domain, &upper, &lower}) propagator->step();
    REQUIRE(below.has_sent_the_last());
    REQUIRE(above.has_sent_the_last());
    for (Propagator* propagator : {&whole_domain, &lower}) propagator->record();
    CHECK(same_bits(whole_domain.wavefield({{0, 0, 0}, {n.x, n.y, cut}}),
                    upper.wavefield({{0, 0, 0}, {n.x, n.y, cut}})));
    CHECK(same_bits(whole_domain.wavefield({{0, 0, cut}, {n.x, n.y, n.z}}),
                    lower.wavefield({{0, 0, 0}, {n.x, n.y, n.z - cut}})));
  }
  CHECK(below.early() == 0);
  CHECK(above.early() == 7);  // early exchanges, of two steps each
  CHECK(same_bits(whole_domain.fetch_batch(), lower.fetch_batch()));
  CHECK(whole_domain.extremes().max == std::max(upper.extremes().max, lower.extremes().max));
  CHECK(own_points(upper) == std::int64_t{n.x} * n.y * cut);
}

TEST_CASE("Kernels are tried on a slab alone", "[unit]") {
  const BoundarySpec domain = make_boundary_spec(BoundaryKind::pml, 6, false, 3000, 10);
  const auto host = make_host_backend();
  const CodeShape& kokkos = find_shape("kokkos");
  Propagator slab = make_slab(*host, domain, {&kokkos, &kokkos}, cut, n.z);
  slab.step(true);
  CHECK(slab.extremes().finite);
  CHECK(slab.timed_parts().front().name == "inner");
}

TEST_CASE("A schedule of two steps is for slabs whose cuts leave room for ghosts", "[unit]") {
  const BoundarySpec boundary = make_boundary_spec(BoundaryKind::pml, 6, false, 3000, 10);
  const Boundary profiles = make_boundary(boundary, n, slab_spacing, slab_dt);
  const StepProblem domain{make_grid(n, slab_spacing, boundary), boundary};
  CHECK(whole().takes(domain));
  const auto takes = [&](const std::vector<int>& planes) {
    const StepProblem slab = problem_of(cut_by_planes(domain, planes)[0], domain, profiles);
    CHECK(sequence().takes(slab));
    CHECK(beside().takes(slab));
    return whole().takes(slab);
  };
  CHECK(takes({31, 31}));
  CHECK(takes({11, 51}));  // the ghosts of the lower one and the plane beside them lie below the layer of 6
  CHECK_FALSE(takes({10, 52}));
  CHECK_FALSE(takes({52, 10}));
  CHECK(takes({27, 8, 27}));  // eight planes are enough
  CHECK_FALSE(takes({27, 7, 28}));
}

TEST_CASE("Cuts by cost move to the nearest plane that is not to be spared", "[unit]") {
  const BoundarySpec boundary = make_boundary_spec(BoundaryKind::pml, 6, false, 3000, 10);
  const StepProblem domain{make_grid({20, 20, 100}, slab_spacing, boundary), boundary};
  const auto cuts = [&](int ranks, const std::vector<int>& planes) {
    PlanesToSpare spared(100);
    for (const int plane : planes) spared[plane] = true;
    std::vector<int> begins;
    for (const Slab& slab : cut_by_cost(domain, ranks, 1, spared)) begins.push_back(slab.begin);
    return begins;
  };
  CHECK(cuts(2, {}) == std::vector{0, 50});
  CHECK(cuts(2, {50}) == std::vector{0, 49});
  CHECK(cuts(2, {47, 48, 49, 50}) == std::vector{0, 51});
  CHECK(cuts(4, {25, 50, 51, 52, 75}) == std::vector{0, 24, 49, 74});
  std::vector<int> all(100);
  std::iota(all.begin(), all.end(), 0);
  CHECK(cuts(2, all) == std::vector{0, 50});
  all.erase(all.begin() + 3);  // in the layer, and nearer to the edge than a neighbour allows
  CHECK(cuts(2, all) == std::vector{0, 50});
  all.erase(all.begin() + 79);
  CHECK(cuts(2, all) == std::vector{0, 80});
}

TEST_CASE("Cuts by cost leave room for ghosts where there are planes for them", "[unit]") {
  const BoundarySpec boundary = make_boundary_spec(BoundaryKind::pml, 6, false, 3000, 10);
  const auto room = [&](int planes, int ranks) {
    const Extent3 extent{20, 20, planes};
    const auto slabs = cut_by_cost({make_grid(extent, slab_spacing, boundary), boundary}, ranks);
    CHECK(slabs.back().end == planes);
    return slabs[0].room_for_ghosts;
  };
  CHECK(room(11 + 8 + 8 + 11, 4) == 4);
  CHECK(room(10 + 8 + 8 + 11, 4) < 4);
  CHECK(room(10 + 4 + 4 + 10, 4) == 0);
}
