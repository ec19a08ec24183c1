/// Shots that failed while others went on.
#pragma once

#include <string>
#include <vector>

#include "src/job/workers/worker_pool.hpp"

namespace minimod {

class ShotFailures {
 public:
  /// Tells of the shot of that number, whose outcome is a failure.
  void add(int shot, const ShotOutcome& outcome);
  /// Errors: 75 where `left` of the `ordered` shots have not ended, as after a signal; else the code of the
  /// first one that failed, with the numbers of all.
  void check(std::size_t left, std::size_t ordered) const;

 private:
  struct Failure {
    int shot, code;
    std::string what;
  };
  std::vector<Failure> failures_;
};

}  // namespace minimod
