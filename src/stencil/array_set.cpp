#include "src/stencil/array_set.hpp"

#include <algorithm>
#include <cstring>

#include "src/base/error.hpp"
#include "src/base/process/threads.hpp"
#include "src/stencil/start_values.hpp"

namespace minimod::stencil {
namespace {

/// Smaller arrays are filled by the thread that makes them, which others may stand beside.
constexpr std::int64_t points_for_threads = 1 << 20;
/// Bytes brought to a GPU at once.
constexpr std::int64_t piece_bytes = 64 << 20;

std::int64_t whole_lines(std::int64_t values) {
  return round_up(values, row_alignment);
}

/// Values of a row of n points with its halo. Vectors that hold a point of the grid may read on to where
/// their last lane does.
std::int64_t values_of_row(const Reach& reach, int n) {
  return whole_lines(whole_lines(reach.lower.x) + n + reach.upper.x + vector_alignment - 1);
}

}  // namespace

Layout layout_of_arrays(const Facts& facts, Extent3 n) {
  const auto& [lower, upper] = facts.reach;
  const std::int64_t before = whole_lines(lower.x);
  Layout layout;
  layout.stride_y = values_of_row(facts.reach, n.x);
  layout.stride_z = layout.stride_y * (std::int64_t{lower.y} + n.y + upper.y);
  layout.origin = before + lower.y * layout.stride_y + lower.z * layout.stride_z;
  layout.size = layout.stride_z * (std::int64_t{lower.z} + n.z + upper.z);
  return layout;
}

double bytes_of_arrays(const Specification& specification, Extent3 n) {
  const Facts facts = facts_of(specification);
  const auto& [lower, upper] = facts.reach;
  const auto line = static_cast<double>(values_of_row(facts.reach, n.x));
  double bytes = 0;
  for (const Array& array : specification.arrays) {
    bytes += line * (lower.y + double{1} * n.y + upper.y) * (lower.z + double{1} * n.z + upper.z) *
             static_cast<double>(minimod::bytes_of(array.precision));
  }
  return bytes;
}

ArraySet::ArraySet(const Specification& specification, Extent3 n, const Box3& part, Backend* gpu)
    : specification_(specification), n_(n), part_(part), gpu_(gpu) {
  const Facts facts = facts_of(specification);
  reach_ = facts.reach;
  layout_ = layout_of_arrays(facts, part.extent());
  std::vector<std::byte> piece;
  for (int array = 0; array < static_cast<int>(specification.arrays.size()); ++array) {
    if (gpu_ != nullptr) {
      where_.push_back(on_gpu_.emplace_back(*gpu_, size_of(array)).data());
    } else {
      where_.push_back(on_host_.emplace_back(size_of(array)).data());
    }
    fill(array, piece);
  }
}

std::size_t ArraySet::size_of(int array) const {
  return static_cast<std::size_t>(layout_.size) * minimod::bytes_of(specification_.arrays[array].precision);
}

void ArraySet::fill(int array, std::vector<std::byte>& piece) {
  const StartValues start(specification_, array, n_);
  const bool is_double = specification_.arrays[array].precision == Precision::float64;
  const std::int64_t value_bytes = is_double ? 8 : 4, plane_bytes = layout_.stride_z * value_bytes,
                     row_bytes = layout_.stride_y * value_bytes;
  const auto planes = static_cast<int>(layout_.size / layout_.stride_z);
  const int at_once = gpu_ == nullptr
                          ? planes
                          : static_cast<int>(std::clamp<std::int64_t>(piece_bytes / plane_bytes, 1, planes));
  const std::int64_t rows = layout_.stride_z / layout_.stride_y;
  const std::int64_t first_x = layout_.origin % layout_.stride_y;
  if (gpu_ != nullptr) piece.resize(at_once * plane_bytes);
  for (int first = 0; first < planes; first += at_once) {
    const int count = std::min(at_once, planes - first);
    std::byte* const to = gpu_ == nullptr ? on_host_[array].data() : piece.data();
    const auto one_row = [&](std::int64_t i) {
      const int y = static_cast<int>(i % rows) - reach_.lower.y;
      const int z = part_.begin.z + static_cast<int>(first + i / rows) - reach_.lower.z;
      std::byte* const row = to + i * row_bytes;
      std::fill_n(row, row_bytes, std::byte{0xff});
      const auto fill = [&](auto* values) {
        start.fill_row(-reach_.lower.x, n_.x + reach_.upper.x, y, z, values + first_x);
      };
      if (is_double) {
        fill(reinterpret_cast<double*>(row));
      } else {
        fill(reinterpret_cast<float*>(row));
      }
    };
    for_all(count, layout_.size >= points_for_threads, [&](int plane) {
      for (std::int64_t i = plane * rows; i < (plane + 1) * rows; ++i) one_row(i);
    });
    if (gpu_ != nullptr) {
      gpu_->upload(on_gpu_[array].data() + first * plane_bytes, piece.data(), count * plane_bytes);
    }
  }
}

ArrayArgs ArraySet::args() const {
  ArrayArgs args{whole_grid(part_.extent()), layout_, {}};
  std::ranges::copy(where_, args.arrays);
  return args;
}

void* ArraySet::plane(int array, int z) const {
  return static_cast<std::byte*>(where_[array]) + (std::size_t{0} + z + reach_.lower.z) * plane_bytes(array);
}

std::size_t ArraySet::plane_bytes(int array) const {
  return static_cast<std::size_t>(layout_.stride_z) *
         minimod::bytes_of(specification_.arrays[array].precision);
}

void ArraySet::hand_on() {
  const std::vector<void*> before = where_;
  for (int array = 0; array < static_cast<int>(before.size()); ++array) {
    const int next = specification_.arrays[array].next;
    where_[array] = before[next != Array::keeps ? next : last_heir_of(specification_, array)];
  }
}

std::vector<std::byte> ArraySet::bytes_of(int array) const {
  std::vector<std::byte> bytes(size_of(array));
  if (gpu_ != nullptr) {
    gpu_->download(bytes.data(), where_[array], bytes.size());
  } else {
    std::memcpy(bytes.data(), where_[array], bytes.size());
  }
  return bytes;
}

double ArraySet::value(const std::vector<std::byte>& bytes, int array, Index3 point) const {
  const auto index = static_cast<std::size_t>(layout_.index(point.x, point.y, point.z));
  if (specification_.arrays[array].precision == Precision::float64) {
    return reinterpret_cast<const double*>(bytes.data())[index];
  }
  return reinterpret_cast<const float*>(bytes.data())[index];
}

}  // namespace minimod::stencil
