/// Files that a command leaves: checked before it computes, whole or not there at all.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace minimod {

/// Checks that `file`, which `option` names, can be written: 73 no such directory, 77 no permission.
void check_can_write_record(const std::filesystem::path& file, const std::string& option = "--json");

/// Writes under a temporary name and renames it. Error 74.
void write_text(const std::string& content, const std::filesystem::path& file);

/// The same of a record with the date (UTC) at its end, where it has none.
void write_record(const nlohmann::ordered_json& record, const std::filesystem::path& file);

}  // namespace minimod
