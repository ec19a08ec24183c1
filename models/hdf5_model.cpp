/// HDF5 models: a dataset of one to three dimensions, its attributes `axes`, `spacing`, `origin` and `units`.
/// An option says what an attribute leaves open; where both speak they must agree.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "models/readers.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/option.hpp"

namespace minimod {
namespace {

class Hdf5Model final : public ModelFile {
 public:
  Hdf5Model(const ModelSpec& spec, const std::filesystem::path& path, const std::string& dataset)
      : path_(path),
        file_(hdf5::open_for_reading(path)),
        dataset_(hdf5::open_float_dataset(file_, dataset, path)),
        dims_(hdf5::shape_of(dataset_).dims) {
    require_rank(spec);
    layout_.axes = read_axes(spec);
    set_dims(spec);
    require_dims(spec, layout_, path_);
    layout_.spacing = read_spacing(spec);
    layout_.coordinates.origin = read_origin();
    layout_.unit = read_unit(spec);
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
      throw file_error(path_,
                       text("holds ", hdf5::dims_text(dims_), " values, ", option("model-dims"), " says ",
                            n.x, " x ", n.y, " x ", n.z),
                       "correct " + option("model-dims"));
    }
    const bool countable =
        std::ranges::all_of(dims_, [](hsize_t dim) { return dim <= std::numeric_limits<int>::max(); });
    if ((dims_.size() == 2 || dims_.size() == 3) && countable) return;
    throw file_error(
        path_, text("has a dataset of shape ", hdf5::dims_text(dims_), ", not [z, y, x] or [z, x]"),
        text("give another dataset as file.h5:/path, or ", option("model-dims"), " for a flat one"));
  }

  [[nodiscard]] bool section() const { return dims_.size() == 2; }

  /// A section has y as its last axis, whatever place the letter was given.
  [[nodiscard]] Axes in_place(Axes axes) const {
    if (section()) std::stable_partition(axes.begin(), axes.end(), [](char axis) { return axis != 'y'; });
    return axes;
  }

  [[nodiscard]] Error contradiction(const std::string& attribute, const std::string& option) const {
    return file_error(path_, text("says ", attribute, ", ", option),
                      "leave out the option, or correct the attribute");
  }

  [[nodiscard]] Axes read_axes(const ModelSpec& spec) {
    const std::string given = hdf5::read_text_attribute(dataset_, "axes");
    const auto letters = static_cast<std::size_t>(
        std::ranges::count_if(given, [](char c) { return c == 'x' || c == 'y' || c == 'z'; }));
    const bool fits = letters == dims_.size() || dims_.size() == 1;
    const auto of_file = fits ? parse_axes(given) : std::nullopt;
    const auto of_option = axes_of_option(spec);
    if (of_option && of_file && in_place(*of_option) != in_place(*of_file)) {
      throw contradiction(text("that its axes are ", axes_text(*of_file, section())),
                          text(option("model-axes"), " ", axes_text(*of_option, section())));
    }
    if (of_option) return in_place(*of_option);
    if (of_file) return in_place(*of_file);
    if (given.empty()) {
      layout_.notes.push_back(guessed_axes_note(section()));
      return in_place(usual_axes);
    }
    throw file_error(path_,
                     text("has axes '", escaped(given, 30), "' for a shape of ", hdf5::dims_text(dims_)),
                     "correct the attribute or give " + option("model-axes"));
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

  /// Numbers in the order of the dataset's dimensions, as x, y, z; a section leaves y at 0.
  [[nodiscard]] Point3 along_axes(const std::vector<double>& values) const {
    Point3 p;
    for (std::size_t i = 0; i < values.size(); ++i) along(p, layout_.axes[i]) = values[values.size() - 1 - i];
    return p;
  }

  [[nodiscard]] std::size_t numbers() const { return section() ? 2 : 3; }

  /// The attribute has one number for all axes or one for each dimension of the dataset, in their order.
  [[nodiscard]] std::optional<Point3> read_spacing(const ModelSpec& spec) const {
    const auto values = hdf5::read_number_attribute(dataset_, "spacing");
    std::optional<Point3> of_file;
    if (values.size() == 1) of_file = Point3{values[0], values[0], values[0]};
    if (values.size() == numbers()) {
      of_file = along_axes(values);
      if (section()) of_file->y = of_file->x;
    }
    if (spec.spacing) {
      if (of_file && !agree(*of_file, *spec.spacing)) {
        const Point3 a = *of_file, b = *spec.spacing;
        throw contradiction(text("that its nodes are ", a.x, ", ", a.y, ", ", a.z, " m apart (x, y, z)"),
                            text(option("model-spacing"), " ", b.x, ", ", b.y, ", ", b.z));
      }
      return std::nullopt;
    }
    if (of_file || values.empty()) return of_file;
    throw file_error(
        path_,
        text("has a spacing of ", values.size(), " numbers, not ", numbers(), " in the order of its axes"),
        "correct the attribute or give " + option("model-spacing"));
  }

  /// To the rounding of a float32; the y of a section is nobody's.
  [[nodiscard]] bool agree(Point3 a, Point3 b) const {
    const auto same = [](double p, double q) { return std::abs(p - q) <= 1e-6 * std::abs(q); };
    return same(a.x, b.x) && (section() || same(a.y, b.y)) && same(a.z, b.z);
  }

  /// The attribute has a number for each dimension of the dataset, in their order, m.
  [[nodiscard]] Point3 read_origin() const {
    const auto values = hdf5::read_number_attribute(dataset_, "origin");
    if (values.empty()) return {};
    const bool finite = std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
    if (finite && values.size() == numbers()) return along_axes(values);
    throw file_error(path_,
                     text("has an origin of ", values.size(), finite ? "" : " not finite", " numbers, not ",
                          numbers(), " in the order of its axes"),
                     "correct or remove the attribute");
  }

  [[nodiscard]] std::string read_unit(const ModelSpec& spec) const {
    std::string unit = hdf5::read_text_attribute(dataset_, "units");
    const bool known = velocity_unit(unit).has_value();
    if (known && !spec.unit.empty() && unit != spec.unit) {
      throw contradiction(text("that its velocities are in ", unit),
                          text(option("velocity-unit"), " ", spec.unit));
    }
    if (known || unit.empty()) return unit;
    if (!spec.unit.empty()) return "";
    throw file_error(path_, text("has the units '", escaped(unit, 30), "', not m/s, km/s or ft/s"),
                     "correct the attribute or give " + option("velocity-unit"));
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
