/// How `minimod bench` shows the records of its shapes: tables for people, a table in CSV for scripts.
#pragma once

#include <string>

#include "src/base/json.hpp"

namespace minimod {

/// A line of the first table, whose head has the columns.
void print_row(const Json& shape);
/// What each rank has of a run of `steps` steps, where the grid is cut.
void print_ranks(const Json& shapes, int steps);
/// What the inner launch of each shape takes of a GPU; nothing is known of the host's.
void print_launches(const Json& shapes);
/// The paper's seconds beside ours, for the shapes that it has.
void print_paper(const Json& shapes);

/// A shape a line; what it does not have is empty.
[[nodiscard]] std::string csv_of(const Json& shapes);

}  // namespace minimod
