#include "kernels/host/host_block.hpp"

#include <algorithm>
#include <exception>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "kernels/host/context_switch.hpp"
#include "src/base/error.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace minimod {

namespace {
constexpr std::size_t stack_bytes = std::size_t{128} << 10U;

/// AddressSanitizer must be told of every change of stack.
void announce_switch([[maybe_unused]] void** save, [[maybe_unused]] const void* bottom,
                     [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(save, bottom, size);
#endif
}

void finish_switch([[maybe_unused]] void* saved, [[maybe_unused]] const void** bottom,
                   [[maybe_unused]] std::size_t* size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(saved, bottom, size);
#endif
}

/// Who leaves a stack in the middle leaves the marks of its frames.
void forget_frames([[maybe_unused]] void* bottom, [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(bottom, size);
#endif
}

using Stack = std::unique_ptr<char[]>;

/// Stacks that no fiber has: a launch takes those of the launch before, whose memory is there.
std::vector<Stack>& spare_stacks() {
  thread_local std::vector<Stack> stacks;
  return stacks;
}

Stack take_stack() {
  if (spare_stacks().empty()) return Stack(new char[stack_bytes]);
  Stack stack = std::move(spare_stacks().back());
  spare_stacks().pop_back();
  return stack;
}
}  // namespace

struct FiberBlock::State {
  struct Fiber {
    Context context;
    Stack stack = take_stack();
    bool ended = true;
    void* fake_stack = nullptr;
  };

  std::vector<Fiber> fibers;
  Context scheduler;
  void* scheduler_fake_stack = nullptr;
  const void* scheduler_stack = nullptr;
  std::size_t scheduler_stack_size = 0;
  int current = 0;
  const std::function<void(int)>* body = nullptr;
  std::exception_ptr failure;

  explicit State(int threads) : fibers(threads) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    for (Fiber& fiber : fibers) {
      forget_frames_of(fiber);
      spare_stacks().push_back(std::move(fiber.stack));
    }
  }

  void resume(int thread) {
    current = thread;
    Fiber& fiber = fibers[thread];
    announce_switch(&scheduler_fake_stack, fiber.stack.get(), stack_bytes);
    switch_context(scheduler, fiber.context);
    finish_switch(scheduler_fake_stack, nullptr, nullptr);
  }

  void yield() {
    Fiber& fiber = fibers[current];
    announce_switch(fiber.ended ? nullptr : &fiber.fake_stack, scheduler_stack, scheduler_stack_size);
    switch_context(fiber.context, scheduler);
    finish_switch(fiber.fake_stack, &scheduler_stack, &scheduler_stack_size);
  }

  void run_current() {
    finish_switch(nullptr, &scheduler_stack, &scheduler_stack_size);
    try {
      (*body)(current);
    } catch (...) {
      failure = std::current_exception();
    }
    fibers[current].ended = true;
    yield();
  }

  static void forget_frames_of(const Fiber& fiber) {
    if (!fiber.ended) forget_frames(fiber.stack.get(), stack_bytes);
  }

  void start(int thread) {
    Fiber& fiber = fibers[thread];
    forget_frames_of(fiber);
    fiber.ended = false;
    const auto enter = [](void* state) { static_cast<State*>(state)->run_current(); };
    start_context(fiber.context, fiber.stack.get(), stack_bytes, enter, this);
  }
};

FiberBlock::FiberBlock(int threads) : state_(std::make_unique<State>(threads)) {}
FiberBlock::~FiberBlock() = default;

void FiberBlock::sync() {
  state_->yield();
}

int FiberBlock::current() const {
  return state_->current;
}

void FiberBlock::run(const std::function<void(int)>& body, std::uint64_t seed) {
  run_apart(body, seed, [&] {
    const auto ended = std::count_if(state_->fibers.begin(), state_->fibers.end(),
                                     [](const State::Fiber& fiber) { return fiber.ended; });
    if (ended != 0 && ended != static_cast<std::ptrdiff_t>(state_->fibers.size())) {
      throw LeftBarrier("a thread of the block ended while others wait at a barrier");
    }
  });
}

void FiberBlock::refuse_left_barrier(const std::string& shape, Index3 block) {
  throw Error(ErrorKind::data,
              text(shape, ": threads of block (", block.x, ", ", block.y, ", ", block.z,
                   ") ended while others wait at a barrier"),
              "on a GPU it hangs: let no thread return before the last block.sync()");
}

void FiberBlock::refuse_read(const std::string& shape, const WrongRead& read) {
  const Index3 p = read.point, away = read.away;
  throw Error(
      ErrorKind::data,
      text(shape, ": at point (", p.x, ", ", p.y, ", ", p.z, ") the equation reads its array ", read.what(),
           " (", away.x, ", ", away.y, ", ", away.z, ") away, where it does not say that it does"),
      "say so: `reach`, `is_star` and `Beside` of the equation");
}

void FiberBlock::run_apart(const std::function<void(int)>& body, std::uint64_t seed,
                           const std::function<void()>& between_turns) {
  State& state = *state_;
  const int threads = static_cast<int>(state.fibers.size());
  state.body = &body;
  state.failure = nullptr;
  for (int t = 0; t < threads; ++t) state.start(t);

  std::vector<int> running(threads);
  std::iota(running.begin(), running.end(), 0);
  std::mt19937_64 random(seed);
  while (!running.empty()) {
    std::shuffle(running.begin(), running.end(), random);
    for (const int t : running) state.resume(t);
    if (state.failure) std::rethrow_exception(state.failure);
    between_turns();
    std::erase_if(running, [&](int t) { return state.fibers[t].ended; });
  }
}

void AsyncCopies::wait(std::size_t pending) {
  if (group_ends_.size() <= pending) return;
  const std::size_t groups = group_ends_.size() - pending, made = group_ends_[groups - 1];
  for (std::size_t i = 0; i < made; ++i) std::memcpy(copies_[i].to, copies_[i].from, copies_[i].bytes);
  copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(made));
  group_ends_.erase(group_ends_.begin(), group_ends_.begin() + static_cast<std::ptrdiff_t>(groups));
  for (std::size_t& end : group_ends_) end -= made;
}

}  // namespace minimod
