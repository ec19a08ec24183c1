/// The report of a machine as Markdown on stdout.
#pragma once

#include <cstddef>

#include "src/base/json.hpp"

namespace minimod {

/// Build, machine and devices, a list each.
void print_facts(const Json& report);
/// Heading of what a device measured.
void print_device_heading(const Json& device, std::size_t number);
/// The ceilings of a device, in a list.
void print_ceilings(const Json& device);
/// The table of rates, a row a grid.
void print_rates_head();
void print_rate(const Json& row);
/// Where its figures of energy come from, or why there are none.
void print_energy(const Json& device);

}  // namespace minimod
