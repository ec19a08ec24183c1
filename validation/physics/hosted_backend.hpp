/// A backend of a test over another one, of which it changes what it wants to.
#pragma once

#include "src/device/backend.hpp"

namespace minimod {

class HostedBackend : public Backend {
 public:
  explicit HostedBackend(std::unique_ptr<Backend> host = make_host_backend()) : host_(std::move(host)) {}
  [[nodiscard]] std::size_t free_bytes() const override { return host_->free_bytes(); }
  [[nodiscard]] DeviceInfo info() const override { return host_->info(); }
  [[nodiscard]] std::size_t granted_bytes(std::size_t bytes) const override {
    return host_->granted_bytes(bytes);
  }
  void upload(void* to, const void* from, std::size_t bytes) override { host_->upload(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { host_->download(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override { host_->copy(to, from, bytes); }
  void clear(void* memory, std::size_t bytes) override { host_->clear(memory, bytes); }
  void fork(int lanes) override { host_->fork(lanes); }
  void join() override { host_->join(); }
  [[nodiscard]] const LaunchPlanners& planners_of(const CodeShape& shape) const override {
    return host_->planners_of(shape);
  }
  [[nodiscard]] std::unique_ptr<PlannedLaunch> plan(const LaunchPlanner& plan,
                                                    const LaunchArgs& args) const override {
    return host_->plan(plan, args);
  }
  void launch(PlannedLaunch& launch, const LaunchArgs& args, int lane) override {
    host_->launch(launch, args, lane);
  }
  void on_stream(const std::function<void(Stream stream)>& work) override { host_->on_stream(work); }
  [[nodiscard]] FieldKernels& field_kernels() override { return host_->field_kernels(); }
  [[nodiscard]] std::unique_ptr<TimeMark> make_time_mark() override { return host_->make_time_mark(); }
  [[nodiscard]] StreamRates measure_stream_rates(Thoroughness thoroughness) override {
    return host_->measure_stream_rates(thoroughness);
  }
  [[nodiscard]] std::vector<Ceiling> measure_ceilings() override { return host_->measure_ceilings(); }
  void wait() override { host_->wait(); }
  [[nodiscard]] std::unique_ptr<PeerLink> make_peer_link(std::size_t bytes) override {
    return host_->make_peer_link(bytes);
  }
  [[nodiscard]] std::unique_ptr<StagingBuffer> make_staging_buffer(std::size_t bytes) override {
    return host_->make_staging_buffer(bytes);
  }
  void profile(bool on) override { host_->profile(on); }

  void replay(std::unique_ptr<LaunchGraph>& graph, const std::function<void()>& work) override {
    host_->replay(graph, work);
  }

 protected:
  [[nodiscard]] void* take(std::size_t bytes) override { return host_->allocate(bytes); }

 private:
  void give_back(void* memory) noexcept override { host_->release(memory, 0); }

  std::unique_ptr<Backend> host_;
};

}  // namespace minimod
