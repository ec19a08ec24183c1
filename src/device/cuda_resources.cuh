/// Streams, events, graphs and pinned memory of a GPU, which belong to the device that is current when they
/// are made.
#pragma once

#include <functional>
#include <span>
#include <utility>

#include "kernels/device/cuda_check.cuh"
#include "src/device/backend.hpp"

namespace minimod {

/// One that marks a time, or that only orders work.
class CudaEvent {
 public:
  enum class Kind { timed, order };
  explicit CudaEvent(Kind kind = Kind::timed) {
    check(cudaEventCreateWithFlags(&event_, kind == Kind::order ? cudaEventDisableTiming : cudaEventDefault));
  }
  CudaEvent(CudaEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  CudaEvent& operator=(CudaEvent&&) = delete;
  ~CudaEvent() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  [[nodiscard]] cudaEvent_t get() const { return event_; }
  void wait() const { check(cudaEventSynchronize(event_)); }
  [[nodiscard]] bool is_over() const {
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) {
      cudaGetLastError();  // an answer, and nothing for the next launch to be blamed with
      return false;
    }
    check(status);
    return true;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class CudaStream {
 public:
  /// Blocks of the first go first where both have some.
  enum class Priority { first, second };
  explicit CudaStream(Priority priority) {
    int lowest = 0, highest = 0;
    check(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                       priority == Priority::first ? highest : lowest));
  }
  CudaStream(CudaStream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  CudaStream& operator=(CudaStream&&) = delete;
  ~CudaStream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Memory of the host that kernels may write to, at the same address.
template <class T>
class PinnedArray {
 public:
  explicit PinnedArray(std::size_t size) : size_(size) { check(cudaMallocHost(&data_, size * sizeof(T))); }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;
  ~PinnedArray() { cudaFreeHost(data_); }
  [[nodiscard]] std::span<T> values() const { return {data_, size_}; }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

/// A stream beside the main one.
struct CudaLane {
  CudaStream stream{CudaStream::Priority::second};
  CudaEvent done{CudaEvent::Kind::order};
};

/// A graph takes one call of the driver where its launches, forks and joins take one each, which at 256^3
/// points is more than the GPU needs for a step. The priorities of its lanes hold.
class CudaLaunchGraph final : public LaunchGraph {
 public:
  CudaLaunchGraph(cudaStream_t stream, const std::function<void()>& work) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    cudaGraph_t captured = nullptr;
    try {
      work();
    } catch (...) {
      cudaStreamEndCapture(stream, &captured);
      if (captured != nullptr) cudaGraphDestroy(captured);
      cudaGetLastError();  // the failure of the capture is no news
      throw;
    }
    check(cudaStreamEndCapture(stream, &captured));
    const cudaError_t status =
        cudaGraphInstantiateWithFlags(&graph_, captured, cudaGraphInstantiateFlagUseNodePriority);
    cudaGraphDestroy(captured);
    check_launch(status);
  }
  ~CudaLaunchGraph() override { cudaGraphExecDestroy(graph_); }
  void launch(cudaStream_t stream) const { check_launch(cudaGraphLaunch(graph_, stream)); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace minimod
