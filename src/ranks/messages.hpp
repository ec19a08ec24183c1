/// Messages between ranks, which MPI counts with ints.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace minimod {

/// Calls work(part) with the parts of bytes, in their order, that go in a message each, of `most` bytes at
/// most. Where there are no bytes there is a message still: ranks wait for these, too.
template <class Byte, class Work>
void in_messages(std::span<Byte> bytes, const Work& work, std::size_t most = std::size_t{1} << 30) {
  std::size_t done = 0;
  do {
    const auto part = bytes.subspan(done, std::min(most, bytes.size() - done));
    work(part);
    done += part.size();
  } while (done < bytes.size());
}

}  // namespace minimod
