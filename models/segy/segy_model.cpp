/// SEG-Y models, revisions 0 to 2: one trace is one depth column, its samples are velocities.
///
/// Lengths are metres, or feet where the measurement system of the file header is 2. The standard has no
/// depth step; its time fields are read as depth, a second for 1000 units of length: the sample interval
/// (microseconds) in thousandths (7500 is 7.5 m), the delay (milliseconds, with the scalar of bytes 215-216)
/// in whole ones, as the depth of the first sample. A file that seems to be in time is refused
/// (segy_domain.hpp). Positions of the traces come from the coordinates in
/// their headers (CDP, else source, else receiver group), which must be lengths. Traces whose numbers of
/// lines or places fill a rectangle are a 3-D model, those of one line a section (segy_rows.hpp).
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/readers.hpp"
#include "models/segy/segy_domain.hpp"
#include "models/segy/segy_geometry.hpp"
#include "src/base/option.hpp"
#include "src/base/segy/segy_input.hpp"

namespace minimod {
namespace {

/// Reads trace headers. Which coordinates are used is decided once, for all traces.
class TraceHeaders {
 public:
  TraceHeaders(const segy::Input& file, const SegyWords& words)
      : file_(file),
        inline_(said(words.inline_number, segy::trace::inline_number)),
        crossline_(said(words.crossline_number, segy::trace::crossline_number)) {
    using namespace segy::trace;
    constexpr std::pair<segy::Field, segy::Field> places[] = {
        {ensemble_x, ensemble_y}, {source_x, source_y}, {receiver_x, receiver_y}};
    for (const auto& [x, y] : places) {
      x_ = said(words.x, x);
      y_ = said(words.y, y);
      if (words.x) return;
      const TraceHeader first = read(0), last = read(file.traces() - 1);
      if (first.x != last.x || first.y != last.y) return;
    }
  }

  [[nodiscard]] TraceHeader read(std::uint64_t trace) const {
    using namespace segy::trace;
    const segy::TraceWords words = file_.words(trace);
    const auto number = [&](segy::Field field) { return segy::number_at(words, field); };
    const double metres = file_.header().metres();
    TraceHeader result;
    result.unit = segy::scaled(1, number(coordinate_scalar)) * metres;
    result.x = segy::scaled_at(words, x_, coordinate_scalar) * metres;
    result.y = segy::scaled_at(words, y_, coordinate_scalar) * metres;
    result.coordinate_units = number(segy::trace::coordinate_units);
    result.kind = number(segy::trace::kind);
    result.first_depth = segy::scaled_at(words, delay, time_scalar) * metres;
    result.interval = static_cast<int>(segy::count_at(words, segy::trace::interval));
    result.inline_number = number(inline_);
    result.crossline_number = number(crossline_);
    result.record_number = number(record);
    result.ensemble_number = number(ensemble);
    return result;
  }

 private:
  /// The field of 4 bytes that an option says, or the standard's.
  static segy::Field said(const std::optional<int>& first, segy::Field usual) {
    return {static_cast<std::size_t>(first.value_or(static_cast<int>(usual.at))), usual.bytes};
  }

  const segy::Input& file_;
  segy::Field inline_, crossline_, x_{}, y_{};
};

class SegyModel final : public ModelFile {
 public:
  SegyModel(const ModelSpec& spec, const std::filesystem::path& path) : file_(path), header_(file_.header()) {
    if (!spec.axes.empty()) {
      throw Error(ErrorKind::parameter,
                  option("model-axes") + " is given with a SEG-Y file, which has depth as its fastest axis",
                  "leave it out");
    }
    const std::vector<TraceHeader> traces = read_headers(spec.segy);
    const RowWishes wishes{spec.dims, spec.segy.inline_number || spec.segy.crossline_number};
    SegyGeometry geometry = arrange_traces(traces, wishes, {!spec.spacing, header_.metres()}, path);
    grid_ = std::move(geometry.grid);
    layout_.axes = geometry.columns_along_x ? Axes{'z', 'x', 'y'} : Axes{'z', 'y', 'x'};
    layout_.dims = {static_cast<int>(header_.samples), grid_.columns, grid_.rows};
    layout_.notes = std::move(geometry.notes);
    layout_.coordinates = geometry.coordinates;
    layout_.coordinates.origin.z = first_depth(traces);
    require_dims(spec, layout_, path);
    if (!spec.spacing) {
      layout_.spacing = geometry.spacing;
      layout_.spacing->z = depth_step(traces);
      if (!spec.segy.in_depth) require_depth(traces.front(), header_, *layout_.spacing, path);
    }
    require_unit(spec);
  }

