/// Emulates the threads of a GPU block on the host, so that CI tests the very source that runs on the device.
///
/// Every thread is a fiber that runs until it ends or meets a barrier; the order of the fibers is
/// shuffled between barriers, and the shared memory of a block starts as NaN. A wrong index, a halo that
/// nobody fetched or a missing barrier turns into a wrong number, and AddressSanitizer sees a bad access.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/grid.hpp"
#include "kernels/host/cpu_level.hpp"

namespace minimod {

/// A function by its template's argument, which compilers spell "Type::name]", or "(Type)5]" where the type
/// has no enumerator of that value.
template <auto Enumerator>
const char* function_of() {
  return __PRETTY_FUNCTION__;
}
/// The name of an enumerator, empty where its type has none of that value.
template <auto Enumerator>
std::string spelt() {
  const std::string function = function_of<Enumerator>();
  const std::size_t end = function.find_last_of(']');
  const std::size_t before = function.find_last_of(":)", end);
  return function[before] == ')' ? "" : function.substr(before + 1, end - before - 1);
}

/// Threads that ended while others of their block wait at a barrier.
struct LeftBarrier : std::logic_error {
  using std::logic_error::logic_error;
};

/// An equation that reads an array where it does not say that it does.
struct WrongRead : std::logic_error {
  Index3 point, away;
  WrongRead(const std::string& array, Index3 at, Index3 from_it)
      : std::logic_error(array), point(at), away(from_it) {}
};

/// "q (number 5)", by the enumerator of the equation's `Array`; "number 5" where it has none of that number.
template <class Equation, int Array>
std::string array_name() {
  std::string number = "number " + std::to_string(Array);
  if constexpr (requires { typename Equation::Array; }) {
    const std::string name = spelt<static_cast<typename Equation::Array>(Array)>();
    if (!name.empty()) return name + " (" + number + ')';
  }
  return number;
}

/// The fibers of one block, used again block after block.
class FiberBlock {
 public:
  explicit FiberBlock(int threads);
  FiberBlock(const FiberBlock&) = delete;
  FiberBlock& operator=(const FiberBlock&) = delete;
  ~FiberBlock();

  /// Runs body(thread) for every thread number, switching at `sync()`. Throws LeftBarrier when some threads
  /// end while others wait at a barrier: on the device that block would hang.
  void run(const std::function<void(int)>& body, std::uint64_t seed);

  /// Error 65 of such a block.
  [[noreturn]] static void refuse_left_barrier(const std::string& shape, Index3 block);
  /// Error 65 of an equation that reads an array where it does not say that it does.
  [[noreturn]] static void refuse_read(const std::string& shape, const WrongRead& read);

  /// The barrier, called from inside `body`.
  void sync();

  /// The same where threads may end at different times; `sync()` only lets the others go on. After each turn
  /// of all that have not ended comes between_turns().
  void run_apart(const std::function<void(int)>& body, std::uint64_t seed,
                 const std::function<void()>& between_turns);

  /// The number of the thread that runs.
  [[nodiscard]] int current() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The asynchronous copies of one thread, as late as the device may make them: a target is NaN from the start
/// of the copy until a wait retires its group.
class AsyncCopies {
 public:
  void start(void* to, const void* from, std::size_t bytes) {
    std::memset(to, 0xff, bytes);
    copies_.push_back({to, from, bytes});
  }
  void commit() { group_ends_.push_back(copies_.size()); }
  void wait(std::size_t pending);

 private:
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  std::vector<Copy> copies_;             // not made yet, oldest first
  std::vector<std::size_t> group_ends_;  // in copies_, of the groups on their way
};

/// The `Block` of the host.
class HostBlock {
 public:
  HostBlock(Index3 thread, Index3 index, FiberBlock* fibers)
      : thread_(thread), index_(index), fibers_(fibers) {}
  [[nodiscard]] Index3 thread() const { return thread_; }
  [[nodiscard]] Index3 index() const { return index_; }
  void sync() const { fibers_->sync(); }
  template <class Value>
  [[nodiscard]] Value read_only(const Value* global) const {
    return *global;
  }
  template <class Value>
  [[nodiscard]] Value read(const Value* global) const {
    return *global;
  }
  void prefetch(const void* /*global*/) const {}
  /// Equations are held to what they say of their arrays.
  static constexpr bool checks_reads = true;
  template <class Equation, int Array>
  [[noreturn]] static void refuse_read(Index3 point, Index3 away) {
    throw WrongRead(array_name<Equation, Array>(), point, away);
  }

  template <class Value>
  void copy_async(Value* shared, const Value* global) const {
    copies_.start(shared, global, sizeof(Value));
  }
  void commit() const { copies_.commit(); }
  template <int Pending>
  void wait() const {
    copies_.wait(Pending);
  }

 private:
  Index3 thread_, index_;
  FiberBlock* fibers_;
  mutable AsyncCopies copies_;  // shapes get their block as a constant, as on the device
};

/// The `item`-th index of a box of extents n, x fastest.
inline Index3 unflatten(std::int64_t item, Extent3 n) {
  return {static_cast<int>(item % n.x), static_cast<int>(item / n.x % n.y),
          static_cast<int>(item / n.x / n.y)};
}

/// "st_smem, tile 8x8"; a shape without a family is a kernel of its specification.
template <class Shape>
std::string emulated_name() {
  std::string name = "the kernel";
  if constexpr (requires { Shape::family; }) name = Shape::family;
  if constexpr (requires { Shape::tile; }) {
    name += ", tile " + std::to_string(Shape::tile.x) + 'x' + std::to_string(Shape::tile.y);
    if (Shape::tile.z > 0) name += 'x' + std::to_string(Shape::tile.z);
  }
  return name;
}

/// Runs the shape over args.box, block after block. Error 65 where threads of a block leave others at a
/// barrier, or an equation reads an array where it does not say so. `Block` is HostBlock or, in the tests, a
/// faulty one.
template <class Shape, class Args, class Block = HostBlock>
void run_on_host(const Args& args, std::uint64_t seed = 0) {
  if (args.box.empty()) return;
  const Extent3 blocks = launch_blocks<Shape>(args.box);
  const int threads = static_cast<int>(Shape::threads.points());
  constexpr bool has_barriers = !std::is_empty_v<typename Shape::Shared>;
  std::unique_ptr<FiberBlock> fibers = has_barriers ? std::make_unique<FiberBlock>(threads) : nullptr;
  const auto shared = std::make_unique<typename Shape::Shared>();
  for (std::int64_t b = 0; b < blocks.points(); ++b) {
    const auto body = [&](int t) {
      at_cpu_level_v3([&] {  // a level that all kernels need, and code for one is enough
        Shape{}(Block(unflatten(t, Shape::threads), unflatten(b, blocks), fibers.get()), args, *shared);
      });
    };
    try {
      if constexpr (has_barriers) {
        std::memset(shared.get(), 0xff, sizeof *shared);  // every float a NaN
        fibers->run(body, seed + static_cast<std::uint64_t>(b));
      } else {
        for (int t = 0; t < threads; ++t) body(t);
      }
    } catch (const LeftBarrier&) {
      FiberBlock::refuse_left_barrier(emulated_name<Shape>(), unflatten(b, blocks));
    } catch (const WrongRead& read) {
      FiberBlock::refuse_read(emulated_name<Shape>(), read);
    }
  }
}

}  // namespace minimod
