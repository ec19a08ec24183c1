/// Where the sources and the receivers are: lists of positions, and the grid nodes nearest to them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/io/gather/shot_geometry.hpp"
#include "src/solver/numerics/interpolation.hpp"

namespace minimod {

/// Receivers of a specification.
struct ReceiverList {
  std::vector<Point3> positions;            ///< m
  std::string note;                         ///< note for the user about the file they come from; empty: none
  std::vector<std::int64_t> stations = {};  ///< numbers that the field gave these; empty: none
};

/// Whether `spec` is a line or a grid, not a file.
[[nodiscard]] bool is_line_or_grid(std::string_view spec);

/// Bytes that positions may take: a quarter of what is free, for they are copied to shots and nodes.
[[nodiscard]] std::int64_t position_limit();

/// The positions of a `spec` that is one, as parse_receivers has them; `option` is what it was given for, and
/// `bytes_each` what becomes of one takes.
[[nodiscard]] std::vector<Point3> parse_line_or_grid(const std::string& spec, std::string_view option,
                                                     std::int64_t memory_limit,
                                                     std::size_t bytes_each = sizeof(Point3));

/// The Error 71 for so many positions (a double, for it may be more than any integer holds), where they take
/// more than the limit.
void check_position_memory(double count, std::string_view option, std::int64_t memory_limit,
                           std::size_t bytes_each = sizeof(Point3));

/// The receivers that `spec` names, in metres:
///
/// - `line:x0,y0,z0:x1,y1,z1:n`: n of them evenly from the first point to the second, both included;
/// - `grid:x0,y0,z0:x1,y1,z1:nx,ny`: a grid of nx by ny (or nx,ny,nz) that fills the box of the two corners,
/// x
///   fastest; an axis with one receiver takes the first corner's coordinate;
/// - a file of field data, as read_stations has it (field_geometry.hpp);
/// - a text file: x, y and z, a receiver a line. A first line of names may give the columns another order
///   (x, y and z, each alone or with the unit m: "X [m]", "y_m"), with others among them, which are left out
///   and noted. Comments (#), blank lines, CRLF, a byte order mark, commas, semicolons, blanks and tabs are
///   accepted.
///
/// `memory_limit` (bytes) is what the positions may take. Errors: 64 a wrong spec; 66 a missing file; 65 a
/// wrong line, as file:line:column; 71 more positions than the limit, before anything is allocated.
[[nodiscard]] ReceiverList parse_receivers(const std::string& spec, std::int64_t memory_limit);

/// The node nearest to `position`; it may lie outside the grid.
[[nodiscard]] Index3 nearest_node(Point3 position, Point3 spacing, Index3 inner_begin);

/// Where a node lies, in metres.
[[nodiscard]] Point3 node_position(Index3 node, Point3 spacing, Index3 inner_begin);

/// How far the nearest nodes are from the positions of a shot.
struct Moves {
  double source = 0, receivers = 0;  ///< m, the greatest
  double share = 0;                  ///< the greatest of all along an axis, in spacings: 0.5 at most
};
[[nodiscard]] Moves greatest(const Moves& a, const Moves& b);
[[nodiscard]] Moves moves_to_nodes(const ShotGeometry& shot, Point3 spacing);

/// The nodes of a shot.
struct Placement {
  std::vector<Index3> sources, receivers;
};

/// Moves every position to its nearest node. A position is inside if that node is in the inner box, thus up
/// to half a spacing beyond the box's outermost nodes; where it is interpolated, if it lies in the box
/// itself. Error 65 that names all positions outside, or as many
/// as fit in a line; receivers, and sources where there are several, are counted from 0, as in the gather.
[[nodiscard]] Placement place(const ShotGeometry& shot, Point3 spacing, const Box3& inner,
                              Interpolation interpolation = Interpolation::nearest);

}  // namespace minimod
