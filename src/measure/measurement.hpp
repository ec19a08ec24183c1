/// Common parts of the commands that measure (bench, roofline): the problem, the kernels, right before fast,
/// times.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "boundary/boundary.hpp"
#include "src/base/json.hpp"
#include "src/choice/device_choice.hpp"
#include "src/measure/measure_options.hpp"
#include "src/measure/timing.hpp"
#include "src/ranks/domain_part.hpp"

namespace minimod {

/// The problem that is measured, the same for all shapes: a homogeneous medium, and the steps of a timed run.
/// From the options, the papers' case where they say nothing; not cut. Of a domain that is cut, each rank
/// measures its slab, and all call the functions below. Error 64 for a grid that does not work.
[[nodiscard]] Problem make_measured_problem(const MeasureOptions& options);

/// A problem on which kernels are checked in its place: fewer steps on a small awkward grid, with planes
/// enough for each rank.
[[nodiscard]] Problem small_problem(const Problem& setup);

/// A shape, or the set of shapes that `auto` took, under its name.
struct NamedKernels {
  std::string name;
  KernelSet kernels;
};

/// A shape that matches and does not run here.
struct NotRun {
  std::string name, why;
};

/// The device for `--kernel auto`, `all` or a list of names and patterns.
[[nodiscard]] DeviceChoice choose_measured_device(const KernelOptions& options, const Problem& setup,
                                                  const RankOptions& ranks = {});

/// Kernels to be measured: the shapes that match, in the order of the registry, or the set that a run would
/// take. Reasons why others that match do not run here goes into `not_run`. Errors: 64 a name or pattern
/// matches nothing, 69 nothing that matches runs here.
[[nodiscard]] std::vector<NamedKernels> matching_kernels(const KernelOptions& options, const Problem& setup,
                                                         const DeviceChoice& choice,
                                                         std::vector<NotRun>& not_run);

/// "40 x 36 x 34 points".
[[nodiscard]] std::string points_text(Extent3 n);

/// For `what`, "a stencil", that one device computes. Errors: 64 several GPUs, 69 no such device.
[[nodiscard]] std::unique_ptr<Backend> make_sole_backend(const DeviceOption& device, const std::string& what);

/// Error 71 where `what`, "the plate", needs more bytes than there are free.
void check_free(const std::string& what, double needed, double free, const std::string& where);
/// The same of a device's memory, which so many ranks share.
void check_free(const Backend& backend, const std::string& what, double needed, int sharers = 1);

/// The same when none of them fits; some that do not are left out when their turn comes.
void check_measured_memory(const Problem& setup, const Backend& backend, const std::vector<NamedKernels>& all,
                           int sharers = 1);

/// The problem's propagator with the velocity set and the fields at rest.
[[nodiscard]] DomainPart make_measured_part(const Problem& setup, Backend& backend, const KernelSet& kernels);
[[nodiscard]] inline DomainPart make_measured_part(const Problem& setup, const DeviceChoice& choice) {
  return make_measured_part(setup, *choice.backend, choice.kernels);
}

/// Fills the wavefield, from rest: with noise, which ebbs away, or with the waves of a source that swings on,
/// when they have crossed half the grid. These it computes by kernels that are fast there, and leaves them in
/// place. Error 71 that names such a kernel when one of its launches gave up.
void set_field(Propagator& propagator, const KernelOptions& options, const Problem& setup,
               const DeviceChoice& choice, BenchField field);

/// Makes a part anew, with its field set, where these kernels want other ghosts of a slab, or fields that lie
/// otherwise. Waves of a whole domain stay: to move them is faster. Why not, empty where the part can be had;
/// else it has the kernels that it had.
[[nodiscard]] std::string why_no_part(DomainPart& part, const KernelSet& kernels,
                                      const KernelOptions& options, const Problem& setup,
                                      const DeviceChoice& choice, BenchField field);

/// Goes on with these kernels, or says why not: some have limits, which the grid may be beyond.
[[nodiscard]] std::string why_not_taken(Propagator& propagator, const KernelSet& kernels,
                                        const DomainCut& cut = {});

/// Why the steps since the last call are no measurement, empty when they are: a launch that gave up. The
/// field must then be set again.
[[nodiscard]] std::string why_not_measured(Propagator& propagator, const DomainCut& cut = {});

/// The medium of a check: as it is, or as a shape has it that reads 16-bit codes of it.
enum class Medium { exact, rounded_to_codes };

/// Computed when asked for, once for each medium.
class ExpectedField {
 public:
  /// The field after the steps of a check; the medium is rounded behind set_velocity.
  using Compute = std::function<std::vector<double>(Backend&, const KernelSet&, Medium)>;

  explicit ExpectedField(Compute compute) : compute_(std::move(compute)) {}
  /// In the medium that `shape` has.
  [[nodiscard]] const std::vector<double>& of(const CodeShape& shape);

 private:
  Compute compute_;
  std::vector<double> exact_, rounded_;
};

/// Result of a kernel on a small awkward grid; the same on all ranks.
struct Verdict {
  double error = 0;          ///< relative L2 over the grid, of all slabs; of several results the greatest
  std::string why_not = {};  ///< there is no such kernel, or a launch or its memory is refused; else empty
  bool is_right = false;
  std::string fault = {};      ///< fault beside the error, empty for none
  double tolerance = 0;        ///< limit of the error
  std::uint32_t checksum = 0;  ///< CRC-32 of all results' values of a specification, x fastest: of the bits

  [[nodiscard]] bool is_left_out() const { return !why_not.empty(); }
  [[nodiscard]] bool passed() const { return is_left_out() || is_right; }
};

/// Compares kernels with the host's reference over some steps on a small awkward grid, which is cut among as
/// many ranks as the problem; the reference computes all of it on each of them.
class Verification {
 public:
  /// Boundary and decomposition as there, and no more steps.
  explicit Verification(const Problem& setup);
  /// Verdict on the wavefield, in the medium of the inner shape.
  [[nodiscard]] Verdict of(Backend& backend, const KernelSet& kernels);

 private:
  Problem small_;
  ExpectedField expected_;
};

/// Bytes that a step must move at least: of Jacobi's equation u read and u⁺ written.
[[nodiscard]] double counted_bytes(const Problem& setup, const KernelSet& kernels);
/// The streaming rate that it is held against: as many reads as its steps have, and a write.
[[nodiscard]] double ceiling_of(const Problem& setup, const StreamRates& stream);

/// A part of a step, with the spread of its seconds over some steps (part.seconds is the median).
struct PartTimes {
  TimedPart part;
  Spread seconds;
};
[[nodiscard]] std::vector<PartTimes> time_parts(Propagator& propagator, int steps);

/// For the records in JSON.
[[nodiscard]] Json to_record(const LaunchFacts& facts);
[[nodiscard]] Json to_record(const std::optional<LaunchFacts>& facts);  ///< null where there are none
[[nodiscard]] Json to_record(const std::vector<NotRun>& not_run);
[[nodiscard]] Json to_record(const Problem& setup, BenchField field);

}  // namespace minimod
