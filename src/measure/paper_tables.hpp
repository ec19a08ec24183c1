/// The figures of papers, to stand beside ours: texts of files under perf/references, which the build embeds.
#pragma once

#include <string_view>

namespace minimod {

extern const std::string_view paper_tables;  ///< Tables II to IV of Sai et al. (PMBS 2020)
extern const std::string_view itu_tables;    ///< Tables I to III of Itu et al. (RoEduNet 2011)

}  // namespace minimod
