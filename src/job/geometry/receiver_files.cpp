#include "src/job/geometry/receiver_files.hpp"

#include <algorithm>

#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

FilePattern::FilePattern(const std::string& spec) {
  const std::size_t begin = spec.find('%');
  std::size_t end = begin + 1;
  const bool has_width =
      spec.substr(end, 1) == "0" && end + 1 < spec.size() && spec[end + 1] >= '1' && spec[end + 1] <= '9';
  if (has_width) {
    digits_ = static_cast<std::size_t>(spec[end + 1] - '0');
    end += 2;
  }
  if (spec.substr(end, 1) != "d" || spec.find('%', end) != std::string::npos) {
    throw Error(ErrorKind::parameter,
                text(option("receivers"), " '", escaped(spec, 60), "' has no one place for a number"),
                "give one %d or %0Nd, as in receivers_%05d.csv");
  }
  before_ = spec.substr(0, begin);
  after_ = spec.substr(end + 1);
}

std::string FilePattern::name(int number) const {
  const std::string plain = std::to_string(number);
  return before_ + std::string(digits_ - std::min(digits_, plain.size()), '0') + plain + after_;
}

}  // namespace minimod
