#include "src/shot/gather.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include <hdf5_hl.h>

#include "src/base/hdf5.hpp"
#include "src/shot/gather_datasets.hpp"
#include "src/shot/gather_file.hpp"
#include "src/shot/gather_texts.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;
using gather_file::Dataset;

/// A chunk of zeros, the best case of deflate, must stay larger than the thousandth part that reading
/// accepts: 256 KiB shrink 933 times, 1 MiB 1005 times.
constexpr hsize_t chunk_bytes = hsize_t{1} << 18;
constexpr unsigned deflate_level = 4;
constexpr std::size_t longest_text = 4095;

static_assert(sizeof(Point3) == 3 * sizeof(double), "positions are stored as [n, 3]");

/// An HDF5 file in the making; every call is checked.
class Writer {
 public:
  /// Starts anew the existing file `temporary`; errors name `target`.
  Writer(const fs::path& temporary, const fs::path& target)
      : target_(target), file_(create(temporary), H5Fclose), texts_(make_group(file_), H5Gclose) {
    check(file_.id(), "H5Fcreate");
    check(texts_.id(), "H5Gcreate2");
  }

  void write_dataset(const Dataset& data) {
    const int rank = static_cast<int>(data.dims.size());
    const hdf5::Handle space(H5Screate_simple(rank, data.dims.data(), nullptr), H5Sclose);
    const hdf5::Handle creation = creation_list(data);
    const hdf5::Handle dataset(
        H5Dcreate2(file_, data.name.c_str(), data.type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
    check(dataset.id(), "H5Dcreate2");
    check(H5Dwrite(dataset, data.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.values), "H5Dwrite");
    write_text(dataset, "units", data.units);
    write_copy(gather_file::copy_name(data.name, "units"), data.units);
    write_text(dataset, "description", data.description);
    if (data.dt != 0) write_attribute(dataset, "dt", data.dt);
    if (!data.coordinates.empty()) write_text(dataset, "coordinates", data.coordinates);
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
    const hdf5::Handle type = text_type(H5T_VARIABLE);
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

  /// Of the root; a text with its copy.
  void write_attribute(const std::string& name, const AttributeValue& value) {
    std::visit([&](const auto& v) { write_attribute(file_, name, v); }, value);
    if (const auto* words = std::get_if<std::string>(&value)) write_copy(name, *words);
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
  void write_attribute(hid_t object, const std::string& name, const std::string& value) const {
    write_text(object, name, value);
  }
  void write_text(hid_t object, const std::string& name, const std::string& value) const {
    const std::string cut = value.substr(0, whole_characters(value, longest_text));
    const char* const pointer = cut.c_str();
    write_values(object, name, text_type(H5T_VARIABLE), &pointer);
  }
  /// The same in fixed length, for this program.
  void write_copy(const std::string& name, const std::string& value) const {
    const std::string cut = value.substr(0, whole_characters(value, longest_text));
    write_values(texts_, name, text_type(cut.size() + 1), cut.c_str());
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
  [[nodiscard]] hdf5::Handle text_type(std::size_t bytes) const {
    hdf5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    check(H5Tset_size(type, bytes), "H5Tset_size");
    check(H5Tset_cset(type, H5T_CSET_UTF8), "H5Tset_cset");
    return type;
  }

  static hid_t make_group(hid_t file) {
    const hdf5::Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    if (H5Pset_obj_track_times(creation, false) < 0) return H5I_INVALID_HID;
    return H5Gcreate2(file, gather_file::texts_group, H5P_DEFAULT, creation, H5P_DEFAULT);
  }

  fs::path target_;
  hdf5::Handle file_, texts_;
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

herr_t compare_text(hid_t texts, const char* name, const H5A_info_t*, void* file) {
  const bool of_root = std::string_view(name).find(':') == std::string_view::npos;
  const hdf5::Handle copies(H5Oopen(texts, ".", H5P_DEFAULT), H5Oclose);
  return of_root && hdf5::read_text_attribute(copies, name) !=
                        hdf5::read_text_attribute(*static_cast<const hdf5::Handle*>(file), name);
}

/// Whether the root's texts are their copies.
bool texts_read_back(const hdf5::Handle& file, const fs::path& path) {
  hdf5::Handle root(H5Oopen(file, "/", H5P_DEFAULT), H5Oclose);
  const hdf5::Handle texts = gather_file::open_texts(file, path);
  return H5Aiterate2(texts, H5_INDEX_NAME, H5_ITER_INC, nullptr, compare_text, &root) == 0;
}

/// A full disk can make HDF5 lose values without an error: only reading them tells.
void verify(const std::vector<Dataset>& datasets, const fs::path& temporary, const fs::path& target) {
  try {
    const hdf5::Handle file = hdf5::open_for_reading(temporary);
    for (const Dataset& data : datasets) {
      if (!reads_back(file, data, temporary))
        throw write_error(target, "/" + data.name + " reads back differently");
    }
    if (!texts_read_back(file, temporary)) {
      throw write_error(target, "the texts read back differently");
    }
  } catch (const Error& error) {
    if (error.code() == ExitCode::io) throw;
    throw write_error(target, "the file cannot be read back");
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
  std::set<std::string> names = {"format"};
  for (const auto& entry : gather.metadata) {
    if (!names.insert(entry.first).second) report_contradiction(gather, " and has a metadata name twice");
  }
  if (n == 0 || gather.traces.size() != n * gather.samples || gather.requested_receivers.size() != n ||
      gather.sources.empty() || gather.requested_sources.size() != gather.sources.size()) {
    report_contradiction(gather, "");
  }
}

/// All of it under a temporary name, read back, then under its own.
void write_file(std::string_view format, const std::vector<Dataset>& datasets, const ShotGather& gather,
                const fs::path& file, bool overwrite) {
  hdf5::initialize();
  check_target(file, gather_file::kind, overwrite);
  TemporaryFile temporary(file);
  {
    Writer writer(temporary.path(), file);
    writer.write_attribute("format", std::string(format));
    for (const auto& [name, value] : gather.metadata) writer.write_attribute(name, value);
    writer.write_axis_names();
    for (const Dataset& data : datasets) writer.write_dataset(data);
    for (const Dataset& data : datasets) writer.attach_scales(data);
    writer.flush();
  }
  verify(datasets, temporary.path(), file);
  check_target(file, gather_file::kind, overwrite);  // it may have come into being during the run
  temporary.publish();
}

}  // namespace

void write(const ShotGather& gather, const fs::path& file, bool overwrite) {
  require_consistent(gather);
  const auto is_other = [&](const std::vector<double>& wavelet) {
    return wavelet.empty() || wavelet.size() != gather.wavelets.front().size();
  };
  if (gather.samples == 0 || gather.wavelets.size() != gather.sources.size() ||
      std::ranges::any_of(gather.wavelets, is_other)) {
    report_contradiction(gather, " and may lack a wavelet");
  }
  const gather_file::FileAxes axes(gather);
  auto datasets = gather_file::survey_datasets(gather, axes);
  gather_file::add_signals(datasets, gather, axes);
  gather_file::add_sections(datasets, gather.sections);
  write_file(gather_file::format_name, datasets, gather, file, overwrite);
}

void write_sections(const ShotGather& gather, const fs::path& file, bool overwrite) {
  require_consistent(gather);
  const gather_file::FileAxes axes(gather);
  auto datasets = gather_file::survey_datasets(gather, axes);
  gather_file::add_sections(datasets, gather.sections);
  write_file(gather_file::sections_format_name, datasets, gather, file, overwrite);
}

}  // namespace minimod
