#include "src/base/hdf5.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <numeric>
#include <string_view>

#include "src/base/input_file.hpp"

namespace minimod::hdf5 {
namespace {

constexpr std::uint64_t largest_expansion = 1000;
constexpr std::uint64_t longest_attribute = 4096;

std::string shown(const std::filesystem::path& path) {
  return text("'", escaped(path.native(), 60), "'");
}
std::string shown(const std::string& name) {
  return text("'", escaped(name, 40), "'");
}

Error dataset_error(const std::filesystem::path& path, const std::string& name, const std::string& wrong,
                    const std::string& remedy) {
  return {ExitCode::data, text(shown(path), ": dataset ", shown(name), " ", wrong), remedy};
}

/// The product of `dims`, times `factor`; the largest number when it is larger than 63 bits.
std::uint64_t product(std::span<const hsize_t> dims, std::uint64_t factor) {
  constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
  std::uint64_t result = factor;
  for (const hsize_t dim : dims) {
    if (__builtin_mul_overflow(result, std::uint64_t{dim}, &result) || result > limit) {
      return std::numeric_limits<std::uint64_t>::max();
    }
  }
  return result;
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : name + "/") {
    if (c != '/') {
      part += c;
    } else if (!part.empty()) {
      parts.push_back(std::exchange(part, {}));
    }
  }
  return parts;
}

/// A walk over the hard links of a file: its bounds keep a hostile file from making it long.
struct Listing {
  static constexpr int deepest = 6;
  static constexpr std::size_t most = 64;
  std::vector<std::string> names;
  std::string prefix = "/";
  int depth = 0;
  int steps = 0;
};

herr_t list_link(hid_t group, const char* link, const H5L_info_t* info, void* data) {
  constexpr int most_steps = 4096;
  auto& listing = *static_cast<Listing*>(data);
  if (listing.names.size() >= Listing::most || ++listing.steps > most_steps) return 1;
  if (info->type != H5L_TYPE_HARD) return 0;
  const Handle object(H5Oopen(group, link, H5P_DEFAULT), H5Oclose);
  if (!object) return 0;
  const H5I_type_t type = H5Iget_type(object);
  if (type == H5I_DATASET) listing.names.push_back(listing.prefix + link);
  if (type == H5I_GROUP && listing.depth < Listing::deepest) {
    const std::string outer = std::exchange(listing.prefix, listing.prefix + link + "/");
    ++listing.depth;
    H5Literate(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, list_link, data);
    --listing.depth;
    listing.prefix = outer;
  }
  return 0;
}

Error missing_dataset(const Handle& file, const std::string& name, const std::filesystem::path& path) {
  Listing listing;
  H5Literate(file, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, list_link, &listing);
  if (listing.names.empty()) return dataset_error(path, name, "is missing", "the file holds none");
  return dataset_error(path, name, "is missing",
                       "the file holds " + escaped(nearest_names(name, listing.names), 70));
}

/// The object behind `name`, reached through hard links alone: a soft, external or user-defined link could
/// lead out of the file.
Handle open_object(const Handle& file, const std::string& name, const std::filesystem::path& path) {
  const auto parts = parts_of(name);
  std::string walked;
  Handle object(H5I_INVALID_HID, H5Oclose);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    walked += "/" + parts[i];
    if (H5Lexists(file, walked.c_str(), H5P_DEFAULT) <= 0) throw missing_dataset(file, name, path);
    H5L_info_t link;
    if (H5Lget_info(file, walked.c_str(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) {
      throw dataset_error(path, name, text("is behind a link at ", shown(walked)),
                          "store the dataset in the file itself");
    }
    const Handle part(H5Oopen(file, walked.c_str(), H5P_DEFAULT), H5Oclose);
    if (!part) throw dataset_error(path, name, "cannot be opened", "the file is damaged: make it anew");
    if (i + 1 < parts.size() && H5Iget_type(part) != H5I_GROUP) throw missing_dataset(file, name, path);
  }
  return {H5Oopen(file, walked.empty() ? "/" : walked.c_str(), H5P_DEFAULT), H5Oclose};
}

void require_plain_filters(const Handle& creation, const std::string& name,
                           const std::filesystem::path& path) {
  constexpr std::array<H5Z_filter_t, 3> allowed = {H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE,
                                                   H5Z_FILTER_FLETCHER32};
  std::array<int, allowed.size()> uses{};
  const int count = H5Pget_nfilters(creation);
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    unsigned config = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, &config);
    const auto* const found = std::find(allowed.begin(), allowed.end(), filter);
    // Twice the same filter is refused as well: deflate of deflate grows a million times.
    if (found == allowed.end() || ++uses[static_cast<std::size_t>(found - allowed.begin())] > 1) {
      throw dataset_error(path, name, text("uses filter ", filter),
                          "store it with gzip, shuffle and Fletcher32 at most");
    }
  }
  if (count < 0) throw dataset_error(path, name, "has unreadable filters", "make the file anew");
}

