/// What the readers of model files have in common: a file is values along three nested axes, read in slabs.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/grid.hpp"
#include "models/velocity_model.hpp"
#include "src/base/error.hpp"

namespace minimod {

/// Three axes ('x', 'y', 'z') in the order of the file, fastest first.
using Axes = std::array<char, 3>;

/// How a file's values are arranged.
struct FileLayout {
  Axes axes{};
  std::array<int, 3> dims{};      ///< points along `axes`
  std::optional<Point3> spacing;  ///< m, where the file says
  std::string unit;               ///< "m/s", "km/s", or empty where the file does not say
  int slab = 1;                   ///< indices of the slowest axis that are best read at once
};

/// A model file, open.
class ModelFile {
 public:
  virtual ~ModelFile() = default;
  [[nodiscard]] virtual const FileLayout& layout() const = 0;
  /// The indices first <= i < first + count of the slowest axis, as the file has them (a float32 is a double
  /// without loss). Errors: 65, 74.
  virtual void read(int first, int count, std::span<double> values) = 0;
};

/// The readers. Errors: 64, 65, 66, 77; whatever the file declares is checked against its size.
[[nodiscard]] std::unique_ptr<ModelFile> open_hdf5_model(const ModelSpec& spec,
                                                         const std::filesystem::path& path,
                                                         const std::string& dataset);
[[nodiscard]] std::unique_ptr<ModelFile> open_segy_model(const ModelSpec& spec,
                                                         const std::filesystem::path& path);
[[nodiscard]] std::unique_ptr<ModelFile> open_raw_model(const ModelSpec& spec,
                                                        const std::filesystem::path& path);

/// "zyx" (commas may stand between) as axes, fastest first. "zx" is a section: y comes last. Nothing when an
/// axis is missing, twice there or unknown.
[[nodiscard]] std::optional<Axes> parse_axes(std::string_view letters);

/// `spec.axes` as axes, or `otherwise` when it is empty. Errors: 64.
[[nodiscard]] Axes axes_of(const ModelSpec& spec, const Axes& otherwise);

/// Points or metres along the axis of that letter.
[[nodiscard]] int& along(Extent3& n, char axis);
[[nodiscard]] int along(const Extent3& n, char axis);
[[nodiscard]] double& along(Point3& p, char axis);

/// Points along `layout.axes` as x, y, z.
[[nodiscard]] Extent3 extent_of(const FileLayout& layout);

/// Error 65 about a file.
[[nodiscard]] Error model_error(const std::filesystem::path& path, const std::string& wrong,
                                const std::string& remedy);

/// Errors: 65 when `--model-dims` is given and is not what the file holds.
void require_dims(const ModelSpec& spec, const FileLayout& layout, const std::filesystem::path& path);

}  // namespace minimod
