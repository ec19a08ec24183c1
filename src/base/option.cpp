#include "src/base/option.hpp"

#include <algorithm>
#include <atomic>

namespace minimod {

namespace {

std::string as_identifier(std::string_view name) {
  std::string spelled(name);
  std::ranges::replace(spelled, '-', '_');
  return spelled;
}

std::atomic<Spelling> current_spelling = as_identifier;

}  // namespace

void spell_options(Spelling spelling) {
  current_spelling = spelling;
}

std::string option(std::string_view name) {
  return current_spelling.load()(name);
}

std::string command(std::string_view name) {
  return "minimod " + std::string(name);
}

}  // namespace minimod
