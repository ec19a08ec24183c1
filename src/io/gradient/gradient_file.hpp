/// The file of a gradient or an image: derivatives of a misfit by the velocities of nodes, or reflectors, and
/// what was summed beside them.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/base/files/output_file.hpp"
#include "src/base/reals.hpp"
#include "src/io/gather/gather.hpp"

namespace minimod {

/// Values at nodes, [z, y, x], or [z, x] of a section.
struct NodeField {
  std::string name, units, description;
  Reals values;
};

struct GradientFile {
  Extent3 n;       ///< nodes; one along y is a section's
  Point3 spacing;  ///< m, between them
  std::vector<NodeField> fields;
  std::vector<std::int64_t> shots;  ///< numbers of the shots
  std::vector<double> misfits;      ///< misfit of each
  /// Everything else that belongs to it, as in a ShotGather.
  std::vector<std::pair<std::string, AttributeValue>> metadata;
  bool is_image = false;  ///< the file says so
};

extern const FileKind gradient_kind;

/// Bytes of such a file at most: its fields shrink, nobody knows how much.
[[nodiscard]] std::uint64_t gradient_file_bytes(Extent3 n, std::size_t fields, Precision precision,
                                                std::size_t shots);

/// Writes HDF5: the fields, in their precision, and `/misfit` [shot] with the axes `/z`, `/y`, `/x` (m) and
/// `/shot`; checksummed, read back, and under its name only when it is complete. Errors: those of
/// check_target, 74.
void write_gradient(const GradientFile& gradient, const std::filesystem::path& file, bool overwrite);

/// Reads back, of either, the fields of those names, shots, misfits and the text `configuration`, which is
/// the only metadata. Errors: 65 another file or a damaged one; 66, 77.
[[nodiscard]] GradientFile read_gradient(const std::filesystem::path& file,
                                         const std::vector<std::string>& fields);

}  // namespace minimod
