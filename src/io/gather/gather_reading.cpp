#include <algorithm>
#include <cmath>

#include "src/base/hdf5/hdf5.hpp"
#include "src/io/gather/gather.hpp"
#include "src/io/gather/gather_file.hpp"
#include "src/io/gather/gather_texts.hpp"

namespace minimod {
namespace {

Error shape_error(const std::filesystem::path& path, const std::string& what) {
  return {ErrorKind::data, shown(path) + " " + what, "give a file that minimod wrote"};
}

/// The finite values of the dataset `name`, which must have `dims`; 0 stands for any.
std::vector<double> read_values(const hdf5::Handle& file, const std::string& name,
                                const std::vector<hsize_t>& dims, const std::filesystem::path& path) {
  std::vector<double> values = hdf5::read_doubles(hdf5::open_shaped_dataset(file, name, dims, path), path);
  const auto bad = std::ranges::find_if_not(values, [](double value) { return std::isfinite(value); });
  if (bad == values.end()) return values;
  throw shape_error(path, text("has ", *bad, " at index ", bad - values.begin(), " of /", name));
}

std::vector<Point3> points_of(const std::vector<double>& values) {
  std::vector<Point3> points(values.size() / 3);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
  }
  return points;
}

/// [axis] of one, [source, axis] of several; where they were fed and where they were wanted.
void read_sources(const hdf5::Handle& file, const std::filesystem::path& path, ShotGather& gather) {
  std::vector<hsize_t> dims = hdf5::shape_of(hdf5::open_float_dataset(file, "source", path)).dims;
  gather.sources = points_of(read_values(
      file, "source", dims.size() == 2 ? std::vector<hsize_t>{0, 3} : std::vector<hsize_t>{3}, path));
  gather.requested_sources = points_of(read_values(file, "requested_source", dims, path));
}

/// [wavelet_time] of one, [source, wavelet_time] of several.
std::vector<std::vector<double>> read_wavelets(const hdf5::Handle& file, std::size_t sources,
                                               const std::filesystem::path& path) {
  const std::vector<hsize_t> dims = sources > 1 ? std::vector<hsize_t>{sources, 0} : std::vector<hsize_t>{0};
  const std::vector<double> values = read_values(file, "wavelet", dims, path);
  const std::size_t length = values.size() / sources;
  std::vector<std::vector<double>> wavelets;
  for (auto first = values.begin(); first != values.end(); first += static_cast<std::ptrdiff_t>(length)) {
    wavelets.emplace_back(first, first + static_cast<std::ptrdiff_t>(length));
  }
  return wavelets;
}

/// Seconds between the values of the dataset `name`.
double read_dt(const hdf5::Handle& file, const std::string& name, const std::filesystem::path& path) {
  const auto dt = hdf5::read_number_attribute(hdf5::open_float_dataset(file, name, path), "dt");
  if (dt.size() == 1 && std::isfinite(dt[0]) && dt[0] > 0) return dt[0];
  throw shape_error(path, "has a /" + name + " without a dt above 0 (s)");
}

/// Numbers that the field gave the receivers.
std::vector<std::int64_t> read_stations(const hdf5::Handle& file, hsize_t receivers,
                                        const std::filesystem::path& path) {
  constexpr double most = 1e15;  // whole numbers of which a double has each
  std::vector<std::int64_t> stations;
  for (const double number : read_values(file, "station", {receivers}, path)) {
    if (std::abs(number) > most || number != std::floor(number)) {
      throw shape_error(path, text("has a /station of ", number, ", which is no whole number"));
    }
    stations.push_back(static_cast<std::int64_t>(number));
  }
  return stations;
}

herr_t add_name(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

using Metadata = std::vector<std::pair<std::string, AttributeValue>>;

/// One number alone, or a list.
template <class Value>
void add_numbers(Metadata& metadata, const std::string& name, const std::vector<Value>& values) {
  metadata.emplace_back(name, values.size() == 1 ? AttributeValue(values[0]) : AttributeValue(values));
}

std::vector<std::string> attribute_names(const hdf5::Handle& object) {
  std::vector<std::string> names;
  H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names);
  return names;
}

H5T_class_t kind_of(const hdf5::Handle& attribute) {
  return H5Tget_class(hdf5::Handle(H5Aget_type(attribute), H5Tclose));
}

/// The root's numbers, and the texts, in the order of their names.
Metadata read_metadata(const hdf5::Handle& root, const hdf5::Handle& texts,
                       const std::filesystem::path& path) {
  Metadata metadata;
  for (const std::string& name : attribute_names(root)) {
    if (name == "format") continue;
    const hdf5::Handle attribute(H5Aopen(root, name.c_str(), H5P_DEFAULT), H5Aclose);
    const H5T_class_t kind = kind_of(attribute);
    if (kind == H5T_FLOAT) {
      add_numbers(metadata, name, hdf5::read_number_attribute(root, name));
    } else if (kind == H5T_INTEGER) {
      // The function refuses too many; a double would round them.
      std::vector<std::int64_t> values(hdf5::read_number_attribute(root, name).size());
      if (H5Aread(attribute, H5T_NATIVE_INT64, values.data()) >= 0) add_numbers(metadata, name, values);
    }
  }
  for (const std::string& name : attribute_names(texts)) {
    const hdf5::Handle attribute(H5Aopen(texts, name.c_str(), H5P_DEFAULT), H5Aclose);
    const bool of_dataset = name.find(':') != std::string::npos;
    if (name == "format" || of_dataset || kind_of(attribute) != H5T_STRING) continue;
    metadata.emplace_back(name, hdf5::read_text_attribute(texts, name));
  }
  std::ranges::sort(metadata, {}, &Metadata::value_type::first);
  const auto twice = std::ranges::adjacent_find(metadata, {}, &Metadata::value_type::first);
  if (twice == metadata.end()) return metadata;
  throw shape_error(path, text("has the attribute '", escaped(twice->first, 40), "' as number and as text"));
}

/// A SEG-Y file's coordinates follow from it.
void require_finite_place(const ShotGather& gather, const std::filesystem::path& path) {
  for (const char* const name : {"model_origin", "model_x_axis"}) {
    for (const double value : gather.fact<std::vector<double>>(name)) {
      if (!std::isfinite(value)) throw shape_error(path, text("has ", value, " in the attribute ", name));
    }
  }
}

ShotGather read_file(const std::filesystem::path& path, bool with_traces) {
  const hdf5::Handle file = hdf5::open_for_reading(path);
  const hdf5::Handle texts = gather_file::open_texts(file, path);
  if (hdf5::read_text_attribute(texts, "format") != gather_file::format_name) {
    throw shape_error(path, "is no shot gather");
  }
  ShotGather gather;
  const hdf5::Handle traces = hdf5::open_shaped_dataset(file, "traces", {0, 0}, path);
  const std::vector<hsize_t> dims = hdf5::shape_of(traces).dims;
  const auto read_points = [&](const std::string& name) {
    return points_of(read_values(file, name, {dims[0], 3}, path));
  };
  gather.samples = dims[1];
  gather.traces = with_traces ? hdf5::read_reals(traces, path) : Reals(hdf5::precision_of(traces), 0);
  gather.receivers = read_points("receivers");
  gather.requested_receivers = read_points("requested_receivers");
  read_sources(file, path, gather);
  if (H5Lexists(file, "wavelet", H5P_DEFAULT) > 0) {
    gather.wavelets = read_wavelets(file, gather.sources.size(), path);
    gather.wavelet_dt = read_dt(file, "wavelet", path);
    gather.wavelet_unit = hdf5::read_text_attribute(texts, gather_file::copy_name("wavelet", "units"));
  }
  gather.first_time = read_values(file, "time", {dims[1]}, path)[0];
  gather.record_dt = read_dt(file, "time", path);
  gather.metadata = read_metadata(file, texts, path);
  require_finite_place(gather, path);
  if (H5Lexists(file, "station", H5P_DEFAULT) > 0) {
    gather.stations = read_stations(file, dims[0], path);
  }
  if (H5Lexists(file, "water_depth", H5P_DEFAULT) > 0) {
    gather.water_depths = read_values(file, "water_depth", {dims[0]}, path);
  }
  return gather;
}

}  // namespace

ShotGather read_gather(const std::filesystem::path& path) {
  return read_file(path, true);
}

ShotGather read_gather_facts(const std::filesystem::path& path) {
  return read_file(path, false);
}

}  // namespace minimod
