#include "src/io/gather/trace_buffer.hpp"

#include <vector>

namespace minimod {

void TraceBuffer::append(const Reals& batch) {
  const std::size_t count = receivers();
  const std::size_t samples = count == 0 ? 0 : batch.size() / count;
  with_real(batch.precision(), [&]<class Real>() {
    const std::vector<Real>& from = batch.of<Real>();
    std::vector<Real>& to = values_.of<Real>();
    for (std::size_t k = 0; k < samples; ++k) {
      for (std::size_t r = 0; r < count; ++r) to[r * samples_ + filled_ + k] = from[k * count + r];
    }
  });
  filled_ += samples;
}

}  // namespace minimod
