#include <memory>
#include <optional>

#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/job/survey/survey_view.hpp"

namespace minimod {

namespace {

std::function<void()> prepare_survey(OptionTable& table) {
  const auto options = std::make_shared<ShotOptions>();
  const auto rate = std::make_shared<std::optional<double>>();
  const auto picture = std::make_shared<std::string>();
  add_shot(table, *options);
  table.value("--rate", "GPT/S", groups::time,
              "for the estimated time, in 10^9 points a second (that of some steps, which are measured)",
              [rate](const auto& v, const auto& name) { *rate = parse_positive(v, name); });
  table.value("--plot", "PICTURE", groups::output,
              "draw map and sections of sources and receivers over the model: .png, .svg or .pdf", *picture);
  return [options, rate, picture] {
    if (!picture->empty()) {
      throw Error(ErrorKind::unavailable, "--plot is drawn by the launcher, ./minimod survey",
                  "give it there, on its command line");
    }
    refuse_without_sources(*options);
    show_survey(*options, *rate);
  };
}

}  // namespace

Command survey_command() {
  return {"survey", "show the shots of a survey without running them", prepare_survey};
}

}  // namespace minimod
