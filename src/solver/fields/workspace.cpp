#include "src/solver/fields/workspace.hpp"

#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

void Workspace::check(const std::string& shape) const {
  unsigned gave_up = 0;
  backend_->download(&gave_up, status_.data(), sizeof gave_up);
  if (gave_up == 0) return;
  backend_->clear(status_.data(), sizeof gave_up);
  throw Error(ErrorKind::resource,
              text("blocks of ", shape, " waited for others that did not run; the field is lost"),
              "give the GPU to this run alone, or take another " + option("kernel"));
}

}  // namespace minimod
