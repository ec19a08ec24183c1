#include <memory>

#include "src/commands/command.hpp"
#include "src/commands/shot_line.hpp"
#include "src/shot/model_sections.hpp"
#include "src/survey/survey_view.hpp"

namespace minimod {

namespace {

std::function<void()> prepare_section(OptionTable& table) {
  const auto options = std::make_shared<ShotOptions>();
  add_shot(table, *options);
  options->output.name = "sections.h5";
  return [options] {
    options->output.formats = FileFormats{};  // sections are HDF5, whatever the run writes
    options->output.segy_floats.reset();
    const AcquisitionOptions& o = options->acquisition;
    const bool is_survey = !o.sources.empty() || o.receivers_move || o.shots;
    (is_survey ? write_survey_sections : write_model_sections)(*options);
  };
}

}  // namespace

Command section_command() {
  return {"section", "write sections of the model as a run would have them", prepare_section};
}

}  // namespace minimod
