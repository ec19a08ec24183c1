#include "src/base/hdf5/packed_chunks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include <libdeflate.h>

#include "src/base/hdf5/hdf5_detail.hpp"
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

/// Calls visit<size>() with so many bytes of a value, which compilers must know to make vectors of values
/// whose bytes they part.
template <class Visit>
void with_size(std::size_t bytes, const Visit& visit) {
  if (bytes == sizeof(double)) {
    visit.template operator()<sizeof(double)>();
  } else {
    visit.template operator()<sizeof(float)>();
  }
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

/// Tools of a thread, and room for a chunk, made once: the pages of new ones would be cleared for each chunk.
struct Workbench {
  Owned<libdeflate_compressor, libdeflate_free_compressor> packer{
      require(libdeflate_alloc_compressor(level))};
  Owned<libdeflate_decompressor, libdeflate_free_decompressor> unpacker{
      require(libdeflate_alloc_decompressor())};
  Bytes plain, packed, unpacked;
};
Workbench& workbench() {
  thread_local Workbench mine;
  return mine;
}

/// A zlib stream with its checksum behind it.
Bytes packed(const Bytes& plain) {
  Workbench& mine = workbench();
  Bytes& room = mine.packed;
  room.resize(libdeflate_zlib_compress_bound(mine.packer.get(), plain.size()));
  const std::size_t size =
      libdeflate_zlib_compress(mine.packer.get(), plain.data(), plain.size(), room.data(), room.size());
  Bytes bytes;
  bytes.reserve(size + checksum_bytes);
  bytes.assign(room.data(), room.data() + size);
  const std::uint32_t checksum = fletcher32(bytes);
  for (std::size_t i = 0; i < checksum_bytes; ++i) bytes.push_back(static_cast<std::byte>(checksum >> 8 * i));
  return bytes;
}

/// Packed bytes as they were, whichever way they were deflated, until the thread's next call; empty where
/// they are damaged.
std::span<const std::byte> unpacked(const Bytes& bytes, std::size_t size) {
  if (bytes.size() < checksum_bytes) return {};
  const std::span stream(bytes.data(), bytes.size() - checksum_bytes);
  std::uint32_t checksum = 0;
  for (std::size_t i = 0; i < checksum_bytes; ++i) {
    checksum |= std::to_integer<std::uint32_t>(bytes[stream.size() + i]) << 8 * i;
  }
  Workbench& mine = workbench();
  Bytes& found = mine.unpacked;
  found.resize(size);
  const bool is_whole = checksum == fletcher32(stream) &&
                        libdeflate_zlib_decompress(mine.unpacker.get(), stream.data(), stream.size(),
                                                   found.data(), found.size(), nullptr) == LIBDEFLATE_SUCCESS;
  return is_whole ? std::span<const std::byte>(found) : std::span<const std::byte>();
}

/// Bytes of chunks as they stand in the file, of which one thread at a time reads; empty where it cannot.
class ChunkReader {
 public:
  explicit ChunkReader(hid_t dataset) : dataset_(dataset) {}
  [[nodiscard]] Bytes read(const std::vector<hsize_t>& corner) {
    const std::scoped_lock lock(library_);
    silence_thread();
    std::uint32_t skipped = 0;
    hsize_t size = 0;
    if (H5Dget_chunk_storage_size(dataset_, corner.data(), &size) < 0) return {};
    Bytes bytes(size);
    if (H5Dread_chunk(dataset_, H5P_DEFAULT, corner.data(), &skipped, bytes.data()) < 0 || skipped != 0)
      bytes.clear();
    return bytes;
  }

 private:
  hid_t dataset_;
  std::mutex library_;
};

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

std::optional<PackedChunks> PackedChunks::of(const Handle& dataset, hid_t type) {
  const Handle stored(H5Dget_type(dataset), H5Tclose), creation(H5Dget_create_plist(dataset), H5Pclose);
  constexpr std::array filters{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
  if (H5Tequal(stored, type) <= 0 || H5Pget_nfilters(creation) != static_cast<int>(filters.size())) return {};
  for (unsigned i = 0; i < filters.size(); ++i) {
    unsigned flags = 0, configuration = 0;
    std::size_t values = 0;
    if (H5Pget_filter2(creation, i, &flags, &values, nullptr, 0, nullptr, &configuration) != filters[i])
      return {};
  }
  const std::vector<hsize_t> dims = declared_dims(dataset);
  if (dims.empty() || product(dims, 1) == 0) return {};
  PackedChunks ours(dims, H5Tget_size(type));
  if (chunk_dims(dataset) != ours.extents_) return {};
  return ours;
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

PackedChunks::Place PackedChunks::place(std::size_t number) const {
  const hsize_t slab = product(std::span(dims_).subspan(cut_ + 1), 1);
  const hsize_t part = number % parts_ * extents_[cut_];
  return {(number / parts_ * dims_[cut_] + part) * slab,
          static_cast<std::size_t>(std::min(extents_[cut_], dims_[cut_] - part) * slab)};
}

/// Most chunks of a wavefield that has not come far are.
bool PackedChunks::has_zeros_alone(const void* values, std::size_t number) const {
  const auto [first, count] = place(number);
  const auto* const bytes = static_cast<const std::byte*>(values) + first * value_bytes_;
  return bytes[0] == std::byte{0} && std::memcmp(bytes, bytes + 1, count * value_bytes_ - 1) == 0;
}

Bytes PackedChunks::zeros() const {
  return packed(Bytes(chunk_values() * value_bytes_));
}

const Bytes& PackedChunks::shuffled(const void* values, std::size_t number) const {
  const Place its = place(number);
  const std::size_t stride = chunk_values();
  Bytes& bytes = workbench().plain;
  bytes.resize(stride * value_bytes_);
  const auto* const from = static_cast<const std::byte*>(values) + its.first * value_bytes_;
  with_size(value_bytes_, [&]<std::size_t size>() {
    for (std::size_t byte = 0; byte < size; ++byte) {
      std::byte* const to = bytes.data() + byte * stride;
      for (std::size_t i = 0; i < its.count; ++i) to[i] = from[i * size + byte];
      std::fill(to + its.count, to + stride, std::byte{0});
    }
  });
  return bytes;
}

void PackedChunks::write(hid_t dataset, const void* values, const std::function<void(herr_t)>& check) const {
  const Bytes of_zeros = zeros();
  const auto make = [&](std::size_t number) {
    return has_zeros_alone(values, number) ? of_zeros : packed(shuffled(values, number));
  };
  in_order(count_, make, [&](std::size_t number, const Bytes& bytes) {
    silence_thread();
    check(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, corner(number).data(), bytes.size(), bytes.data()));
  });
}

bool PackedChunks::hold(hid_t dataset, const void* values) const {
  ChunkReader reader(dataset);
  std::atomic<bool> do_hold = true;
  const Bytes of_zeros = zeros();
  const auto compare = [&](std::size_t number) {
    const Bytes stored = reader.read(corner(number));
    if (has_zeros_alone(values, number) && stored == of_zeros) return true;
    const Bytes& plain = shuffled(values, number);
    const std::span found = unpacked(stored, plain.size());
    return found.size() == plain.size() && std::memcmp(found.data(), plain.data(), plain.size()) == 0;
  };
  in_order(count_, compare, [&](std::size_t, bool holds) {
    if (!holds) do_hold = false;
  });
  return do_hold;
}

bool PackedChunks::read(hid_t dataset, void* values) const {
  ChunkReader reader(dataset);
  std::atomic<bool> are_whole = true;
  const std::size_t stride = chunk_values();
  const auto take = [&](std::size_t number) {
    const std::span plain = unpacked(reader.read(corner(number)), stride * value_bytes_);
    if (plain.empty()) return false;
    const Place its = place(number);
    auto* const to = static_cast<std::byte*>(values) + its.first * value_bytes_;
    with_size(value_bytes_, [&]<std::size_t size>() {
      for (std::size_t i = 0; i < its.count; ++i) {
        for (std::size_t byte = 0; byte < size; ++byte) to[i * size + byte] = plain[byte * stride + i];
      }
    });
    return true;
  };
  in_order(count_, take, [&](std::size_t, bool is_whole) {
    if (!is_whole) are_whole = false;
  });
  return are_whole;
}

}  // namespace minimod::hdf5