  [[nodiscard]] const FileLayout& layout() const override { return layout_; }

  void read(int first, int count, std::span<double> values) override {
    bytes_.resize(segy::sample_bytes * header_.samples);
    const auto begin = static_cast<std::size_t>(first) * grid_.columns;
    const auto end = begin + static_cast<std::size_t>(count) * grid_.columns;
    auto value = values.begin();
    for (std::size_t cell = begin; cell < end; ++cell) {
      const auto trace = static_cast<std::uint64_t>(grid_.trace_at[cell]);
      file_.read_samples(trace, bytes_);
      for (std::size_t i = 0; i < bytes_.size(); i += segy::sample_bytes)
        *value++ = segy::sample_in(std::span(bytes_).subspan(i), header_.floats);
    }
  }

 private:
  [[nodiscard]] std::vector<TraceHeader> read_headers(const SegyWords& words) const {
    const std::uint64_t count = file_.traces();
    if (count > std::numeric_limits<int>::max()) {
      throw file_error(file_.path(), text("holds ", count, " traces"), "at most 2^31 - 1 are possible");
    }
    const TraceHeaders headers(file_, words);
    std::vector<TraceHeader> traces;
    traces.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) traces.push_back(headers.read(i));
    return traces;
  }

  /// Step in depth from the file header, or from the traces where that does not say, m; 0 where neither does.
  [[nodiscard]] double depth_step(const std::vector<TraceHeader>& traces) {
    const int interval = header_.interval != 0 ? header_.interval : traces.front().interval;
    for (const TraceHeader& trace : traces) {
      if (trace.interval == interval || trace.interval == 0) continue;
      throw file_error(file_.path(),
                       text("has a sample interval of ", trace.interval, " in trace ",
                            &trace - traces.data() + 1, " and of ", interval, " before it"),
                       "make them one, or give " + option("model-spacing"));
    }
    layout_.notes.push_back(text("sample interval ", interval, " read as ", interval / 1000.0,
                                 header_.system == 2   ? " ft"
                                 : header_.system == 1 ? " m"
                                                       : " m (the file does not say metres or feet)"));
    return interval / 1000.0 * header_.metres();
  }

  [[nodiscard]] double first_depth(const std::vector<TraceHeader>& traces) const {
    const double depth = traces.front().first_depth;
    for (const TraceHeader& trace : traces) {
      if (trace.first_depth == depth) continue;
      throw file_error(file_.path(),
                       text("has its first sample at ", trace.first_depth, " m in trace ",
                            &trace - traces.data() + 1, " and at ", depth, " m in the first (the delay)"),
                       "give traces that begin at one depth");
    }
    return depth;
  }

  /// SEG-Y has no place for the unit of a velocity; in a file of feet none goes without saying.
  void require_unit(const ModelSpec& spec) const {
    if (header_.system != 2 || !spec.unit.empty()) return;
    throw file_error(file_.path(), "is in feet, and does not say the unit of its velocities",
                     text("give ", option("velocity-unit"), " ft/s (or m/s)"));
  }

  segy::Input file_;
  const segy::InputHeader& header_;
  FileLayout layout_;
  TraceGrid grid_;
  std::vector<std::byte> bytes_;
};

}  // namespace

std::unique_ptr<ModelFile> open_segy_model(const ModelSpec& spec, const std::filesystem::path& path) {
  return std::make_unique<SegyModel>(spec, path);
}

}  // namespace minimod
