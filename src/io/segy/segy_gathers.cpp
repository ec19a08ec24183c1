#include <fstream>

#include "src/base/choices.hpp"
#include "src/base/error.hpp"
#include "src/base/files/file_suffix.hpp"
#include "src/base/option.hpp"
#include "src/base/saturated.hpp"
#include "src/base/segy/segy_text.hpp"
#include "src/io/gather_format.hpp"
#include "src/io/segy/segy_headers.hpp"
#include "src/io/segy/segy_limits.hpp"
#include "src/io/segy/segy_survey.hpp"
#include "src/io/segy/segy_traces.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

constexpr const char* floats_option = "segy-floats";

SegyFloats floats_in(const std::string& value, const std::string& spelling) {
  return parse_choice(segy_float_names, value, spelling);
}

constexpr FormatOption segy_options[] = {
    {floats_option, "samples of a SEG-Y file: ieee or ibm, rounded to what that keeps (ieee)",
     [](const std::string& value, const std::string& spelling) { (void)floats_in(value, spelling); }}};

std::optional<SegyFloats> floats_of(const FormatOptions& options) {
  const auto said = options.find(floats_option);
  if (said == options.end()) return std::nullopt;
  return floats_in(said->second, option(floats_option));
}

void write_with_options(const ShotGather& gather, int shot, const FormatOptions& options,
                        const fs::path& file, bool overwrite) {
  write_segy(gather, {floats_of(options).value_or(SegyFloats::ieee), shot}, file, overwrite);
}

void merge_with_options(const SurveyFiles& survey, const FormatOptions& options, const fs::path& file,
                        bool overwrite) {
  merge_to_segy(survey, floats_of(options).value_or(SegyFloats::ieee), file, overwrite);
}

std::size_t join_with_options(std::vector<ShotFile>& shots, const FormatOptions& options,
                              const fs::path& file, bool overwrite) {
  return join_segy(shots, floats_of(options), file, overwrite);
}

std::uint64_t segy_bytes(const GatherSize& size) {
  return segy::file_header_bytes + saturated_product({size.receivers, size.samples, sizeof(float)}) +
         size.receivers * segy::trace_header_bytes;
}

bool is_segy_of(const ShotIdentity& shot, const fs::path& file) {
  std::string words(segy::text_header_bytes, '\0');
  std::ifstream(file, std::ios::binary).read(words.data(), static_cast<std::streamsize>(words.size()));
  return words.find(segy::ebcdic(segy::words_of(shot))) != std::string::npos;
}

}  // namespace

extern const GatherFormat segy_gathers;
const GatherFormat segy_gathers{
    .name = "segy",
    .title = "SEG-Y",
    .remark = "SEG-Y revision 1, whose sampling is whole microseconds",
    .suffix = ".sgy",
    .is_named = is_segy_name,
    .kind = &segy_kind,
    .write = write_with_options,
    .read = read_segy_traces,
    .bytes = segy_bytes,
    .is_of = is_segy_of,
    .options = segy_options,
    .limits = {.time_step = segy_time_step,
               .steps_are = "whole microseconds",
               .unit_before_zero = 1e-3,
               .require_sampling = require_segy_sampling,
               .require_positions = require_segy_positions},
    .merger = {.kind = &segy_kind, .write = merge_with_options, .join = join_with_options}};

}  // namespace minimod
