/// Floating-point numbers below the least normal one (denormals), which the threads of a computing host take
/// for zero.
#pragma once

namespace minimod {

/// While it lives, this thread computes with them as they are.
class SmallValuesCount {
 public:
  SmallValuesCount();
  SmallValuesCount(const SmallValuesCount&) = delete;
  SmallValuesCount& operator=(const SmallValuesCount&) = delete;
  ~SmallValuesCount();

 private:
  unsigned before_ = 0;
};

/// While it lives, this thread takes them for zero, which it did before or not.
class SmallValuesAreZero {
 public:
  SmallValuesAreZero();
  SmallValuesAreZero(const SmallValuesAreZero&) = delete;
  SmallValuesAreZero& operator=(const SmallValuesAreZero&) = delete;
  ~SmallValuesAreZero();

 private:
  unsigned before_ = 0;
};

}  // namespace minimod
