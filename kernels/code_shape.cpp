#include "kernels/code_shape.hpp"

namespace minimod {

namespace {
class UnplannedLaunch final : public PlannedLaunch {
 public:
  explicit UnplannedLaunch(void (*work)(const LaunchArgs<float>&)) : work_(work) {}
  void run(const LaunchArgs<float>& args, void* /*stream*/) override { work_(args); }

 private:
  void (*work_)(const LaunchArgs<float>&);
};
}  // namespace

PlanLaunch unplanned(void (*run)(const LaunchArgs<float>& args)) {
  return [run](const LaunchArgs<float>&) { return std::make_unique<UnplannedLaunch>(run); };
}

void run_once(const PlanLaunch& plan, const LaunchArgs<float>& args, void* stream) {
  if (!args.box.empty()) plan(args)->run(args, stream);
}

}  // namespace minimod
