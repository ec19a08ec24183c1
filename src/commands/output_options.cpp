#include "src/commands/option_groups.hpp"

namespace minimod {

void add_as_json(OptionTable& table, bool& as_json) {
  table.flag("--json", groups::output, "for scripts", as_json);
}

void add_json(OptionTable& table, std::string& file) {
  table.value("--json", "FILE", groups::output, "write the record", file);
}

void add_folder(OptionTable& table, std::string& folder, const char* help) {
  table.value("-o,--output", "DIR", groups::output, help, folder);
}

void add_output(OptionTable& table, OutputOptions& o) {
  add_json(table, o.json);
  add_folder(table, o.folder, "folder of shot_gather.h5 (the current one)");
  table.flag("--force", groups::output, "overwrite an existing gather", o.force);
}

}  // namespace minimod
