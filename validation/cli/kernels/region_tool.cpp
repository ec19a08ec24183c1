/// A Kokkos Tool that prints the regions of a run on stderr, indented by their depth.
#include <cstdio>

namespace {
int depth = 0;
}

extern "C" void kokkosp_push_profile_region(const char* name) {
  std::fprintf(stderr, "%*s%s\n", 2 * depth++, "", name);
}
extern "C" void kokkosp_pop_profile_region() {
  --depth;
}
