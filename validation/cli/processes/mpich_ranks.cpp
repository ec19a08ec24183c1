/// Program of mpich_ranks.sh: ranks exchange what goes from memory to memory, and end with code 75.
#include <cstdlib>
#include <iostream>
#include <vector>

#include "src/ranks/ranks.hpp"

int main() {
  auto& ranks = minimod::Ranks::world();
  const char* const transports = std::getenv("UCX_TLS");
  if (ranks.is_first()) {
    std::cout << ranks.size() << " ranks, UCX_TLS=" << (transports == nullptr ? "" : transports) << std::endl;
  }
  std::vector<float> out(1 << 20, static_cast<float>(ranks.number())), in(out.size());
  const int next = (ranks.number() + 1) % ranks.size();
  const std::vector<minimod::Ranks::Message> messages{
      {next, out.data(), out.size() * sizeof out[0], in.data(), in.size() * sizeof in[0]}};
  ranks.exchange(messages);
  if (in.back() != static_cast<float>(next)) return 1;
  return ranks.leave(75, "stopped\n");
}
