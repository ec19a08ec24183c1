#include "src/ranks/state_map.hpp"

#include <algorithm>

namespace minimod {

namespace {

/// The planes of a place that a slab has for the domain: its own ones, of the outer slabs those outside too,
/// or all of a place that lies in one slab and may reach beyond the grid.
void add_runs(std::vector<StateRun>& runs, const Field& field, const FieldPlace& whole,
              const std::vector<SlabFields>& slabs) {
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    const Grid& grid = slabs[i].grid;
    const Field* const array = slabs[i].table.find(field.name);
    if (array == nullptr) continue;
    const auto part = std::ranges::find(array->places, whole.name, &FieldPlace::name);
    if (part == array->places.end()) continue;
    const int above = i == 0 ? part->outside : 0, below = i + 1 == slabs.size() ? part->outside : 0;
    const bool has_all = part->box.extent().z == whole.box.extent().z;
    const int own_begin = std::max(part->box.begin.z, grid.own().begin.z),
              own_end = std::min(part->box.end.z, grid.own().end.z);
    const int first = (has_all ? part->box.begin.z : own_begin) - above;
    const int end = (has_all ? part->box.end.z : own_end) + below;
    runs.push_back({static_cast<int>(i), static_cast<std::size_t>(part->of_plane(first)),
                    static_cast<std::size_t>(whole.of_plane(first + grid.first_z)),
                    static_cast<std::size_t>((end - first) * part->plane)});
  }
}

}  // namespace

std::size_t bytes_of(const std::vector<StatePart>& state) {
  std::size_t bytes = 0;
  for (const StatePart& part : state) bytes += part.bytes();
  return bytes;
}

std::vector<StatePart> state_of_domain(const FieldTable& domain, const std::vector<SlabFields>& slabs) {
  std::vector<StatePart> parts;
  for (const Field& field : domain.state(false)) {
    const Precision precision = slabs.front().grid.precision;
    StatePart& part = parts.emplace_back(StatePart{field.name, precision, field.size, {}});
    for (const FieldPlace& place : field.places) add_runs(part.runs, field, place, slabs);
  }
  return parts;
}

}  // namespace minimod
