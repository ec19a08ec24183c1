#include "kernels/code_shape.hpp"

#include <utility>

namespace minimod {

namespace {
class HostLaunch final : public PlannedLaunch {
 public:
  explicit HostLaunch(std::function<void(const LaunchArgs&)> work) : work_(std::move(work)) {}
  void run(const LaunchArgs& args, void* /*stream*/) override { work_(args); }

 private:
  std::function<void(const LaunchArgs&)> work_;
};
}  // namespace

std::unique_ptr<PlannedLaunch> host_launch(std::function<void(const LaunchArgs& args)> run) {
  return std::make_unique<HostLaunch>(std::move(run));
}

void run_once(const PlanLaunch& plan, const LaunchArgs& args, void* stream) {
  if (!args.box.empty()) plan(args)->run(args, stream);
}

}  // namespace minimod
