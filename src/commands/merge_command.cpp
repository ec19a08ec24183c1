#include <memory>

#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/job/survey/merge.hpp"

namespace minimod {

namespace {

std::function<void()> prepare_merge(OptionTable& table) {
  const auto folders = std::make_shared<std::vector<std::string>>();
  const auto options = std::make_shared<MergeOptions>();
  table.words("FOLDER", "of a survey, with its shots in FOLDER/shots/shot_00001.h5 and on", *folders);
  const GatherFormats formats = mergeable(gather_formats());
  const auto title = [](const GatherFormat* format) { return text(format->title, format->merger.remark); };
  table.value("-o,--output", files_of(formats, "|").c_str(), groups::output,
              joined(formats, ", or ", title).c_str(), options->output);
  add_format_options(table, options->of_formats, formats);
  table.flag("--allow-missing", groups::output, "merge what is there of a survey that is not done",
             options->allow_missing);
  add_force(table, options->force, "replace a merged file that is there; never another file");
  return [folders, options] {
    if (folders->size() != 1) {
      throw Error(ErrorKind::parameter, text(folders->size(), " folders are given"),
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
