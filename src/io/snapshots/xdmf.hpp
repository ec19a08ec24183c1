/// The XDMF file of snapshots: XML that tells ParaView and VisIt what the HDF5 file beside it holds.
#pragma once

#include <string>
#include <string_view>

#include "src/io/snapshots/snapshots.hpp"

namespace minimod {

/// Beginning of such files of the program, blanks left out.
inline constexpr std::string_view xdmf_beginning = R"(<?xmlversion="1.0"?><!--minimodsnapshots-->)";

/// A uniform grid for each time, whose values are a slab of `/wavefield` of the file `hdf5`; `unit`: of u.
[[nodiscard]] std::string xdmf_text(const SnapshotPlan& plan, const std::string& unit,
                                    const std::string& hdf5);

}  // namespace minimod
