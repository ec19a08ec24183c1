/// Takes snapshots of a running shot: the wavefield is read from the device and written while the next steps
/// compute.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "src/io/snapshots/snapshot_file.hpp"
#include "src/job/shot/modeled_shot.hpp"
#include "src/ranks/ranks.hpp"

namespace minimod {

/// Snapshots that are on their way at once, each with its floats on the device and on the host.
inline constexpr int snapshots_under_way = 2;

/// A thread of its own has the file, and with it the HDF5 library, while snapshots are on their way; others
/// may use the library before the first one, after `keep` until the next, and after `finish`.
class SnapshotRecorder final : public StepObserver {
 public:
  /// `scale`: u over the run's. `file`: of the first rank, null on others. Error 71.
  SnapshotRecorder(const SnapshotPlan& plan, const Problem& problem, double scale, const DeviceChoice& choice,
                   std::unique_ptr<SnapshotFile> file);

  [[nodiscard]] int next_step(int after) const override;
  /// Starts to read; waits only for the snapshot before the last one to be written. Error 74 where writing
  /// has failed.
  void look(const Propagator& propagator, int step) override;
  /// Closes what was taken as a part that a later process goes on from. Error 74.
  void keep() override;
  void go_on(int step) override;
  /// Behind the last one: gives the files their names. Error 74.
  void finish();

 private:
  void write_all(const std::stop_token& stop);
  [[nodiscard]] std::span<const std::byte> of_shot(std::span<const std::byte> values);
  void settle();
  void rethrow_failure();

  SnapshotPlan plan_;
  double scale_;
  Reals scaled_;  ///< the values that are being written, where a scale has changed them
  Ranks& ranks_ = Ranks::world();
  std::unique_ptr<SnapshotFile> file_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::unique_ptr<FieldReader>> readers_;
  std::deque<FieldReader*> idle_, started_;  ///< idle and started ones; the first started is being written
  std::exception_ptr failure_;
  std::jthread writer_;  // last: it uses the others
};

}  // namespace minimod
