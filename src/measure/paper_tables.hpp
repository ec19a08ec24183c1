/// Tables II to IV of Sai et al. (PMBS 2020), the figures to stand beside ours.
#pragma once

#include <string_view>

namespace minimod {

/// The text of perf/references/sai_2020.json, which the build embeds.
extern const std::string_view paper_tables;

}  // namespace minimod
