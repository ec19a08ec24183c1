#include "src/io/gather/gather_texts.hpp"

#include "src/io/gather/gather_file.hpp"

namespace minimod::gather_file {

hdf5::Handle open_texts(const hdf5::Handle& file, const std::filesystem::path& path) {
  const htri_t exists = H5Lexists(file, texts_group, H5P_DEFAULT);
  H5L_info_t link{};
  const bool is_own =
      exists > 0 && H5Lget_info(file, texts_group, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD;
  hdf5::Handle texts(
      exists == 0 || is_own ? H5Oopen(file, exists == 0 ? "/" : texts_group, H5P_DEFAULT) : H5I_INVALID_HID,
      H5Oclose);
  if (!texts) throw Error(ErrorKind::data, shown(path) + " has damaged texts", "make the file anew");
  return texts;
}

bool has_format(const std::filesystem::path& file, std::string_view format) {
  try {
    const hdf5::Handle texts = open_texts(hdf5::open_for_reading(file), file);
    return hdf5::read_text_attribute(texts, "format") == format;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace minimod::gather_file
