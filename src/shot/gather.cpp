#include "src/shot/gather.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <set>

#include <hdf5_hl.h>

#include "src/base/hdf5.hpp"
#include "src/shot/gather_file.hpp"
#include "src/shot/gather_texts.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

/// A chunk of zeros, the best case of deflate, must stay larger than the thousandth part that reading
/// accepts: 256 KiB shrink 933 times, 1 MiB 1005 times.
constexpr hsize_t chunk_bytes = hsize_t{1} << 18;
constexpr unsigned deflate_level = 4;
constexpr std::size_t longest_text = 4095;

static_assert(sizeof(Point3) == 3 * sizeof(double), "positions are stored as [n, 3]");

/// A dataset of the file: what it is called, how it is shaped and what it means.
struct Dataset {
  std::string name;
  std::vector<hsize_t> dims;
  std::vector<std::string> axes;  ///< one a dimension: names of datasets that say where its indices are
  hid_t type;                     ///< of `values` in memory and in the file: float, double or int64
  const void* values;
  std::string units, description;
  double dt = 0;                 ///< s between values, an attribute where it is not 0
  std::string coordinates = {};  ///< datasets that xarray takes for coordinates of this one
};

Dataset doubles(const std::string& name, const std::vector<hsize_t>& dims,
                const std::vector<std::string>& axes, const void* values, const std::string& units,
                const std::string& description, double dt = 0) {
  return {name, dims, axes, H5T_NATIVE_DOUBLE, values, units, description, dt};
}

/// Of a dimension `name`, which it is named after.
Dataset scale(const std::string& name, const std::vector<double>& values, const std::string& units,
              const std::string& description, double dt = 0) {
  return doubles(name, {values.size()}, {name}, values.data(), units, description, dt);
}

/// What the file holds beside the gather's own values; the datasets point into it.
struct Axes {
  explicit Axes(const ShotGather& g)
      : time(g.samples),
        wavelet_time(g.wavelet.size()),
        receiver(g.receivers.size()),
        positions(3, std::vector<double>(g.receivers.size())) {
    for (std::size_t n = 0; n < time.size(); ++n) {
      time[n] = g.first_time + static_cast<double>(n) * g.record_dt;
    }
    for (std::size_t n = 0; n < wavelet_time.size(); ++n) {
      wavelet_time[n] = static_cast<double>(n) * g.wavelet_dt;
    }
    std::iota(receiver.begin(), receiver.end(), 0);
    for (std::size_t i = 0; i < receiver.size(); ++i) {
      const Point3 p = g.receivers[i];
      positions[0][i] = p.x, positions[1][i] = p.y, positions[2][i] = p.z;
    }
  }
  std::vector<double> time, wavelet_time;
  std::vector<std::int64_t> receiver;
  std::vector<std::vector<double>> positions;  ///< x, y and z of the receivers
};

/// Where source and receivers are.
std::vector<Dataset> survey_datasets(const ShotGather& g, const Axes& axes) {
  const hsize_t n = g.receivers.size();
  std::vector<Dataset> list = {
      {"receiver", {n}, {"receiver"}, H5T_NATIVE_INT64, axes.receiver.data(), "1", "number from 0"}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string letter(1, "xyz"[axis]);
    list.push_back(doubles("receiver_" + letter, {n}, {"receiver"}, axes.positions[axis].data(), "m",
                           letter + " of the nodes recorded"));
  }
  const std::vector<std::string> each = {"receiver", "axis"};
  list.push_back(
      doubles("receivers", {n, 3}, each, g.receivers.data(), "m", "x, y, z of the nodes recorded, z down"));
  list.push_back(doubles("requested_receivers", {n, 3}, each, g.requested_receivers.data(), "m",
                         "x, y, z as requested"));
  list.push_back(
      doubles("source", {3}, {"axis"}, &g.source, "m", "x, y, z of the node of the source, z down"));
  list.push_back(
      doubles("requested_source", {3}, {"axis"}, &g.requested_source, "m", "x, y, z as requested"));
  return list;
}

