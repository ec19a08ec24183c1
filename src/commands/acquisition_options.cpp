#include "src/base/parse.hpp"
#include "src/commands/option_groups.hpp"

namespace minimod {

void add_acquisition(OptionTable& table, AcquisitionOptions& o) {
  table.value("-s,--source", "X,Y,Z", groups::acquisition,
              "in m from the first node of the inner box, z down (the centre)",
              [&o](const auto& v, const auto& name) { o.source = parse_point(v, name); });
  table.value(
      "--coordinates", "C", groups::acquisition,
      "what --source and --receivers are given in: model (m from the first node of the inner box) or "
      "file (the model file's origin and direction, a map's, m) (model)",
      [&o](const auto& v, const auto& name) { o.coordinates = parse_choice(coordinate_names, v, name); });
  table.value("-w,--wavelet", "WAVELET", groups::acquisition,
              "ricker:f=F[,t0=T], gaussian:f=F[,t0=T], a text file of times and values, one of values as "
              "file.txt@dt=DT, or file.h5[:/dataset][@dt=DT] (ricker:f=10)",
              o.wavelet);
  table.value("-r,--receivers", "RECEIVERS", groups::acquisition,
              "line:X0,Y0,Z0:X1,Y1,Z1:N, grid:X0,Y0,Z0:X1,Y1,Z1:NX,NY,NZ or file.csv with columns x, y, z "
              "(a line along x at z = 0, or a node below a free surface)",
              o.receivers);
  table.value("--interpolation", "I", groups::acquisition,
              "positions between nodes: nearest node, sinc (8 nodes an axis), sinc8 (16) or auto: sinc where "
              "a position is off its node (auto)",
              [&o](const auto& v, const auto& name) {
                if (v != "auto") o.interpolation = parse_choice(interpolation_names, v, name);
              });
  table.flag("--allow-dispersion", groups::acquisition, "run with fewer than 4 points per wavelength",
             o.allow_dispersion);
}

}  // namespace minimod
