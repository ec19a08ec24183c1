#include "src/job/gradient/history/boundary_history.hpp"

namespace minimod {

namespace {

/// u at the present time, as a drive lies.
DriveField wavefield_of(const Propagator& propagator) {
  return {propagator.fields().at(FieldRole::state), propagator.fields().grid().layout};
}

}  // namespace

BoundaryHistory::BoundaryHistory(Backend& backend, const Problem& problem, const HistoryOptions& history,
                                 BoundaryPlan plan)
    : backend_(backend),
      precision_(problem.grid().precision),
      every_(history.every),
      plan_(std::move(plan)),
      records_(make_record_store(backend, plan_.bytes, plan_.place, history.states_on)),
      unpacked_(backend, plan_.is_packed ? plan_.values : 0, precision_) {}

DriveField BoundaryHistory::values_of(const RecordPiece& piece) const {
  const Index3 begin = piece.box.begin;
  Layout layout = packed_layout(piece.box.extent());
  layout.origin = -layout.index(begin.x, begin.y, begin.z);
  const RealsAt values = plan_.is_packed ? unpacked_.at() : RealsAt{present_, precision_};
  return {values + static_cast<std::ptrdiff_t>(piece.first), layout};
}

void BoundaryHistory::copy(const std::vector<RecordPiece>& pieces, Way way, const DriveField& field) const {
  std::vector<PointsOfBox> copies;
  for (const RecordPiece& piece : pieces) {
    DriveField from = field, to = values_of(piece);
    if (way == Way::from_record) std::swap(from, to);
    with_real(precision_, [&]<class Real>() {
      copies.push_back(
          {piece.box, PointCopy<Real>{from.layout, to.layout, from.values.of<Real>(), to.values.of<Real>()}});
    });
  }
  backend_.field_kernels().for_each_point(copies);
}

std::vector<Propagator::BoxOfDrive> BoundaryHistory::kept_drives() const {
  std::vector<Propagator::BoxOfDrive> drives;
  for (const RecordPiece& piece : plan_.rest) drives.push_back({values_of(piece), piece.box});
  return drives;
}

template <template <class> class Work>
void BoundaryHistory::convert(int step) const {
  if (!plan_.is_packed) return;
  const std::size_t count = (has_drive(step) ? plan_.values : plan_.frame_values) / values_of_block;
  with_real(precision_, [&]<class Real>() {
    const ValueBlocks<Real> blocks{unpacked_.at().of<Real>(), reinterpret_cast<Real*>(present_),
                                   reinterpret_cast<std::int16_t*>(present_ + count * sizeof(Real)),
                                   static_cast<std::int64_t>(count)};
    backend_.field_kernels().for_each_point(blocks.box(), Work<Real>{blocks});
  });
}

void BoundaryHistory::before_step(Propagator& propagator) {
  const int step = propagator.steps_done();
  present_ = records_->begin(step);
  copy(plan_.frame, Way::to_record, wavefield_of(propagator));
  if (has_drive(step)) propagator.keep_earlier();
}

void BoundaryHistory::after_step(const Propagator& propagator) {
  const int step = propagator.steps_done() - 1;
  if (has_drive(step)) propagator.make_drives(kept_drives());
  convert<BlockPacking>(step);
  records_->keep(step);
}

void BoundaryHistory::turn_round(Propagator& propagator) {
  records_->turn_round();
  propagator.turn_round(plan_.box);
}

void BoundaryHistory::step_back(Propagator& propagator, int step) {
  present_ = records_->fetch(step);
  convert<BlockUnpacking>(step);
  copy(plan_.frame, Way::from_record, wavefield_of(propagator));
  if (has_drive(step)) propagator.keep_earlier();
  propagator.step();
}

std::vector<DriveWithin> BoundaryHistory::drives(const Propagator& propagator) const {
  std::vector<DriveWithin> drives{{propagator.step_fields(), plan_.box}};
  for (const auto& [drive, box] : kept_drives()) drives.push_back({drive, box});
  return drives;
}

}  // namespace minimod
