#include <algorithm>
#include <cstdint>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "kernels/random_field.hpp"
#include "src/base/process/threads.hpp"
#include "src/device/field_kernels.hpp"

using namespace minimod;

namespace {

RealsAt at(std::vector<float>& values) {
  return {values.data(), Precision::float32};
}

}  // namespace

TEST_CASE("So many sources and receivers that all cores serve them have the host's bits", "[unit]") {
  const Grid grid = make_grid({50, 40, 30}, {20, 20, 20}, 5);
  const auto host = make_host_backend();
  constexpr int count = 2 * many_values + 1;
  std::vector<std::int64_t> nodes(count);
  std::vector<std::int32_t> sources(count);
  std::vector<float> weights(count), samples{0.5F, -3, 7e-3F}, field(grid.layout.size), row(count);
  for (int i = 0; i < count; ++i) {
    nodes[i] = grid.index({i * 31 % 50, i * 17 % 40, i % 30});
    sources[i] = i % 3;
    weights[i] = random_value(1, i, 0, 0);
  }
  std::ranges::sort(nodes);
  REQUIRE(std::ranges::adjacent_find(nodes) != nodes.end());
  for (std::size_t i = 0; i < field.size(); ++i) field[i] = random_value(2, static_cast<int>(i), 0, 0);

  const SourceNodes shares{nodes.data(), at(weights), sources.data(), count};
  std::vector<float> expected = field;
  for (int i = 0; i < count; ++i) inject_at(expected.data(), grid.layout, shares, i, samples.data());
  host->field_kernels().inject({at(field), grid.layout}, shares, at(samples));
  CHECK(field == expected);

  host->field_kernels().record(at(row), {at(field), grid.layout}, nodes.data(), count);
  CHECK(std::ranges::equal(row, nodes, {}, {}, [&](std::int64_t node) { return field[node]; }));
}
