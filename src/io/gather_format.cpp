#include "src/io/gather_format.hpp"

#include <algorithm>

#include "src/base/parse.hpp"

namespace minimod {

extern const GatherFormat hdf5_gathers, segy_gathers;  // each in a file of its own

const GatherFormats& gather_formats() {
  static const GatherFormats all = {&hdf5_gathers, &segy_gathers};
  return all;
}

const GatherFormat* format_named_by(const std::filesystem::path& file, const GatherFormats& all) {
  const auto found =
      std::ranges::find_if(all, [&](const GatherFormat* format) { return format->is_named(file); });
  return found == all.end() ? nullptr : *found;
}

std::string titles_of(const GatherFormats& formats) {
  return joined(formats, " or ", &GatherFormat::title);
}

std::string files_of(const GatherFormats& formats, std::string_view between) {
  return joined(formats, between, [](const GatherFormat* format) { return text("FILE", format->suffix); });
}

std::string names_of(const GatherFormats& formats) {
  return joined(formats, ",", &GatherFormat::name);
}

GatherFormats parse_formats(const std::string& names, const std::string& option) {
  const auto asked = split(names, ',');
  const auto is_name_of = [](std::string_view name) {
    return [name](const GatherFormat* format) { return name == format->name; };
  };
  for (const std::string_view name : asked) {
    if (std::ranges::any_of(gather_formats(), is_name_of(name))) continue;
    throw Error(ErrorKind::parameter, text(option, " is '", escaped(name), "'"),
                "give " + joined(gather_formats(), " or ", &GatherFormat::name));
  }
  GatherFormats formats = gather_formats();
  std::erase_if(formats, [&](const GatherFormat* format) {
    return std::ranges::find(asked, std::string_view(format->name)) == asked.end();
  });
  return formats;
}

std::optional<StrayOption> stray_option(const FormatOptions& options, const GatherFormats& asked,
                                        const GatherFormats& all) {
  for (const GatherFormat* format : all) {
    if (std::ranges::count(asked, format) != 0) continue;
    for (const FormatOption& one : format->options) {
      if (options.contains(one.name)) return StrayOption{format, one.name};
    }
  }
  return std::nullopt;
}

bool is_of(const ShotIdentity& shot, const std::filesystem::path& file) {
  return std::ranges::any_of(gather_formats(),
                             [&](const GatherFormat* format) { return format->is_of(shot, file); });
}

}  // namespace minimod
