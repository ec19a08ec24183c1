#include "kernels/tiles/tile_family.hpp"

#include <cctype>
#include <charconv>

#include "src/base/error.hpp"

namespace minimod {

namespace {

// Limits of any GPU: what CUDA lets a block have, and the shared memory of the one that gives most.
constexpr int most_threads = 1024, most_threads_z = 64;
constexpr std::size_t most_shared_bytes = std::size_t{227} << 10U;
constexpr int longest_extent = 4096;

/// Reads a name from its beginning to its end.
class NameReader {
 public:
  explicit NameReader(std::string_view rest) : rest_(rest) {}
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  /// A positive number as it is printed.
  bool take(int& number) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc{} || rest_.front() == '0' || number < 1 || number > longest_extent) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  /// Two of them, as 16x8.
  bool take(int& x, int& y) { return take(x) && take("x") && take(y); }
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::string above(const char* what, std::int64_t count, const char* of_what, std::int64_t most) {
  return count > most ? text(what, " have ", count, of_what, ", at most ", most) : "";
}

}  // namespace

std::string shape_name(std::string_view family, const ShapeParameters& of, int unnamed_width) {
  const Extent3 tile = of.tile, points = of.points_per_thread;
  std::string name = text(family, '_', tile.x, 'x', tile.y);
  if (tile.z > 0) name += text('x', tile.z);
  if (points.x > 0) name += text("_r", points.x, 'x', points.y);
  if (of.vector_width != unnamed_width) name += text("_v", of.vector_width);
  return name;
}

std::optional<ShapeParameters> parse_tile(std::string_view name, const TileFamily& family) {
  NameReader reader(name);
  if (!reader.take(family.name)) return std::nullopt;
  if (reader.is_at_end() && family.usual) return family.usual;
  ShapeParameters of;
  Extent3& points = of.points_per_thread;
  of.vector_width = family.vectors.unnamed;
  bool is_read = reader.take("_") && reader.take(of.tile.x, of.tile.y);
  if (family.form == TileForm::volume) is_read = is_read && reader.take("x") && reader.take(of.tile.z);
  if (family.form == TileForm::register_tiles) {
    is_read = is_read && reader.take("_r") && reader.take(points.x, points.y);
    points.z = 1;
  }
  if (family.vectors.are_named() && reader.take("_v")) is_read = is_read && reader.take(of.vector_width);
  return is_read && reader.is_at_end() ? std::optional(of) : std::nullopt;
}

std::string renamed(std::string_view name, const FamilyNames& names, std::string_view own) {
  for (const char* const other : names.all) {
    if (other == nullptr || !name.starts_with(other)) continue;
    const std::string_view behind = name.substr(std::string_view(other).size());
    if (behind.empty() || behind.front() == '_') return text(own, behind);
  }
  return std::string(name);
}

std::string naming(const TileFamily& family) {
  constexpr const char* tiles[] = {"_<Dx>x<Dy>", "_<Dx>x<Dy>x<Dz>", "_<W>x<H>_r<RX>x<RY>[_v<V>]"};
  return text(family.name, tiles[static_cast<int>(family.form)]);
}

std::string type_text(const TileFamily& family, const ShapeParameters& of, std::string_view equation,
                      std::string_view more) {
  std::string type;  // as st_smem is StSmem
  bool begins = true;
  for (const char* letter = family.template_name; *letter != 0; ++letter) {
    if (*letter != '_') type += static_cast<char>(begins ? std::toupper(*letter) : *letter);
    begins = *letter == '_';
  }
  const bool has_points = family.form == TileForm::register_tiles;
  const Extent3 extent = has_points ? family.threads(of) : of.tile, points = of.points_per_thread;
  type += text('<', equation, equation.empty() ? "" : ", ", extent.x, ", ", extent.y);
  if (family.form == TileForm::volume) type += text(", ", extent.z);
  if (has_points) type += text(", ", points.x, ", ", points.y);
  if (family.vectors.are_named()) type += text(", ", of.vector_width);
  return text(type, more, '>');
}

std::string text_of(const Refusal& refusal) {
  const auto& [before, number, between, other, behind] = refusal;
  if (before == nullptr) return "";
  if (between == nullptr) return before;
  return behind == nullptr ? text(before, number, between) : text(before, number, between, other, behind);
}

std::size_t shared_bytes(const TileFamily& family, const ShapeParameters& of, Reach reach,
                         Precision precision) {
  if (!is_beside(reach) || !family.stages(reach)) return 0;
  const auto values = static_cast<std::size_t>(family.shared_values(of, reach));
  return (values * bytes_of(precision) + 15) / 16 * 16;
}

std::string first_reason(std::initializer_list<std::string> reasons) {
  for (const std::string& reason : reasons) {
    if (!reason.empty()) return reason;
  }
  return "";
}

std::string why_no_block(Extent3 threads, std::size_t shared_bytes) {
  return first_reason({above("its blocks", threads.points(), " threads", most_threads),
                       above("its blocks", threads.z, " threads along z", most_threads_z),
                       above("its blocks", static_cast<std::int64_t>(shared_bytes), " B of shared memory",
                             most_shared_bytes)});
}

}  // namespace minimod
