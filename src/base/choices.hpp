/// Choices by name: what an option takes and what records say, each list once.
#pragma once

#include <cstddef>
#include <string>

#include "src/base/error.hpp"

namespace minimod {

/// A value of an enumeration and its name.
template <class Choice>
struct NamedChoice {
  Choice choice;
  const char* name;
};

/// The name of `choice`, empty where the table does not have it. A row is a NamedChoice, or says more.
template <class Row, std::size_t count, class Choice>
[[nodiscard]] std::string name_in(const Row (&table)[count], Choice choice) {
  for (const Row& row : table) {
    if (row.choice == choice) return row.name;
  }
  return "";
}

/// The choice that `value` names. Error 64 with the option, the value and all names.
template <class Row, std::size_t count>
[[nodiscard]] auto parse_choice(const Row (&table)[count], const std::string& value,
                                const std::string& option) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i) {
    if (value == table[i].name) return table[i].choice;
    names += text(i == 0 ? "" : i + 1 == count ? " or " : ", ", table[i].name);
  }
  throw Error(ErrorKind::parameter, text(option, " is '", escaped(value), "'"), text("give ", names));
}

}  // namespace minimod
