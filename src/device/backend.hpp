/// The device of a run, the host's cores or a GPU: memory, streams, time marks and launches. Its kernels on
/// fields beside the code shapes are in field_kernels.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/code_shape.hpp"
#include "src/device/ceiling.hpp"
#include "src/device/device_option.hpp"
#include "src/device/peer_link.hpp"
#include "src/device/sides/l2_sides.hpp"

namespace minimod {

/// Facts of a device.
struct DeviceInfo {
  std::string kind;  ///< cpu_kind or gpu_kind
  std::string name;
  int units = 0;  ///< multiprocessors of a GPU, threads of the host
  std::size_t memory_bytes = 0;
  std::size_t shared_bytes_limit = 0;    ///< shared memory that a block of a GPU may have
  std::size_t l2_bytes = 0;              ///< the second-level cache of a GPU
  ComputeCapability compute_capability;  ///< capability of a GPU of NVIDIA
  std::string architecture;              ///< name of a GPU's machine code, "sm_90" or "gfx90a"
  std::string driver;                    ///< version of a GPU's driver, and what it supports
  std::string pci_bus_id;                ///< number of a GPU's bus, which nvidia-smi knows it by
  std::string cpu_level = {};            ///< level of an x86-64, at which its kernels run
  double clock_hz = 0;                   ///< the greatest of a GPU's multiprocessors
  int most_warps = 0;                    ///< most warps that a multiprocessor of a GPU has at once
  int number = 0;                        ///< number of a GPU among those of the process
  int warp_threads = 32;                 ///< threads of a GPU's warp
  [[nodiscard]] bool is_gpu() const { return kind == gpu_kind; }
  [[nodiscard]] bool has_capability() const { return compute_capability != ComputeCapability{}; }
  /// The memory that it computes in, by name: "cpu", "cuda:1".
  [[nodiscard]] std::string memory() const { return is_gpu() ? gpus_text({&number, 1}) : kind; }
};

/// Launches that a device keeps to be given all at once, as often as wanted.
class LaunchGraph {
 public:
  LaunchGraph() = default;
  LaunchGraph(const LaunchGraph&) = delete;
  LaunchGraph& operator=(const LaunchGraph&) = delete;
  virtual ~LaunchGraph() = default;
};

/// A moment behind launches.
class TimeMark {
 public:
  TimeMark() = default;
  TimeMark(const TimeMark&) = delete;
  TimeMark& operator=(const TimeMark&) = delete;
  virtual ~TimeMark() = default;

  /// Marks the moment behind the launches of lane 0 so far.
  virtual void set() = 0;
  /// Seconds since the moment of another mark of the same backend; waits for that of this one.
  [[nodiscard]] virtual double seconds_since(const TimeMark& earlier) const = 0;
};

class FieldKernels;

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  [[nodiscard]] virtual DeviceInfo info() const = 0;
  [[nodiscard]] virtual std::size_t free_bytes() const = 0;

  /// Zero-filled memory of the device. Error 71 when there is not enough.
  [[nodiscard]] void* allocate(std::size_t bytes) {
    void* const memory = take(bytes);
    allocated_ += granted_bytes(bytes);
    return memory;
  }
  void release(void* memory, std::size_t bytes) noexcept {
    give_back(memory);
    allocated_ -= granted_bytes(bytes);
  }
  /// Bytes of the device's memory that an allocation of so many bytes takes.
  [[nodiscard]] virtual std::size_t granted_bytes(std::size_t bytes) const = 0;
  /// Bytes of all that was allocated and not released.
  [[nodiscard]] std::size_t allocated_bytes() const { return allocated_; }

  /// The sides of the L2, where the device knows of some and launches over such a grid gain by them.
  [[nodiscard]] virtual L2Sides l2_sides(Extent3 /*n*/) const { return {}; }
  /// Where the pages of an allocation lie, as far as it is known.
  [[nodiscard]] virtual FieldPages pages_of(void* /*memory*/, std::size_t /*bytes*/) const { return {}; }

  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  /// Waits for all work before it copies.
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  /// Within the memory of the device, in order with the launches.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;

  /// Zeroes memory of the device, in order with the launches.
  virtual void clear(void* memory, std::size_t bytes) = 0;

  /// Launches of lane 0 run one after the other, behind all else. `fork` opens `lanes` more beside it, each
  /// of which runs its launches behind what was given before; `join` has lane 0 wait for them.
  virtual void fork(int lanes) = 0;
  virtual void join() = 0;
  /// Does what `work` launches and clears, which must be the same each time: without a graph makes one of it;
  /// with one takes that, and `work` need not run.
  virtual void replay(std::unique_ptr<LaunchGraph>& graph, const std::function<void()>& work) = 0;
  /// The planners of a shape's launches on this device.
  [[nodiscard]] virtual const LaunchPlanners& planners_of(const CodeShape& shape) const = 0;
  /// Plans a launch for this device.
  [[nodiscard]] virtual std::unique_ptr<PlannedLaunch> plan(const LaunchPlanner& plan,
                                                            const LaunchArgs& args) const = 0;
  virtual void launch(PlannedLaunch& launch, const LaunchArgs& args, int lane) = 0;
  /// work(stream), whose launches are lane 0's: the device's, none on the host.
  virtual void on_stream(const std::function<void(Stream stream)>& work) = 0;
  /// The kernels that compute on fields beside the code shapes.
  [[nodiscard]] virtual FieldKernels& field_kernels() = 0;
  [[nodiscard]] virtual std::unique_ptr<TimeMark> make_time_mark() = 0;

