/// Leaving one stack for another within a thread: what the fibers of an emulated block do at every barrier.
///
/// swapcontext asks the kernel for the mask of signals each time, and AddressSanitizer clears its marks of
/// the whole stack there: three quarters of the time of an emulated shape. Where it can be, it is a dozen
/// instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__) || !defined(__GNUC__)
#include <ucontext.h>
#endif

namespace minimod {

#if defined(__x86_64__) && defined(__GNUC__)

/// Context by which a stack that was left goes on: the address of its registers, pushed last.
struct Context {
  void* top = nullptr;
};

/// Keeps the registers that a function must leave as they were, by the System V convention, and takes those
/// of the other stack.
[[gnu::naked, gnu::noinline]] inline void switch_stack(void** /*from: %rdi*/, void* /*to: %rsi*/) {
  asm("pushq %rbp\n\t"
      "pushq %rbx\n\t"
      "pushq %r12\n\t"
      "pushq %r13\n\t"
      "pushq %r14\n\t"
      "pushq %r15\n\t"
      "movq %rsp, (%rdi)\n\t"
      "movq %rsi, %rsp\n\t"
      "popq %r15\n\t"
      "popq %r14\n\t"
      "popq %r13\n\t"
      "popq %r12\n\t"
      "popq %rbx\n\t"
      "popq %rbp\n\t"
      "ret");
}

/// The first thing on a new stack: calls the function in %rbx, which does not return.
[[gnu::naked, gnu::noinline]] inline void begin_stack() {
  asm("movq %rbp, %rdi\n\t"
      "callq *%rbx\n\t"
      "ud2");
}

inline void switch_context(Context& from, const Context& to) {
  switch_stack(&from.top, to.top);
}

/// `context` will call enter(argument) on that stack, which never returns.
inline void start_context(Context& context, char* stack, std::size_t bytes, void (*enter)(void*),
                          void* argument) {
  const auto end = reinterpret_cast<std::uintptr_t>(stack + bytes) / 16 * 16;
  auto* const frame = reinterpret_cast<std::uintptr_t*>(end) - 9;  // NOLINT(performance-no-int-to-ptr)
  for (int i = 0; i < 9; ++i) frame[i] = 0;                        // %r15 to %r12; no caller
  frame[4] = reinterpret_cast<std::uintptr_t>(enter);              // %rbx
  frame[5] = reinterpret_cast<std::uintptr_t>(argument);           // %rbp
  frame[6] = reinterpret_cast<std::uintptr_t>(&begin_stack);       // begin_stack calls from a multiple of 16
  context.top = frame;
}

#else

using Context = ucontext_t;

inline void switch_context(Context& from, const Context& to) {
  swapcontext(&from, &to);
}

/// makecontext passes ints only: addresses come in two halves.
inline void enter_halves(unsigned enter_low, unsigned enter_high, unsigned low, unsigned high) {
  const auto whole = [](unsigned a, unsigned b) { return static_cast<std::uintptr_t>(b) << 32U | a; };
  const auto enter = reinterpret_cast<void (*)(void*)>(whole(enter_low, enter_high));
  enter(reinterpret_cast<void*>(whole(low, high)));  // NOLINT(performance-no-int-to-ptr)
}

inline void start_context(Context& context, char* stack, std::size_t bytes, void (*enter)(void*),
                          void* argument) {
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = bytes;
  context.uc_link = nullptr;
  const auto low = [](auto pointer) {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(pointer));
  };
  const auto high = [](auto pointer) {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(pointer) >> 32U);
  };
  makecontext(&context, reinterpret_cast<void (*)()>(enter_halves), 4, low(enter), high(enter), low(argument),
              high(argument));
}

#endif

}  // namespace minimod
