#include "src/base/hdf5/packed_chunks.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include <libdeflate.h>

#include "src/base/process/in_order.hpp"

namespace minimod::hdf5 {
namespace {

using Bytes = std::vector<std::byte>;

/// A chunk of zeros, the best case of deflate, must stay larger than the thousandth part that reading
/// accepts: 256 KiB shrink 835 times.
constexpr hsize_t chunk_bytes = hsize_t{1} << 18;
/// The fastest level: traces come to 77 parts of a hundred, as by zlib's level 4 in three times the time.
constexpr int level = 1;
constexpr std::size_t checksum_bytes = 4;

/// Fletcher-32 as HDF5 has it: of 16-bit words, whose first byte is the upper one, modulo 2^16 - 1, where 0
/// is left to bytes that are all 0.
std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0, sum_of_sums = 0;
  const auto add = [&](std::byte upper, std::byte lower) {
    sum += std::to_integer<std::uint64_t>(upper) << 8 | std::to_integer<std::uint64_t>(lower);
    sum_of_sums += sum;
  };
  const auto reduced = [](std::uint64_t n) {
    return n == 0 ? 0 : static_cast<std::uint32_t>((n - 1) % 0xffff + 1);
  };
  constexpr std::size_t at_once = std::size_t{1} << 16;  // bytes whose sums stay in 64 bits
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), at_once));
    for (std::size_t i = 0; i + 1 < piece.size(); i += 2) add(piece[i], piece[i + 1]);
    if (piece.size() % 2 != 0) add(piece.back(), std::byte{0});
    sum = reduced(sum);
    sum_of_sums = reduced(sum_of_sums);
    bytes = bytes.subspan(piece.size());
  }
  return static_cast<std::uint32_t>(sum_of_sums << 16 | sum);
}

template <class T, void (*release)(T*)>
struct Release {
  void operator()(T* it) const { release(it); }
};
template <class T, void (*release)(T*)>
using Owned = std::unique_ptr<T, Release<T, release>>;

template <class T>
T* require(T* it) {
  return it != nullptr ? it : throw std::bad_alloc();
}

/// A zlib stream with its checksum behind it.
Bytes packed(const Bytes& plain) {
  const Owned<libdeflate_compressor, libdeflate_free_compressor> tool(
      require(libdeflate_alloc_compressor(level)));
  Bytes bytes(libdeflate_zlib_compress_bound(tool.get(), plain.size()) + checksum_bytes);
  bytes.resize(libdeflate_zlib_compress(tool.get(), plain.data(), plain.size(), bytes.data(), bytes.size()));
  const std::uint32_t checksum = fletcher32(bytes);
  for (std::size_t i = 0; i < checksum_bytes; ++i) bytes.push_back(static_cast<std::byte>(checksum >> 8 * i));
  return bytes;
}

/// Whether these are packed values, whichever way they were deflated.
bool is_packed(const Bytes& bytes, const Bytes& plain) {
  if (bytes.size() < checksum_bytes) return false;
  const std::span stream(bytes.data(), bytes.size() - checksum_bytes);
  std::uint32_t checksum = 0;
  for (std::size_t i = 0; i < checksum_bytes; ++i) {
    checksum |= std::to_integer<std::uint32_t>(bytes[stream.size() + i]) << 8 * i;
  }
  const Owned<libdeflate_decompressor, libdeflate_free_decompressor> tool(
      require(libdeflate_alloc_decompressor()));
  Bytes found(plain.size());
  return checksum == fletcher32(stream) &&
         libdeflate_zlib_decompress(tool.get(), stream.data(), stream.size(), found.data(), found.size(),
                                    nullptr) == LIBDEFLATE_SUCCESS &&
         found == plain;
}

}  // namespace

PackedChunks::PackedChunks(std::vector<hsize_t> dims, std::size_t value_bytes)
    : dims_(std::move(dims)), extents_(dims_.size(), 1), value_bytes_(value_bytes) {
  hsize_t room = chunk_bytes / value_bytes;
  for (cut_ = dims_.size(); cut_-- > 0;) {
    extents_[cut_] = std::min(dims_[cut_], room);
    room /= extents_[cut_];
    if (cut_ == 0 || room == 0 || extents_[cut_] < dims_[cut_]) break;
  }
  parts_ = (dims_[cut_] + extents_[cut_] - 1) / extents_[cut_];
  count_ = parts_ * product(std::span(dims_).first(cut_), 1);
}

herr_t PackedChunks::describe(hid_t creation) const {
  return std::min({H5Pset_chunk(creation, static_cast<int>(extents_.size()), extents_.data()),
                   H5Pset_shuffle(creation), H5Pset_deflate(creation, level), H5Pset_fletcher32(creation)});
}

std::vector<hsize_t> PackedChunks::corner(std::size_t number) const {
  std::vector<hsize_t> corner(dims_.size());
  corner[cut_] = number % parts_ * extents_[cut_];
  hsize_t rest = number / parts_;
  for (std::size_t axis = cut_; axis-- > 0; rest /= dims_[axis]) corner[axis] = rest % dims_[axis];
  return corner;
}

Bytes PackedChunks::shuffled(const void* values, std::size_t number) const {
  const hsize_t slab = product(std::span(dims_).subspan(cut_ + 1), 1);
  const hsize_t part = number % parts_ * extents_[cut_];
  const hsize_t first = (number / parts_ * dims_[cut_] + part) * slab;
  const std::size_t count = std::min(extents_[cut_], dims_[cut_] - part) * slab;
  const std::size_t stride = extents_[cut_] * slab;
  Bytes bytes(stride * value_bytes_);
  const auto* const from = static_cast<const std::byte*>(values) + first * value_bytes_;
  for (std::size_t byte = 0; byte < value_bytes_; ++byte) {
    std::byte* const to = bytes.data() + byte * stride;
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i * value_bytes_ + byte];
  }
  return bytes;
}

void PackedChunks::write(hid_t dataset, const void* values, const std::function<void(herr_t)>& check) const {
  const auto make = [&](std::size_t number) { return packed(shuffled(values, number)); };
  in_order(count_, make, [&](std::size_t number, const Bytes& bytes) {
    silence_thread();
    check(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, corner(number).data(), bytes.size(), bytes.data()));
  });
}

bool PackedChunks::hold(hid_t dataset, const void* values) const {
  std::mutex library;
  const auto read = [&](std::size_t number) {
    const std::scoped_lock lock(library);
    silence_thread();
    const std::vector<hsize_t> at = corner(number);
    std::uint32_t skipped = 0;
    hsize_t size = 0;
    Bytes bytes;
    if (H5Dget_chunk_storage_size(dataset, at.data(), &size) < 0) return bytes;
    bytes.resize(size);
    if (H5Dread_chunk(dataset, H5P_DEFAULT, at.data(), &skipped, bytes.data()) < 0 || skipped != 0)
      bytes.clear();
    return bytes;
  };
  std::atomic<bool> do_hold = true;
  const auto compare = [&](std::size_t number) { return is_packed(read(number), shuffled(values, number)); };
  in_order(count_, compare, [&](std::size_t, bool holds) {
    if (!holds) do_hold = false;
  });
  return do_hold;
}

}  // namespace minimod::hdf5
