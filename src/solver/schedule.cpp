#include "src/solver/schedule.hpp"

#include "src/base/error.hpp"

namespace minimod {

LaunchArgs StepParts::args() const {
  LaunchArgs args = fields.args();
  args.u_before = fields.at(earlier).data;
  args.q_before = fields.at(earlier, 1).data;
  workspace.put_into(args);
  if (plan.corrects_across_x()) static_cast<LayerArgs&>(args) = corrections.across_x(fields);
  return args;
}

LaunchArgs StepParts::args_of_shot(int number) const {
  LaunchArgs shot = args();
  if (serve_source()) sources.feed(shot, number);
  receivers.put_into(shot);
  return shot;
}

void StepParts::send_rims(int number) const {
  if (!serve_source()) sources.inject_rims(backend, fields, number);
  if (neighbours != nullptr) neighbours->start_exchange(fields, FieldRole::before, {});
}

void StepParts::inject(int number) const {
  if (serve_source()) return;
  if (plan.launches_of_rims() > 0) {
    sources.inject_behind_rims(backend, fields, number);
  } else {
    sources.inject(backend, fields, number);
  }
}

void StepParts::finish_step(int number, bool timed) const {
  corrections.absorb(fields, plan.corrects_across_x());
  if (timed && corrections.absorbs()) laps.lap();
  inject(number);
  for (const PlacedField& u_next : fields.all(FieldRole::before)) corrections.close_surface(u_next);
  fields.swap(FieldRole::state, FieldRole::before);
  if (corrections.writes_memories_apart()) fields.swap(FieldRole::auxiliary, FieldRole::auxiliary_next);
}

FieldTable Schedule::fields(const StepProblem& problem) const {
  const StepProblem ours = laid_out(problem);
  return make_field_table(arrays_of(ours.equation), ours.grid, ours.boundary, launches(ours));
}

void Schedule::check(const StepProblem& problem) const {
  const bool has_ghosts = !problem.boundary.is_cut() || problem.grid.ghosts() >= ghosts();
  const std::string why = has_ghosts ? why_not(problem) : text("needs ", ghosts(), " ghost planes");
  if (!why.empty())
    throw Error(ErrorKind::internal, text("the schedule ", name(), ' ', why), "please report this");
}

LaunchOrder Schedule::order_of(const std::vector<RegionLaunch>& launches) const {
  LaunchOrder order;
  for (const RegionLaunch& launch : launches) {
    if (!launch.box.empty()) order.parts.push_back(part_of(launch));
  }
  return order;
}

}  // namespace minimod
