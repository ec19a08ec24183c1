#include "src/commands/option_groups.hpp"

namespace minimod {

void add_as_json(OptionTable& table, bool& as_json) {
  table.flag("--json", groups::output, "for scripts", as_json);
}

void add_json(OptionTable& table, std::string& file) {
  table.value("--json", "FILE", groups::output, "write the record", file);
}

void add_force(OptionTable& table, bool& force, const char* help) {
  table.flag("--force", groups::output, help, force);
}

void add_folder(OptionTable& table, std::string& folder, const char* help) {
  table.value("-o,--output", "DIR", groups::output, help, folder);
}

void add_output(OptionTable& table, OutputOptions& o) {
  add_json(table, o.json);
  table.value(
      "-o,--output", "DIR|FILE.h5", groups::output,
      "folder of shot_gather.h5, made with its parents where there is none, or the name of the gather's "
      "file (the current folder)",
      o.gather);
  add_force(table, o.force, "replace a gather and a record that are there; never another file");
}

}  // namespace minimod
