/// CUDA's inter-process memory and events. Copies between GPUs take copy engines, no multiprocessor.
#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "kernels/device/cuda_driver.cuh"
#include "src/base/option.hpp"
#include "src/base/process/host_memory.hpp"
#include "src/device/cuda_resources.cuh"
#include "src/device/peer_link.hpp"

namespace minimod {

/// An event of this process that others wait for, or one of theirs.
class SharedEvent {
 public:
  SharedEvent() = default;
  SharedEvent(const SharedEvent&) = delete;
  SharedEvent& operator=(const SharedEvent&) = delete;
  ~SharedEvent() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  void create() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming | cudaEventInterprocess)); }
  void open(const cudaIpcEventHandle_t& handle) { check_shared(cudaIpcOpenEventHandle(&event_, handle)); }
  [[nodiscard]] cudaIpcEventHandle_t handle() const {
    cudaIpcEventHandle_t handle;
    check_shared(cudaIpcGetEventHandle(&handle, event_));
    return handle;
  }
  [[nodiscard]] cudaEvent_t get() const { return event_; }

  /// Machines differ in what they let processes share.
  static void check_shared(cudaError_t status) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // nothing for the next launch to be blamed with
    throw Error(ErrorKind::unavailable,
                text("the GPUs' memory cannot be shared: ", cudaGetErrorString(status)),
                text("use ", option("transport"), " staged"));
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Copies beside the launches of a stream, one after the other.
class CopiesBeside {
 public:
  explicit CopiesBeside(cudaStream_t launches) : launches_(launches) {}
  CopiesBeside(const CopiesBeside&) = delete;
  CopiesBeside& operator=(const CopiesBeside&) = delete;
  ~CopiesBeside() { cudaStreamSynchronize(copies_.get()); }

  [[nodiscard]] cudaStream_t stream() const { return copies_.get(); }
  /// Copies from here on follow the launches so far.
  void follow_launches() const {
    check(cudaEventRecord(launched_.get(), launches_));
    check(cudaStreamWaitEvent(copies_.get(), launched_.get()));
  }
  /// Copies from here on wait until their source is ready.
  void follow(const Ready& ready) const {
    if (ready.is_early() && wait_for_counter(copies_.get(), ready.counter, ready.number)) return;
    follow_launches();  // for an early one later, and as right
  }
  /// Launches from here on follow the copies so far.
  void lead_launches() const {
    check(cudaEventRecord(copied_.get(), copies_.get()));
    check(cudaStreamWaitEvent(launches_, copied_.get()));
  }

 private:
  cudaStream_t launches_;
  CudaStream copies_{CudaStream::Priority::first};
  CudaEvent launched_{CudaEvent::Kind::order}, copied_{CudaEvent::Kind::order};
};

class CudaPeerLink final : public PeerLink {
 public:
  /// Room for messages of `bytes` bytes.
  CudaPeerLink(Backend& backend, cudaStream_t stream, std::size_t bytes)
      : launches_(stream),
        sent_(stream),
        taken_(stream),
        bytes_(bytes),
        inbox_(backend, std::max(faces * turns * bytes, least_inbox)) {
    for (auto& turns_of_face : pushed_) {
      for (SharedEvent& event : turns_of_face) event.create();
    }
  }
  ~CudaPeerLink() override { CudaPeerLink::disconnect(); }

  [[nodiscard]] PeerCard card() const override {
    Handles handles{};
    SharedEvent::check_shared(cudaIpcGetMemHandle(&handles.inbox, inbox_.data()));
    for (int face = 0; face < faces; ++face) {
      for (int turn = 0; turn < turns; ++turn) handles.pushed[face][turn] = pushed_[face][turn].handle();
    }
    PeerCard card;
    static_assert(sizeof handles <= sizeof card.bytes);
    std::memcpy(card.bytes.data(), &handles, sizeof handles);
    return card;
  }

  void connect(int face, const PeerCard& other, int other_face) override {
    Handles handles;
    std::memcpy(&handles, other.bytes.data(), sizeof handles);
    void* inbox = nullptr;
    SharedEvent::check_shared(cudaIpcOpenMemHandle(&inbox, handles.inbox, cudaIpcMemLazyEnablePeerAccess));
    outbox_[face] = static_cast<std::byte*>(inbox);
    other_face_[face] = other_face;
    for (int turn = 0; turn < turns; ++turn) others_[face][turn].open(handles.pushed[other_face][turn]);
  }

