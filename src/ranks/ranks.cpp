#include "src/ranks/ranks.hpp"

#include <algorithm>
#include <optional>

namespace minimod {

namespace {

/// Error that `work` throws.
std::optional<Error> error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::resource, "not enough host memory", "take a smaller grid or fewer receivers");
  }
  return std::nullopt;
}

}  // namespace

bool Ranks::any(bool mine) {
  if (is_alone()) return mine;
  const std::vector<char> all = gather(static_cast<char>(mine));
  return std::ranges::count(all, 1) > 0;
}

void Ranks::together(const std::function<void()>& work) {
  const std::optional<Error> error = error_of(work);
  const auto kinds = gather(error ? error->kind() : ErrorKind::none);
  const auto lowest = std::ranges::find_if(kinds, [](ErrorKind kind) { return kind != ErrorKind::none; });
  if (lowest == kinds.end()) return;
  const std::string what = from(static_cast<int>(lowest - kinds.begin()), error ? error->what() : "");
  throw Error(*lowest, what, "");
}

void Ranks::on_first(const std::function<void()>& work) {
  together([&] {
    if (is_first()) work();
  });
}

}  // namespace minimod
