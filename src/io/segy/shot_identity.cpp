#include "src/io/segy/shot_identity.hpp"

#include <fstream>

#include "src/base/error.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/io/gather/gather_texts.hpp"
#include "src/io/segy/segy_headers.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

bool is_hdf5_of(const ShotIdentity& shot, const fs::path& file) {
  try {
    const hdf5::Handle texts = gather_file::open_texts(hdf5::open_for_reading(file), file);
    return hdf5::read_text_attribute(texts, date_attribute) == shot.date &&
           hdf5::read_text_attribute(texts, configuration_attribute) == shot.configuration;
  } catch (const Error&) {
    return false;
  }
}

bool is_segy_of(const ShotIdentity& shot, const fs::path& file) {
  std::string words(segy::text_header_bytes, '\0');
  std::ifstream(file, std::ios::binary).read(words.data(), static_cast<std::streamsize>(words.size()));
  return words.find(segy::ebcdic(segy::words_of(shot))) != std::string::npos;
}

}  // namespace

bool is_of(const ShotIdentity& shot, const fs::path& file) {
  return is_hdf5_of(shot, file) || is_segy_of(shot, file);
}

}  // namespace minimod
