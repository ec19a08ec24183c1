#include <memory>

#include "src/base/error.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/survey/survey_view.hpp"

namespace minimod {

namespace {

/// Sections are HDF5, whatever the run writes. Error 64.
void set_format(OutputOptions& output) {
  const GatherFormat* const named = format_named_by(output.gather);
  const GatherFormat* const hdf5 = gather_formats().front();
  if (named != nullptr && named != hdf5 && names_file(output)) {
    throw Error(ErrorKind::parameter,
                text("--output ", shown(output.gather), " says ", named->title, ", sections are HDF5"),
                "give FILE.h5 or a folder");
  }
  output.formats = {hdf5};
  output.of_formats = {};
}

std::function<void()> prepare_section(OptionTable& table) {
  const auto options = std::make_shared<ShotOptions>();
  add_shot(table, *options);
  options->output.name = "sections.h5";
  return [options] {
    set_format(options->output);
    refuse_without_sources(*options);
    write_model_sections(*options);
  };
}

}  // namespace

Command section_command() {
  return {"section", "write sections of the model as a run would have them", prepare_section};
}

}  // namespace minimod
