#include "src/shot/gather_texts.hpp"

#include <bit>
#include <string>
#include <string_view>
#include <vector>

namespace minimod::gather_file {
namespace {

class Fnv1a {
 public:
  /// The text, and a byte that ends it.
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    add(static_cast<unsigned char>(0xff));  // in no UTF-8
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  void add(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3U; }
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

using Names = std::vector<std::string>;

herr_t add_attribute(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<Names*>(names)->emplace_back(name);
  return 0;
}
herr_t add_link(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<Names*>(names)->emplace_back(name);
  return 0;
}

void add_texts(Fnv1a& sum, const hdf5::Handle& object) {
  Names names;
  H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_attribute, &names);
  for (const std::string& name : names) {
    const hdf5::Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
    const hdf5::Handle type(H5Aget_type(attribute), H5Tclose);
    if (H5Tis_variable_str(type) <= 0) continue;
    sum.add(name);
    sum.add(hdf5::read_text_attribute(object, name));
  }
}

}  // namespace

std::int64_t texts_checksum(const hdf5::Handle& file) {
  Fnv1a sum;
  add_texts(sum, file);
  Names names;
  H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_link, &names);
  for (const std::string& name : names) {
    sum.add(name);
    add_texts(sum, hdf5::Handle(H5Oopen(file, name.c_str(), H5P_DEFAULT), H5Oclose));
  }
  return std::bit_cast<std::int64_t>(sum.value());
}

bool texts_are_whole(const hdf5::Handle& file) {
  if (H5Aexists(file, texts_checksum_name) <= 0) return true;
  const hdf5::Handle attribute(H5Aopen(file, texts_checksum_name, H5P_DEFAULT), H5Aclose);
  std::int64_t written = 0;
  return H5Aread(attribute, H5T_NATIVE_INT64, &written) >= 0 && written == texts_checksum(file);
}

}  // namespace minimod::gather_file
