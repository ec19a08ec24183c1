#include <memory>

#include "src/base/error.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/job/survey/merge.hpp"

namespace minimod {

namespace {

std::function<void()> prepare_merge(OptionTable& table) {
  const auto folders = std::make_shared<std::vector<std::string>>();
  const auto options = std::make_shared<MergeOptions>();
  table.words("FOLDER", "of a survey, with its shots in FOLDER/shots/shot_00001.h5 and on", *folders);
  table.value("-o,--output", "FILE.h5|FILE.sgy", groups::output, "HDF5 with an index, or SEG-Y",
              options->output);
  add_segy_floats(table, options->segy_floats);
  table.flag("--allow-missing", groups::output, "merge what is there of a survey that is not done",
             options->allow_missing);
  add_force(table, options->force, "replace a merged file that is there; never another file");
  return [folders, options] {
    if (folders->size() != 1) {
      throw Error(ExitCode::usage, text(folders->size(), " folders are given"),
                  "give the folder of one survey");
    }
    options->folder = folders->front();
    merge_survey(*options);
  };
}

}  // namespace

Command merge_command() {
  return {"merge", "make one file of a survey's shots", prepare_merge};
}

}  // namespace minimod
