#include "src/commands/command.hpp"
#include "src/commands/option_groups.hpp"
#include "src/shot/model_sections.hpp"

namespace minimod {

Command section_command() {
  return {"section", "write sections of the model, with source and receivers, as a run would have them",
          [](OptionTable& table) -> std::function<void()> {
            const auto options = add_shot(table);
            options->output.name = "sections.h5";
            return [options] { write_model_sections(*options); };
          }};
}

}  // namespace minimod
