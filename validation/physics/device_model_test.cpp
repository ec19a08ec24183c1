/// Models in the memory of a device, here the host's: plans, media and shots have the bits of the same values
/// in an array.
#include <algorithm>
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/checksum.hpp"
#include "src/base/process/on_all_cores.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/device/nodes/device_nodes.hpp"
#include "src/job/outputs/model_sections.hpp"
#include "src/job/outputs/water_depth.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/modeled_shot.hpp"
#include "src/solver/schedules.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/physics/sided_run.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;

namespace {

constexpr Extent3 nodes_of_model{36, 28, 24};

/// How values lie in memory.
enum class Order { c, transposed, reversed };
struct Lie {
  Order order;
  bool are_doubles;
};
constexpr Lie lies[] = {
    {Order::c, false}, {Order::c, true}, {Order::transposed, false}, {Order::reversed, true}};

/// Water above a rock that is another one at each node, with digits that a float does not hold.
double velocity(int x, int y, int z) {
  if (z < 3 + x / 12) return 1480;
  return 1900 + 40 * std::sin(1.7 * x + 0.4 * y * z) + 17.3 * z + 1e-7 * x;
}

/// A model twice: as an array and as distant nodes.
struct Twins {
  std::vector<float> v, floats;
  std::vector<double> doubles;
  std::shared_ptr<const ModelArray> array, distant;

  explicit Twins(Lie lie, const Index3& wrong = {-1, 0, 0}, float value = 0, Extent3 n = nodes_of_model) {
    v.resize(n.points());
    floats.resize(v.size());
    doubles.resize(v.size());
    ModelNodes nodes;
    nodes.n = n;
    nodes.are_doubles = lie.are_doubles;
    nodes.stride_x = 1;
    nodes.stride_y = n.x;
    nodes.stride_z = std::int64_t{n.x} * n.y;
    if (lie.order == Order::transposed) {
      nodes.stride_x = std::int64_t{n.z} * n.y;
      nodes.stride_y = n.z;
      nodes.stride_z = 1;
    }
    std::int64_t first = 0;
    if (lie.order == Order::reversed) {
      first = nodes.stride_z * (n.z - 1);
      nodes.stride_z *= -1;
    }
    std::size_t i = 0;
    for (int z = 0; z < n.z; ++z) {
      for (int y = 0; y < n.y; ++y) {
        for (int x = 0; x < n.x; ++x, ++i) {
          const double here = Index3{x, y, z} == wrong ? value : velocity(x, y, z);
          const std::int64_t there = first + nodes.index(x, y, z);
          v[i] = static_cast<float>(here);
          floats[there] = static_cast<float>(here);
          doubles[there] = here;
        }
      }
    }
    nodes.first = lie.are_doubles ? static_cast<const void*>(doubles.data() + first) : floats.data() + first;
    const Point3 spacing{10, 12, 8};
    array = std::make_shared<ModelArray>(ModelArray{n, spacing, v});
    distant = std::make_shared<ModelArray>(
        ModelArray{n, spacing, {}, std::make_shared<DeviceNodes>(make_host_backend(), nodes)});
  }
  Twins(const Twins&) = delete;
  Twins& operator=(const Twins&) = delete;
};

ModelSpec spec_of(const std::shared_ptr<const ModelArray>& array) {
  ModelSpec spec;
  spec.source = array_source;
  spec.array = array;
  return spec;
}

/// The backend of other memory than the model's.
class OtherMemory final : public HostedBackend {
 public:
  [[nodiscard]] DeviceInfo info() const override {
    DeviceInfo info = HostedBackend::info();
    info.kind = gpu_kind;
    info.number = 1;
    return info;
  }
};

/// Bytes that a plan asks of the rows of a model: for its checksum and for its extremes.
std::size_t bytes_of_plan(const ModelSpec& spec, const SampledMedium& medium) {
  const Extent3 all = spec.array->n, kept = medium.model().n;
  return sizeof(RowFacts) * (std::size_t(all.y) * all.z + std::size_t(kept.y) * kept.z);
}

ShotOptions options_of(const std::string& line, const std::shared_ptr<const ModelArray>& array) {
  ShotOptions options =
      parse_shot("--allow-dispersion --wavelet ricker:f=30 --steps 24 --pml-width 5 " + line);
  options.model.source = array_source;
  options.model.array = array;
  options.kernels.device.kind = DeviceOption::Kind::cpu;
  options.kernels.kernel = "kokkos";
  return options;
}

struct Planned {
  ShotOptions options;
  SurveyPlan plan;
  DeviceChoice choice;
  Planned(const std::string& line, const std::shared_ptr<const ModelArray>& array)
      : options(options_of(line, array)),
        plan(make_survey_plan(options)),
        choice(choose_device(options.kernels, plan.shared.problem.part())) {}
  [[nodiscard]] const SampledMedium& medium() const { return *plan.shared.medium; }
  [[nodiscard]] ShotRunner runner() const { return {plan.shared.problem, plan.shared.medium, choice}; }
  [[nodiscard]] Reals traces() const {
    return runner().run(plan.first, {{}, {}, [](int) {}}).traces;
  }
};

void check_same_planes(const SampledMedium& a, const SampledMedium& b) {
  const Extent3 n = a.grid();
  std::vector<float> of_a(std::size_t(n.x) * n.y), of_b(of_a);
  for (int z = 0; z < n.z; ++z) {
    a.sample_plane(z, of_a);
    b.sample_plane(z, of_b);
    CHECK(of_a == of_b);
  }
}

void check_same_outputs(const Planned& a, const Planned& b) {
  CHECK(same_bits(a.traces(), b.traces()));
  const Shot& shot = a.plan.first;
  Ranks& ranks = Ranks::world();
  CHECK(water_depths(a.medium(), {}, shot, ranks) == water_depths(b.medium(), {}, shot, ranks));
  const Index3 at = shot.sources.front().node;
  const ModelSections of_a = take_sections(a.medium(), at), of_b = take_sections(b.medium(), at);
  CHECK(of_a.xy == of_b.xy);
  CHECK(of_a.xz == of_b.xz);
  CHECK(of_a.yz == of_b.yz);
}

}  // namespace

