#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "boundary/regions.hpp"
#include "kernels/registry.hpp"
#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/precision_names.hpp"
#include "src/base/process/screen.hpp"
#include "src/choice/device_choice.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/measure/measurement.hpp"

namespace minimod {

namespace {

constexpr int sample_extent = 512,
              sample_layer = papers_case::layer_width;  // domain whose launches are described

std::string tile_text(Extent3 tile) {
  if (tile.x == 0) return "-";
  const std::string xy = text(tile.x, 'x', tile.y);
  return tile.z > 0 ? text(xy, 'x', tile.z) : text(xy, " in z");
}

/// The host, and the first GPU, which may not be there or have no code in the program.
class Places {
 public:
  Places() {
    cpu_.kind = cpu_kind;
    gpu_.kind = gpu_kind;
    if (gpu_devices.find().count == 0) return;
    try {
      backend_ = gpu_devices.make(0);
      gpu_ = backend_->info();
    } catch (const Error& refusal) {
      if (refusal.kind() != ErrorKind::unavailable && refusal.kind() != ErrorKind::resource) throw;
      no_gpu_ = refusal.what();
    }
  }
  /// Why a shape does not run there, empty where it does.
  [[nodiscard]] std::string why_not_cpu(const CodeShape& shape) const { return why_not(shape, cpu_); }
  [[nodiscard]] std::string why_not_gpu(const CodeShape& shape) const {
    return no_gpu_.empty() ? why_not(shape, gpu_) : no_gpu_;
  }
  /// Resources of the GPU that the launches over the parts of a domain take; none where the shape does not
  /// run there.
  using NamedFacts = std::vector<std::pair<const char*, LaunchFacts>>;
  [[nodiscard]] NamedFacts launches(const CodeShape& shape) const {
    if (backend_ == nullptr || !why_not_gpu(shape).empty()) return {};
    const Grid grid = make_grid({sample_extent, sample_extent, sample_extent}, {1, 1, 1}, sample_layer,
                                shape.radius, shape.precision);
    const Regions regions = make_regions(grid.n, same_on_all_faces(sample_layer));
    LaunchArgs args(grid);
    args.inner = regions.inner;
    const auto facts_over = [&](const Box3& box, Formula formula) {
      args.box = box;
      args.phi_layout = box_layout(box, grid.layout, 0);
      return backend_->plan(backend_->planners_of(shape).of(formula), args)->facts();
    };
    return {{"inner", facts_over(regions.inner, Formula::inner)},
            {"pml", facts_over(regions.pml[0], Formula::pml)}};
  }

 private:
  std::unique_ptr<Backend> backend_;  ///< device for the GPU's facts
  DeviceInfo cpu_, gpu_;
  std::string no_gpu_;
};

Json kernel_record(const CodeShape& shape, const Places& places) {
  const auto place = [](const std::string& reason) {
    return Json{{"runs", reason.empty()}, {"why_not", reason}};
  };
  return {{"name", shape.name},
          {"family", shape.family},
          {"order", 2 * shape.radius},
          {"precision", precision_name(shape.precision)},
          {"summary", shape.summary},
          {"tile", {shape.tile.x, shape.tile.y, shape.tile.z}},
          {"threads", shape.threads},
          {"shared_bytes", shape.needs.shared_bytes},
          {cpu_kind, place(places.why_not_cpu(shape))},
          {gpu_kind, place(places.why_not_gpu(shape))}};
}

Json launches_record(const Places::NamedFacts& launches) {
  Json record = Json::object();
  for (const auto& [part, facts] : launches) record[part] = to_record(facts);
  return record;
}

std::string place_text(const std::string& reason, Footnotes& notes) {
  return reason.empty() ? "yes" : "no " + notes.mark(reason);
}

void print_launches(const std::vector<const CodeShape*>& shapes, const Places& places) {
  bool has_head = false;
  for (const CodeShape* shape : shapes) {
    for (const auto& [part, facts] : places.launches(*shape)) {
      if (!has_head) {
        std::printf("\n%-31s %-6s %9s %7s %10s %9s\n", "launch", "", "registers", "stack", "shared",
                    "occupancy");
      }
      has_head = true;
      std::printf("%-31s %-6s %9d %5zu B %8zu B %7.0f %%\n", shape->name.c_str(), part, facts.registers,
                  facts.local_bytes, facts.shared_bytes, 100 * facts.occupancy);
    }
  }
}

/// Shapes of the names, or all that are built in, with that stencil, as far as they have it.
std::vector<const CodeShape*> shapes_of(const std::vector<std::string>& names, int radius,
                                        Precision precision) {
  std::vector<const CodeShape*> shapes;
  shapes.reserve(names.size());
  for (const std::string& name : names) shapes.push_back(&find_shape(name, radius, precision));
  if (!names.empty()) return shapes;
  for (const CodeShape& shape : all_shapes()) {
    if (!has_stencil(shape, radius, precision)) continue;
    shapes.push_back(&find_shape(shape.name, radius, precision));
  }
  return shapes;
}

void list_kernels(const std::vector<std::string>& names, int radius, Precision precision, bool as_json) {
  const std::vector<const CodeShape*> shapes = shapes_of(names, radius, precision);
  const Places places;
  if (as_json) {
    Json list = Json::array();
    for (const CodeShape* shape : shapes) {
      Json& record = list.push_back(kernel_record(*shape, places));
      if (!names.empty()) record["launches"] = launches_record(places.launches(*shape));
    }
    std::cout << Json{{"schema", "minimod.kernels/1"}, {"kernels", list}}.dump(2) << '\n';
    return;
  }
  Footnotes notes;
  std::printf("%-31s %-20s %-11s %8s  %-7s %s\n", "name", "family", "tile", "shared", "cpu", "gpu");
  for (const CodeShape* shape : shapes) {
    std::printf("%-31s %-20s %-11s %6zu B  %-7s %s\n", shape->name.c_str(), shape->family.c_str(),
                tile_text(shape->tile).c_str(), shape->needs.shared_bytes,
                place_text(places.why_not_cpu(*shape), notes).c_str(),
                place_text(places.why_not_gpu(*shape), notes).c_str());
  }
  std::printf("%s", notes.lines().c_str());
  if (!names.empty()) print_launches(shapes, places);
}

}  // namespace

Command kernels_command() {
  return {"kernels", "list the code shapes and where they run here",
          [](OptionTable& table) -> std::function<void()> {
            const auto names = std::make_shared<std::vector<std::string>>();
            const auto as_json = std::make_shared<bool>(false);
            const auto options = std::make_shared<KernelOptions>();
            table.words("NAME", "these instead, with any tile of a family (all that are built in)", *names);
            add_order(table, *options);
            add_precision(table, *options);
            add_as_json(table, *as_json);
            return [=] { list_kernels(*names, options->radius(), options->precision, *as_json); };
          }};
}

}  // namespace minimod