void require_plain_storage(const Handle& creation, const std::string& name,
                           const std::filesystem::path& path) {
  const H5D_layout_t layout = H5Pget_layout(creation);
  if (layout == H5D_VIRTUAL || H5Pget_external_count(creation) != 0) {
    throw dataset_error(path, name, "takes its values from other files", "store them in the file itself");
  }
  if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) {
    throw dataset_error(path, name, "is neither contiguous nor chunked", "store it so");
  }
  require_plain_filters(creation, name, path);
}

/// Bytes of a value. Errors: 65 when the values are not floats.
std::size_t require_floats(const Handle& dataset, const std::string& name,
                           const std::filesystem::path& path) {
  const Handle type(H5Dget_type(dataset), H5Tclose);
  for (const hid_t float_type : {H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE}) {
    if (H5Tequal(type, float_type) > 0) return H5Tget_size(type);
  }
  throw dataset_error(path, name, "holds no float32 or float64 values", "convert it");
}

/// Dimensions as declared, of a simple dataspace; empty for any other.
std::vector<hsize_t> declared_dims(const Handle& dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  if (!space || H5Sget_simple_extent_type(space) != H5S_SIMPLE) return {};
  const int rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank <= 0 || H5Sget_simple_extent_dims(space, dims.data(), nullptr) < 0) return {};
  return dims;
}

/// Dimensions that a dataset may grow to.
std::vector<hsize_t> largest_dims(const Handle& dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> dims(declared_dims(dataset).size());
  H5Sget_simple_extent_dims(space, nullptr, dims.data());
  return dims;
}

/// Dimensions of a chunk; empty for a contiguous dataset.
std::vector<hsize_t> chunk_dims(const Handle& dataset) {
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  if (H5Pget_layout(creation) != H5D_CHUNKED) return {};
  std::array<hsize_t, H5S_MAX_RANK> dims{};
  const int rank = H5Pget_chunk(creation, static_cast<int>(dims.size()), dims.data());
  return {dims.begin(), dims.begin() + std::max(rank, 0)};
}

/// The bit of a filter in a chunk's mask of skipped filters; 0 when the dataset does not use it.
unsigned filter_bit(const Handle& creation, H5Z_filter_t wanted) {
  const int count = H5Pget_nfilters(creation);
  for (int i = 0; i < count; ++i) {
    std::size_t values = 0;
    const auto index = static_cast<unsigned>(i);
    if (H5Pget_filter2(creation, index, nullptr, &values, nullptr, 0, nullptr, nullptr) == wanted)
      return 1U << index;
  }
  return 0;
}

/// On to the next chunk, the first axis running fastest; false after the last.
bool advance(std::vector<hsize_t>& corner, const std::vector<hsize_t>& chunk,
             const std::vector<hsize_t>& dims) {
  for (std::size_t axis = 0; axis < corner.size(); ++axis) {
    corner[axis] += chunk[axis];
    if (corner[axis] < dims[axis]) return true;
    corner[axis] = 0;
  }
  return false;
}

/// Refuses chunks that are missing or, where they are not compressed, have another size than the dataset
/// says: the library takes the description's word and would read beyond what a damaged file gives it.
void require_whole_chunks(const Handle& dataset, std::size_t value_bytes, const std::string& name,
                          const std::filesystem::path& path) {
  const auto chunk = chunk_dims(dataset);
  if (chunk.empty()) return;
  const auto dims = declared_dims(dataset);
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  const unsigned deflate = filter_bit(creation, H5Z_FILTER_DEFLATE);
  const unsigned checksum = filter_bit(creation, H5Z_FILTER_FLETCHER32);
  constexpr hsize_t checksum_bytes = 4;
  const Error damaged =
      dataset_error(path, name, "has chunks that are missing or damaged", "make the file anew");

  hsize_t expected = 1;
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) expected *= 1 + (dims[axis] - 1) / chunk[axis];
  const Handle space(H5Dget_space(dataset), H5Sclose);
  hsize_t stored = 0;
  if (H5Dget_num_chunks(dataset, space, &stored) < 0 || stored != expected) throw damaged;
  std::vector<hsize_t> corner(chunk.size(), 0);
  do {
    unsigned skipped = 0;  // deflate is, where it would not shorten a chunk
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    const herr_t failed = H5Dget_chunk_info_by_coord(dataset, corner.data(), &skipped, &address, &bytes);
    if (failed < 0 || address == HADDR_UNDEF) throw damaged;
    const hsize_t plain = product(chunk, value_bytes) + ((checksum & ~skipped) != 0 ? checksum_bytes : 0);
    if ((deflate & ~skipped) == 0 && bytes != plain) throw damaged;
  } while (advance(corner, chunk, dims));
}