void add_signals(std::vector<Dataset>& list, const ShotGather& g, const Axes& axes) {
  list.push_back({"traces",
                  {g.receivers.size(), g.samples},
                  {"receiver", "time"},
                  H5T_NATIVE_FLOAT,
                  g.traces.data(),
                  "source unit / m",
                  "u [receiver, time]",
                  0,
                  "receiver_x receiver_y receiver_z"});
  list.push_back(scale("time", axes.time, "s", "time of a trace's samples", g.record_dt));
  list.push_back(doubles("wavelet", {g.wavelet.size()}, {"wavelet_time"}, g.wavelet.data(), "source unit",
                         "s(t) from t = 0", g.wavelet_dt));
  list.push_back(scale("wavelet_time", axes.wavelet_time, "s", "time of the wavelet's samples"));
}

void add_sections(std::vector<Dataset>& list, const ModelSections& s) {
  if (s.xz.empty()) return;
  const auto add = [&](const std::string& down, const std::string& across, const std::vector<double>& rows,
                       const std::vector<double>& columns, const std::vector<float>& values) {
    list.push_back({"model_" + across + down,
                    {rows.size(), columns.size()},
                    {down, across},
                    H5T_NATIVE_FLOAT,
                    values.data(),
                    "m/s",
                    text("V [", down, ", ", across, "] through the source's node")});
  };
  add("z", "x", s.z, s.x, s.xz);
  add("z", "y", s.z, s.y, s.yz);
  add("y", "x", s.y, s.x, s.xy);
  list.push_back(scale("x", s.x, "m", "of the sections' nodes"));
  list.push_back(scale("y", s.y, "m", "of the sections' nodes"));
  list.push_back(scale("z", s.z, "m", "of the sections' nodes, down"));
}

/// An HDF5 file in the making; every call is checked.
class Writer {
 public:
  /// Starts anew the existing file `temporary`; errors name `target`.
  Writer(const fs::path& temporary, const fs::path& target)
      : target_(target), file_(create(temporary), H5Fclose) {
    check(file_.id(), "H5Fcreate");
  }

  void write_dataset(const Dataset& data) {
    const int rank = static_cast<int>(data.dims.size());
    const hdf5::Handle space(H5Screate_simple(rank, data.dims.data(), nullptr), H5Sclose);
    const hdf5::Handle creation = creation_list(data);
    const hdf5::Handle dataset(
        H5Dcreate2(file_, data.name.c_str(), data.type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
    check(dataset.id(), "H5Dcreate2");
    check(H5Dwrite(dataset, data.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.values), "H5Dwrite");
    write_attribute(dataset, "units", data.units);
    write_attribute(dataset, "description", data.description);
    if (data.dt != 0) write_attribute(dataset, "dt", data.dt);
    if (!data.coordinates.empty()) write_attribute(dataset, "coordinates", data.coordinates);
    if (data.axes.size() == 1 && data.axes[0] == data.name) {
      check(H5DSset_scale(dataset, data.name.c_str()), "H5DSset_scale");
    }
  }

  /// The scale of the three coordinates: x, y, z.
  void write_axis_names() {
    const std::array<const char*, 3> names = {"x", "y", "z"};
    const hsize_t count = names.size();
    const hdf5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const hdf5::Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(creation, false), "H5Pset_obj_track_times");
    const hdf5::Handle type = text_type();
    const hdf5::Handle dataset(H5Dcreate2(file_, "axis", type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                               H5Dclose);
    check(dataset.id(), "H5Dcreate2");
    check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names.data()), "H5Dwrite");
    check(H5DSset_scale(dataset, "axis"), "H5DSset_scale");
  }

  /// Ties the dimensions of `data` to the datasets of their axes, which are in the file.
  void attach_scales(const Dataset& data) {
    const hdf5::Handle dataset(H5Dopen2(file_, data.name.c_str(), H5P_DEFAULT), H5Dclose);
    for (unsigned i = 0; i < data.axes.size(); ++i) {
      if (data.axes[i] == data.name) continue;
      const hdf5::Handle axis(H5Dopen2(file_, data.axes[i].c_str(), H5P_DEFAULT), H5Dclose);
      check(H5DSattach_scale(dataset, axis, i), "H5DSattach_scale");
    }
  }

  /// After all texts.
  void write_texts_checksum() {
    write_attribute(file_, gather_file::texts_checksum_name, gather_file::texts_checksum(file_));
  }

  void write_attribute(const std::string& name, const AttributeValue& value) {
    std::visit([&](const auto& v) { write_attribute(file_, name, v); }, value);
  }

