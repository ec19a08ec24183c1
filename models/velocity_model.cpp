#include "models/velocity_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "models/band_limit.hpp"
#include "models/kept_nodes.hpp"
#include "models/plausibility.hpp"
#include "models/readers.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/host_memory.hpp"

namespace minimod {
namespace {

// ---- models that the command line gives in full

double factor_of(const std::string& unit) {
  if (unit.empty()) return 1;
  if (const auto factor = velocity_unit(unit)) return *factor;
  throw Error(ErrorKind::parameter, text(option("velocity-unit"), " '", escaped(unit, 40), "' is unknown"),
              "give m/s, km/s or ft/s");
}

float velocity_of(std::string_view value, double factor) {
  const auto v = static_cast<float>(factor * parse_positive(value, option("model")));
  if (!std::isnormal(v)) {
    throw Error(ErrorKind::parameter,
                text(option("model"), " velocity '", escaped(value, 40), "' is no float32"),
                "give a velocity in m/s, such as 2000");
  }
  return v;
}

/// "1500" or "1500/2200": V, and what is said beyond it.
Layer layer_of(std::string_view values, double top, double factor) {
  const std::vector<std::string_view> words = split(values, '/');
  Layer layer{top, velocity_of(words.front(), factor)};
  for (std::size_t i = 1; i < words.size(); ++i)
    layer.columns.push_back(parse_number(words[i], option("model")));
  return layer;
}

std::vector<Layer> parse_layers(std::string_view list, double factor) {
  std::vector<Layer> layers;
  for (const std::string_view part : split(list, ',')) {
    const auto fields = split(part, '@');
    if (fields.size() != 2) {
      throw Error(ErrorKind::parameter, text(option("model"), " layer '", escaped(part, 40), "' is not V@Z"),
                  "give layers as layered:1500@0,2500@400");
    }
    const double top = parse_number(fields[1], option("model"));
    const bool in_order = layers.empty() ? top <= 0 : top > layers.back().top;
    if (!in_order) {
      throw Error(ErrorKind::parameter,
                  text(option("model"), " layer '", escaped(part, 40), "' begins at ", top, " m"),
                  layers.empty() ? "the first layer begins at 0 or above"
                                 : text("give a depth below the layer above, at ", layers.back().top, " m"));
    }
    layers.push_back(layer_of(fields[0], top, factor));
  }
  return layers;
}

/// "1500+0.6z" or "2000-1e-1z".
Gradient parse_gradient(std::string_view value, double factor) {
  const auto refuse = [value] {
    return Error(ErrorKind::parameter,
                 text(option("model"), " gradient '", escaped(value, 40), "' is not V+Kz"),
                 "give the velocity at z = 0 and its change a metre as gradient:1500+0.6z");
  };
  const std::size_t sign = value.find_last_of("+-");
  const bool of_exponent = sign != std::string_view::npos && sign > 0 && (value[sign - 1] | 0x20) == 'e';
  const std::size_t at = of_exponent ? value.find_last_of("+-", sign - 1) : sign;
  if (at == std::string_view::npos || at == 0 || !value.ends_with('z')) throw refuse();
  const auto slope = to_number(value.substr(at + 1, value.size() - at - 2));
  if (!slope || *slope < 0) throw refuse();
  return {velocity_of(value.substr(0, at), factor), factor * (value[at] == '-' ? -*slope : *slope)};
}

/// Nodes of a file cannot be chosen where there is no file.
void require_no_file_options(const ModelSpec& spec) {
  const std::pair<bool, std::string> options[] = {{spec.dims.has_value(), option("model-dims")},
                                                  {!spec.axes.empty(), option("model-axes")},
                                                  {spec.spacing.has_value(), option("model-spacing")},
                                                  {spec.segy != SegyWords{}, option("segy-header")},
                                                  {spec.crop.has_value(), option("crop")},
                                                  {spec.decimate != Index3{1, 1, 1}, option("decimate")}};
  for (const auto& [given, name] : options) {
    if (given)
      throw Error(ErrorKind::parameter, text(name, " is given with a model that is no file"), "leave it out");
  }
}

VelocityModel layered_model(const ModelSpec& spec, std::vector<Layer> layers) {
  require_no_file_options(spec);
  VelocityModel model;
  model.layers = std::move(layers);
  return model;
}

// ---- files

Pick pick_of(const ModelSpec& spec, int points, int begin, int end, int step, char axis) {
  if (!spec.crop || (begin == 0 && end == 0)) {
    begin = 0;
    end = points;
  }
  if (begin < 0 || end <= begin || end > points) {
    throw Error(ErrorKind::parameter, text(option("crop"), " keeps nodes ", begin, ":", end, " along ", axis),
                text("give a range within 0:", points));
  }
  if (step < 1)
    throw Error(ErrorKind::parameter, text(option("decimate"), " ", step, " along ", axis), "give 1 or more");
  return {begin, end, 1 + (end - begin - 1) / step, step};
}

Picks picks_of(const ModelSpec& spec, const Extent3& n) {
  const Box3 box = spec.crop.value_or(Box3{});
  const Index3 step = spec.decimate;
  return {pick_of(spec, n.x, box.begin.x, box.end.x, step.x, 'x'),
          pick_of(spec, n.y, box.begin.y, box.end.y, step.y, 'y'),
          pick_of(spec, n.z, box.begin.z, box.end.z, step.z, 'z')};
}

/// A file that is open, and what of it is wanted.
struct OpenModel {
  std::filesystem::path path;
  std::unique_ptr<ModelFile> file;
  Picks picks;
  double factor = 1;  ///< to m/s
};

/// Error 71 where the values of so many planes, and what takes so many bytes besides, do not fit beside those
/// that the file is read by.
void require_memory(const VelocityModel& model, const OpenModel& open, int planes, double besides = 0) {
  const FileLayout& layout = open.file->layout();
  const std::int64_t plane = std::int64_t{layout.dims[0]} * layout.dims[1];
  const double bytes =
      static_cast<double>(sizeof(float)) * model.n.x * model.n.y * planes +
      static_cast<double>(sizeof(double)) * plane * (CheckedPlanes::thickness_of(layout) + 1) + besides;
  const auto available = static_cast<double>(available_host_memory());
  if (bytes > available) {
    throw Error(ErrorKind::resource,
                text("'", escaped(open.path.native(), 60), "' takes ", bytes, " bytes to read, ", available,
                     " are available"),
                text("take ", option("crop"), " or ", option("decimate")));
  }
}

/// Facts of what was read for them. Errors: 65 for values that are no velocities; 71.
VelocityFacts hold_planes(VelocityModel& model, OpenModel& open, PlaneRange planes) {
  model.held = {};
  model.v = std::vector<float>();
  KeptNodes nodes(open.file->layout(), open.picks, open.factor,
                  SlownessBounds::around(model.v_min, model.v_max), {planes.begin, planes.end});
  require_memory(model, open, planes.end - planes.begin, nodes.bytes());
  const std::size_t count = std::size_t(model.n.x) * model.n.y * (planes.end - planes.begin);
  model.v.reserve(count);
  make_pages(model.v.data(), count * sizeof(float));
  model.v.resize(count);
  CheckedPlanes checked(*open.file, open.picks, open.factor);
  nodes.read(checked, model.v);
  checked.facts().require_velocities(open.path);
  model.held = planes;
  return checked.facts();
}

void take_facts(VelocityModel& model, VelocityFacts facts) {
  model.v_min = facts.v_min;
  model.v_max = facts.v_max();
  model.greatest = std::move(facts.greatest);
}

/// Finds the extremes of the nodes within the crop, decimated or not. Errors: as hold_planes.
void find_extremes(VelocityModel& model, OpenModel& open) {
  require_memory(model, open, 0);
  CheckedPlanes checked(*open.file, open.picks, open.factor);
  const Pick& slow = open.picks.along(open.file->layout().axes[2]);
  for (int node = slow.begin; node < slow.end; ++node) checked.at(node);
  checked.facts().require_velocities(open.path);
  take_facts(model, checked.facts());
}

/// Has the model know where its nodes are, and facts of them. Error 65 for values that are no velocities.
void leave_where_it_is(VelocityModel& model, const OpenModel& open, const DistantNodes& distant) {
  const Picks& picks = open.picks;
  const Index3 begin{picks.x.begin, picks.y.begin, picks.z.begin}, end{picks.x.end, picks.y.end, picks.z.end};
  model.distant = distant.all().part({begin, end});
  model.distant->factor = open.factor;
  VelocityFacts facts = facts_of(distant, *model.distant, picks);
  facts.require_velocities(open.path);
  take_facts(model, std::move(facts));
}

/// The option to give where a file does not say its spacing: two options are easily taken for each other.
std::string spacing_remedy() {
  return text("give ", option("model-spacing"), ", the distance of the file's nodes (", option("spacing"),
              " is that of the run's, to which they are resampled)");
}

Point3 spacing_of(const ModelSpec& spec, const FileLayout& layout, const std::filesystem::path& path) {
  if (!spec.spacing && !layout.spacing) {
    throw file_error(path, "does not say the spacing of its nodes", spacing_remedy());
  }
  const Point3 spacing = spec.spacing ? *spec.spacing : *layout.spacing;
  for (const double h : {spacing.x, spacing.y, spacing.z}) {
    if (std::isfinite(h) && h > 0) continue;
    if (spec.spacing)
      throw Error(ErrorKind::parameter, text(option("model-spacing"), " ", h), "give metres above 0");
    throw file_error(
        path,
        text("says that its nodes are ", spacing.x, ", ", spacing.y, ", ", spacing.z, " m apart (x, y, z)"),
        "give " + option("model-spacing"));
  }
  require_plausible_spacing(spacing, text("'", escaped(path.native(), 60), "': the spacing"),
                            spec.spacing ? "correct " + option("model-spacing")
                                         : "correct the file, or give " + option("model-spacing"));
  return spacing;
}

/// A raw file says nothing of itself: what is missing is missing on the command line.
void require_raw_options(const ModelSpec& spec, const std::filesystem::path& path) {
  if (!is_raw_model(path) || spec.spacing) return;
  throw Error(ErrorKind::parameter,
              text("'", escaped(path.native(), 60), "' is raw and does not say its spacing"),
              spacing_remedy());
}

ModelCut cut_of(const OpenModel& open, Point3 h) {
  const FileLayout& layout = open.file->layout();
  const Picks& picks = open.picks;
  const auto end = [](const Pick& pick) { return pick.node(pick.count - 1) + 1; };
  const Point3 first{picks.x.begin * h.x, picks.y.begin * h.y, picks.z.begin * h.z};
  const Extent3 dims = extent_of(layout);
  const auto checksum = open.file->checksum();
  ModelCut cut{axes_text(layout.axes, dims.y == 1),
               dims,
               layout.unit,
               h,
               {{picks.x.begin, picks.y.begin, picks.z.begin}, {end(picks.x), end(picks.y), end(picks.z)}},
               {picks.x.step, picks.y.step, picks.z.step},
               layout.coordinates,
               checksum ? *checksum : crc32_of_file(open.path),
               layout.notes};
  cut.coordinates.origin = layout.coordinates.to_file(first);
  return cut;
}

OpenModel open_array(const ModelSpec& spec) {
  OpenModel open{spec.source, open_array_model(spec), {}, factor_of(spec.unit)};
  open.picks = picks_of(spec, extent_of(open.file->layout()));
  return open;
}

OpenModel open_model(const ModelSpec& spec) {
  if (spec.array) return open_array(spec);
  const hdf5::DatasetName name = hdf5::parse_dataset_name(spec.source, "/vp");
  OpenModel open{name.file, open_model_file(spec, name), {}, factor_of(spec.unit)};
  require_raw_options(spec, name.file);
  const FileLayout& layout = open.file->layout();
  if (const auto unit = velocity_unit(layout.unit)) open.factor = *unit;
  open.picks = picks_of(spec, extent_of(layout));
  return open;
}

VelocityModel load_file(const ModelSpec& spec, bool with_values) {
  OpenModel open = open_model(spec);
  const Picks& picks = open.picks;
  const Point3 h = spacing_of(spec, open.file->layout(), open.path);
  VelocityModel model;
  model.from_file = true;
  model.n = {picks.x.count, picks.y.count, picks.z.count};
  model.spacing = {h.x * picks.x.step, h.y * picks.y.step, h.z * picks.z.step};
  const bool decimates = spec.decimate != Index3{1, 1, 1};
  const bool stays = spec.array && spec.array->distant && !decimates;
  if (stays) leave_where_it_is(model, open, *spec.array->distant);
  if (!stays && (decimates || !with_values)) find_extremes(model, open);
  if (!stays && with_values) {
    VelocityFacts facts = hold_planes(model, open, {0, model.n.z});
    if (!decimates) take_facts(model, std::move(facts));
  }
  model.cut = cut_of(open, h);
  if (!spec.unit.empty()) model.cut.unit = spec.unit;
  return model;
}

VelocityModel load(const ModelSpec& spec, bool with_values) {
  constexpr std::string_view constant = "constant:", layered = "layered:", gradient = "gradient:";
  const std::string_view source = spec.source;
  const double factor = factor_of(spec.unit);
  VelocityModel model;
  if (source.starts_with(constant)) {
    model = layered_model(spec, {layer_of(source.substr(constant.size()), 0, factor)});
  } else if (source.starts_with(layered)) {
    model = layered_model(spec, parse_layers(source.substr(layered.size()), factor));
  } else if (source.starts_with(gradient)) {
    require_no_file_options(spec);
    model.gradient = parse_gradient(source.substr(gradient.size()), factor);
  } else {
    model = load_file(spec, with_values);
  }
  model.name = spec.source;
  model.spec = spec;
  return model;
}

}  // namespace

VelocityModel load_model(const ModelSpec& spec) {
  return load(spec, true);
}

VelocityModel load_model_without_values(const ModelSpec& spec) {
  return load(spec, false);
}

void hold_planes(VelocityModel& model, PlaneRange planes) {
  OpenModel open = open_model(model.spec);
  static_cast<void>(hold_planes(model, open, planes));
}

}  // namespace minimod
