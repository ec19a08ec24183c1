#include "models/readers.hpp"

#include <algorithm>
#include <iterator>

#include "src/base/files/file_suffix.hpp"
#include "src/base/option.hpp"
#include "src/base/units.hpp"

namespace minimod {
namespace {

/// x, y or z of a triple.
template <class Triple>
auto& component(Triple& triple, char axis) {
  return axis == 'x' ? triple.x : axis == 'y' ? triple.y : triple.z;
}

std::string extent_text(const Extent3& n) {
  return text(n.x, " x ", n.y, " x ", n.z);
}

/// A format that the suffix of a file says.
struct ModelFormat {
  bool (*is_named)(const std::filesystem::path& file);
  std::unique_ptr<ModelFile> (*open)(const ModelSpec& spec, const hdf5::DatasetName& name);
};
const ModelFormat model_formats[] = {
    {is_segy_name,
     [](const ModelSpec& spec, const hdf5::DatasetName& name) { return open_segy_model(spec, name.file); }},
    {is_hdf5_name, [](const ModelSpec& spec, const hdf5::DatasetName& name) {
       return open_hdf5_model(spec, name.file, name.dataset);
     }}};

/// The row of the table; its end where the file is raw values.
const ModelFormat* format_of(const std::filesystem::path& file) {
  return std::ranges::find_if(model_formats,
                              [&](const ModelFormat& format) { return format.is_named(file); });
}

}  // namespace

std::unique_ptr<ModelFile> open_model_file(const ModelSpec& spec, const hdf5::DatasetName& name) {
  if (spec.segy != SegyWords{} && !is_segy_name(name.file)) {
    throw Error(ErrorKind::parameter, option("segy-header") + " is given with a model that is no SEG-Y file",
                "leave it out");
  }
  const ModelFormat* const format = format_of(name.file);
  return format == std::end(model_formats) ? open_raw_model(spec, name.file) : format->open(spec, name);
}

bool is_raw_model(const std::filesystem::path& file) {
  return format_of(file) == std::end(model_formats);
}

int& along(Extent3& n, char axis) {
  return component(n, axis);
}
int along(const Extent3& n, char axis) {
  return component(n, axis);
}
double& along(Point3& p, char axis) {
  return component(p, axis);
}

std::optional<Axes> parse_axes(std::string_view slowest_first) {
  std::string found;
  std::ranges::copy_if(slowest_first, std::back_inserter(found),
                       [](char c) { return std::string_view(", []").find(c) == std::string_view::npos; });
  if (found.size() == 2) found.insert(found.begin(), 'y');
  std::string sorted = found;
  std::ranges::sort(sorted);
  if (sorted != "xyz") return std::nullopt;
  return Axes{found[2], found[1], found[0]};
}

std::optional<Axes> axes_of_option(const ModelSpec& spec) {
  if (spec.axes.empty()) return std::nullopt;
  const auto axes = parse_axes(spec.axes);
  if (!axes) {
    throw Error(ErrorKind::parameter,
                text(option("model-axes"), " '", escaped(spec.axes, 40), "' are no axes"),
                "name each of x, y, z once, the file's slowest first, such as z,y,x (z,x in a section)");
  }
  if (spec.axes.find(',') == std::string::npos) {
    throw Error(ErrorKind::parameter,
                text(option("model-axes"), " '", spec.axes, "' does not say from which end it is to be read"),
                "give the slowest axis first with commas: z,y,x where x is fastest, x,y,z where z is");
  }
  return axes;
}

std::string axes_text(const Axes& axes, bool section) {
  std::string letters;
  for (std::size_t i = 3; i-- > 0;) {
    if (section && axes[i] == 'y') continue;
    letters += letters.empty() ? "" : ",";
    letters += axes[i];
  }
  return letters;
}

std::string guessed_axes_note(bool section) {
  return text("axes guessed to be ", axes_text(usual_axes, section), " (", option("model-axes"),
              " says them)");
}

std::optional<double> velocity_unit(std::string_view unit) {
  if (unit == "m/s") return 1;
  if (unit == "km/s") return 1000;
  if (unit == "ft/s") return metres_per_foot;
  return std::nullopt;
}

Extent3 extent_of(const FileLayout& layout) {
  Extent3 n;
  for (std::size_t i = 0; i < 3; ++i) along(n, layout.axes[i]) = layout.dims[i];
  return n;
}

void require_dims(const ModelSpec& spec, const FileLayout& layout, const std::filesystem::path& path) {
  if (!spec.dims || *spec.dims == extent_of(layout)) return;
  throw file_error(path,
                   text("holds ", extent_text(extent_of(layout)), " nodes (x, y, z), ", option("model-dims"),
                        " says ", extent_text(*spec.dims)),
                   "correct or leave out " + option("model-dims"));
}

}  // namespace minimod
