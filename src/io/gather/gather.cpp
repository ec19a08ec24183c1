#include "src/io/gather/gather.hpp"

#include <algorithm>
#include <set>

#include "src/io/gather/gather_file.hpp"
#include "src/io/gather/gather_writer.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;
using gather_file::Dataset;

static_assert(sizeof(Point3) == 3 * sizeof(double), "positions are stored as [n, 3]");

[[noreturn]] void report_contradiction(const ShotGather& gather, const char* what) {
  throw Error(ErrorKind::internal,
              text("a shot gather of ", gather.receivers.size(), " receivers with ", gather.samples,
                   " samples holds ", gather.traces.size(), " values", what),
              "report this");
}

/// A gather that contradicts itself is a bug of the caller.
void require_consistent(const ShotGather& gather) {
  const std::size_t n = gather.receivers.size();
  std::set<std::string> names = {"format"};
  for (const auto& entry : gather.metadata) {
    if (!names.insert(entry.first).second) report_contradiction(gather, " and has a metadata name twice");
  }
  if (n == 0 || gather.traces.size() != n * gather.samples || gather.requested_receivers.size() != n ||
      (!gather.stations.empty() && gather.stations.size() != n) ||
      (!gather.water_depths.empty() && gather.water_depths.size() != n) || gather.sources.empty() ||
      gather.requested_sources.size() != gather.sources.size()) {
    report_contradiction(gather, "");
  }
}

}  // namespace

void write(const ShotGather& gather, const fs::path& file, bool overwrite) {
  require_consistent(gather);
  const auto is_other = [&](const std::vector<double>& wavelet) {
    return wavelet.empty() || wavelet.size() != gather.wavelets.front().size();
  };
  const bool may_lack_all = std::ranges::any_of(
      gather.metadata, [](const auto& entry) { return entry.first == injected_file_attribute; });
  const bool has_all =
      gather.wavelets.empty() ? may_lack_all : gather.wavelets.size() == gather.sources.size();
  if (gather.samples == 0 || !has_all || std::ranges::any_of(gather.wavelets, is_other)) {
    report_contradiction(gather, " and may lack a wavelet");
  }
  const gather_file::FileAxes axes(gather);
  auto datasets = gather_file::geometry_datasets(gather, axes);
  gather_file::add_signals(datasets, gather, axes);
  gather_file::add_sections(datasets, gather.sections);
  gather_file::write_whole(gather_file::format_name, gather_file::kind, datasets, gather.metadata, file,
                           overwrite);
}

void write_sections(const ShotGather& gather, const fs::path& file, bool overwrite) {
  require_consistent(gather);
  const gather_file::FileAxes axes(gather);
  auto datasets = gather_file::geometry_datasets(gather, axes);
  gather_file::add_sections(datasets, gather.sections);
  gather_file::write_whole(gather_file::sections_format_name, gather_file::kind, datasets, gather.metadata,
                           file, overwrite);
}

}  // namespace minimod
