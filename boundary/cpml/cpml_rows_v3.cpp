/// Rows of a CPML with differences of any radius, in packs: their sums stay in registers while the line is
/// walked through.
#include "boundary/cpml/cpml_rows.hpp"
#include "kernels/pack.hpp"

namespace minimod::x86_64_v3 {

namespace {

/// Takes the values of a row in packs.
struct ByPack {
  template <class Real, class Work>
  static MINIMOD_INLINE void over_row(int count, const Work& work) {
    using Two = Pack<Real, 2>;
    using Last = LastLanes<Real>;
    constexpr int lanes = Last::Pack::lanes;
    int k = 0;
    for (; k + Two::lanes <= count; k += Two::lanes) work(k, AllLanes<Two>());
    for (; k + lanes <= count; k += lanes) work(k, AllLanes<typename Last::Pack>());
    if (k < count && count >= lanes) return work(count - lanes, Last(k - (count - lanes)));
    for (; k < count; ++k) work(k, ByValue::Lanes<Real>());
  }
};

}  // namespace

template <int Axis, class Pass>
void correct_part(const Pass& pass, std::int64_t number) {
  correct_on_host<Axis, ByPack, any_radius>(pass, number);
}

#define MINIMOD_CPML_PARTS(...)                                    \
  template void correct_part<0>(const __VA_ARGS__&, std::int64_t); \
  template void correct_part<1>(const __VA_ARGS__&, std::int64_t); \
  template void correct_part<2>(const __VA_ARGS__&, std::int64_t);
MINIMOD_CPML_PARTS(CpmlPass<float>)
MINIMOD_CPML_PARTS(CpmlPass<double>)
MINIMOD_CPML_PARTS(CpmlPass<float, CpmlOfDensity>)
MINIMOD_CPML_PARTS(CpmlPass<double, CpmlOfDensity>)
#undef MINIMOD_CPML_PARTS

}  // namespace minimod::x86_64_v3