/// Refuses a small file that unpacks to a large one before anything is allocated.
void require_stored(const Handle& file, const Handle& dataset, std::size_t value_bytes,
                    const std::string& name, const std::filesystem::path& path) {
  const auto dims = declared_dims(dataset);
  if (dims.empty() || product(dims, 1) == 0) {
    throw dataset_error(path, name, "holds no values", "give an array of floats");
  }
  hsize_t file_bytes = 0;
  H5Fget_filesize(file, &file_bytes);
  const std::uint64_t stored = H5Dget_storage_size(dataset);
  if (stored > file_bytes) {
    throw dataset_error(path, name, text("has ", stored, " bytes in a file of ", file_bytes),
                        "the file is damaged: make it anew");
  }
  const auto chunk = chunk_dims(dataset);
  const std::uint64_t declared =
      std::max(product(dims, value_bytes), chunk.empty() ? 0 : product(chunk, value_bytes));
  // `stored` is at most the size of a file that exists, so that the product stays in 64 bits.
  if (declared > largest_expansion * stored) {
    const bool huge = declared == std::numeric_limits<std::uint64_t>::max();
    throw dataset_error(path, name,
                        text("declares ", huge ? "over 2^63" : std::to_string(declared), " bytes and stores ",
                             stored, " (limit: ", largest_expansion, " times as much)"),
                        "write all its values");
  }
  const auto largest = largest_dims(dataset);
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
    if (chunk[axis] == 0 || chunk[axis] > largest.at(axis)) {
      throw dataset_error(path, name, "has chunks larger than itself", "make the file anew");
    }
  }
}

template <class Value>
void read_as(const Handle& dataset, hid_t type, hsize_t first, hsize_t count, std::span<Value> values,
             const std::filesystem::path& path) {
  std::vector<hsize_t> extent = declared_dims(dataset);
  std::vector<hsize_t> begin(extent.size(), 0);
  begin.at(0) = first;
  extent.at(0) = count;
  if (product(extent, 1) != values.size()) {
    throw Error(ExitCode::internal, "a slab of a dataset and its buffer differ in size", "");
  }
  const Handle from(H5Dget_space(dataset), H5Sclose);
  const Handle to(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
  if (H5Sselect_hyperslab(from, H5S_SELECT_SET, begin.data(), nullptr, extent.data(), nullptr) < 0 ||
      H5Dread(dataset, type, to, from, H5P_DEFAULT, values.data()) < 0) {
    throw Error(ExitCode::data, text(shown(path), ": values cannot be read (bad checksum or truncated)"),
                "the file is damaged: make it anew");
  }
}

template <class Value>
std::vector<Value> read_all(const Handle& dataset, const std::filesystem::path& path) {
  const Shape shape = shape_of(dataset);
  const std::int64_t count = shape.count();
  std::vector<Value> values;
  try {
    values.resize(static_cast<std::size_t>(count));
  } catch (const std::exception&) {
    throw Error(ExitCode::resource,
                text(shown(path), ": ", count, " values of ", sizeof(Value), " bytes exceed the memory"),
                "give a smaller file");
  }
  read_slab(dataset, 0, shape.dims[0], values, path);
  return values;
}

Error attribute_error(const std::string& name, const std::string& expected) {
  return {ExitCode::data, text("attribute ", shown(name), " of a HDF5 file is not ", expected),
          "correct or remove it"};
}

/// The attribute and how many values it has; an invalid handle when it is not there.
std::pair<Handle, std::size_t> open_attribute(const Handle& object, const std::string& name,
                                              H5T_class_t wanted, H5T_class_t alternative,
                                              const std::string& expected) {
  const htri_t exists = H5Aexists(object, name.c_str());
  if (exists == 0) return {Handle(H5I_INVALID_HID, H5Aclose), 0};
  Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  const Handle type(attribute ? H5Aget_type(attribute) : H5I_INVALID_HID, H5Tclose);
  const H5T_class_t type_class = type ? H5Tget_class(type) : H5T_NO_CLASS;
  const Handle space(attribute ? H5Aget_space(attribute) : H5I_INVALID_HID, H5Sclose);
  const hssize_t count = space ? H5Sget_simple_extent_npoints(space) : -1;
  if ((type_class != wanted && type_class != alternative) || count < 1 ||
      H5Aget_storage_size(attribute) > longest_attribute || static_cast<hsize_t>(count) > longest_attribute) {
    throw attribute_error(name, expected);
  }
  return {std::move(attribute), static_cast<std::size_t>(count)};
}

void append(std::string& list, std::string_view item) {
  (list += list.empty() ? "" : ",") += item;
}

std::string read_variable_texts(const Handle& attribute, const Handle& type, std::size_t count) {
  std::vector<char*> items(count, nullptr);
  if (H5Aread(attribute, type, items.data()) < 0) return {};
  std::string list;
  for (const char* const item : items) append(list, item == nullptr ? "" : item);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, items.data());
  return list;
}

