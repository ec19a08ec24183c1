#include "src/io/gradient/gradient_file.hpp"

#include "src/base/hdf5/hdf5.hpp"
#include "src/io/gather/gather_texts.hpp"
#include "src/io/gather/gather_writer.hpp"
#include "src/io/shot_identity.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;
using gather_file::Dataset;

constexpr std::string_view gradient_format = "minimod gradient 1", image_format = "minimod image 1";

bool is_either(const fs::path& file) {
  return gather_file::has_format(file, gradient_format) || gather_file::has_format(file, image_format);
}

/// An axis of the nodes, by its coordinates.
struct Axis {
  std::string name;
  std::vector<double> at;
};

std::vector<Axis> axes_of(const GradientFile& gradient) {
  std::vector<Axis> axes;
  const auto add = [&](const char* name, int points, double spacing) {
    Axis axis{name, {}};
    for (int i = 0; i < points; ++i) axis.at.push_back(i * spacing);
    axes.push_back(std::move(axis));
  };
  add("z", gradient.n.z, gradient.spacing.z);
  if (gradient.n.y > 1) add("y", gradient.n.y, gradient.spacing.y);
  add("x", gradient.n.x, gradient.spacing.x);
  return axes;
}

}  // namespace

const FileKind gradient_kind{"a gradient or an image", [](const fs::path& file) {
                               hdf5::initialize();
                               return is_either(file);
                             }};

std::uint64_t gradient_file_bytes(Extent3 n, std::size_t fields, Precision precision, std::size_t shots) {
  constexpr std::uint64_t head = 1 << 16;
  return head + fields * bytes_of(precision) * static_cast<std::uint64_t>(n.points()) +
         sizeof(double) * (std::uint64_t{0} + n.x + n.y + n.z + 2 * shots);
}

void write_gradient(const GradientFile& gradient, const fs::path& file, bool overwrite) {
  const std::vector<Axis> axes = axes_of(gradient);
  std::vector<Dataset> datasets;
  std::vector<hsize_t> dims;
  std::vector<std::string> names;
  for (const Axis& axis : axes) {
    dims.push_back(axis.at.size());
    names.push_back(axis.name);
    datasets.push_back({axis.name,
                        {axis.at.size()},
                        {axis.name},
                        H5T_NATIVE_DOUBLE,
                        axis.at.data(),
                        "m",
                        "position of the nodes in the model"});
  }
  datasets.push_back({"shot",
                      {gradient.shots.size()},
                      {"shot"},
                      H5T_NATIVE_INT64,
                      gradient.shots.data(),
                      "1",
                      "number of the shot"});
  datasets.push_back({"misfit",
                      {gradient.misfits.size()},
                      {"shot"},
                      H5T_NATIVE_DOUBLE,
                      gradient.misfits.data(),
                      "unit of the traces, squared",
                      "misfit of each shot, a sum over its samples"});
  for (const NodeField& field : gradient.fields) {
    datasets.push_back({field.name, dims, names, hdf5::type_of(field.values.precision()), field.values.data(),
                        field.units, field.description});
  }
  gather_file::write_whole(gradient.is_image ? image_format : gradient_format, gradient_kind, datasets,
                           gradient.metadata, file, overwrite);
}

GradientFile read_gradient(const fs::path& path, const std::vector<std::string>& fields) {
  const hdf5::Handle file = hdf5::open_for_reading(path);
  if (!is_either(path))
    throw Error(ErrorKind::data, shown(path) + " is no gradient or image of minimod", "give one");
  GradientFile gradient;
  const auto read = [&](const std::string& name) {
    return hdf5::read_reals(hdf5::open_float_dataset(file, name, path), path);
  };
  for (const std::string& name : fields) gradient.fields.push_back({name, "", "", read(name)});
  for (const double shot : read("shot").as_doubles())
    gradient.shots.push_back(static_cast<std::int64_t>(shot));
  gradient.misfits = read("misfit").as_doubles();
  gradient.metadata = {
      {configuration_attribute,
       hdf5::read_text_attribute(gather_file::open_texts(file, path), configuration_attribute)}};
  return gradient;
}

}  // namespace minimod
