/// Boundaries: what happens to the waves at the faces of a grid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "boundary/pml_profile.hpp"
#include "boundary/regions.hpp"
#include "src/base/choices.hpp"

namespace minimod {

enum class BoundaryKind {
  pml,     ///< the Minimod form: six regions with a formula of their own
  cpml,    ///< convolutional PML with a complex frequency shift: corrections behind the inner formula
  sponge,  ///< Cerjan's taper behind the inner formula
};

class AbsorbingLayer;
class LayerOperator;
[[nodiscard]] const AbsorbingLayer& pml_layer();
[[nodiscard]] const AbsorbingLayer& cpml_layer();
[[nodiscard]] const AbsorbingLayer& sponge_layer();

/// A kind of layer, by what is asked before there is one; what it does is its object's (boundary/layer.hpp).
struct BoundaryFacts {
  BoundaryKind choice;
  const char* name;
  const char* words;    ///< for help
  int least_width;      ///< points of the thinnest layer that can be had
  bool has_formula;     ///< with η and a shift, in launched regions; others correct what the inner one made
  bool knows_velocity;  ///< is made for the greatest velocity of the medium
  bool needs_terms;     ///< terms that an equation must have: EquationFacts::has_cpml
  const AbsorbingLayer& (*layer)();
  int library_number;  ///< number in the C interface, none left out; one that is given stays
};

/// In the order of the enumeration. A PML of one point has none of its profile, one of two reflects what it
/// should absorb, and contrasts make both unstable whatever its shift is; so they do a CPML of one.
inline constexpr BoundaryFacts boundaries[] = {
    {BoundaryKind::pml, "pml", "the Minimod form, kernels of its own", 3, true, true, false, pml_layer, 1},
    {BoundaryKind::cpml, "cpml", "convolutional, reflects less", 2, false, true, true, cpml_layer, 0},
    {BoundaryKind::sponge, "sponge", "", 1, false, false, false, sponge_layer, 2}};

[[nodiscard]] constexpr const BoundaryFacts& facts_of(BoundaryKind kind) {
  return boundaries[static_cast<int>(kind)];
}
[[nodiscard]] inline const AbsorbingLayer& layer_of(BoundaryKind kind) {
  return facts_of(kind).layer();
}
[[nodiscard]] inline std::string boundary_name(BoundaryKind kind) {
  return facts_of(kind).name;
}

/// A boundary as the user decides it.
struct BoundarySpec {
  BoundaryKind kind = BoundaryKind::pml;
  PmlWidths widths;              ///< points of the absorbing layer on each face
  bool free_surface = false;     ///< u = 0 on the plane z = 0 and odd above it; then widths.top is 0
  double velocity = 0;           ///< m/s, the greatest; 0: layers that absorb nothing
  double frequency = 0;          ///< Hz, of the wavelet's peak: the frequency shift of a cpml
  bool continues_above = false;  ///< another slab goes on where z is less
  bool continues_below = false;
  std::optional<double> alpha = {};  ///< the shift of a pml; nothing: that which its profile asks for
  bool is_adjoint = false;           ///< has the transpose of its layer, which is corrections in every kind

  [[nodiscard]] bool has_formula() const { return facts_of(kind).has_formula && !is_adjoint; }
  /// The points that a layer takes from the model around it: the grid's other points are the model's.
  [[nodiscard]] Box3 inner_box(Extent3 n) const { return minimod::inner_box(n, widths); }
  /// The launches' regions: a layer without a formula is corrections of an inner box that is the whole grid.
  [[nodiscard]] Regions regions(Extent3 n) const {
    return make_regions(n, has_formula() ? widths : PmlWidths{});
  }
  [[nodiscard]] bool is_cut() const { return continues_above || continues_below; }
};

/// The same layer on all faces, but none under a free surface.
[[nodiscard]] BoundarySpec make_boundary_spec(BoundaryKind kind, int width, bool free_surface,
                                              double velocity, double frequency);

struct Boundary;

/// The layer of a boundary, or its transpose.
[[nodiscard]] const LayerOperator& layer_of(const BoundarySpec& spec);

/// The boundary of the transposed time step (boundary/layer.hpp). Error 64 for a layer that has none.
[[nodiscard]] BoundarySpec adjoint_of(const Boundary& boundary);

/// A grid whose first launched row is aligned.
[[nodiscard]] Grid make_grid(Extent3 n, Point3 spacing, const BoundarySpec& spec, Difference difference = {},
                             Precision precision = Precision::float32);

/// Profile of a layer along an axis: η with its two ghost values (boundary/pml_profile.hpp), zero where it
/// has no formula, and what AbsorbingLayer::profiles names.
struct AxisProfile {
  std::vector<double> eta;
  std::vector<std::vector<double>> own;
};

struct Boundary {
  BoundarySpec spec;
  AxisProfile x, y, z;
  double alpha = 0;  ///< the shift of a pml (boundary/pml_profile.hpp), dimensionless
};

[[nodiscard]] Boundary make_boundary(const BoundarySpec& spec, Extent3 n, Point3 spacing, double dt);

/// The boundary of a slab of the domain that neighbours continue above (z less) or below: there it has no
/// layer and no free surface. The shift is the domain's.
[[nodiscard]] BoundarySpec cut_along_z(const Boundary& domain, bool continues_above, bool continues_below);

/// Error 65 for a PML whose damping breaks a step at the outermost points.
void check_damping(const Boundary& boundary);

/// How a PML grows whose shift is less than it needs; nothing where it does not.
[[nodiscard]] std::optional<PmlGrowth> predicted_growth(const Boundary& boundary, Extent3 n, Point3 spacing,
                                                        double dt);

}  // namespace minimod
