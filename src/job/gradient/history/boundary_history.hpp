/// The history of a shot whose steps are taken back (boundary saving; Dussaud et al. 2008): of each step the
/// planes beside the reversible box are kept, and the drives of what is not in it.
///
/// Going back, the shot's own propagator steps with time turned round. Before each step the planes of its
/// time are put in place, so that what the layer computes meanwhile reaches no point of the box.
#pragma once

#include "src/job/gradient/history/boundary_plan.hpp"
#include "src/job/shot/modeled_shot.hpp"

namespace minimod {

class BoundaryHistory final : public StepCompanion {
 public:
  /// Errors: those of make_record_store.
  BoundaryHistory(Backend& backend, const Problem& problem, const HistoryOptions& history, BoundaryPlan plan);

  [[nodiscard]] const BoundaryPlan& plan() const { return plan_; }
  void before_step(Propagator& propagator) override;
  void after_step(const Propagator& propagator) override;
  /// Behind the last step of the shot.
  void turn_round(Propagator& propagator);
  /// Takes back step `step`, the last at first.
  void step_back(Propagator& propagator, int step);
  /// The parts of its drive, where that is kept, until the record is released: made of the box's fields.
  [[nodiscard]] std::vector<DriveWithin> drives(const Propagator& propagator) const;
  /// Before the next step back. Error 74.
  void release(int step) { records_->release(step); }

 private:
  [[nodiscard]] bool has_drive(int step) const { return step % every_ == 0; }
  /// Values of a piece of the present record, as a drive lies.
  [[nodiscard]] DriveField values_of(const RecordPiece& piece) const;
  enum class Way { to_record, from_record };
  /// Copies a field at these points to the present record, or from there.
  void copy(const std::vector<RecordPiece>& pieces, Way way, const DriveField& field) const;
  /// The drives in the present record.
  [[nodiscard]] std::vector<Propagator::BoxOfDrive> kept_drives() const;
  /// Makes blocks of the present record's values, or values of its blocks.
  template <template <class> class Work>
  void convert(int step) const;

  Backend& backend_;
  Precision precision_;
  int every_;
  BoundaryPlan plan_;
  std::unique_ptr<RecordStore> records_;
  DeviceReals unpacked_;          ///< values of the present record, where it has blocks
  std::byte* present_ = nullptr;  ///< record of the step that is under way
};

}  // namespace minimod
