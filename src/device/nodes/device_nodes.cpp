#include "src/device/nodes/device_nodes.hpp"

#include <algorithm>
#include <utility>

#include "src/device/field_kernels.hpp"

namespace minimod {

DeviceNodes::DeviceNodes(std::unique_ptr<Backend> device, const ModelNodes& all)
    : DistantNodes(all), device_(std::move(device)) {
  device_->wait_for_others();
}

void DeviceNodes::copy(void* to, const void* from, std::size_t bytes) const {
  device_->download(to, from, bytes);
  bytes_copied_ += bytes;
}

/// Some planes at once, as large ones take the device memory of its own.
void DeviceNodes::read(const ModelNodes& some, std::span<float> velocities) const {
  constexpr std::size_t values_at_once = std::size_t{1} << 22;
  const std::scoped_lock alone(reading_);
  const Extent3 n = some.n;
  const std::size_t plane = std::size_t(n.x) * n.y;
  const int at_once = static_cast<int>(std::clamp<std::size_t>(values_at_once / plane, 1, n.z));
  if (packed_.size() < plane * at_once) {
    packed_ = {};
    packed_ = DeviceArray<float>(*device_, plane * at_once);
  }
  for (int z = 0; z < n.z; z += at_once) {
    const ModelNodes planes = some.part({{0, 0, z}, {n.x, n.y, std::min(z + at_once, n.z)}});
    const Extent3 here = planes.n;
    device_->field_kernels().for_each_point({{0, 0, 0}, {here.x, here.y, here.z}},
                                            PackedNodes{planes, packed_.data()});
    copy(velocities.data() + plane * z, packed_.data(), sizeof(float) * here.points());
  }
}

std::vector<RowFacts> DeviceNodes::facts_of_rows(const ModelNodes& some, int begin, int end) const {
  std::vector<RowFacts> facts(std::size_t(some.n.y) * some.n.z);
  const DeviceArray<RowFacts> rows(*device_, facts.size());
  device_->field_kernels().for_each_point({{0, 0, 0}, {some.n.y, some.n.z, 1}},
                                          FactsOfRows{some, begin, end, rows.data()});
  copy(facts.data(), rows.data(), facts.size() * sizeof(RowFacts));
  return facts;
}

}  // namespace minimod
