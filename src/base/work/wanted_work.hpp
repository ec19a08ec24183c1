/// Long work that its caller may give up before it is done.
#pragma once

#include <functional>

namespace minimod {

/// While it lives, work of this thread ends soon after `is_given_up`.
class WantedWork {
 public:
  explicit WantedWork(std::function<bool()> is_given_up);
  WantedWork(const WantedWork&) = delete;
  WantedWork& operator=(const WantedWork&) = delete;
  ~WantedWork();

 private:
  std::function<bool()> before_;
};

/// Error 75 in work that was given up. Work calls it between parts of less than a second; where nobody may
/// give it up, as in the program, nothing happens.
void require_wanted();

}  // namespace minimod
