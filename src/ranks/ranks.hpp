/// The processes that compute one domain together: those that MPI has started, or this one alone.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "src/base/error.hpp"

namespace minimod {

/// All calls but `number`, `size` and the like are collective: every rank makes them, in the same order.
class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;

  /// Ranks of this process. Starts MPI where mpirun, srun or the like has started the process, at the first
  /// call, which belongs before all threads. Error 69 where several processes were started that cannot find
  /// each other: the program was built without MPI, or with another one.
  [[nodiscard]] static Ranks& world();

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool is_first() const { return number_ == 0; }
  [[nodiscard]] bool is_alone() const { return size_ == 1; }
  /// Among those on the same machine.
  [[nodiscard]] int number_on_node() const { return number_on_node_; }
  [[nodiscard]] int size_of_node() const { return size_of_node_; }
  /// The same number for ranks on the same machine.
  [[nodiscard]] int node() const { return node_; }
  /// Whether MPI sends from and to a GPU's memory.
  [[nodiscard]] virtual bool takes_gpu_memory() const = 0;

  /// Values that the ranks give, in their order.
  template <class T>
  [[nodiscard]] std::vector<T> gather(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(size_);
    gather_bytes(&mine, all.data(), sizeof(T));
    return all;
  }
  /// The first one's value.
  template <class T>
  [[nodiscard]] T from_first(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast_bytes(0, &value, sizeof(T));
    return value;
  }
  /// The text of that rank, of its length.
  [[nodiscard]] std::string from(int rank, std::string text) {
    from_bytes(rank, text);
    return text;
  }
  template <class T>
  [[nodiscard]] std::vector<T> from(int rank, std::vector<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    from_bytes(rank, values);
    return values;
  }
  [[nodiscard]] bool any(bool mine);

  /// Every rank does it; where some fail, all throw the error of the lowest of them.
  void together(const std::function<void()>& work);
  /// Values that the ranks make, each its own, with errors as together has them.
  template <class Make>
  [[nodiscard]] auto all_make(const Make& make) {
    std::optional<decltype(make())> made;
    together([&] { made.emplace(make()); });
    return *std::move(made);
  }
  /// The first one does it, and all throw its error.
  void on_first(const std::function<void()>& work);

  /// Between two ranks alone, as many bytes as the other one expects.
  virtual void send(int to, std::span<const std::byte> bytes) = 0;
  virtual void receive(int from, std::span<std::byte> bytes) = 0;

  /// Bytes that go to a rank, and come from it into other memory.
  struct Message {
    int rank;
    const void* out;
    std::size_t out_bytes;
    void* in;
    std::size_t in_bytes;
  };
  /// With those ranks alone, all at once. The memory of both directions is MPI's until finish_exchange, of
  /// which one belongs to each start.
  virtual void start_exchange(std::span<const Message> messages) = 0;
  virtual void finish_exchange() = 0;
  void exchange(std::span<const Message> messages) {
    start_exchange(messages);
    finish_exchange();
  }

  /// Before the program ends well.
  virtual void finish() = 0;
  /// Before this process ends with an error, says `line` on stderr. Where all ranks come with theirs, the
  /// first one alone says its own; where others do not come within a second, they are ended, and this call
  /// does not return. The code that the process is to end with.
  [[nodiscard]] virtual int leave(int code, const std::string& line) = 0;

 private:
  template <class Values>
  void from_bytes(int rank, Values& values) {
    std::size_t size = values.size();
    broadcast_bytes(rank, &size, sizeof size);
    values.resize(size);
    broadcast_bytes(rank, values.data(), size * sizeof values[0]);
  }

 protected:
  virtual void gather_bytes(const void* mine, void* all, std::size_t bytes) = 0;
  virtual void broadcast_bytes(int from, void* value, std::size_t bytes) = 0;

  int number_ = 0, size_ = 1, number_on_node_ = 0, size_of_node_ = 1, node_ = 0;
};

/// The MPI library that the program was built with; empty without one.
[[nodiscard]] std::string mpi_library();

}  // namespace minimod
