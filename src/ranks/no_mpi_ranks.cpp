/// Ranks of a program that was built without MPI.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "src/base/option.hpp"
#include "src/ranks/launched_by_mpi.hpp"
#include "src/ranks/ranks.hpp"

namespace minimod {

namespace {

class OneRank final : public Ranks {
 public:
  OneRank() {
    if (launched_processes() < 2) return;
    throw Error(ErrorKind::unavailable,
                text("started as one of ", launched_processes(), " processes, and built without MPI"),
                "install MPI (Debian: libopenmpi-dev openmpi-bin) and start it once with " + option("ranks"));
  }
  [[nodiscard]] bool takes_gpu_memory() const override { return false; }
  void send(int /*to*/, std::span<const std::byte> /*bytes*/) override {}
  void receive(int /*from*/, std::span<std::byte> /*bytes*/) override {}
  void start_exchange(std::span<const Message> /*messages*/) override {}
  void finish_exchange() override {}
  void finish() override {}
  [[nodiscard]] int leave(int code, const std::string& line) override {
    std::fputs(line.c_str(), stderr);
    return code;
  }

 private:
  void gather_bytes(const void* mine, void* all, std::size_t bytes) override {
    std::memcpy(all, mine, bytes);
  }
  void broadcast_bytes(int /*from*/, void* /*value*/, std::size_t /*bytes*/) override {}
};

}  // namespace

Ranks& Ranks::world() {
  static OneRank alone;
  return alone;
}

std::string mpi_library() {
  return "";
}

}  // namespace minimod
