#include <fstream>

#include "src/base/error.hpp"
#include "src/base/files/file_suffix.hpp"
#include "src/base/option.hpp"
#include "src/base/saturated.hpp"
#include "src/io/gather_format.hpp"
#include "src/io/segy/segy_headers.hpp"
#include "src/io/segy/segy_limits.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

void write_with_options(const ShotGather& gather, int shot, const FormatOptions& options,
                        const fs::path& file, bool overwrite) {
  write_segy(gather, {options.segy_floats.value_or(SegyFloats::ieee), shot}, file, overwrite);
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

void refuse_floats(const FormatOptions& options) {
  if (!options.segy_floats) return;
  throw Error(ExitCode::usage, option("segy-floats") + " is given, but no SEG-Y file is asked for",
              text("leave it out, or give ", option("format"), " segy"));
}

}  // namespace

const GatherFormat segy_gathers{.name = "segy",
                                .title = "SEG-Y",
                                .remark = "SEG-Y revision 1, whose sampling is whole microseconds",
                                .suffix = ".sgy",
                                .is_named = is_segy_name,
                                .kind = &segy_kind,
                                .write = write_with_options,
                                .bytes = segy_bytes,
                                .is_of = is_segy_of,
                                .require_unasked = refuse_floats,
                                .limits = {.time_step = segy_time_step,
                                           .steps_are = "whole microseconds",
                                           .unit_before_zero = 1e-3,
                                           .require_sampling = require_segy_sampling,
                                           .require_positions = require_segy_positions}};

}  // namespace minimod
