#include "src/job/gradient/velocity_change.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "models/readers.hpp"
#include "src/base/error.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/files/file_suffix.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"

namespace minimod {

namespace {

/// Whether a run has its nodes from the model's file, none of them left out between two.
bool has_the_files_nodes(const SampledMedium& medium) {
  const VelocityModel& model = medium.model();
  return model.from_file && medium.band_spacing() == 0 && model.cut.decimate == Index3{1, 1, 1};
}

/// Reads it as the model's file is. A raw file does not say its nodes, and has them by its size.
ModelSpec spec_of(ModelSpec change, const hdf5::DatasetName& name, const SampledMedium& medium, Extent3 n) {
  const VelocityModel& model = medium.model();
  change.unit = model.spec.unit;
  if (is_raw_model(name.file)) {
    std::error_code unknown;
    const auto bytes = std::filesystem::file_size(name.file, unknown);
    const bool is_whole = has_the_files_nodes(medium) &&
                          bytes == sizeof(float) * static_cast<std::uint64_t>(model.cut.dims.points());
    change.dims = is_whole ? model.cut.dims : n;
    change.axes = model.from_file ? model.cut.axes : axes_text(usual_axes, false);
  } else {
    change.axes = model.spec.axes;
    if (is_segy_name(name.file)) change.segy = model.spec.segy;
  }
  return change;
}

[[noreturn]] void refuse_change(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::data, text(option("change"), " '", escaped(name, 60), "' ", what),
              "give a change at the nodes that the run has within its layer");
}

void require_spacing(const std::string& name, Point3 own, Point3 runs, bool is_section) {
  const auto require = [&](double there, double here, char axis) {
    if (std::abs(there - here) <= 1e-4 * here) return;
    refuse_change(name, text("has nodes ", there, " m apart along ", axis, ", the run ", here, " m"));
  };
  require(own.x, runs.x, 'x');
  if (!is_section) require(own.y, runs.y, 'y');
  require(own.z, runs.z, 'z');
}

/// The box of the file's nodes that are the run's.
Box3 box_of(const std::string& name, Extent3 there, const SampledMedium& medium, Extent3 n) {
  if (there == n) return {{0, 0, 0}, {n.x, n.y, n.z}};
  const ModelCut& cut = medium.model().cut;
  if (has_the_files_nodes(medium) && there == cut.dims) return cut.crop;
  const auto require = [&](int count, int wanted, char axis) {
    if (count != wanted)
      refuse_change(name, text("has ", count, " nodes along ", axis, ", the run ", wanted));
  };
  require(there.x, n.x, 'x');
  require(there.y, n.y, 'y');
  require(there.z, n.z, 'z');
  return {};
}

/// Values of the box, x fastest.
std::vector<float> values_in(ModelFile& file, const Box3& box, double factor) {
  const FileLayout& layout = file.layout();
  const Extent3 n = box.extent();
  std::vector<float> values(static_cast<std::size_t>(n.points()));
  const std::size_t row = static_cast<std::size_t>(layout.dims[0]), rows = layout.dims[1];
  std::vector<double> plane(row * rows);
  Index3 at;
  const auto set = [&](char axis, int i) { (axis == 'x' ? at.x : axis == 'y' ? at.y : at.z) = i; };
  for (int k = 0; k < layout.dims[2]; ++k) {
    file.read(k, 1, plane);
    set(layout.axes[2], k);
    for (std::size_t i = 0; i < plane.size(); ++i) {
      set(layout.axes[0], static_cast<int>(i % row));
      set(layout.axes[1], static_cast<int>(i / row));
      if (!box.contains(at)) continue;
      const std::size_t z = at.z - box.begin.z, y = at.y - box.begin.y, x = at.x - box.begin.x;
      values[(z * n.y + y) * n.x + x] = static_cast<float>(factor * plane[i]);
    }
  }
  return values;
}

std::vector<float> read_values(const ModelSpec& change, const SampledMedium& medium, Extent3 n) {
  std::unique_ptr<ModelFile> file;
  ModelSpec spec = change;
  if (change.array) {
    file = open_array_model(change);
  } else {
    const hdf5::DatasetName name = hdf5::parse_dataset_name(change.source, "/vp");
    spec = spec_of(change, name, medium, n);
    file = open_model_file(spec, name);
  }
  const FileLayout& layout = file->layout();
  const Box3 box = box_of(change.source, extent_of(layout), medium, n);
  if (layout.spacing && !change.array)
    require_spacing(change.source, *layout.spacing, medium.spacing(), n.y == 1);
  const std::string& unit = layout.unit.empty() ? spec.unit : layout.unit;
  return values_in(*file, box, velocity_unit(unit).value_or(1));
}

}  // namespace

Extent3 gradient_nodes(const SampledMedium& medium) {
  Extent3 n = medium.inner().extent();
  if (medium.model().from_file && medium.model().n.y == 1) n.y = 1;
  return n;
}

std::size_t place_within(const Index3& node, const Box3& inner, Extent3 n) {
  const auto inside = [](int i, int begin, int end) { return std::clamp(i, begin, end - 1) - begin; };
  const int y = n.y == 1 ? 0 : inside(node.y, inner.begin.y, inner.end.y);
  return (std::size_t(inside(node.z, inner.begin.z, inner.end.z)) * n.y + y) * n.x +
         inside(node.x, inner.begin.x, inner.end.x);
}

VelocityChange load_change(const ModelSpec& change, const SampledMedium& medium) {
  constexpr std::string_view constant = "constant:";
  const Extent3 n = gradient_nodes(medium);
  VelocityChange read{change.source, n, {}};
  if (change.source.starts_with(constant)) {
    const double factor = velocity_unit(medium.model().spec.unit).value_or(1);
    const double v = parse_number(change.source.substr(constant.size()), option("change"));
    read.v.assign(static_cast<std::size_t>(n.points()), static_cast<float>(factor * v));
  } else {
    read.v = read_values(change, medium, n);
  }
  if (!std::ranges::all_of(read.v, [](float v) { return std::isfinite(v); }))
    refuse_change(change.source, "has a value that is not finite");
  read.crc32 = crc32(std::as_bytes(std::span(read.v)));
  return read;
}

}  // namespace minimod
