#include "src/shot/gather.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "src/base/hdf5.hpp"
#include "src/shot/gather_file.hpp"

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
  hid_t type;  ///< of `values` in memory and in the file: H5T_NATIVE_FLOAT or H5T_NATIVE_DOUBLE
  const void* values;
  std::string units, description;
  double dt = 0;  ///< s between values, an attribute where it is not 0
};

Dataset doubles(const std::string& name, const std::vector<hsize_t>& dims, const void* values,
                const std::string& units, const std::string& description, double dt = 0) {
  return {name, dims, H5T_NATIVE_DOUBLE, values, units, description, dt};
}

/// The datasets of a gather; `time` is the storage of its time axis.
std::vector<Dataset> datasets_of(const ShotGather& g, const std::vector<double>& time) {
  const hsize_t n = g.receivers.size();
  const hsize_t samples = time.size();
  return {
      {"traces", {n, samples}, H5T_NATIVE_FLOAT, g.traces.data(), "source unit / m", "u [receiver, time]"},
      doubles("receivers", {n, 3}, g.receivers.data(), "m", "x, y, z of the nodes recorded, z down"),
      doubles("requested_receivers", {n, 3}, g.requested_receivers.data(), "m", "x, y, z as requested"),
      doubles("source", {3}, &g.source, "m", "x, y, z of the node of the source, z down"),
      doubles("requested_source", {3}, &g.requested_source, "m", "x, y, z as requested"),
      doubles("wavelet", {g.wavelet.size()}, g.wavelet.data(), "source unit", "s(t) from t = 0",
              g.wavelet_dt),
      doubles("time", {samples}, time.data(), "s", "time of a trace's samples", g.record_dt)};
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
    throw write_error(target_, error == 0 ? call : text(call, ": ", reason(error)));
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

  void write_value(hid_t object, const std::string& name, hid_t type, const void* value) const {
    const hdf5::Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const hdf5::Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                                 H5Aclose);
    check(attribute.id(), "H5Acreate2");
    check(H5Awrite(attribute, type, value), "H5Awrite");
  }
  void write_attribute(hid_t object, const std::string& name, double value) const {
    write_value(object, name, H5T_NATIVE_DOUBLE, &value);
  }
  void write_attribute(hid_t object, const std::string& name, std::int64_t value) const {
    write_value(object, name, H5T_NATIVE_INT64, &value);
  }
  /// Text of fixed length: one of variable length would lie in a heap that has no checksum.
  void write_attribute(hid_t object, const std::string& name, const std::string& value) const {
    const std::string cut = value.substr(0, longest_text);
    const hdf5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    check(H5Tset_size(type, cut.size() + 1), "H5Tset_size");
    check(H5Tset_cset(type, H5T_CSET_UTF8), "H5Tset_cset");
    write_value(object, name, type, cut.c_str());
  }

  fs::path target_;
  hdf5::Handle file_;
};

/// Whether the dataset in the file is `data`, bit by bit.
bool reads_back(const hdf5::Handle& file, const Dataset& data, const fs::path& path) {
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
        throw write_error(target, "/" + data.name + " reads back differently");
    }
  } catch (const Error& error) {
    if (error.code() == ExitCode::io) throw;
    throw write_error(target, "the file cannot be read back");
  }
}

/// A gather that contradicts itself is a bug of the caller.
void require_consistent(const ShotGather& gather) {
  const std::size_t n = gather.receivers.size();
  std::set<std::string> names = {"format"};
  bool unique = true;
  for (const auto& entry : gather.metadata) unique = names.insert(entry.first).second && unique;
  if (n == 0 || gather.samples == 0 || gather.wavelet.empty() || gather.traces.size() != n * gather.samples ||
      gather.requested_receivers.size() != n || !unique) {
    throw Error(ExitCode::internal,
                text("a shot gather of ", n, " receivers with ", gather.samples, " samples holds ",
                     gather.traces.size(), " values", unique ? "" : " and has a metadata name twice"),
                "report this");
  }
}

}  // namespace

void write(const ShotGather& gather, const fs::path& file, bool overwrite) {
  require_consistent(gather);
  hdf5::initialize();
  check_target(file, gather_file::kind, overwrite);
  std::vector<double> time(gather.samples);
  for (std::size_t n = 0; n < time.size(); ++n) {
    time[n] = gather.first_time + static_cast<double>(n) * gather.record_dt;
  }
  const auto datasets = datasets_of(gather, time);
  TemporaryFile temporary(file);
  {
    Writer writer(temporary.path(), file);
    writer.write_attribute("format", std::string(gather_file::format_name));
    for (const auto& [name, value] : gather.metadata) writer.write_attribute(name, value);
    for (const Dataset& data : datasets) writer.write_dataset(data);
    writer.flush();
  }
  verify(datasets, temporary.path(), file);
  check_target(file, gather_file::kind, overwrite);  // it may have come into being during the run
  temporary.publish();
}

}  // namespace minimod