std::string read_fixed_texts(const Handle& attribute, const Handle& type, std::size_t count) {
  const std::size_t size = H5Tget_size(type);
  std::vector<char> bytes(size * count);
  if (H5Aread(attribute, type, bytes.data()) < 0) return {};
  std::string list;
  for (std::size_t i = 0; i < count; ++i) {
    std::string_view item(bytes.data() + i * size, size);
    item = item.substr(0, item.find('\0'));
    append(list, item.substr(0, item.find_last_not_of(' ') + 1));
  }
  return list;
}

}  // namespace

void initialize() {
  [[maybe_unused]] static const bool done = [] {
    H5open();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0);
    H5Lunregister(H5L_TYPE_EXTERNAL);
    return true;
  }();
}

Handle open_for_reading(const std::filesystem::path& path) {
  initialize();
  const InputFile readable(path);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Shared file systems often come without locks, and a file that is only read needs none.
  constexpr hbool_t ignore_missing_locks = 1;
  H5Pset_file_locking(access, 1, ignore_missing_locks);
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  if (!file) {
    throw Error(ExitCode::data,
                text(shown(path), " (", readable.size(), " bytes) is no HDF5 file or is truncated"),
                "make it anew or give another");
  }
  return file;
}

std::int64_t Shape::count() const {
  return static_cast<std::int64_t>(product(dims, 1));
}

Handle open_float_dataset(const Handle& file, const std::string& name, const std::filesystem::path& path) {
  Handle dataset = open_object(file, name, path);
  if (!dataset || H5Iget_type(dataset) != H5I_DATASET) {
    throw dataset_error(path, name, "is no dataset", "give the path of a dataset");
  }
  {
    const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
    if (!creation) throw dataset_error(path, name, "cannot be opened", "the file is damaged: make it anew");
    require_plain_storage(creation, name, path);
  }
  const std::size_t value_bytes = require_floats(dataset, name, path);
  require_stored(file, dataset, value_bytes, name, path);
  require_whole_chunks(dataset, value_bytes, name, path);
  return dataset;
}

Shape shape_of(const Handle& dataset) {
  return {declared_dims(dataset)};
}

hsize_t slab_thickness(const Handle& dataset) {
  const auto chunk = chunk_dims(dataset);
  return chunk.empty() ? 1 : std::clamp<hsize_t>(chunk[0], 1, declared_dims(dataset).at(0));
}

void read_slab(const Handle& dataset, hsize_t first, hsize_t count, std::span<float> values,
               const std::filesystem::path& path) {
  read_as(dataset, H5T_NATIVE_FLOAT, first, count, values, path);
}

void read_slab(const Handle& dataset, hsize_t first, hsize_t count, std::span<double> values,
               const std::filesystem::path& path) {
  read_as(dataset, H5T_NATIVE_DOUBLE, first, count, values, path);
}

std::vector<float> read_floats(const Handle& dataset, const std::filesystem::path& path) {
  return read_all<float>(dataset, path);
}

std::vector<double> read_doubles(const Handle& dataset, const std::filesystem::path& path) {
  return read_all<double>(dataset, path);
}

std::vector<double> read_number_attribute(const Handle& object, const std::string& name) {
  const auto [attribute, count] = open_attribute(object, name, H5T_FLOAT, H5T_INTEGER, "a list of numbers");
  std::vector<double> values(count);
  if (attribute && H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()) < 0) {
    throw attribute_error(name, "readable");
  }
  return values;
}

std::string read_text_attribute(const Handle& object, const std::string& name) {
  const auto [attribute, count] = open_attribute(object, name, H5T_STRING, H5T_STRING, "text");
  if (!attribute) return {};
  const Handle type(H5Aget_type(attribute), H5Tclose);
  return H5Tis_variable_str(type) > 0 ? read_variable_texts(attribute, type, count)
                                      : read_fixed_texts(attribute, type, count);
}

}  // namespace minimod::hdf5
