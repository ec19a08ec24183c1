#include "src/choice/tuned_tiles.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "kernels/tiles/shape_family.hpp"
#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/precision_names.hpp"

namespace minimod {

namespace {

/// Beginning of the keys of all tunings for a GPU, an order and a precision.
std::string tuned_for(const std::string& device, int order, Precision precision) {
  return text(device, ", order ", order, ", ", precision_name(precision), ": ");
}

bool is_tile(const std::string& kernel, int order, Precision precision) {
  const auto named = parse_shape_name(kernel);
  return named && why_impossible(*named, order / 2, precision).empty();
}

}  // namespace

TunedTiles::TunedTiles(std::filesystem::path file)
    : file_(std::move(file), "minimod.tuned_tiles/1", "tiles") {}

TunedTiles TunedTiles::of_user() {
  return TunedTiles(CacheFile::of_user("tuned_tiles.json"));
}

void TunedTiles::keep(const TunedTile& tile) const {
  const Extent3 n = tile.grid;
  file_.keep(
      text(tuned_for(tile.device, tile.order, tile.precision), tile.family, " on ", n.x, 'x', n.y, 'x', n.z),
      {{"kernel", tile.kernel}, {"gpt_per_s", tile.gpt_per_s}});
}

std::vector<std::string> TunedTiles::fastest(const std::string& device, int order,
                                             Precision precision) const {
  std::vector<std::pair<double, std::string>> found;
  const auto entries = file_.entries();  // kept here, since members() refers to it
  for (const auto& [key, entry] : entries.members()) {
    const std::string kernel = text_in(entry, "kernel");
    if (key.starts_with(tuned_for(device, order, precision)) && is_tile(kernel, order, precision)) {
      found.emplace_back(number_in(entry, "gpt_per_s"), kernel);
    }
  }
  std::ranges::stable_sort(found, std::greater(), [](const auto& tile) { return tile.first; });
  std::vector<std::string> names;
  for (const auto& [rate, kernel] : found) {
    if (names.size() < most_tuned && std::ranges::count(names, kernel) == 0) names.push_back(kernel);
  }
  return names;
}

}  // namespace minimod
