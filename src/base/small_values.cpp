#include "src/base/small_values.hpp"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace minimod {

#ifdef __SSE2__

namespace {
constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
}

SmallValuesCount::SmallValuesCount() : before_(_mm_getcsr()) {
  _mm_setcsr(before_ & ~(flush_to_zero | denormals_are_zero));
}

SmallValuesCount::~SmallValuesCount() {
  _mm_setcsr(before_);
}

SmallValuesAreZero::SmallValuesAreZero() : before_(_mm_getcsr()) {
  _mm_setcsr(before_ | flush_to_zero | denormals_are_zero);
}

SmallValuesAreZero::~SmallValuesAreZero() {
  _mm_setcsr(before_);
}

#else

SmallValuesCount::SmallValuesCount() = default;
SmallValuesCount::~SmallValuesCount() = default;
SmallValuesAreZero::SmallValuesAreZero() = default;
SmallValuesAreZero::~SmallValuesAreZero() = default;

#endif

}  // namespace minimod
