#include "src/job/geometry/acquisition.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>

#include "src/base/error.hpp"
#include "src/base/number_rows.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/host_memory.hpp"
#include "src/base/process/threads.hpp"
#include "src/job/geometry/field_geometry.hpp"

namespace minimod {
namespace {

constexpr const char* receiver_format =
    "x,y,z in m, a receiver a line; a first line like id,x,y,z names more columns";

/// The i-th of `count` coordinates from `first` to `last`.
double coordinate(double first, double last, int i, int count) {
  return count == 1 ? first : std::lerp(first, last, static_cast<double>(i) / (count - 1));
}

int parse_count(std::string_view text, std::string_view option) {
  return static_cast<int>(parse_integer(text, option, 1, std::numeric_limits<int>::max()));
}

/// Refuses so many positions.
using Check = std::function<void(double)>;

std::vector<Point3> parse_line(Point3 first, Point3 last, std::string_view count, std::string_view option,
                               const Check& check) {
  const int n = parse_count(count, option);
  check(n);
  std::vector<Point3> positions;
  positions.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    positions.push_back({coordinate(first.x, last.x, i, n), coordinate(first.y, last.y, i, n),
                         coordinate(first.z, last.z, i, n)});
  }
  return positions;
}

std::vector<Point3> parse_grid(Point3 first, Point3 last, std::string_view counts, std::string_view option,
                               const Check& check) {
  const auto parts = split(counts, ',');
  if (parts.size() < 2 || parts.size() > 3) {
    throw Error(ErrorKind::parameter, text(option, " '", escaped(counts, 60), "' is not a size of a grid"),
                "give nx,ny or nx,ny,nz, such as 20,10");
  }
  const Extent3 n{parse_count(parts[0], option), parse_count(parts[1], option),
                  parts.size() == 3 ? parse_count(parts[2], option) : 1};
  check(static_cast<double>(n.x) * n.y * n.z);
  std::vector<Point3> positions;
  positions.reserve(static_cast<std::size_t>(n.points()));
  for (int k = 0; k < n.z; ++k) {
    for (int j = 0; j < n.y; ++j) {
      for (int i = 0; i < n.x; ++i) {
        positions.push_back({coordinate(first.x, last.x, i, n.x), coordinate(first.y, last.y, j, n.y),
                             coordinate(first.z, last.z, k, n.z)});
      }
    }
  }
  return positions;
}

ReceiverList read_positions(const std::string& path, std::int64_t memory_limit) {
  const NumberRows rows = read_number_rows(path, {3, 3, {"x", "y", "z"}, {}, receiver_format});
  check_position_memory(static_cast<double>(rows.rows()), option("receivers"), memory_limit);
  ReceiverList list;
  list.positions.resize(rows.rows());
  for (std::size_t i = 0; i < list.positions.size(); ++i) {
    list.positions[i] = {rows.at(i, 0), rows.at(i, 1), rows.at(i, 2)};
  }
  list.note = left_out_note(path, rows, "x, y and z");
  return list;
}

/// Number of the node nearest to `position` along an axis, from the first node of the inner box.
int nearest(double position, double spacing) {
  // Far outside the grid the exact number does not matter, only that it is an int and stays outside.
  constexpr double far = 1 << 30;
  return static_cast<int>(std::clamp(std::round(position / spacing), -far, far));
}

constexpr std::size_t block_positions = 4096;  ///< positions that a core takes at once

std::size_t blocks(std::size_t positions) {
  return (positions + block_positions - 1) / block_positions;
}

/// Calls work(block, begin, end) for the positions [begin, end) of each block, on all cores where many are.
template <class Work>
void for_all_blocks(std::size_t positions, const Work& work) {
  for_all(static_cast<int>(blocks(positions)), positions >= many_values, [&](int block) {
    const std::size_t begin = block * block_positions;
    work(block, begin, std::min(begin + block_positions, positions));
  });
}

/// "(1200, 0, 15)".
std::string position_text(Point3 p) {
  return text("(", p.x, ", ", p.y, ", ", p.z, ")");
}

/// Gathers the positions outside, and says so in one line.
class Outside {
 public:
  static constexpr std::ptrdiff_t only = -1;  ///< index of what needs none

  void add(const char* what, std::ptrdiff_t index, Point3 position) {
    // Room that is left of the 240 characters of an error's line after the words around the names.
    constexpr std::size_t room = 110;
    if (named_ == count_++) {
      const std::string number = index == only ? "" : text(index, " ");
      const std::string entry = text(names_.empty() ? "" : ", ", what, " ", number, position_text(position));
      if (names_.size() + entry.size() <= room) {
        names_ += entry;
        ++named_;
      }
    }
  }

  void check(Point3 spacing, Extent3 n) const {
    if (count_ == 0) return;
    const std::string rest = named_ == count_ ? "" : text(" and ", count_ - named_, " more");
    throw Error(ErrorKind::data, text(count_, " outside the model: ", names_, rest),
                text("stay in x 0..", (n.x - 1) * spacing.x, ", y 0..", (n.y - 1) * spacing.y, ", z 0..",
                     (n.z - 1) * spacing.z, " m"));
  }

 private:
  std::string names_;
  std::size_t named_ = 0, count_ = 0;
};

}  // namespace

bool is_line_or_grid(std::string_view spec) {
  return spec.starts_with("line:") || spec.starts_with("grid:");
}

