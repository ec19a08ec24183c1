#include "src/solver/schedules.hpp"

#include "src/solver/schedule.hpp"

namespace minimod {

const std::vector<const Schedule*>& all_schedules() {
  static const std::vector<const Schedule*> schedules{&sequence(), &beside(), &whole_step(), &whole()};
  return schedules;
}

const Schedule* find_schedule(const std::string& name) {
  for (const Schedule* schedule : all_schedules()) {
    if (schedule->name() == name) return schedule;
  }
  return nullptr;
}

}  // namespace minimod
