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
  void before_step(const Propagator& propagator) override;
  void after_step(const Propagator& propagator) override;
  /// Behind the last step of the shot.
  void turn_round(Propagator& propagator);
  /// Takes back step `step`, the last at first; `drive` becomes its drive at all points, where it is one of
  /// those that are kept.
  void step_back(Propagator& propagator, int step, const DriveField& drive);

 private:
  /// Points of a record, from value `first` of it on.
  struct Piece {
    Box3 box;
    std::size_t first = 0;
  };
  [[nodiscard]] static std::vector<Piece> pieces_of(const std::vector<Box3>& boxes, std::size_t first);
  [[nodiscard]] bool has_drive(int step) const { return step % every_ == 0; }
  [[nodiscard]] RealsAt record(std::byte* at) const { return {at, precision_}; }
  /// The values of a piece, as a drive lies.
  [[nodiscard]] static DriveField values_of(const Piece& piece, RealsAt record);
  void copy(const Box3& box, const DriveField& from, const DriveField& to) const;

  Backend& backend_;
  Precision precision_;
  int every_;
  BoundaryPlan plan_;
  std::vector<Piece> frame_, rest_;
  std::unique_ptr<RecordStore> records_;
  RealsAt present_;  ///< record of the step that is under way
};

}  // namespace minimod
