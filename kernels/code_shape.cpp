#include "kernels/code_shape.hpp"

namespace minimod {

namespace {
class UnplannedLaunch final : public PlannedLaunch {
 public:
  explicit UnplannedLaunch(void (*work)(const LaunchArgs<>&)) : work_(work) {}
  void run(const LaunchArgs<>& args, void* /*stream*/) override { work_(args); }

 private:
  void (*work_)(const LaunchArgs<>&);
};
}  // namespace

PlanLaunch unplanned(void (*run)(const LaunchArgs<>& args)) {
  return [run](const LaunchArgs<>&) { return std::make_unique<UnplannedLaunch>(run); };
}

void run_once(const PlanLaunch& plan, const LaunchArgs<>& args, void* stream) {
  if (!args.box.empty()) plan(args)->run(args, stream);
}

}  // namespace minimod