  [[nodiscard]] virtual StreamRates measure_stream_rates(Thoroughness thoroughness) = 0;
  /// Takes some seconds, and up to half of the free memory.
  [[nodiscard]] virtual std::vector<Ceiling> measure_ceilings() = 0;

  /// Waits for all work.
  virtual void wait() = 0;
  /// Waits for all work that others in this process gave the device.
  virtual void wait_for_others() { wait(); }
  /// For messages of at most `bytes` bytes between processes; null on the host, whose memory MPI takes
  /// itself.
  [[nodiscard]] virtual std::unique_ptr<PeerLink> make_peer_link(std::size_t bytes) = 0;
  [[nodiscard]] virtual std::unique_ptr<StagingBuffer> make_staging_buffer(std::size_t bytes) = 0;

  /// Waits for all work and switches a profiler that waits for it on or off.
  virtual void profile(bool on) = 0;

 private:
  [[nodiscard]] virtual void* take(std::size_t bytes) = 0;
  virtual void give_back(void* memory) noexcept = 0;

  std::size_t allocated_ = 0;
};

/// The host: all cores through Kokkos, which must be initialized.
/// Error 69 on an x86-64 without fused multiply-add.
[[nodiscard]] std::unique_ptr<Backend> make_host_backend();

/// How many devices of a kind can be used, and when there is none, why.
struct DevicesFound {
  int count = 0;
  std::string why_none;
};

/// A kind of device, by what is asked before one is taken.
struct DeviceKind {
  const char* name;
  DevicesFound (*find)();
  /// Number `index`. Error 69 when there is no usable one, the index is too high, or the program has no code
  /// for it.
  std::unique_ptr<Backend> (*make)(int index);
  /// Gives back what the driver keeps of its memory for this process, where no backend of it is left.
  void (*leave)(int index) noexcept;
};

/// GPUs, of the kind that the program is built for; built for none, it finds none.
extern const DeviceKind gpu_devices;
extern const DeviceKind host_devices;
/// Kinds of devices, those first that `auto` prefers.
inline constexpr const DeviceKind* device_kinds[] = {&gpu_devices, &host_devices};

/// Whether work goes to a GPU: where one is asked for, be it there or not, or where there is one and nothing
/// is asked for.
[[nodiscard]] bool goes_to_gpu(const DeviceOption& device);
/// Makes the backend of that GPU or of the host. Error 69.
[[nodiscard]] std::unique_ptr<Backend> make_backend(const DeviceOption& device);

/// An array on a backend's device, zero at first.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(Backend& backend, std::size_t size)
      : backend_(&backend), size_(size), data_(static_cast<T*>(backend.allocate(size * sizeof(T)))) {}
  DeviceArray(Backend& backend, std::span<const T> values) : DeviceArray(backend, values.size()) {
    backend.upload(data_, values.data(), values.size() * sizeof(T));
  }
  DeviceArray(Backend& backend, const std::vector<T>& values) : DeviceArray(backend, std::span(values)) {}
  DeviceArray(DeviceArray&& other) noexcept
      : backend_(other.backend_),
        size_(std::exchange(other.size_, 0)),
        data_(std::exchange(other.data_, nullptr)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(backend_, other.backend_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() {
    if (data_ != nullptr) backend_->release(data_, size_ * sizeof(T));
  }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  Backend* backend_ = nullptr;
  std::size_t size_ = 0;
  T* data_ = nullptr;
};

/// An array of reals of a precision on a backend's device, zero at first.
class DeviceReals {
 public:
  DeviceReals() = default;
  DeviceReals(Backend& backend, std::size_t size, Precision precision)
      : bytes_(backend, size * bytes_of(precision)), precision_(precision) {}
  /// With these values, rounded.
  DeviceReals(Backend& backend, const std::vector<double>& values, Precision precision)
      : DeviceReals(backend, values.size(), precision) {
    with_real(precision, [&]<class Real>() {
      const std::vector<Real> rounded(values.begin(), values.end());
      backend.upload(bytes_.data(), rounded.data(), bytes());
    });
  }

  [[nodiscard]] RealsAt at() const { return {bytes_.data(), precision_}; }
  [[nodiscard]] void* data() const { return bytes_.data(); }
  [[nodiscard]] Precision precision() const { return precision_; }
  [[nodiscard]] std::size_t size() const { return bytes() / bytes_of(precision_); }
  [[nodiscard]] std::size_t bytes() const { return bytes_.size(); }

 private:
  DeviceArray<std::byte> bytes_;
  Precision precision_ = Precision::float32;
};

}  // namespace minimod