  void begin(int turn) override {
    taken_.follow_launches();
    for (const auto& turns_of_face : pushed_)
      check(cudaStreamWaitEvent(launches_, turns_of_face[turn].get()));  // no wait where none was recorded
  }

  void push(int face, int turn, std::size_t at, const void* from, std::size_t bytes,
            const Ready& ready) override {
    std::byte* const to = outbox_[face] + place(other_face_[face], turn) + at;
    sent_.follow(ready);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, sent_.stream()));
    check(cudaEventRecord(pushed_[face][turn].get(), sent_.stream()));
  }

  void take(int face, int turn, std::size_t at, void* to, std::size_t bytes) override {
    check(cudaStreamWaitEvent(taken_.stream(), others_[face][turn].get()));
    check(cudaMemcpyAsync(to, inbox_.data() + place(face, turn) + at, bytes, cudaMemcpyDeviceToDevice,
                          taken_.stream()));
    taken_.lead_launches();
  }

  void keep_edges() override { sent_.lead_launches(); }

  void disconnect() noexcept override {
    cudaStreamSynchronize(sent_.stream());
    cudaStreamSynchronize(taken_.stream());
    for (std::byte*& outbox : outbox_) {
      if (outbox != nullptr) cudaIpcCloseMemHandle(std::exchange(outbox, nullptr));
    }
  }

 private:
  struct Handles {
    cudaIpcMemHandle_t inbox;
    cudaIpcEventHandle_t pushed[faces][turns];
  };
  /// A smaller allocation shares its page with others, which would be shared too.
  static constexpr std::size_t least_inbox = std::size_t{2} << 20U;
  [[nodiscard]] std::size_t place(int face, int turn) const { return (face * turns + turn) * bytes_; }

  cudaStream_t launches_;
  CopiesBeside sent_, taken_;
  std::size_t bytes_;
  DeviceArray<std::byte> inbox_;  ///< [face][turn]
  SharedEvent pushed_[faces][turns], others_[faces][turns];
  std::byte* outbox_[faces] = {};  ///< inbox of each neighbour
  int other_face_[faces] = {};
};

/// Whole pages of the host's memory, which all cores have made before the driver takes hold of them: it makes
/// its own by one core, 3 GB a second.
class RegisteredPages {
 public:
  explicit RegisteredPages(std::size_t bytes) {
    const std::size_t whole = round_up(bytes, page);
    pages_.reset(static_cast<std::byte*>(::operator new(whole, std::align_val_t(page))));
    make_pages(pages_.get(), whole);
    check(cudaHostRegister(pages_.get(), whole, 0));
  }
  RegisteredPages(const RegisteredPages&) = delete;
  RegisteredPages& operator=(const RegisteredPages&) = delete;
  ~RegisteredPages() { cudaHostUnregister(pages_.get()); }
  [[nodiscard]] std::byte* data() const { return pages_.get(); }

 private:
  static constexpr std::size_t page = 1 << 16;  // the largest ordinary one; no two registrations share one
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t(page)); }
  };
  std::unique_ptr<std::byte, Free> pages_;
};

class PinnedBuffer final : public StagingBuffer {
 public:
  PinnedBuffer(cudaStream_t stream, std::size_t bytes) : bytes_(bytes), copies_(stream) {}
  [[nodiscard]] std::byte* data() const override { return bytes_.data(); }

  void take_from(const void* from, std::size_t at, std::size_t bytes) override {
    copies_.follow_launches();
    check(cudaMemcpyAsync(data() + at, from, bytes, cudaMemcpyDeviceToHost, copies_.stream()));
  }
  void wait() override { check(cudaStreamSynchronize(copies_.stream())); }
  void follow_launches() override { copies_.follow_launches(); }
  void give_to(void* to, std::size_t at, std::size_t bytes) override {
    check(cudaMemcpyAsync(to, data() + at, bytes, cudaMemcpyHostToDevice, copies_.stream()));
  }
  void lead_launches() override { copies_.lead_launches(); }

 private:
  RegisteredPages bytes_;
  CopiesBeside copies_;
};

}  // namespace minimod
