#include "models/velocity_model.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "models/plausibility.hpp"
#include "models/readers.hpp"
#include "src/base/checksum.hpp"
#include "src/base/host_memory.hpp"
#include "src/base/parse.hpp"

namespace minimod {
namespace {

// ---- what the command line gives in full

float velocity_of(std::string_view value, double factor) {
  const auto v = static_cast<float>(factor * parse_positive(value, "--model"));
  if (!std::isnormal(v)) {
    throw Error(ExitCode::usage, text("--model velocity '", escaped(value, 40), "' is no float32"),
                "give a velocity in m/s, such as 2000");
  }
  return v;
}

std::vector<Layer> parse_layers(std::string_view list, double factor) {
  std::vector<Layer> layers;
  for (const std::string_view part : split(list, ',')) {
    const auto fields = split(part, '@');
    if (fields.size() != 2) {
      throw Error(ExitCode::usage, text("--model layer '", escaped(part, 40), "' is not V@Z"),
                  "give layers as layered:1500@0,2500@400");
    }
    const double top = parse_number(fields[1], "--model");
    const bool in_order = layers.empty() ? top <= 0 : top > layers.back().top;
    if (!in_order) {
      throw Error(ExitCode::usage, text("--model layer '", escaped(part, 40), "' begins at ", top, " m"),
                  layers.empty() ? "the first layer begins at 0 or above"
                                 : text("give a depth below the layer above, at ", layers.back().top, " m"));
    }
    layers.push_back({top, velocity_of(fields[0], factor)});
  }
  return layers;
}

/// Nodes of a file cannot be chosen where there is no file.
void require_no_file_options(const ModelSpec& spec) {
  const std::pair<bool, const char*> options[] = {{spec.dims.has_value(), "--model-dims"},
                                                  {!spec.axes.empty(), "--model-axes"},
                                                  {spec.spacing.has_value(), "--model-spacing"},
                                                  {spec.crop.has_value(), "--crop"},
                                                  {spec.decimate != Index3{1, 1, 1}, "--decimate"}};
  for (const auto& [given, option] : options) {
    if (given)
      throw Error(ExitCode::usage, text(option, " is given with a model that is no file"), "leave it out");
  }
}

VelocityModel layered_model(const ModelSpec& spec, std::vector<Layer> layers) {
  require_no_file_options(spec);
  VelocityModel model;
  const auto [least, greatest] = std::ranges::minmax(layers, {}, &Layer::v);
  model.v_min = least.v;
  model.v_max = greatest.v;
  model.layers = std::move(layers);
  return model;
}

// ---- files

struct FileName {
  std::filesystem::path path;
  std::string dataset = "/vp";
};

std::string suffix_of(const std::filesystem::path& path) {
  std::string suffix = path.extension().string();
  std::ranges::transform(suffix, suffix.begin(), [](unsigned char c) { return std::tolower(c); });
  return suffix;
}

bool is_hdf5_name(const std::filesystem::path& path) {
  const std::string suffix = suffix_of(path);
  return suffix == ".h5" || suffix == ".hdf5";
}

/// "file.h5:/group/vp" names a dataset; without one it is /vp.
FileName parse_file_name(const std::string& source) {
  const std::size_t colon = source.rfind(":/");
  if (colon != std::string::npos && is_hdf5_name(source.substr(0, colon))) {
    return {source.substr(0, colon), source.substr(colon + 1)};
  }
  return {source};
}

std::unique_ptr<ModelFile> open_model_file(const ModelSpec& spec, const FileName& name) {
  if (is_hdf5_name(name.path)) return open_hdf5_model(spec, name.path, name.dataset);
  const std::string suffix = suffix_of(name.path);
  if (suffix == ".sgy" || suffix == ".segy") return open_segy_model(spec, name.path);
  return open_raw_model(spec, name.path);
}

/// Nodes of a file that are kept along one axis: begin, begin + step, ...
struct Pick {
  int begin = 0, count = 0, step = 1;
  [[nodiscard]] int node(int i) const { return begin + i * step; }
};

Pick pick_of(const ModelSpec& spec, int points, int begin, int end, int step, char axis) {
  if (!spec.crop || (begin == 0 && end == 0)) {
    begin = 0;
    end = points;
  }
  if (begin < 0 || end <= begin || end > points) {
    throw Error(ExitCode::usage, text("--crop keeps nodes ", begin, ":", end, " along ", axis),
                text("give a range within 0:", points));
  }
  if (step < 1) throw Error(ExitCode::usage, text("--decimate ", step, " along ", axis), "give 1 or more");
  return {begin, 1 + (end - begin - 1) / step, step};
}

struct Picks {
  Pick x, y, z;
  [[nodiscard]] const Pick& along(char axis) const { return axis == 'x' ? x : axis == 'y' ? y : z; }
};

Picks picks_of(const ModelSpec& spec, const Extent3& n) {
  const Box3 box = spec.crop.value_or(Box3{});
  const Index3 step = spec.decimate;
  return {pick_of(spec, n.x, box.begin.x, box.end.x, step.x, 'x'),
          pick_of(spec, n.y, box.begin.y, box.end.y, step.y, 'y'),
          pick_of(spec, n.z, box.begin.z, box.end.z, step.z, 'z')};
}

/// Copies slabs of a file to their places in a model, in m/s.
class Filler {
 public:
  Filler(VelocityModel& model, const FileLayout& layout, const Picks& picks, double factor)
      : v_(model.v.data()), dims_(layout.dims), factor_(factor) {
    const Extent3 n = model.n;
    for (std::size_t i = 0; i < 3; ++i) {
      const char axis = layout.axes[i];
      picks_[i] = picks.along(axis);
      strides_[i] = axis == 'x' ? 1 : axis == 'y' ? std::int64_t{n.x} : std::int64_t{n.x} * n.y;
    }
  }

