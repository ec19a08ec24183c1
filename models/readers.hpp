/// Common parts of the readers of model files: a file is values along three nested axes, read in slabs.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/grid.hpp"
#include "models/file_coordinates.hpp"
#include "models/velocity_model.hpp"
#include "src/base/files/input_file.hpp"
#include "src/base/hdf5/hdf5_name.hpp"

namespace minimod {

/// Three axes ('x', 'y', 'z') in the order of the file, fastest first.
using Axes = std::array<char, 3>;

/// How a file's values are arranged.
struct FileLayout {
  Axes axes{};
  std::array<int, 3> dims{};       ///< points along `axes`
  std::optional<Point3> spacing;   ///< m, where the file says
  std::string unit;                ///< as in `velocity_unit`, or empty where the file does not say
  int slab = 1;                    ///< indices of the slowest axis that are best read at once
  FileCoordinates coordinates;     ///< coordinates of the first node of each axis
  std::vector<std::string> notes;  ///< assumptions where the file does not say, and axes that were turned
};

/// A model file, open.
class ModelFile {
 public:
  virtual ~ModelFile() = default;
  [[nodiscard]] virtual const FileLayout& layout() const = 0;
  /// The indices first <= i < first + count of the slowest axis, as the file has them (a float32 is a double
  /// without loss). Errors: 65, 74.
  virtual void read(int first, int count, std::span<double> values) = 0;
  /// Checksum of what was read, where that is no file with bytes of its own.
  [[nodiscard]] virtual std::optional<std::uint32_t> checksum() const { return {}; }
};

/// The readers. Errors: 64, 65, 66, 77; whatever the file declares is checked against its size.
[[nodiscard]] std::unique_ptr<ModelFile> open_hdf5_model(const ModelSpec& spec,
                                                         const std::filesystem::path& path,
                                                         const std::string& dataset);
[[nodiscard]] std::unique_ptr<ModelFile> open_segy_model(const ModelSpec& spec,
                                                         const std::filesystem::path& path);
[[nodiscard]] std::unique_ptr<ModelFile> open_raw_model(const ModelSpec& spec,
                                                        const std::filesystem::path& path);
/// The reader of a file that its suffix names.
[[nodiscard]] std::unique_ptr<ModelFile> open_model_file(const ModelSpec& spec,
                                                         const hdf5::DatasetName& name);
/// Whether that is the reader of raw values.
[[nodiscard]] bool is_raw_model(const std::filesystem::path& file);
/// Values that are in memory already, which the model keeps in its own way.
[[nodiscard]] std::unique_ptr<ModelFile> open_array_model(const ModelSpec& spec);

/// "z,y,x", the slowest first, as axes. "z,x" is a section, whose y is the slowest. Commas, blanks and
/// brackets do not count. Nothing when an axis is missing, twice there or unknown.
[[nodiscard]] std::optional<Axes> parse_axes(std::string_view slowest_first);

/// `spec.axes` as axes, nothing when it is empty. Errors: 64, also without commas: such letters could be
/// meant from either end.
[[nodiscard]] std::optional<Axes> axes_of_option(const ModelSpec& spec);

/// Axes of a file that says nothing of them: x fastest, z slowest.
inline constexpr Axes usual_axes = {'x', 'y', 'z'};

/// "z,y,x", the slowest first; "z,x" for a section.
[[nodiscard]] std::string axes_text(const Axes& axes, bool section);

/// A note on the usual axes.
[[nodiscard]] std::string guessed_axes_note(bool section);

/// m/s in one of the unit ("m/s", "km/s", "ft/s"); nothing for any other.
[[nodiscard]] std::optional<double> velocity_unit(std::string_view unit);

/// Points or metres along the axis of that letter.
[[nodiscard]] int& along(Extent3& n, char axis);
[[nodiscard]] int along(const Extent3& n, char axis);
[[nodiscard]] double& along(Point3& p, char axis);

/// Points along `layout.axes` as x, y, z.
[[nodiscard]] Extent3 extent_of(const FileLayout& layout);

/// Errors: 65 when `--model-dims` is given and is not what the file holds.
void require_dims(const ModelSpec& spec, const FileLayout& layout, const std::filesystem::path& path);

}  // namespace minimod
