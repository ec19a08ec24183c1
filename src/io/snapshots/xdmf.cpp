#include "src/io/snapshots/xdmf.hpp"

#include <charconv>

#include "src/base/error.hpp"

namespace minimod {

namespace {

std::string in_xml(const std::string& value) {
  std::string escaped_text;
  for (const char c : value) {
    switch (c) {
      case '&':
        escaped_text += "&amp;";
        break;
      case '<':
        escaped_text += "&lt;";
        break;
      case '>':
        escaped_text += "&gt;";
        break;
      case '"':
        escaped_text += "&quot;";
        break;
      default:
        escaped_text += c;
    }
  }
  return escaped_text;
}

/// The shortest that reads back as the same number.
std::string exact(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

/// A grid is its own whole: readers of XDMF differ in what they make of references.
std::string grid_at(const SnapshotPlan& plan, std::size_t number, const std::string& unit,
                    const std::string& hdf5) {
  const Extent3 n = plan.nodes.n;
  const Point3 o = plan.origin, h = plan.spacing;
  const std::string extent = text(n.z, ' ', n.y, ' ', n.x);
  return text(R"(   <Grid Name="step )", plan.steps[number], R"(" GridType="Uniform">
    <Time Value=")",
              exact(plan.times.at(plan.steps[number])), R"("/>
    <Topology TopologyType="3DCoRectMesh" Dimensions=")",
              extent, R"("/>
    <Geometry GeometryType="ORIGIN_DXDYDZ">
     <DataItem Name="origin in m: z y x" Dimensions="3" NumberType="Float" Precision="8" Format="XML">)",
              exact(o.z), ' ', exact(o.y), ' ', exact(o.x), R"(</DataItem>
     <DataItem Name="spacing in m: z y x" Dimensions="3" NumberType="Float" Precision="8" Format="XML">)",
              exact(h.z), ' ', exact(h.y), ' ', exact(h.x), R"(</DataItem>
    </Geometry>
    <Attribute Name="u" AttributeType="Scalar" Center="Node">
     <Information Name="units" Value=")",
              in_xml(unit), R"("/>
     <DataItem ItemType="HyperSlab" Dimensions=")",
              extent, R"(">
      <DataItem Dimensions="3 4" NumberType="Int" Format="XML">)",
              number, " 0 0 0 1 1 1 1 1 ", extent, R"(</DataItem>
      <DataItem Dimensions=")",
              plan.steps.size(), ' ', extent, R"(" NumberType="Float" Precision=")", bytes_of(plan.precision),
              R"(" Format="HDF">)", in_xml(hdf5),
              R"(:/wavefield</DataItem>
     </DataItem>
    </Attribute>
   </Grid>
)");
}

}  // namespace

std::string xdmf_text(const SnapshotPlan& plan, const std::string& unit, const std::string& hdf5) {
  std::string grids;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) grids += grid_at(plan, i, unit, hdf5);
  return text(R"(<?xml version="1.0"?>
<!-- minimod snapshots -->
<Xdmf Version="3.0">
 <Information Name="axes" Value="x, y, z in m, z down"/>
 <Information Name="time" Value="s"/>
 <Domain>
  <Grid Name="wavefield" GridType="Collection" CollectionType="Temporal">
)",
              grids, R"(  </Grid>
 </Domain>
</Xdmf>
)");
}

}  // namespace minimod