TEST_CASE("Checksums of parts join to that of all", "[unit]") {
  std::vector<float> values(97);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i));
  const std::span<const float> all(values);
  std::uint32_t one_by_one = 0;
  for (const float value : all) one_by_one = crc32_with(value, one_by_one);
  CHECK(one_by_one == crc32(std::as_bytes(all)));
  for (const std::size_t first : {0, 1, 40, 96, 97}) {
    const JoinedChecksums join((values.size() - first) * sizeof(float));
    CHECK(join(crc32(std::as_bytes(all.first(first))), crc32(std::as_bytes(all.subspan(first)))) ==
          one_by_one);
  }
}

TEST_CASE("Distant nodes tell of themselves what an array tells", "[physics]") {
  for (const Lie lie : lies) {
    const Twins twins(lie);
    for (const bool crops : {false, true}) {
      ModelSpec array = spec_of(twins.array), distant = spec_of(twins.distant);
      array.unit = distant.unit = crops ? "ft/s" : "";
      if (crops) array.crop = distant.crop = Box3{{3, 2, 5}, {30, 28, 20}};
      const VelocityModel a = load_model(array), b = load_model(distant);
      CHECK(a.n == b.n);
      CHECK(a.v_min == b.v_min);
      CHECK(a.v_max == b.v_max);
      CHECK(a.greatest == b.greatest);
      CHECK(a.cut.crc32 == b.cut.crc32);
      CHECK(b.v.empty());
      CHECK(b.distant.has_value());
    }
  }
}

TEST_CASE("Threads that read distant nodes at once have the planes that they asked for", "[physics]") {
  constexpr Extent3 n{160, 150, 60};
  const Twins twins({Order::c, false}, {-1, 0, 0}, 0, n);
  const std::size_t plane = std::size_t{n.x} * n.y;
  std::vector<char> is_right(n.z);
  on_all_cores("read", is_right.size(), [&](std::size_t z) {
    std::vector<float> values(plane);
    const ModelNodes one = twins.distant->distant->all().part({{0, 0, int(z)}, {n.x, n.y, int(z) + 1}});
    twins.distant->distant->read(one, values);
    is_right[z] =
        std::equal(values.begin(), values.end(), twins.v.begin() + std::ptrdiff_t(z * plane)) ? 1 : 0;
  });
  CHECK(std::ranges::count(is_right, 1) == n.z);
}

