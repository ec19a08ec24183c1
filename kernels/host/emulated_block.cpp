#include "kernels/host/emulated_block.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace minimod {

namespace {
constexpr int numbers_of_groups = 16;  ///< the warps' follow
constexpr int most_looks = 1000;       ///< turns of all threads, more than any copy takes

EmulatedGrid*& current_grid() {
  thread_local EmulatedGrid* grid = nullptr;
  return grid;
}
}  // namespace

EmulatedGrid::EmulatedGrid(int blocks, int threads)
    : threads_(threads),
      fibers_(blocks * threads),
      meetings_(blocks, std::vector<Meeting>(numbers_of_groups + threads / 32)) {}

EmulatedGrid& EmulatedGrid::now() {
  return *current_grid();
}

void EmulatedGrid::run(const std::function<void()>& body, std::uint64_t seed) {
  random_.seed(seed);
  EmulatedGrid* const before = std::exchange(current_grid(), this);
  fibers_.run_apart([&](int /*thread*/) { body(); }, seed, [&] { between_turns(); });
  current_grid() = before;
}

unsigned EmulatedGrid::meet(int number, int threads, unsigned mine) {
  Meeting& meeting = meetings_[block()][number];
  const int time = meeting.times;
  meeting.any[time % 2] |= mine;
  if (++meeting.arrived == threads) {
    meeting.arrived = 0;
    meeting.any[(time + 1) % 2] = 0;
    ++meeting.times;
    note_progress();
  }
  while (meeting.times == time) yield();
  return meeting.any[time % 2];
}

/// Some of the copies that are on their way arrive, in any order.
void EmulatedGrid::between_turns() {
  if (++looks_in_vain_ > most_looks) throw std::logic_error("the blocks of a launch wait for ever");
  for (std::size_t left = copies_.size(); left > 0; --left) {
    std::function<void()> copy = std::move(copies_.front());
    copies_.pop_front();
    if (random_() % 3 == 0) {
      copies_.push_back(std::move(copy));
    } else {
      copy();
    }
  }
}

void EmulatedMap::load(void* to, Index3 from, EmulatedBarrier& full) const {
  auto* const values = static_cast<float*>(to);
  std::fill_n(values, std::int64_t{width_} * height_, std::numeric_limits<float>::quiet_NaN());
  EmulatedGrid::now().later([map = *this, values, from, &full] {
    float* value = values;
    for (int j = 0; j < map.height_; ++j) {
      for (int i = 0; i < map.width_; ++i) {
        const Index3 p{from.x + i, from.y + j, from.z};
        const bool is_there = p.x >= 0 && p.x < map.reach_.x && p.y >= 0 && p.y < map.reach_.y && p.z >= 0 &&
                              p.z < map.reach_.z;
        *value++ = is_there ? map.first_[p.x + p.y * map.stride_y_ + p.z * map.stride_z_] : 0;
      }
    }
    full.take(map.width_ * map.height_ * static_cast<int>(sizeof(float)));
  });
}

void EmulatedBlock::copy_piece(Vector4<float>* to, const float* from, int bytes, EmulatedBarrier& full) {
  std::fill_n(to->value, bytes / sizeof(float), std::numeric_limits<float>::quiet_NaN());
  EmulatedGrid::now().later([=, &full] {
    std::copy_n(from, bytes / sizeof(float), to->value);
    full.take(bytes);
  });
}

void EmulatedBlock::copy_beside(Vector4<float>& left, const float* from_left, Vector4<float>& right,
                                const float* from_right, EmulatedBarrier& full) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  left = right = {nan, nan, nan, nan};
  EmulatedGrid::now().later([=, &left, &right, &full] {
    left = vector_at(from_left, 0);
    right = vector_at(from_right, 0);
    full.arrive();
  });
}

}  // namespace minimod
