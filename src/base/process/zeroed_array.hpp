/// Arrays in the host's memory that are zeros at first.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "src/base/process/host_memory.hpp"

namespace minimod {

/// A vector whose zeros nobody writes, as the system has zeroed its memory; of much memory all cores make the
/// pages.
template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  ZeroedArray() = default;
  explicit ZeroedArray(std::size_t size) : memory_(zeros(size, size)), size_(size), room_(size) {}
  template <std::forward_iterator It>
  ZeroedArray(It begin, It end) : ZeroedArray(static_cast<std::size_t>(std::distance(begin, end))) {
    std::copy(begin, end, data());
  }
  ZeroedArray(const ZeroedArray& other) : ZeroedArray(other.begin(), other.end()) {}
  ZeroedArray(ZeroedArray&& other) noexcept
      : memory_(std::move(other.memory_)),
        size_(std::exchange(other.size_, 0)),
        room_(std::exchange(other.room_, 0)) {}
  ZeroedArray& operator=(ZeroedArray other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
    return *this;
  }
  ~ZeroedArray() = default;

  [[nodiscard]] T* data() { return memory_.get(); }
  [[nodiscard]] const T* data() const { return memory_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }
  [[nodiscard]] T& operator[](std::size_t i) { return data()[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data()[i]; }

  /// Grows by zeros.
  void resize(std::size_t size) {
    if (size > room_) {
      const std::size_t room = std::max(size, 2 * room_);
      Memory larger = zeros(room, size);
      std::copy(begin(), end(), larger.get());
      memory_ = std::move(larger);
      room_ = room;
    } else if (size > size_) {
      std::memset(end(), 0, (size - size_) * sizeof(T));
    }
    size_ = size;
  }
  void append(const ZeroedArray& others) {
    const std::size_t before = size_;
    resize(before + others.size());
    std::copy(others.begin(), others.end(), begin() + before);
  }

  friend bool operator==(const ZeroedArray& a, const ZeroedArray& b) requires std::equality_comparable<T> {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<T[], Free>;

  /// Room for so many values, of which so many are about to be filled.
  static Memory zeros(std::size_t room, std::size_t wanted) {
    Memory memory(static_cast<T*>(std::calloc(room, sizeof(T))));
    if (memory == nullptr && room > 0) throw std::bad_alloc();
    make_pages(memory.get(), wanted * sizeof(T));
    return memory;
  }

  Memory memory_;
  std::size_t size_ = 0, room_ = 0;  ///< values, and those that the memory has room for
};

}  // namespace minimod
