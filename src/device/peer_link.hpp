/// Halos that go from GPU to GPU of a machine: other processes write into a part of this one's memory.
#pragma once

#include <array>
#include <cstddef>

namespace minimod {

/// When memory of the device is as it should be: behind the launches of lane 0 so far, or, while these go on,
/// when a counter in its memory has come to a number (mod 2³²).
struct Ready {
  const unsigned* counter = nullptr;
  unsigned number = 0;
  [[nodiscard]] bool is_early() const { return counter != nullptr; }
};

/// Card of a process's link for another process, as bytes.
struct PeerCard {
  std::array<std::byte, 512> bytes{};
};

/// Has rooms for what two neighbours send, two each: what comes next may come before the last is taken.
class PeerLink {
 public:
  PeerLink() = default;
  PeerLink(const PeerLink&) = delete;
  PeerLink& operator=(const PeerLink&) = delete;
  virtual ~PeerLink() = default;

  static constexpr int faces = 2, turns = 2;

  [[nodiscard]] virtual PeerCard card() const = 0;
  /// Connects a face: pushes at `face` go to `other_face` of the process whose card it is. Error 69 where the
  /// two GPUs cannot reach each other.
  virtual void connect(int face, const PeerCard& other, int other_face) = 0;
  /// Begins an exchange; what is taken is written behind the launches of lane 0 so far, and those that follow
  /// find sent what was last pushed in this turn.
  virtual void begin(int turn) = 0;
  /// Sends to byte `at` of a room when it is ready, beside the launches that follow; what is pushed goes one
  /// after the other.
  virtual void push(int face, int turn, std::size_t at, const void* from, std::size_t bytes,
                    const Ready& ready) = 0;
  /// Takes what was pushed to `face`; the launches of lane 0 that follow wait for it. The other process must
  /// have made all its calls of `push` for that turn.
  virtual void take(int face, int turn, std::size_t at, void* to, std::size_t bytes) = 0;
  /// The launches of lane 0 that follow find sent all that was pushed, and may write to it.
  virtual void keep_edges() = 0;
  /// Waits for all copies and lets go of the neighbours' rooms, which must outlive that.
  virtual void disconnect() noexcept = 0;
};

/// Memory of the host that a device copies to and from at full speed, beside its launches.
class StagingBuffer {
 public:
  StagingBuffer() = default;
  StagingBuffer(const StagingBuffer&) = delete;
  StagingBuffer& operator=(const StagingBuffer&) = delete;
  virtual ~StagingBuffer() = default;
  [[nodiscard]] virtual std::byte* data() const = 0;

  /// Copies memory of the device to byte `at`, behind the launches of lane 0 so far and beside those that
  /// follow.
  virtual void take_from(const void* from, std::size_t at, std::size_t bytes) = 0;
  /// Until all that was taken is there.
  virtual void wait() = 0;
  /// Copies from here on follow the launches of lane 0 so far.
  virtual void follow_launches() = 0;
  /// Copies from byte `at`, beside the launches of lane 0.
  virtual void give_to(void* to, std::size_t at, std::size_t bytes) = 0;
  /// Launches of lane 0 from here on follow the copies so far.
  virtual void lead_launches() = 0;
};

}  // namespace minimod
