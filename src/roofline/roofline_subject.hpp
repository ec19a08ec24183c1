/// What a roofline is of: kernels on a problem of a device, which it measures and has profilers count.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/base/json.hpp"
#include "src/device/backend.hpp"
#include "src/roofline/roofline.hpp"
#include "src/roofline/row.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

/// A row's shape as a profiled run launches it.
struct ProfiledShape {
  std::string name;
  LaunchOrder order;
};

/// Shapes that one run under a profiler takes.
using ProfiledBatch = std::vector<ProfiledShape>;
inline constexpr std::size_t most_profiled = 8;  ///< at once: ncu takes seconds to begin

inline constexpr int roofline_warmup = 10;    ///< steps before those that are timed or counted
inline constexpr int roofline_launches = 30;  ///< timed ones of each kernel

/// Whether the options and the machine have a GPU measured.
[[nodiscard]] bool goes_to_gpu(const DeviceOption& device);
/// This program on a subject's device: what a profiled run begins with.
[[nodiscard]] std::vector<std::string> own_roofline(const DeviceOption& device);

/// What came of the kernels that were asked for.
struct MeasuredRows {
  std::vector<Row> rows;
  std::vector<NotRun> not_run;
  int wrong = 0;  ///< of these, that disagree with what is right
};

class RooflineSubject {
 public:
  RooflineSubject() = default;
  RooflineSubject(const RooflineSubject&) = delete;
  RooflineSubject& operator=(const RooflineSubject&) = delete;
  virtual ~RooflineSubject() = default;

  [[nodiscard]] virtual const DeviceInfo& device() const = 0;
  [[nodiscard]] virtual std::vector<Ceiling> ceilings() = 0;
  /// The problem in words, and its members of the record.
  [[nodiscard]] virtual std::string title() const = 0;
  [[nodiscard]] virtual Json facts() const = 0;
  [[nodiscard]] virtual double points() const = 0;  ///< that a step updates

  /// Makes arrays and fields, and then measures on them all that is right.
  virtual void prepare() = 0;
  [[nodiscard]] virtual MeasuredRows measure() = 0;

  /// Why no profiler is asked on this device, empty where one may be.
  [[nodiscard]] virtual std::string why_not_counted() const = 0;
  /// A small run under a profiler.
  [[nodiscard]] virtual std::vector<std::string> small_command() const = 0;
  /// Of the shapes that have rows.
  [[nodiscard]] virtual std::vector<ProfiledBatch> batches(const std::vector<Row>& rows) const = 0;
  [[nodiscard]] virtual std::vector<std::string> profiled_command(const ProfiledBatch& batch,
                                                                  StepRange range) const = 0;
  /// What such a run does: steps of each shape, with the profiler on for the range.
  virtual void run_for_profiler(StepRange range) = 0;
};

/// Of the wave equation's code shapes. Errors: 64 as bench, 69, 71.
[[nodiscard]] std::unique_ptr<RooflineSubject> make_wave_roofline(const RooflineOptions& options);
/// Of kernels of stencils. Errors: 64 no such kernels, or a stencil in double precision; 66, 69, 71.
[[nodiscard]] std::unique_ptr<RooflineSubject> make_stencil_roofline(const RooflineOptions& options);

}  // namespace minimod
