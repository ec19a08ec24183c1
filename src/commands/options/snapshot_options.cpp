#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/commands/options/option_groups.hpp"

namespace minimod {

namespace {

/// "0.05s", "0.05" or "10steps".
void read_interval(SnapshotOptions& o, std::string_view value, const std::string& option) {
  constexpr std::string_view steps = "steps";
  o.steps.reset();
  o.seconds.reset();
  if (value.ends_with(steps)) {
    o.steps = parse_int(value.substr(0, value.size() - steps.size()), option, 1);
  } else {
    o.seconds = parse_positive(value.ends_with('s') ? value.substr(0, value.size() - 1) : value, option);
  }
}

SnapshotBox parse_snapshot_box(const std::string& value, const std::string& option) {
  const auto axes = split(value, ',');
  SnapshotBox box;
  bool right = axes.size() == box.size();
  for (std::size_t axis = 0; right && axis < box.size(); ++axis) {
    const auto ends = split(axes[axis], ':');
    right = ends.size() == 2;
    if (!right) break;
    if (!ends[0].empty()) box[axis].first = parse_number(ends[0], option);
    if (!ends[1].empty()) box[axis].last = parse_number(ends[1], option);
  }
  if (right) return box;
  throw Error(ErrorKind::parameter, text(option, " is '", escaped(value), "'"),
              "give it in m as X0:X1,Y0:Y1,Z0:Z1; an end left out is the inner box's");
}

}  // namespace

void add_snapshots(OptionTable& table, SnapshotOptions& o) {
  table.value(
      "--snapshot-every", "T[s]|Nsteps", groups::output,
      "keep the wavefield that often, in NAME.snapshots.h5 beside the gather NAME.h5, with an XDMF file "
      "for ParaView",
      [&o](const auto& v, const auto& name) { read_interval(o, v, name); });
  table.value(
      "--snapshot-box", "X0:X1,Y0:Y1,Z0:Z1", groups::output,
      "part of it to keep, in m of the model's coordinates, both ends included (the inner box; ':' for "
      "a whole axis)",
      [&o](const auto& v, const auto& name) { o.box = parse_snapshot_box(v, name); });
  table.value("--snapshot-stride", "N|NX,NY,NZ", groups::output, "keep every N-th node of it (1)",
              [&o](const auto& v, const auto& name) {
                const Extent3 n = parse_extent(v, name);
                o.stride = Index3{n.x, n.y, n.z};
              });
}

}  // namespace minimod