  /// Brings all to the file: what cannot be written must fail here and not when the file is closed.
  void flush() { check(H5Fflush(file_, H5F_SCOPE_GLOBAL), "H5Fflush"); }

 private:
  void check(hid_t result, const char* call) const {
    if (result >= 0) return;
    const int error = errno;
    throw gather_file::write_error(target_, error == 0 ? call : text(call, ": ", gather_file::reason(error)));
  }

  static hid_t create(const fs::path& file) {
    errno = 0;
    const hdf5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    const hdf5::Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    // The format of 1.10 checksums its metadata, and every reader in use knows it.
    if (H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0 ||
        H5Pset_obj_track_times(creation, false) < 0) {
      return H5I_INVALID_HID;
    }
    return H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation, access);
  }

  /// Whole rows in chunks; without times, so that equal gathers make equal files.
  [[nodiscard]] hdf5::Handle creation_list(const Dataset& data) const {
    hdf5::Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    std::vector<hsize_t> chunk = data.dims;
    hsize_t room = chunk_bytes / H5Tget_size(data.type);
    for (std::size_t axis = chunk.size(); axis-- > 0;) {
      chunk[axis] = std::min(chunk[axis], room);
      room = std::max<hsize_t>(room / chunk[axis], 1);
    }
    check(H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data()), "H5Pset_chunk");
    check(H5Pset_shuffle(list), "H5Pset_shuffle");
    check(H5Pset_deflate(list, deflate_level), "H5Pset_deflate");
    check(H5Pset_fletcher32(list), "H5Pset_fletcher32");
    check(H5Pset_obj_track_times(list, false), "H5Pset_obj_track_times");
    return list;
  }

  /// `count` values, or 0 for one that stands alone.
  void write_values(hid_t object, const std::string& name, hid_t type, const void* values,
                    hsize_t count = 0) const {
    const hdf5::Handle space(count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr),
                             H5Sclose);
    const hdf5::Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                                 H5Aclose);
    check(attribute.id(), "H5Acreate2");
    check(H5Awrite(attribute, type, values), "H5Awrite");
  }
  void write_attribute(hid_t object, const std::string& name, double value) const {
    write_values(object, name, H5T_NATIVE_DOUBLE, &value);
  }
  void write_attribute(hid_t object, const std::string& name, std::int64_t value) const {
    write_values(object, name, H5T_NATIVE_INT64, &value);
  }
  void write_attribute(hid_t object, const std::string& name, const std::vector<double>& values) const {
    write_values(object, name, H5T_NATIVE_DOUBLE, values.data(), values.size());
  }
  void write_attribute(hid_t object, const std::string& name, const std::vector<std::int64_t>& values) const {
    write_values(object, name, H5T_NATIVE_INT64, values.data(), values.size());
  }
  /// Of variable length, which Python takes for a text; one of fixed length it takes for bytes.
  void write_attribute(hid_t object, const std::string& name, const std::string& value) const {
    const std::string cut = value.substr(0, whole_characters(value, longest_text));
    const char* const pointer = cut.c_str();
    write_values(object, name, text_type(), &pointer);
  }

  /// At most `most` bytes of `value` that do not end within a character.
  static std::size_t whole_characters(const std::string& value, std::size_t most) {
    const auto goes_on = [&](std::size_t i) {
      return (static_cast<unsigned char>(value[i]) & 0xc0U) == 0x80U;
    };
    if (value.size() <= most) return value.size();
    while (most > 0 && goes_on(most)) --most;
    return most;
  }
  [[nodiscard]] hdf5::Handle text_type() const {
    hdf5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    check(H5Tset_size(type, H5T_VARIABLE), "H5Tset_size");
    check(H5Tset_cset(type, H5T_CSET_UTF8), "H5Tset_cset");
    return type;
  }

  fs::path target_;
  hdf5::Handle file_;
};

bool whole_numbers_read_back(const hdf5::Handle& file, const Dataset& data) {
  const auto* const written = static_cast<const std::int64_t*>(data.values);
  std::vector<std::int64_t> found(data.dims.at(0));
  const hdf5::Handle dataset(H5Dopen2(file, data.name.c_str(), H5P_DEFAULT), H5Dclose);
  return H5Dread(dataset, data.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found.data()) >= 0 &&
         std::equal(found.begin(), found.end(), written);
}

