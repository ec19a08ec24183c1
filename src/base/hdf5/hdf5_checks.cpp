#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "src/base/hdf5/hdf5_detail.hpp"

namespace minimod::hdf5 {
namespace {

constexpr std::uint64_t largest_expansion = 1000;

Error dataset_error(const std::filesystem::path& path, const std::string& name, const std::string& wrong,
                    const std::string& remedy) {
  return {ErrorKind::data, text(shown(path), ": dataset ", shown_name(name), " ", wrong), remedy};
}

/// The error of an object that the library has just failed to open.
Error unreadable(const std::filesystem::path& path, const std::string& name) {
  return known_failure(path).value_or(
      dataset_error(path, name, "cannot be opened", "the file is damaged: make it anew"));
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
    const htri_t exists = H5Lexists(file, walked.c_str(), H5P_DEFAULT);
    if (exists < 0) throw unreadable(path, name);
    if (exists == 0) throw missing_dataset(file, name, path);
    H5L_info_t link;
    if (H5Lget_info(file, walked.c_str(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) {
      throw dataset_error(path, name, text("is behind a link at ", shown_name(walked)),
                          "store the dataset in the file itself");
    }
    const Handle part(H5Oopen(file, walked.c_str(), H5P_DEFAULT), H5Oclose);
    if (!part) throw unreadable(path, name);
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

/// Bytes of a value. Errors: 65 when the values are neither floats nor integers.
std::size_t require_numbers(const Handle& dataset, const std::string& name,
                            const std::filesystem::path& path) {
  const Handle type(H5Dget_type(dataset), H5Tclose);
  for (const hid_t number : {H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_STD_I8LE,
                             H5T_STD_I8BE,   H5T_STD_I16LE,  H5T_STD_I16BE,  H5T_STD_I32LE,  H5T_STD_I32BE,
                             H5T_STD_I64LE,  H5T_STD_I64BE,  H5T_STD_U8LE,   H5T_STD_U8BE,   H5T_STD_U16LE,
                             H5T_STD_U16BE,  H5T_STD_U32LE,  H5T_STD_U32BE,  H5T_STD_U64LE,  H5T_STD_U64BE}) {
    if (H5Tequal(type, number) > 0) return H5Tget_size(type);
  }
  throw dataset_error(path, name, "holds neither float32, float64 nor integers", "convert it");
}

/// Dimensions that a dataset may grow to.
std::vector<hsize_t> largest_dims(const Handle& dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> dims(declared_dims(dataset).size());
  H5Sget_simple_extent_dims(space, nullptr, dims.data());
  return dims;
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

/// The indices first <= i < end of a dataset's slowest axis.
struct Rows {
  hsize_t first, end;
};

/// A walk over the chunks that hold some rows, the first axis running fastest.
class ChunkWalk {
 public:
  ChunkWalk(std::vector<hsize_t> chunk, std::vector<hsize_t> dims, const Rows& rows)
      : chunk_(std::move(chunk)), end_(std::move(dims)), begin_(chunk_.size(), 0) {
    begin_[0] = rows.first / chunk_[0] * chunk_[0];
    end_[0] = rows.end;
    corner_ = begin_;
  }

  [[nodiscard]] const hsize_t* corner() const { return corner_.data(); }
  [[nodiscard]] hsize_t chunks() const {
    hsize_t count = 1;
    for (std::size_t axis = 0; axis < chunk_.size(); ++axis)
      count *= 1 + (end_[axis] - begin_[axis] - 1) / chunk_[axis];
    return count;
  }
  /// False after the last.
  bool next() {
    for (std::size_t axis = 0; axis < corner_.size(); ++axis) {
      corner_[axis] += chunk_[axis];
      if (corner_[axis] < end_[axis]) return true;
      corner_[axis] = begin_[axis];
    }
    return false;
  }

 private:
  std::vector<hsize_t> chunk_, end_, begin_, corner_;
};

/// Refuses chunks of the rows that are missing or, where they are not compressed, have another size than the
/// dataset says: the library takes the description's word and would read beyond what a damaged file gives it.
void require_whole_chunks(const Handle& dataset, std::size_t value_bytes, const Rows& rows,
                          const std::string& name, const std::filesystem::path& path) {
  const auto chunk = chunk_dims(dataset);
  if (chunk.empty()) return;
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  const unsigned deflate = filter_bit(creation, H5Z_FILTER_DEFLATE);
  const unsigned checksum = filter_bit(creation, H5Z_FILTER_FLETCHER32);
  constexpr hsize_t checksum_bytes = 4;
  const Error damaged =
      dataset_error(path, name, "has chunks that are missing or damaged", "make the file anew");

  ChunkWalk walk(chunk, declared_dims(dataset), rows);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  hsize_t stored = 0;
  const bool are_all = rows.first == 0 && rows.end == declared_dims(dataset).front();
  if (H5Dget_num_chunks(dataset, space, &stored) < 0 || stored < walk.chunks() ||
      (are_all && stored != walk.chunks())) {
    throw damaged;
  }
  do {
    unsigned skipped = 0;  // deflate is, where it would not shorten a chunk
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    const herr_t failed = H5Dget_chunk_info_by_coord(dataset, walk.corner(), &skipped, &address, &bytes);
    if (failed < 0 || address == HADDR_UNDEF) throw damaged;
    const hsize_t plain = product(chunk, value_bytes) + ((checksum & ~skipped) != 0 ? checksum_bytes : 0);
    if ((deflate & ~skipped) == 0 && bytes != plain) throw damaged;
  } while (walk.next());
}

void require_chunks_within(const Handle& dataset, const std::string& name,
                           const std::filesystem::path& path) {
  const auto chunk = chunk_dims(dataset), largest = largest_dims(dataset);
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
    if (chunk[axis] == 0 || chunk[axis] > largest.at(axis)) {
      throw dataset_error(path, name, "has chunks larger than itself", "make the file anew");
    }
  }
}

/// Refuses a small file that unpacks to a large one before anything is allocated.
void require_stored(const Handle& file, const Handle& dataset, std::size_t value_bytes, const Rows& rows,
                    const std::string& name, const std::filesystem::path& path) {
  auto dims = declared_dims(dataset);
  dims.front() = rows.end - rows.first;
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
  require_chunks_within(dataset, name, path);
}

/// A dataset of numbers that are in the file itself, one at least.
Handle open_numbers(const Handle& file, const std::string& name, const std::filesystem::path& path) {
  Handle dataset = open_object(file, name, path);
  if (!dataset || H5Iget_type(dataset) != H5I_DATASET) {
    throw dataset_error(path, name, "is no dataset", "give the path of a dataset");
  }
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  if (!creation) throw unreadable(path, name);
  require_plain_storage(creation, name, path);
  static_cast<void>(require_numbers(dataset, name, path));
  const auto dims = declared_dims(dataset);
  if (dims.empty() || product(dims, 1) == 0) {
    throw dataset_error(path, name, "holds no values", "give an array of floats");
  }
  return dataset;
}

void require_rows(const Handle& file, const Handle& dataset, const Rows& rows, const std::string& name,
                  const std::filesystem::path& path) {
  const std::size_t value_bytes = require_numbers(dataset, name, path);
  require_stored(file, dataset, value_bytes, rows, name, path);
  require_whole_chunks(dataset, value_bytes, rows, name, path);
  static_cast<void>(packing_of(dataset, path));
}

void require_shape(const Handle& dataset, const std::string& name, const std::vector<hsize_t>& dims,
                   const std::filesystem::path& path) {
  const auto found = declared_dims(dataset);
  const auto is_as_long = [](hsize_t is, hsize_t wanted) { return wanted == 0 || is == wanted; };
  if (std::ranges::equal(found, dims, is_as_long)) return;
  throw dataset_error(path, name, text("has the shape ", dims_text(found), ", not ", dims_text(dims)),
                      "give a file whose datasets belong together");
}

}  // namespace

Handle open_float_dataset(const Handle& file, const std::string& name, const std::filesystem::path& path) {
  Handle dataset = open_numbers(file, name, path);
  require_rows(file, dataset, {0, declared_dims(dataset).front()}, name, path);
  return dataset;
}

Handle open_shaped_dataset(const Handle& file, const std::string& name, const std::vector<hsize_t>& dims,
                           const std::filesystem::path& path) {
  Handle dataset = open_numbers(file, name, path);
  require_shape(dataset, name, dims, path);
  require_rows(file, dataset, {0, declared_dims(dataset).front()}, name, path);
  return dataset;
}

Handle open_rows(const Handle& file, const std::string& name, const std::vector<hsize_t>& dims, hsize_t first,
                 hsize_t end, const std::filesystem::path& path) {
  Handle dataset = open_numbers(file, name, path);
  require_shape(dataset, name, dims, path);
  require_rows(file, dataset, {first, end}, name, path);
  return dataset;
}

}  // namespace minimod::hdf5
