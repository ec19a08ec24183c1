#include "src/io/gather/trace_buffer.hpp"

#include <algorithm>
#include <vector>

#include "src/base/process/threads.hpp"

namespace minimod {

void TraceBuffer::append(const Reals& batch) {
  const std::size_t count = receivers();
  const std::size_t samples = count == 0 ? 0 : batch.size() / count;
  with_real(batch.precision(), [&]<class Real>() {
    const Reals::Values<Real>& from = batch.of<Real>();
    Reals::Values<Real>& to = values_.of<Real>();
    constexpr std::size_t block = 64;  // receivers whose samples a core has at hand while it turns them
    const auto turn = [&](int number) {
      const std::size_t begin = static_cast<std::size_t>(number) * block,
                        end = std::min(begin + block, count);
      for (std::size_t k = 0; k < samples; ++k) {
        for (std::size_t r = begin; r < end; ++r) to[r * samples_ + filled_ + k] = from[k * count + r];
      }
    };
    for_all(static_cast<int>((count + block - 1) / block), batch.size() >= std::size_t{1} << 16, turn);
  });
  filled_ += samples;
}

}  // namespace minimod
