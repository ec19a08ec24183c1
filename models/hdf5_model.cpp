/// HDF5 models: a dataset of one to three dimensions, its attributes `axes`, `spacing` and `units`.
#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "models/readers.hpp"
#include "src/base/hdf5.hpp"

namespace minimod {
namespace {

std::string shown(const std::vector<hsize_t>& dims) {
  std::string list;
  for (const hsize_t dim : dims) list += (list.empty() ? "" : ", ") + std::to_string(dim);
  return "[" + escaped(list, 60) + "]";
}

class Hdf5Model final : public ModelFile {
 public:
  Hdf5Model(const ModelSpec& spec, const std::filesystem::path& path, const std::string& dataset)
      : path_(path),
        file_(hdf5::open_for_reading(path)),
        dataset_(hdf5::open_float_dataset(file_, dataset, path)),
        dims_(hdf5::shape_of(dataset_).dims) {
    require_rank(spec);
    layout_.axes = axes_of(spec, axes_of_file());
    // A section has y as its last axis, whatever place the letter was given.
    if (dims_.size() == 2) {
      std::stable_partition(layout_.axes.begin(), layout_.axes.end(), [](char axis) { return axis != 'y'; });
    }
    set_dims(spec);
    require_dims(spec, layout_, path_);
    if (!spec.spacing) layout_.spacing = spacing_of_file();
    layout_.unit = spec.unit.empty() ? unit_of_file() : "";
    if (dims_.size() == 3) layout_.slab = static_cast<int>(hdf5::slab_thickness(dataset_));
  }

  [[nodiscard]] const FileLayout& layout() const override { return layout_; }

  void read(int first, int count, std::span<double> values) override {
    // Rows of the dataset's slowest axis for one index of the model's: a flat dataset has a whole plane of
    // them, a section all there are.
    const hsize_t rows = dims_[0] / static_cast<hsize_t>(layout_.dims[2]);
    hdf5::read_slab(dataset_, rows * static_cast<hsize_t>(first), rows * static_cast<hsize_t>(count), values,
                    path_);
  }

 private:
  void require_rank(const ModelSpec& spec) const {
    const auto count = static_cast<double>(hdf5::Shape{dims_}.count());
    if (dims_.size() == 1 && spec.dims) {
      const Extent3 n = *spec.dims;
      if (1.0 * n.x * n.y * n.z == count) return;
      throw model_error(
          path_, text("holds ", shown(dims_), " values, --model-dims says ", n.x, " x ", n.y, " x ", n.z),
          "correct --model-dims");
    }
    const bool countable =
        std::ranges::all_of(dims_, [](hsize_t dim) { return dim <= std::numeric_limits<int>::max(); });
    if ((dims_.size() == 2 || dims_.size() == 3) && countable) return;
    throw model_error(path_, text("has a dataset of shape ", shown(dims_), ", not [z, y, x] or [z, x]"),
                      "give another dataset as file.h5:/path, or --model-dims for a flat one");
  }

  [[nodiscard]] Axes axes_of_file() const {
    std::string letters = hdf5::read_text_attribute(dataset_, "axes");
    if (letters.empty()) return {'x', 'y', 'z'};
    const std::string given = letters;
    std::erase_if(letters, [](char c) { return c == ',' || c == ' ' || c == '[' || c == ']'; });
    std::ranges::reverse(letters);
    const auto axes = parse_axes(letters);
    if (axes && (letters.size() == dims_.size() || dims_.size() == 1)) return *axes;
    throw model_error(path_, text("has axes '", escaped(given, 30), "' for a shape of ", shown(dims_)),
                      "correct the attribute or give --model-axes");
  }

  void set_dims(const ModelSpec& spec) {
    if (dims_.size() == 1) {
      for (std::size_t i = 0; i < 3; ++i) layout_.dims[i] = along(*spec.dims, layout_.axes[i]);
      return;
    }
    layout_.dims = {1, 1, 1};
    for (std::size_t i = 0; i < dims_.size(); ++i) {
      layout_.dims[i] = static_cast<int>(dims_[dims_.size() - 1 - i]);
    }
  }

  /// The attribute has one number for all axes or one for each dimension of the dataset, in their order.
  [[nodiscard]] std::optional<Point3> spacing_of_file() const {
    const auto values = hdf5::read_number_attribute(dataset_, "spacing");
    if (values.empty()) return std::nullopt;
    if (values.size() == 1) return Point3{values[0], values[0], values[0]};
    const std::size_t needed = dims_.size() == 2 ? 2 : 3;
    if (values.size() != needed) {
      throw model_error(
          path_,
          text("has a spacing of ", values.size(), " numbers, not ", needed, " in the order of ", "its axes"),
          "correct the attribute or give --model-spacing");
    }
    Point3 spacing;
    for (std::size_t i = 0; i < needed; ++i) along(spacing, layout_.axes[i]) = values[needed - 1 - i];
    if (needed == 2) spacing.y = spacing.x;
    return spacing;
  }

  [[nodiscard]] std::string unit_of_file() const {
    std::string unit = hdf5::read_text_attribute(dataset_, "units");
    if (unit.empty() || unit == "m/s" || unit == "km/s") return unit;
    throw model_error(path_, text("has the units '", escaped(unit, 30), "', not m/s or km/s"),
                      "correct the attribute or give --velocity-unit");
  }

  std::filesystem::path path_;
  hdf5::Handle file_;
  hdf5::Handle dataset_;
  std::vector<hsize_t> dims_;  ///< slowest first
  FileLayout layout_;
};

}  // namespace

std::unique_ptr<ModelFile> open_hdf5_model(const ModelSpec& spec, const std::filesystem::path& path,
                                           const std::string& dataset) {
  return std::make_unique<Hdf5Model>(spec, path, dataset);
}

}  // namespace minimod
