/// Values of tests that no formula gives.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace minimod {

/// Values between -1 and 1, other ones for another seed.
inline std::vector<double> noise(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(count);
  for (double& value : values) value = uniform(generator);
  return values;
}

}  // namespace minimod
