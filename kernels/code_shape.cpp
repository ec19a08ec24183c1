#include "kernels/code_shape.hpp"

#include <utility>

namespace minimod {

namespace {
class UnplannedLaunch final : public PlannedLaunch {
 public:
  explicit UnplannedLaunch(const std::function<void(const LaunchArgs<>&)>& work) : work_(work) {}
  void run(const LaunchArgs<>& args, void* /*stream*/) override { work_(args); }

 private:
  std::function<void(const LaunchArgs<>&)> work_;
};
}  // namespace

PlanLaunch unplanned(std::function<void(const LaunchArgs<>& args)> run) {
  return [run = std::move(run)](const LaunchArgs<>&) { return std::make_unique<UnplannedLaunch>(run); };
}

void run_once(const PlanLaunch& plan, const LaunchArgs<>& args, void* stream) {
  if (!args.box.empty()) plan(args)->run(args, stream);
}

}  // namespace minimod