/// Whether the dataset in the file is `data`, bit by bit.
bool reads_back(const hdf5::Handle& file, const Dataset& data, const fs::path& path) {
  if (data.type == H5T_NATIVE_INT64) return whole_numbers_read_back(file, data);
  const hdf5::Handle dataset = hdf5::open_float_dataset(file, data.name, path);
  if (hdf5::shape_of(dataset).dims != data.dims) return false;
  const auto compare = [&]<class Value>(std::vector<Value> slab) {
    const hsize_t row = data.dims.size() == 2 ? data.dims[1] : 1;
    const hsize_t thickness = hdf5::slab_thickness(dataset);
    for (hsize_t first = 0; first < data.dims[0]; first += thickness) {
      const hsize_t count = std::min(thickness, data.dims[0] - first);
      slab.resize(count * row);
      hdf5::read_slab(dataset, first, count, slab, path);
      const auto* const written = static_cast<const Value*>(data.values) + first * row;
      if (std::memcmp(slab.data(), written, slab.size() * sizeof(Value)) != 0) return false;
    }
    return true;
  };
  return data.type == H5T_NATIVE_FLOAT ? compare(std::vector<float>()) : compare(std::vector<double>());
}

/// A full disk can make HDF5 lose values without an error: only reading them tells.
void verify(const std::vector<Dataset>& datasets, const fs::path& temporary, const fs::path& target) {
  try {
    const hdf5::Handle file = hdf5::open_for_reading(temporary);
    for (const Dataset& data : datasets) {
      if (!reads_back(file, data, temporary))
        throw gather_file::write_error(target, "/" + data.name + " reads back differently");
    }
    if (!gather_file::texts_are_whole(file)) {
      throw gather_file::write_error(target, "the texts read back differently");
    }
  } catch (const Error& error) {
    if (error.code() == ExitCode::io) throw;
    throw gather_file::write_error(target, "the file cannot be read back");
  }
}

[[noreturn]] void report_contradiction(const ShotGather& gather, const char* what) {
  throw Error(ExitCode::internal,
              text("a shot gather of ", gather.receivers.size(), " receivers with ", gather.samples,
                   " samples holds ", gather.traces.size(), " values", what),
              "report this");
}

/// A gather that contradicts itself is a bug of the caller.
void require_consistent(const ShotGather& gather) {
  const std::size_t n = gather.receivers.size();
  std::set<std::string> names = {"format", gather_file::texts_checksum_name};
  for (const auto& entry : gather.metadata) {
    if (!names.insert(entry.first).second) report_contradiction(gather, " and has a metadata name twice");
  }
  if (n == 0 || gather.traces.size() != n * gather.samples || gather.requested_receivers.size() != n) {
    report_contradiction(gather, "");
  }
}

/// All of it under a temporary name, read back, then under its own.
void write_file(std::string_view format, const std::vector<Dataset>& datasets, const ShotGather& gather,
                const fs::path& file, bool overwrite) {
  hdf5::initialize();
  gather_file::check_target(file, overwrite);
  gather_file::TemporaryFile temporary(file);
  {
    Writer writer(temporary.path(), file);
    writer.write_attribute("format", std::string(format));
    for (const auto& [name, value] : gather.metadata) writer.write_attribute(name, value);
    writer.write_axis_names();
    for (const Dataset& data : datasets) writer.write_dataset(data);
    for (const Dataset& data : datasets) writer.attach_scales(data);
    writer.write_texts_checksum();
    writer.flush();
  }
  verify(datasets, temporary.path(), file);
  gather_file::check_target(file, overwrite);  // it may have come into being during the run
  temporary.publish();
}

}  // namespace

void write(const ShotGather& gather, const fs::path& file, bool overwrite) {
  require_consistent(gather);
  if (gather.samples == 0 || gather.wavelet.empty()) report_contradiction(gather, " and may lack a wavelet");
  const Axes axes(gather);
  auto datasets = survey_datasets(gather, axes);
  add_signals(datasets, gather, axes);
  add_sections(datasets, gather.sections);
  write_file(gather_file::format_name, datasets, gather, file, overwrite);
}

void write_sections(const ShotGather& gather, const fs::path& file, bool overwrite) {
  require_consistent(gather);
  const Axes axes(gather);
  auto datasets = survey_datasets(gather, axes);
  add_sections(datasets, gather.sections);
  write_file(gather_file::sections_format_name, datasets, gather, file, overwrite);
}

}  // namespace minimod
