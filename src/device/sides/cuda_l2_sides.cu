/// The side of the L2 that an address or a multiprocessor is on, by the latency of atomics, which are done
/// where the address has its home.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/device/gpu_api.cuh"
#include "src/device/sides/cuda_l2_sides.cuh"

namespace minimod {

namespace {

constexpr std::size_t chunk_bytes = 4096, page_bytes = std::size_t{2} << 20U;
constexpr std::size_t places = page_bytes / chunk_bytes;
/// Pages that are looked at once, so many that all bits of their numbers in 1 GiB change, and that blocks of
/// it differ.
constexpr std::size_t wanted_pages = 4 * FieldPages::pages_of_block + 64;
constexpr int bits_of_chunk = 9, pages_that_vote = 16;

/// Least clocks of a chain of two atomics that change nothing.
__device__ unsigned clocks_of(unsigned* place, int repeats) {
  const unsigned zero = static_cast<unsigned>(repeats) >> 31;  // but not to the compiler
  unsigned least = ~0U;
  for (int i = 0; i < repeats; ++i) {
    unsigned value, begin, end = 0;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
    asm volatile("atom.relaxed.gpu.global.or.b32 %0, [%1], %2;"
                 : "=r"(value)
                 : "l"(place), "r"(zero)
                 : "memory");
    asm volatile("atom.relaxed.gpu.global.or.b32 %0, [%1], %2;"
                 : "=r"(value)
                 : "l"(place + (value & zero)), "r"(zero)
                 : "memory");
    if ((value & zero) == 0)
      asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");  // waits for the value
    least = min(least, end - begin);
  }
  return least;
}

/// A block a multiprocessor, each of which measures the chunks of a page, from another one on than the others
/// and at words of its own.
__global__ void measure_chunks(char* page, int repeats, unsigned* clocks) {
  if (threadIdx.x != 0) return;
  const unsigned mine = gpu_api::multiprocessor();
  if (mine >= gridDim.x) return;  // behind a gap
  for (unsigned k = 0; k < places; ++k) {
    const unsigned place = (k + mine * 7) % places;
    char* const at = page + place * chunk_bytes + mine * sizeof(unsigned) % chunk_bytes;
    clocks[mine * places + place] = clocks_of(reinterpret_cast<unsigned*>(at), repeats);
  }
}

/// Sides of words so many bytes apart, which the multiprocessors share out.
__global__ void measure_sides(char* first, std::size_t apart, int count, int repeats,
                              const unsigned* threshold, const unsigned char* side_of_multiprocessor,
                              unsigned char* sides) {
  if (threadIdx.x != 0) return;
  const unsigned mine = gpu_api::multiprocessor();
  for (int i = static_cast<int>(blockIdx.x); i < count; i += static_cast<int>(gridDim.x)) {
    const bool is_far = clocks_of(reinterpret_cast<unsigned*>(first + i * apart), repeats) > threshold[mine];
    sides[i] = (is_far ? 1 : 0) ^ side_of_multiprocessor[mine];
  }
}

/// Memory of the device for a while; none where it is refused.
class Room {
 public:
  Room(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
    if (cudaMalloc(&data_, bytes) != cudaSuccess) {
      cudaGetLastError();
      data_ = nullptr;
    }
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() {
    cudaStreamSynchronize(stream_);
    cudaFree(data_);
  }
  [[nodiscard]] char* data() const { return static_cast<char*>(data_); }

 private:
  cudaStream_t stream_;
  void* data_ = nullptr;
};

bool begins_a_page(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % page_bytes == 0;
}

}  // namespace

const L2Sides& CudaL2Sides::found() {
  if (!std::exchange(has_looked_, true)) find();
  return known_;
}

void CudaL2Sides::find() {
  for (const void* kernel :
       {reinterpret_cast<const void*>(measure_chunks), reinterpret_cast<const void*>(measure_sides)})
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes()));
  const Room room(wanted_pages * page_bytes, stream_);
  if (room.data() == nullptr || !begins_a_page(room.data())) return;
  check(cudaMemsetAsync(room.data(), 0, wanted_pages * page_bytes, stream_));
  if (!find_multiprocessors(room.data())) return;
  const unsigned mask = mask_of_chunks(room.data());
  const auto page_bits = find_page_bits(bits_of_pages(room.data(), wanted_pages));
  // The chunk's lowest bit must tell the side, or the two of a pair do not lie on either.
  if ((mask & 1) == 0 || !page_bits) return;
  known_ = {mask >> 1, *page_bits, side_.data()};
}

