#include "src/io/gather/gather_writer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <hdf5_hl.h>

#include "src/io/gather/gather_check.hpp"
#include "src/io/gather/gather_texts.hpp"

namespace minimod::gather_file {
namespace {

/// Least bytes that are worth the time of compression.
constexpr hsize_t least_compressed_bytes = hsize_t{1} << 20;
constexpr std::size_t longest_text = 4095;

hid_t make_group(hid_t file) {
  const hdf5::Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  if (H5Pset_obj_track_times(creation, false) < 0) return H5I_INVALID_HID;
  return H5Gcreate2(file, texts_group, H5P_DEFAULT, creation, H5P_DEFAULT);
}

/// At most `most` bytes of `value` that do not end within a character.
std::size_t whole_characters(const std::string& value, std::size_t most) {
  const auto goes_on = [&](std::size_t i) { return (static_cast<unsigned char>(value[i]) & 0xc0U) == 0x80U; };
  if (value.size() <= most) return value.size();
  while (most > 0 && goes_on(most)) --most;
  return most;
}

}  // namespace

Writer::Writer(const std::filesystem::path& temporary, const std::filesystem::path& target)
    : target_(target), file_(hdf5::create(temporary)), texts_(make_group(file_), H5Gclose) {
  check(file_.id(), "H5Fcreate");
  check(texts_.id(), "H5Gcreate2");
}

void Writer::check(hid_t result, const char* call) const {
  if (result >= 0) return;
  throw write_error(target_, errno, call);
}

void Writer::close() {
  check(texts_.shut(), "H5Gclose");
  check(H5Fflush(file_, H5F_SCOPE_GLOBAL), "H5Fflush");
  check(file_.shut(), "H5Fclose");
  check(hdf5::failed_closes() == failed_before_ ? 0 : -1, "H5Dclose");
}

std::optional<hdf5::PackedChunks> packing_of(const Dataset& data) {
  const std::size_t value_bytes = H5Tget_size(data.type);
  if (hdf5::product(data.dims, value_bytes) < least_compressed_bytes) return {};
  return hdf5::PackedChunks(data.dims, value_bytes);
}

void Writer::write_dataset(const Dataset& data) {
  const auto packing = packing_of(data);
  if (!packing) {
    const hdf5::Handle dataset = create_dataset(data, data.dims);
    check(H5Dwrite(dataset, data.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.values), "H5Dwrite");
    return;
  }
  const hdf5::Handle creation = creation_list();
  check(packing->describe(creation), "H5Pset_deflate");
  const hdf5::Handle dataset = make_dataset(data, creation);
  packing->write(dataset, data.values, [&](herr_t result) { check(result, "H5Dwrite_chunk"); });
}

hdf5::Handle Writer::create_dataset(const Dataset& data, const std::vector<hsize_t>& chunk) {
  const hdf5::Handle creation = creation_list();
  check(H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data()), "H5Pset_chunk");
  check(H5Pset_fletcher32(creation), "H5Pset_fletcher32");
  return make_dataset(data, creation);
}