  [[nodiscard]] const Pick& slowest() const { return picks_[2]; }

  /// Index `k` of the picked ones of the slowest axis, from `plane`, the file's values of it. Tiled along the
  /// fastest axis, so that a transposed file writes whole cache lines.
  void fill(int k, const double* plane) {
    constexpr int tile = 16;
    float* const to = v_ + k * strides_[2];
    const Pick &fast = picks_[0], &middle = picks_[1];
    for (int begin = 0; begin < fast.count; begin += tile) {
      const int end = std::min(begin + tile, fast.count);
      for (int j = 0; j < middle.count; ++j) {
        const double* const from = plane + std::int64_t{middle.node(j)} * dims_[0];
        for (int i = begin; i < end; ++i) {
          to[i * strides_[0] + j * strides_[1]] = static_cast<float>(factor_ * from[fast.node(i)]);
        }
      }
    }
  }

 private:
  float* v_;
  std::array<int, 3> dims_;
  double factor_;
  std::array<Pick, 3> picks_;
  std::array<std::int64_t, 3> strides_{};
};

void read_values(VelocityModel& model, ModelFile& file, const Picks& picks, double factor,
                 const std::filesystem::path& path) {
  const FileLayout& layout = file.layout();
  const std::int64_t plane = std::int64_t{layout.dims[0]} * layout.dims[1];
  const int thickness = std::clamp(layout.slab, 1, layout.dims[2]);
  const double bytes = static_cast<double>(sizeof(float)) * model.n.x * model.n.y * model.n.z +
                       static_cast<double>(sizeof(double)) * plane * thickness;
  const auto available = static_cast<double>(available_host_memory());
  if (bytes > available) {
    throw Error(ExitCode::resource,
                text("'", escaped(path.native(), 60), "' takes ", bytes, " bytes to read, ", available,
                     " are available"),
                "take --crop or --decimate");
  }
  model.v.resize(static_cast<std::size_t>(model.n.points()));
  std::vector<double> slab;
  Filler filler(model, layout, picks, factor);
  const Pick& slow = filler.slowest();
  int first = 0, count = 0;  // the slab that is held
  for (int k = 0; k < slow.count; ++k) {
    const int node = slow.node(k);
    if (node >= first + count) {
      first = node - node % thickness;
      count = std::min(thickness, layout.dims[2] - first);
      slab.resize(static_cast<std::size_t>(count * plane));
      file.read(first, count, slab);
    }
    filler.fill(k, slab.data() + (node - first) * plane);
  }
}

bool is_velocity(float v) {
  return v > 0 && std::isnormal(v);
}

/// Sets the extremes. Errors: 65 with the first node, in the file's numbering, that holds no velocity.
void check_values(VelocityModel& model, const Picks& picks, const std::filesystem::path& path) {
  const auto bad = std::ranges::count_if(model.v, [](float v) { return !is_velocity(v); });
  if (bad > 0) {
    const auto first = std::ranges::find_if_not(model.v, is_velocity);
    const auto i = first - model.v.begin();
    const std::int64_t row = i / model.n.x;
    throw model_error(path,
                      text("holds velocity ", *first, " at node (x, y, z) = (",
                           picks.x.node(static_cast<int>(i % model.n.x)), ", ",
                           picks.y.node(static_cast<int>(row % model.n.y)), ", ",
                           picks.z.node(static_cast<int>(row / model.n.y)), "), the first of ", bad,
                           " that are no normal number above 0"),
                      "correct the values");
  }
  const auto [least, greatest] = std::ranges::minmax(model.v);
  model.v_min = least;
  model.v_max = greatest;
}

/// What to give where a file does not say its spacing: two options are easily taken for each other.
constexpr const char* spacing_remedy =
    "give --model-spacing, the distance of the file's nodes (--spacing is that of the run's, to which they "
    "are resampled)";

Point3 spacing_of(const ModelSpec& spec, const FileLayout& layout, const std::filesystem::path& path) {
  if (!spec.spacing && !layout.spacing) {
    throw model_error(path, "does not say the spacing of its nodes", spacing_remedy);
  }
  const Point3 spacing = spec.spacing ? *spec.spacing : *layout.spacing;
  for (const double h : {spacing.x, spacing.y, spacing.z}) {
    if (std::isfinite(h) && h > 0) continue;
    if (spec.spacing) throw Error(ExitCode::usage, text("--model-spacing ", h), "give metres above 0");
    throw model_error(
        path,
        text("says that its nodes are ", spacing.x, ", ", spacing.y, ", ", spacing.z, " m apart (x, y, z)"),
        "give --model-spacing");
  }
  require_plausible_spacing(
      spacing, text("'", escaped(path.native(), 60), "': the spacing"),
      spec.spacing ? "correct --model-spacing" : "correct the file, or give --model-spacing");
  return spacing;
}

/// A raw file says nothing of itself: what is missing is missing on the command line.
void require_raw_options(const ModelSpec& spec, const std::filesystem::path& path) {
  const std::string suffix = suffix_of(path);
  if (is_hdf5_name(path) || suffix == ".sgy" || suffix == ".segy" || spec.spacing) return;
  throw Error(ExitCode::usage, text("'", escaped(path.native(), 60), "' is raw and does not say its spacing"),
              spacing_remedy);
}

ModelCut cut_of(const FileLayout& layout, const Picks& picks, Point3 h, const std::filesystem::path& path) {
  const auto end = [](const Pick& pick) { return pick.node(pick.count - 1) + 1; };
  const Point3 first{picks.x.begin * h.x, picks.y.begin * h.y, picks.z.begin * h.z};
  const bool section = extent_of(layout).y == 1;
  ModelCut cut{axes_text(layout.axes, section),
               layout.unit,
               h,
               {{picks.x.begin, picks.y.begin, picks.z.begin}, {end(picks.x), end(picks.y), end(picks.z)}},
               {picks.x.step, picks.y.step, picks.z.step},
               layout.coordinates,
               crc32_of_file(path),
               layout.notes};
  cut.coordinates.origin = layout.coordinates.to_file(first);
  return cut;
}

VelocityModel load_file(const ModelSpec& spec, double factor) {
  const FileName name = parse_file_name(spec.source);
  const auto file = open_model_file(spec, name);
  require_raw_options(spec, name.path);
  const FileLayout& layout = file->layout();
  if (const auto unit = velocity_unit(layout.unit)) factor = *unit;
  const Picks picks = picks_of(spec, extent_of(layout));
  const Point3 h = spacing_of(spec, layout, name.path);
  VelocityModel model;
  model.from_file = true;
  model.n = {picks.x.count, picks.y.count, picks.z.count};
  model.spacing = {h.x * picks.x.step, h.y * picks.y.step, h.z * picks.z.step};
  read_values(model, *file, picks, factor, name.path);
  check_values(model, picks, name.path);
  model.cut = cut_of(layout, picks, h, name.path);
  if (!spec.unit.empty()) model.cut.unit = spec.unit;
  return model;
}

double factor_of(const std::string& unit) {
  if (unit.empty()) return 1;
  if (const auto factor = velocity_unit(unit)) return *factor;
  throw Error(ExitCode::usage, text("--velocity-unit '", escaped(unit, 40), "' is unknown"),
              "give m/s, km/s or ft/s");
}

void require_plausible(const ModelSpec& spec, const VelocityModel& model) {
  const bool unit_said = !spec.unit.empty() || !model.cut.unit.empty();
  require_plausible_velocities(model.name, model.v_min, model.v_max, unit_said);
}

// ---- values on a run's grid

/// Where a run's point lies among the model's nodes along one axis: `weight` of the way from `node` to
/// `next`.
struct Place {
  int node = 0, next = 0;
  double weight = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// How far from a node, in intervals, a point at `position` still counts as on it: more than the rounding of
/// a spacing that a file keeps as float32.
double tolerance_at(double position) {
  return 1e-7 * std::max(1.0, position);
}

/// Point `i` of the run (0: the model's first node), `ratio` model intervals from the one before.
Place place_of(int i, double ratio, int nodes) {
  const double position = std::clamp(i * ratio, 0.0, nodes - 1.0);
  const double tolerance = tolerance_at(position);
  const double node = std::min(std::floor(position + tolerance), nodes - 1.0);
  const double weight = position - node;
  const int n = static_cast<int>(node);
  return weight < tolerance ? Place{n, n, 0} : Place{n, n + 1, weight};
}

float between(float a, float b, double weight) {
  return static_cast<float>(a + weight * (static_cast<double>(b) - a));
}

/// to = from + weight (next - from), in place where `weight` is 0.
void blend_rows(const float* from, const float* next, double weight, std::span<float> to) {
  if (weight == 0) {
    std::copy_n(from, to.size(), to.begin());
    return;
  }
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = between(from[i], next[i], weight);
}

/// A row of the model's nodes along x, between rows along y and z. The buffers are kept from row to row.
class RowBlend {
 public:
  explicit RowBlend(const VelocityModel& model)
      : model_(model), upper_(static_cast<std::size_t>(model.n.x)), lower_(upper_.size()) {}

