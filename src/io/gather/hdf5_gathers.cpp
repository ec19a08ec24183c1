#include "src/base/files/file_suffix.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/saturated.hpp"
#include "src/io/gather/gather_file.hpp"
#include "src/io/gather/gather_texts.hpp"
#include "src/io/gather_format.hpp"
#include "src/io/survey/merged_file.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

void write_hdf5(const ShotGather& gather, int, const FormatOptions&, const fs::path& file, bool overwrite) {
  write(gather, file, overwrite);
}

void merge_to_hdf5(const SurveyFiles& survey, const FormatOptions&, const fs::path& file, bool overwrite) {
  write_merged(survey, file, overwrite);
}

/// The traces shrink, nobody knows how much.
std::uint64_t hdf5_bytes(const GatherSize& size) {
  constexpr std::uint64_t head = 1 << 16, position = 12 * sizeof(double);
  return head + size.section_nodes * sizeof(float) +
         saturated_product({size.receivers, size.samples, size.sample_bytes}) + size.receivers * position +
         saturated_product({size.sources, position + size.wavelet_samples * sizeof(double)});
}

bool is_hdf5_of(const ShotIdentity& shot, const fs::path& file) {
  try {
    const hdf5::Handle texts = gather_file::open_texts(hdf5::open_for_reading(file), file);
    return hdf5::read_text_attribute(texts, date_attribute) == shot.date &&
           hdf5::read_text_attribute(texts, configuration_attribute) == shot.configuration;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

extern const GatherFormat hdf5_gathers;
const GatherFormat hdf5_gathers{
    .name = "hdf5",
    .title = "HDF5",
    .remark = "",
    .suffix = ".h5",
    .is_named = is_hdf5_name,
    .kind = &gather_file::kind,
    .write = write_hdf5,
    .read = read_hdf5_traces,
    .bytes = hdf5_bytes,
    .is_of = is_hdf5_of,
    .merger = {.kind = &merged_kind, .remark = " with an index", .write = merge_to_hdf5}};

}  // namespace minimod