hdf5::Handle Writer::make_dataset(const Dataset& data, const hdf5::Handle& creation) {
  const int rank = static_cast<int>(data.dims.size());
  const hdf5::Handle space(H5Screate_simple(rank, data.dims.data(), nullptr), H5Sclose);
  hdf5::Handle dataset(
      H5Dcreate2(file_, data.name.c_str(), data.type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
  check(dataset.id(), "H5Dcreate2");
  write_text(dataset, "units", data.units);
  write_copy(copy_name(data.name, "units"), data.units);
  write_text(dataset, "description", data.description);
  if (data.dt != 0) write_number(dataset, "dt", data.dt);
  if (data.first != 0) write_number(dataset, "first_time", data.first);
  if (!data.coordinates.empty()) write_text(dataset, "coordinates", data.coordinates);
  if (data.axes.size() == 1 && data.axes[0] == data.name) {
    check(H5DSset_scale(dataset, data.name.c_str()), "H5DSset_scale");
  }
  return dataset;
}

void Writer::write_axis_names() {
  const hsize_t count = axis_names.size();
  const hdf5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const hdf5::Handle creation = creation_list();
  // Texts of their own lengths cannot have Fletcher32; in the object's header they are under its checksum.
  check(H5Pset_layout(creation, H5D_COMPACT), "H5Pset_layout");
  const hdf5::Handle type = text_type(H5T_VARIABLE);
  const hdf5::Handle dataset(H5Dcreate2(file_, "axis", type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                             H5Dclose);
  check(dataset.id(), "H5Dcreate2");
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, axis_names.data()), "H5Dwrite");
  check(H5DSset_scale(dataset, "axis"), "H5DSset_scale");
}

void Writer::attach_scales(const Dataset& data) {
  const hdf5::Handle dataset(H5Dopen2(file_, data.name.c_str(), H5P_DEFAULT), H5Dclose);
  for (unsigned i = 0; i < data.axes.size(); ++i) {
    if (data.axes[i] == data.name) continue;
    const hdf5::Handle axis(H5Dopen2(file_, data.axes[i].c_str(), H5P_DEFAULT), H5Dclose);
    check(H5DSattach_scale(dataset, axis, i), "H5DSattach_scale");
  }
}

void Writer::write_attribute(const std::string& name, const AttributeValue& value) {
  struct Visitor {
    const Writer& writer;
    const std::string& name;
    void operator()(double v) const { writer.write_number(writer.file_, name, v); }
    void operator()(std::int64_t v) const { writer.write_values(writer.file_, name, H5T_NATIVE_INT64, &v); }
    void operator()(const std::vector<double>& v) const {
      writer.write_values(writer.file_, name, H5T_NATIVE_DOUBLE, v.data(), v.size());
    }
    void operator()(const std::vector<std::int64_t>& v) const {
      writer.write_values(writer.file_, name, H5T_NATIVE_INT64, v.data(), v.size());
    }
    void operator()(const std::string& v) const {
      writer.write_text(writer.file_, name, v);
      writer.write_copy(name, v);
    }
  };
  std::visit(Visitor{*this, name}, value);
}

/// Without times, so that equal gathers make equal files.
hdf5::Handle Writer::creation_list() const {
  hdf5::Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_obj_track_times(list, false), "H5Pset_obj_track_times");
  return list;
}

/// `count` values, or 0 for one that stands alone.
void Writer::write_values(hid_t object, const std::string& name, hid_t type, const void* values,
                          hsize_t count) const {
  const hdf5::Handle space(count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr),
                           H5Sclose);
  const hdf5::Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose);
  check(attribute.id(), "H5Acreate2");
  check(H5Awrite(attribute, type, values), "H5Awrite");
}

void Writer::write_number(hid_t object, const std::string& name, double value) const {
  write_values(object, name, H5T_NATIVE_DOUBLE, &value);
}

void Writer::write_text(hid_t object, const std::string& name, const std::string& value) const {
  const std::string cut = value.substr(0, whole_characters(value, longest_text));
  const char* const pointer = cut.c_str();
  write_values(object, name, text_type(H5T_VARIABLE), &pointer);
}

/// The same in fixed length, for this program.
void Writer::write_copy(const std::string& name, const std::string& value) const {
  const std::string cut = value.substr(0, whole_characters(value, longest_text));
  write_values(texts_, name, text_type(cut.size() + 1), cut.c_str());
}

hdf5::Handle Writer::text_type(std::size_t bytes) const {
  hdf5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type, bytes), "H5Tset_size");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "H5Tset_cset");
  return type;
}

void write_whole(std::string_view format, const FileKind& may_replace, const std::vector<Dataset>& datasets,
                 const std::vector<std::pair<std::string, AttributeValue>>& metadata,
                 const std::filesystem::path& file, bool overwrite) {
  hdf5::initialize();
  check_target(file, may_replace, overwrite);
  TemporaryFile temporary(file);
  {
    Writer writer(temporary.path(), file);
    writer.write_attribute("format", std::string(format));
    for (const auto& [name, value] : metadata) writer.write_attribute(name, value);
    const auto has_axis_names = [](const Dataset& data) {
      return std::ranges::find(data.axes, "axis") != data.axes.end();
    };
    if (std::ranges::any_of(datasets, has_axis_names)) writer.write_axis_names();
    for (const Dataset& data : datasets) writer.write_dataset(data);
    for (const Dataset& data : datasets) writer.attach_scales(data);
    writer.close();
  }
  verify(datasets, temporary.path(), file);
  check_target(file, may_replace, overwrite);  // a file may have come into being during the run
  temporary.publish();
}

}  // namespace minimod::gather_file
