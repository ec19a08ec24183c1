#include "src/job/workers/worker_process.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/exit_codes.hpp"
#include "src/base/process/spawn.hpp"

namespace minimod {

namespace {

constexpr const char* variable = "MINIMOD_WORKER";

}  // namespace

std::optional<std::string> worker_device(const Ranks& ranks) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return {};
  const auto parts = split(value, ' ');
  int parent = 0;
  std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), parent);
  if (parts.size() != 2 || parent <= 0) {
    throw Error(ErrorKind::parameter,
                text(variable, " '", escaped(value, 40), "' names no process of a survey and its device"),
                "unset it");
  }
  if (ranks.is_alone()) end_with_parent(parent);  // as mpirun it has ranks, which end with it
  return std::string(parts.back());
}

std::string worker_environment(const std::string& device) {
  return text(variable, '=', getpid(), ' ', device);
}

void say(const Json& message) {
  const std::string line = message.dump() + '\n';
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

void say_failed(int index, const Error& error) {
  say({{"failed", index}, {"code", exit_code(error.kind())}, {"what", error.what()}});
}

std::optional<OrderedShot> next_shot(Ranks& ranks) {
  OrderedShot shot;
  const bool is_there = ranks.is_first() && std::cin >> shot.index >> shot.configuration;
  if (!ranks.from_first(is_there)) return {};
  return OrderedShot{ranks.from_first(shot.index), ranks.from(0, shot.configuration)};
}

void require_same(const std::string& hash, const Configuration& here) {
  if (hash == hash_of(here)) return;
  throw Error(ErrorKind::data, "a file of the survey, such as its model, has been replaced since it began",
              "put the old one back, or begin anew with another " + option("output"));
}

Json first_message(Ranks& ranks, std::initializer_list<const char*> names) {
  std::string line;
  if (ranks.is_first()) std::getline(std::cin, line);
  Json first = Json::read(ranks.from(0, line));
  if (first.is_null() && ranks.from_first(line.empty())) return nullptr;
  const auto lacks = [&](const char* name) { return !first.contains(name); };
  if (!first.is_object() || std::ranges::any_of(names, lacks))
    throw Error(ErrorKind::io, "what the survey wants of this worker cannot be read", "run it again");
  return first;
}

}  // namespace minimod
