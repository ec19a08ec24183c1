#include "models/readers.hpp"

#include <algorithm>
#include <iterator>

namespace minimod {
namespace {

/// x, y or z of a triple.
template <class Triple>
auto& component(Triple& triple, char axis) {
  return axis == 'x' ? triple.x : axis == 'y' ? triple.y : triple.z;
}

std::string shown(const Extent3& n) {
  return text(n.x, " x ", n.y, " x ", n.z);
}

}  // namespace

int& along(Extent3& n, char axis) {
  return component(n, axis);
}
int along(const Extent3& n, char axis) {
  return component(n, axis);
}
double& along(Point3& p, char axis) {
  return component(p, axis);
}

std::optional<Axes> parse_axes(std::string_view letters) {
  std::string found;
  std::ranges::copy_if(letters, std::back_inserter(found), [](char c) { return c != ','; });
  if (found.size() == 2) found += 'y';
  std::string sorted = found;
  std::ranges::sort(sorted);
  if (sorted != "xyz") return std::nullopt;
  return Axes{found[0], found[1], found[2]};
}

Axes axes_of(const ModelSpec& spec, const Axes& otherwise) {
  if (spec.axes.empty()) return otherwise;
  if (const auto axes = parse_axes(spec.axes)) return *axes;
  throw Error(ExitCode::usage, text("--model-axes '", escaped(spec.axes, 40), "' are no axes"),
              "name each of x, y, z once, the file's fastest first, such as zyx (zx in a section)");
}

Extent3 extent_of(const FileLayout& layout) {
  Extent3 n;
  for (std::size_t i = 0; i < 3; ++i) along(n, layout.axes[i]) = layout.dims[i];
  return n;
}

Error model_error(const std::filesystem::path& path, const std::string& wrong, const std::string& remedy) {
  return {ExitCode::data, text("'", escaped(path.native(), 60), "' ", wrong), remedy};
}

void require_dims(const ModelSpec& spec, const FileLayout& layout, const std::filesystem::path& path) {
  if (!spec.dims || *spec.dims == extent_of(layout)) return;
  throw model_error(
      path,
      text("holds ", shown(extent_of(layout)), " nodes (x, y, z), --model-dims says ", shown(*spec.dims)),
      "correct or leave out --model-dims");
}

}  // namespace minimod
