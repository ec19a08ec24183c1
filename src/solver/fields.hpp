/// The fields of a slab: a domain, or what lies of it between two planes z.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "boundary/boundary.hpp"
#include "src/device/backend.hpp"

namespace minimod {

/// Which fields some kernels and schedules need beyond those of every run.
struct FieldNeeds {
  bool eta = false;       ///< η as a 3-D array
  bool codes = false;     ///< (V Δt)² in 16 bits
  int ahead = 0;          ///< fields like u for steps that are computed ahead
  bool phi_next = false;  ///< φ⁺ in a storage of its own
};

/// The points of a launch that damps, and where their φ is.
struct PhiPlace {
  Box3 box;
  Layout at;
};

/// Memory of the device that belongs to the state or that a neighbour fills.
struct FieldPart {
  std::string name;
  RealsAt at;
  std::size_t size = 0;  ///< in reals
  [[nodiscard]] std::size_t bytes() const { return size * bytes_of(at.precision); }
};

class Neighbours;

class Fields {
 public:
  /// At rest. `neighbours`: of a slab. Error 71 when the device's memory does not hold them.
  Fields(Backend& backend, const Grid& grid, const Boundary& boundary, const std::vector<PhiPlace>& phi,
         Neighbours* neighbours = nullptr);

  /// The bytes of every allocation that such fields take.
  [[nodiscard]] static std::vector<std::size_t> allocations(const Grid& grid,
                                                            const std::vector<PhiPlace>& phi,
                                                            const FieldNeeds& needs);

  /// Puts the fields where `grid` and `phi` say, the same points with the same values; gives up what is not
  /// of every run. Takes the room of two fields meanwhile; error 71 where they are not to be had.
  void move_to(const Grid& grid, const std::vector<PhiPlace>& phi);
  [[nodiscard]] bool lie_as(const Grid& grid, const std::vector<PhiPlace>& phi) const;

  /// Makes what is needed and not there, and keeps the rest until `keep`. Where the device does not hold
  /// both, first gives up what is not needed any more. Error 71 leaves all as it was, at other addresses
  /// perhaps.
  void provide(const FieldNeeds& needs);
  /// Releases what is not needed.
  void keep(const FieldNeeds& needs);
  /// φ⁺ becomes φ.
  void advance_phi() { std::swap(phi_, phi_next_); }

  /// Takes V (m/s) plane by plane: fill(z, plane) writes the n.x · n.y values of plane z, x fastest. Where
  /// repeats(z), which is not asked of the first plane, plane z has those of plane z - 1, and no fill is
  /// called.
  void set_velocity(double dt, const std::function<void(int z, float* plane)>& fill,
                    const std::function<bool(int z)>& repeats = {});
  [[nodiscard]] RealsAt v2dt2() const { return v2dt2_.at(); }
  /// (V Δt)² at a node and those that follow along x, which may lie in another slab of the domain; then all
  /// slabs ask for them.
  [[nodiscard]] std::vector<double> v2dt2_from(Index3 node, int count = 1) const;
  /// The code of the 16-bit (V Δt)², where there is one.
  [[nodiscard]] std::optional<VelocityCode> velocity_code() const;
  /// Puts into the (V Δt)² of `box` what its 16-bit codes stand for.
  void round_velocity_to_codes(const Box3& box);

  /// Puts u and φ to rest.
  void set_at_rest();
  /// The same random values in [-1, 1) in u at this and the previous step.
  void set_random(std::uint32_t seed);

  /// What every launch gets of them.
  [[nodiscard]] LaunchArgs<> args() const;

  /// What the future depends on, of each step; what is computed ahead comes after it.
  [[nodiscard]] std::vector<FieldPart> state() const;
  /// The planes of a field like u that the neighbour above (z less) or below fills in an exchange, ghosts and
  /// halo, and the planes of this slab that it wants in return.
  enum class Side { above, below };
  [[nodiscard]] FieldPart halo(RealsAt field, Side side) const;
  [[nodiscard]] FieldPart edge(RealsAt field, Side side) const;
  /// Of φ in the layers that go on at that side, one after the other: its ghosts there, and the planes that
  /// are the neighbour's.
  struct PhiGhosts {
    FieldPart ghosts, edge;
  };
  [[nodiscard]] std::vector<PhiGhosts> phi_ghosts(Side side) const;

  /// Of the slab's own points.
  [[nodiscard]] Extremes extremes() const;
  /// u over the points of `box`, x fastest.
  [[nodiscard]] std::vector<double> wavefield(const Box3& box) const;
  [[nodiscard]] const Grid& grid() const { return grid_; }

  DeviceReals u, u_before;         ///< at tₙ and tₙ₋₁; a step writes u⁺ where u⁻ was
  std::vector<DeviceReals> ahead;  ///< of steps computed ahead

 private:
  void make(const FieldNeeds& needs);
  [[nodiscard]] DeviceReals make_eta() const;
  [[nodiscard]] DeviceReals moved(const DeviceReals& field, const Layout& to) const;
  [[nodiscard]] DeviceReals moved_phi(const std::vector<PhiPlace>& to) const;
  [[nodiscard]] RealsAt first_of_plane(const DeviceReals& field, int z) const;
  [[nodiscard]] std::vector<double> read(const DeviceReals& field, std::int64_t first,
                                         std::size_t count) const;
  [[nodiscard]] VelocityCode code_of_velocity() const;
  void encode_velocity(DeviceArray<std::uint16_t>& codes);
  [[nodiscard]] FieldPart planes(const char* name, RealsAt field, int first_z, int count) const;

  Backend& backend_;
  Grid grid_;
  Boundary boundary_;
  Neighbours* neighbours_;  ///< null: the whole domain is here
  std::vector<PhiPlace> phi_places_;
  DeviceReals v2dt2_, phi_, phi_next_;
  DeviceReals eta_x_, eta_y_, eta_z_;  ///< with a ghost value at either end
  DeviceReals eta_;
  DeviceArray<std::uint16_t> codes_;  ///< of v2dt2
  VelocityCode code_;                 ///< for them
  bool has_velocity_ = false;
};

}  // namespace minimod