int CudaL2Sides::shared_bytes() const {
  return static_cast<int>(gpu_api::most_shared_bytes(gpu_.properties()));  // one block a multiprocessor
}

/// Finds their sides, if all agree on all chunks of a page.
bool CudaL2Sides::find_multiprocessors(char* page) {
  const auto count = static_cast<std::size_t>(gpu_.properties().multiProcessorCount);
  std::vector<unsigned> clocks(count * places, 0);
  const DeviceArray<unsigned> measured(backend_, clocks);
  for (const int repeats : {2, 8}) {  // the first for the way there
    measure_chunks<<<static_cast<unsigned>(count), 32, shared_bytes(), stream_>>>(page, repeats,
                                                                                  measured.data());
    check_launch();
  }
  backend_.download(clocks.data(), measured.data(), clocks.size() * sizeof(unsigned));
  if (std::ranges::count(clocks, 0U) > 0) return false;  // one that had no block
  const SidesByLatency found = sides_by_latency(clocks, places);
  threshold_ = {backend_, found.threshold};
  side_ = {backend_, found.of_each};
  return found.agreement == 1 && std::ranges::count(found.of_each, 1) > 0;
}

/// Bits of a chunk's number in its page that change its side, by the majority of some pages.
unsigned CudaL2Sides::mask_of_chunks(char* pages) const {
  const auto at_first = sides_of(pages, page_bytes, pages_that_vote, 12);
  unsigned mask = 0;
  for (int bit = 0; bit < bits_of_chunk; ++bit) {
    const auto there = sides_of(pages + (chunk_bytes << bit), page_bytes, pages_that_vote, 12);
    int votes_for = 0;
    for (int i = 0; i < pages_that_vote; ++i) votes_for += at_first[i] != there[i] ? 1 : 0;
    if (votes_for > pages_that_vote / 2) mask |= 1U << bit;
  }
  return mask;
}

std::vector<unsigned char> CudaL2Sides::sides_of(char* first, std::size_t apart, std::size_t count,
                                                 int repeats) const {
  std::vector<unsigned char> sides(count);
  const DeviceArray<unsigned char> measured(backend_, count);
  measure_sides<<<gpu_.properties().multiProcessorCount, 32, shared_bytes(), stream_>>>(
      first, apart, static_cast<int>(count), repeats, threshold_.data(), side_.data(), measured.data());
  check_launch();
  backend_.download(sides.data(), measured.data(), count);
  return sides;
}

/// Sides of the first chunk of each page: measured twice, and where that differs by the majority of nine.
std::vector<unsigned char> CudaL2Sides::bits_of_pages(char* first, std::size_t count) const {
  constexpr std::size_t apart = 128, words = 9;
  std::vector<unsigned char> bits = sides_of(first, page_bytes, count, 6);
  const std::vector<unsigned char> again = sides_of(first + apart, page_bytes, count, 6);
  for (std::size_t i = 0; i < count; ++i) {
    if (bits[i] == again[i]) continue;
    const auto nine = sides_of(first + i * page_bytes, apart, words, 12);
    bits[i] = std::ranges::count(nine, 1) > static_cast<std::ptrdiff_t>(words / 2) ? 1 : 0;
  }
  return bits;
}

FieldPages CudaL2Sides::pages_of(void* memory, std::size_t bytes) const {
  if (!known_.are_known() || !begins_a_page(memory)) return {};
  const auto bits = bits_of_pages(static_cast<char*>(memory), (bytes + page_bytes - 1) / page_bytes);
  return find_pages(bits, known_.pages).pages;
}

}  // namespace minimod
