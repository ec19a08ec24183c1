#include "src/stencil/specification.hpp"

#include <algorithm>

namespace minimod::stencil {

std::vector<int> results_of(const Specification& specification) {
  std::vector<int> results;
  const auto& arrays = specification.arrays;
  for (int array = 0; array < static_cast<int>(arrays.size()); ++array) {
    const bool is_handed_on = std::ranges::find(arrays, array, &Array::next) != arrays.end();
    const bool is_result = arrays[array].is_output ? !is_handed_on : arrays[array].next != Array::keeps;
    if (is_result) results.push_back(array);
  }
  return results;
}

int last_heir_of(const Specification& specification, int array) {
  const auto& arrays = specification.arrays;
  for (auto heir = std::ranges::find(arrays, array, &Array::next); heir != arrays.end();
       heir = std::ranges::find(arrays, array, &Array::next)) {
    array = static_cast<int>(heir - arrays.begin());
  }
  return array;
}

}  // namespace minimod::stencil