  const std::vector<float>& at(const Place& y, const Place& z) {
    blend_rows(row(y.node, z.node), row(y.next, z.node), y.weight, upper_);
    if (z.weight != 0) {
      blend_rows(row(y.node, z.next), row(y.next, z.next), y.weight, lower_);
      blend_rows(upper_.data(), lower_.data(), z.weight, upper_);
    }
    return upper_;
  }

 private:
  [[nodiscard]] const float* row(int y, int z) const {
    return model_.v.data() + (std::int64_t{z} * model_.n.y + y) * model_.n.x;
  }

  const VelocityModel& model_;
  std::vector<float> upper_, lower_;
};

/// The layer whose top is at or above depth `z`; the first one above them all.
float layer_velocity(const std::vector<Layer>& layers, double z, double spacing) {
  // The depth of a point is a rounded product: a top that lies on the point belongs to it.
  const double depth = z + 1e-9 * spacing;
  const auto below = std::ranges::upper_bound(layers, depth, {}, &Layer::top);
  return below == layers.begin() ? layers.front().v : std::prev(below)->v;
}

}  // namespace

VelocityModel load_model(const ModelSpec& spec) {
  constexpr std::string_view constant = "constant:", layered = "layered:";
  const std::string_view source = spec.source;
  const double factor = factor_of(spec.unit);
  VelocityModel model;
  if (source.starts_with(constant)) {
    model = layered_model(spec, {{0, velocity_of(source.substr(constant.size()), factor)}});
  } else if (source.starts_with(layered)) {
    model = layered_model(spec, parse_layers(source.substr(layered.size()), factor));
  } else {
    model = load_file(spec, factor);
  }
  model.name = spec.source;
  require_plausible(spec, model);
  return model;
}

Extent3 inner_extent(const VelocityModel& model, Point3 spacing, int extrude) {
  const auto points = [](int nodes, double model_spacing, double run_spacing) {
    const double intervals = (nodes - 1) * (model_spacing / run_spacing);
    const double count = std::floor(intervals + tolerance_at(intervals)) + 1;
    if (count <= std::numeric_limits<int>::max()) return static_cast<int>(count);
    throw Error(ExitCode::resource,
                text("the model has ", count, " points, ", run_spacing, " m apart, along an axis"),
                "take a larger --spacing");
  };
  return {points(model.n.x, model.spacing.x, spacing.x),
          model.n.y == 1 ? extrude : points(model.n.y, model.spacing.y, spacing.y),
          points(model.n.z, model.spacing.z, spacing.z)};
}

void sample_plane(const VelocityModel& model, Extent3 n, Point3 spacing, Index3 inner_begin, int z,
                  std::span<float> values) {
  const int depth = z - inner_begin.z;
  if (!model.layers.empty()) {
    std::ranges::fill(values, layer_velocity(model.layers, depth * spacing.z, spacing.z));
    return;
  }
  const Point3 ratio{spacing.x / model.spacing.x, spacing.y / model.spacing.y, spacing.z / model.spacing.z};
  std::vector<Place> columns(static_cast<std::size_t>(n.x));
  for (int x = 0; x < n.x; ++x) {
    columns[static_cast<std::size_t>(x)] = place_of(x - inner_begin.x, ratio.x, model.n.x);
  }
  const Place plane = place_of(depth, ratio.z, model.n.z);
  RowBlend rows(model);
  Place last{-1, -1, 0};
  auto to = values.begin();
  for (int y = 0; y < n.y; ++y, to += n.x) {
    const Place row = place_of(y - inner_begin.y, ratio.y, model.n.y);
    if (row == last) {
      std::copy_n(to - n.x, n.x, to);  // outside the model along y, and all along an extruded section
      continue;
    }
    const std::vector<float>& nodes = rows.at(row, plane);
    std::ranges::transform(columns, to, [&nodes](const Place& p) {
      return between(nodes[static_cast<std::size_t>(p.node)], nodes[static_cast<std::size_t>(p.next)],
                     p.weight);
    });
    last = row;
  }
}

}  // namespace minimod
