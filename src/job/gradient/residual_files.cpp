#include "src/job/gradient/residual_files.hpp"

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/io/survey/shot_files.hpp"
#include "src/job/outputs/shot_bytes.hpp"

namespace minimod {

namespace fs = std::filesystem;

ResidualFiles::ResidualFiles(const std::string& name, const SurveyPlan& plan)
    : name_(name), format_(format_named_by(name)), is_folder_(format_ == nullptr || fs::is_directory(name)) {
  if (!is_folder_ && plan.selected.size() > 1) {
    throw Error(ErrorKind::parameter,
                text(option("write-residuals"), " is one file for ", plan.selected.size(), " shots"),
                "give a folder");
  }
  if (is_folder_) format_ = gather_formats().front();
  folder_.emplace(is_folder_ ? name_ : name_.parent_path());
}

fs::path ResidualFiles::file_of(int shot) const {
  return is_folder_ ? name_ / shot_file_name(shot, format_->suffix) : name_;
}

bool ResidualFiles::is_there(int shot) const {
  return fs::exists(file_of(shot));
}

void ResidualFiles::check(int shot, bool overwrite, const std::vector<fs::path>& kept) const {
  for (const fs::path& file : kept) check_distinct({file_of(shot), file});
  check_can_create(file_of(shot), *format_->kind, overwrite);
}

std::uint64_t ResidualFiles::bytes(const Problem& problem, const ShotGeometry& shot) const {
  return gather_bytes(problem, {format_}, shot.receivers.size(), shot.sources.size(), false);
}

void ResidualFiles::check_room(std::uint64_t bytes) const {
  minimod::check_room(name_, bytes, "make room, or take fewer " + option("shots"));
}

void ResidualFiles::remove_dead() const {
  if (is_folder_) remove_dead_temporaries_in(name_);
  if (!is_folder_) remove_dead_temporaries(name_);
}

void ResidualFiles::write(ShotGather gather, int shot, const std::vector<double>& residual,
                          Precision precision) const {
  with_real(precision, [&]<class Real>() {
    gather.traces = Reals(Reals::Values<Real>(residual.begin(), residual.end()));
  });
  format_->write(gather, shot, {}, file_of(shot), true);
}

}  // namespace minimod
