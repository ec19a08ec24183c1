/// `minimod report`: build, machine, devices and their rates in one text, for a bug report or a table.
#pragma once

#include <string>

#include "src/device/device_option.hpp"

namespace minimod {

struct MachineReportOptions {
  DeviceOption device;    ///< automatic: all that there are
  double seconds = 60;    ///< length of all measurements, about
  bool no_bench = false;  ///< facts alone
  std::string json;       ///< file of the record, empty for none
  bool force = false;     ///< replace a record that is there
};

/// Prints the report as Markdown, and writes it as a record. Each device measures its ceilings, then what
/// `auto` runs on grids of some sizes, verified first; a grid that does not fit is left out, with the reason.
/// Neither has a name of a host, a user or a folder. Errors: 65 a kernel was wrong, 69 a device that was
/// named is not there, 73, 74, 77.
void report_machine(const MachineReportOptions& options);

}  // namespace minimod