std::int64_t position_limit() {
  constexpr std::int64_t most = std::int64_t{4} << 30;
  return std::min(most, static_cast<std::int64_t>(available_host_memory() / 4));
}

void check_position_memory(double count, std::string_view option, std::int64_t memory_limit,
                           std::size_t bytes_each) {
  const double bytes = count * static_cast<double>(bytes_each);
  if (bytes <= static_cast<double>(memory_limit)) return;
  throw Error(ErrorKind::resource,
              text(option, " names ", count, " positions, which take ", bytes, " bytes of ", memory_limit,
                   " available"),
              text("give at most ", static_cast<std::uint64_t>(memory_limit) / bytes_each));
}

std::vector<Point3> parse_line_or_grid(const std::string& spec, std::string_view option,
                                       std::int64_t memory_limit, std::size_t bytes_each) {
  const bool line = spec.starts_with("line:");
  const auto parts = split(spec, ':');
  if (parts.size() != 4) {
    throw Error(ErrorKind::parameter,
                text(option, " '", escaped(spec, 80), "' has ", parts.size(), " parts, not 4"),
                line ? "give line:x0,y0,z0:x1,y1,z1:n" : "give grid:x0,y0,z0:x1,y1,z1:nx,ny");
  }
  const Point3 first = parse_point(parts[1], option);
  const Point3 last = parse_point(parts[2], option);
  const auto check = [&](double count) { check_position_memory(count, option, memory_limit, bytes_each); };
  return (line ? parse_line : parse_grid)(first, last, parts[3], option, check);
}

ReceiverList parse_receivers(const std::string& spec, std::int64_t memory_limit) {
  if (is_field_file(spec)) {
    Stations stations = read_stations(spec, memory_limit);
    return {std::move(stations.positions), "", std::move(stations.numbers)};
  }
  if (!is_line_or_grid(spec)) return read_positions(spec, memory_limit);
  return {parse_line_or_grid(spec, option("receivers"), memory_limit), ""};
}

Index3 nearest_node(Point3 position, Point3 spacing, Index3 inner_begin) {
  return {inner_begin.x + nearest(position.x, spacing.x), inner_begin.y + nearest(position.y, spacing.y),
          inner_begin.z + nearest(position.z, spacing.z)};
}

Point3 node_position(Index3 node, Point3 spacing, Index3 inner_begin) {
  return {(node.x - inner_begin.x) * spacing.x, (node.y - inner_begin.y) * spacing.y,
          (node.z - inner_begin.z) * spacing.z};
}

Moves greatest(const Moves& a, const Moves& b) {
  return {std::max(a.source, b.source), std::max(a.receivers, b.receivers), std::max(a.share, b.share)};
}

Moves moves_to_nodes(const ShotGeometry& shot, Point3 spacing) {
  const auto take = [&](Point3 p, double Moves::*distance, Moves& moves) {
    const Point3 node = node_position(nearest_node(p, spacing, {}), spacing, {});
    const Point3 move{std::abs(p.x - node.x), std::abs(p.y - node.y), std::abs(p.z - node.z)};
    moves.share = std::max({moves.share, move.x / spacing.x, move.y / spacing.y, move.z / spacing.z});
    moves.*distance = std::max(moves.*distance, std::hypot(move.x, move.y, move.z));
  };
  Moves moves;
  for (const ShotSource& source : shot.sources) take(source.position, &Moves::source, moves);
  std::vector<Moves> of_blocks(blocks(shot.receivers.size()));
  for_all_blocks(shot.receivers.size(), [&](std::size_t block, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) take(shot.receivers[i], &Moves::receivers, of_blocks[block]);
  });
  for (const Moves& there : of_blocks) moves = greatest(moves, there);
  return moves;
}

Placement place(const ShotGeometry& shot, Point3 spacing, const Box3& inner, Interpolation interpolation) {
  const Extent3 n = inner.extent();
  const auto beyond = [](double position, double h, int points) {
    return position < -1e-9 * h || position > (points - 1 + 1e-9) * h;
  };
  const auto is_out = [&](Point3 position, Index3 node) {
    return interpolation == Interpolation::nearest
               ? !inner.contains(node)
               : beyond(position.x, spacing.x, n.x) || beyond(position.y, spacing.y, n.y) ||
                     beyond(position.z, spacing.z, n.z);
  };
  Outside outside;
  Placement placement;
  for (const ShotSource& source : shot.sources) {
    const std::ptrdiff_t index = shot.sources.size() == 1 ? Outside::only : &source - shot.sources.data();
    placement.sources.push_back(nearest_node(source.position, spacing, inner.begin));
    if (is_out(source.position, placement.sources.back())) outside.add("source", index, source.position);
  }
  const std::size_t count = shot.receivers.size();
  placement.receivers.resize(count);
  std::vector<char> has_some_outside(blocks(count));
  for_all_blocks(count, [&](std::size_t block, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      placement.receivers[i] = nearest_node(shot.receivers[i], spacing, inner.begin);
      if (is_out(shot.receivers[i], placement.receivers[i])) has_some_outside[block] = true;
    }
  });
  for (std::size_t i = 0; i < count; ++i) {
    if (!has_some_outside[i / block_positions]) continue;
    if (is_out(shot.receivers[i], placement.receivers[i]))
      outside.add("receiver", static_cast<std::ptrdiff_t>(i), shot.receivers[i]);
  }
  outside.check(spacing, n);
  return placement;
}

}  // namespace minimod
