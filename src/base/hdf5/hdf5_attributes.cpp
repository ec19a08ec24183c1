#include <string_view>
#include <utility>

#include "src/base/hdf5/hdf5_detail.hpp"

namespace minimod::hdf5 {
namespace {

constexpr std::uint64_t longest_attribute = 4096;

Error attribute_error(const Handle& object, const std::string& name, const std::string& expected) {
  std::string file(4096, '\0'), owner(256, '\0');
  H5Fget_name(object, file.data(), file.size());
  H5Iget_name(object, owner.data(), owner.size());
  return {ErrorKind::data,
          text(shown(file.c_str()), ": attribute ", shown_name(name), " of ", shown_name(owner.c_str()),
               " is not ", expected),
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
    throw attribute_error(object, name, expected);
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

std::vector<double> read_number_attribute(const Handle& object, const std::string& name) {
  const auto [attribute, count] = open_attribute(object, name, H5T_FLOAT, H5T_INTEGER, "a list of numbers");
  std::vector<double> values(count);
  if (attribute && H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()) < 0) {
    throw attribute_error(object, name, "readable");
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
