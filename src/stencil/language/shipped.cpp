#include "src/stencil/language/shipped.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "kernels/compiled/build_sources.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/stencil/language/parser.hpp"

namespace minimod::stencil {
namespace {

constexpr std::string_view shipped_folder = "kernels/stencils/", suffix = ".stencil";

}  // namespace

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const auto& [file, content] : build_sources().headers) {
    if (!file.starts_with(shipped_folder) || !file.ends_with(suffix)) continue;
    names.emplace_back(
        file.substr(shipped_folder.size(), file.size() - shipped_folder.size() - suffix.size()));
  }
  std::ranges::sort(
      names, [](const std::string& a, const std::string& b) { return strverscmp(a.c_str(), b.c_str()) < 0; });
  return names;
}

Specification find_specification(const std::string& name_or_file) {
  const std::string file = text(shipped_folder, name_or_file, suffix);
  const auto shipped = build_sources().headers.find(file);
  if (shipped != build_sources().headers.end()) return parse_specification(shipped->second, file);
  std::error_code unknown;
  if (name_or_file.find_first_of("./") == std::string::npos &&
      !std::filesystem::exists(name_or_file, unknown)) {
    throw Error(ErrorKind::missing_input,
                text("no stencil and no file is named '", escaped(name_or_file, 40), "'"),
                text("did you mean ", nearest_names(name_or_file, shipped_names()), "? (",
                     command("stencil list"), " has all)"));
  }
  return read_specification(name_or_file);
}

std::vector<std::string> matching_stencils(std::string_view list) {
  return matching(list, shipped_names());
}

std::vector<Specification> find_specifications(std::string_view list) {
  const std::vector<std::string> names = matching_stencils(list);
  std::vector<Specification> found;
  found.reserve(names.size());
  for (const std::string& name : names) found.push_back(find_specification(name));
  return found;
}

}  // namespace minimod::stencil