TEST_CASE("Distant nodes that are no velocities are refused in the words of an array", "[physics]") {
  for (const float wrong : {-1.0F, 0.0F, NAN, INFINITY}) {
    const Twins twins({Order::transposed, false}, {7, 5, 11}, wrong);
    for (const bool crops : {false, true}) {
      ModelSpec array = spec_of(twins.array), distant = spec_of(twins.distant);
      if (crops) array.crop = distant.crop = Box3{{3, 2, 5}, {30, 28, 20}};
      const Outcome expected = outcome_of([&] { (void)load_model(array); }),
                    found = outcome_of([&] { (void)load_model(distant); });
      CHECK(found.kind == ErrorKind::data);
      CHECK(found.message == expected.message);
    }
  }
}

TEST_CASE("A shot in a device's model has the bits of the host's, and no node goes there and back",
          "[physics]") {
  for (const std::string line :
       {"--source 150,160,50", "--free-surface --boundary pml", "--precision double",
        "--order 4 --boundary sponge", "--crop 4:36,0:25,2:24", "--velocity-unit ft/s"}) {
    for (const Lie lie : lies) {
      CAPTURE(line, static_cast<int>(lie.order), lie.are_doubles);
      const Twins twins(lie);
      const Planned host(line, twins.array), device(line, twins.distant);
      REQUIRE(device.medium().distant_nodes());
      const ShotRunner begun = device.runner();
      CHECK(twins.distant->distant->bytes_copied() ==
            bytes_of_plan(device.medium().model().spec, device.medium()));
      check_same_planes(host.medium(), device.medium());
      check_same_outputs(host, device);
    }
  }
}

TEST_CASE("A device's section is the same at every y", "[physics]") {
  const Twins twins({Order::transposed, true}, {-1, 0, 0}, 0, {36, 1, 24});
  const Planned host("--extrude 9", twins.array), device("--extrude 9", twins.distant);
  REQUIRE(device.medium().distant_nodes());
  check_same_planes(host.medium(), device.medium());
  check_same_outputs(host, device);
}

TEST_CASE("A device's model is copied where the run has other nodes", "[physics]") {
  const Twins twins({Order::reversed, false});
  for (const std::string line : {"--spacing 9", "--decimate 1,2,1", "--decimate 2 --crop 1:36,0:28,0:24"}) {
    CAPTURE(line);
    const Planned host(line, twins.array), device(line, twins.distant);
    CHECK_FALSE(device.medium().distant_nodes());
    check_same_planes(host.medium(), device.medium());
    check_same_outputs(host, device);
  }
}

TEST_CASE("A device takes the model of another one's memory through the host", "[physics]") {
  const Twins twins({Order::transposed, false});
  Planned host("", twins.array), device("", twins.distant);
  device.choice.backend = std::make_unique<OtherMemory>();
  CHECK(nodes_there(device.medium(), "cpu"));
  CHECK_FALSE(nodes_there(device.medium(), device.choice.backend->info().memory()));
  device.choice.device = device.choice.backend->info();
  CHECK(same_bits(host.traces(), device.traces()));
  CHECK(twins.distant->distant->bytes_copied() > sizeof(float) * nodes_of_model.points());
}

TEST_CASE("Fields in chunks take a device's model", "[physics]") {
  static const CodeShape shape = emulated_whole_shape();
  const Twins twins({Order::transposed, true});
  const std::string line = "--boundary pml --precision single";
  Planned host(line, twins.array), device(line, twins.distant);
  for (Planned* one : {&host, &device}) one->choice.kernels = {&shape, &shape, &whole()};
  device.choice.backend = std::make_unique<SidedBackend>(3);
  REQUIRE(device.runner().propagator().fields().grid().in_chunks());
  CHECK(same_bits(host.traces(), device.traces()));
}
