#include "src/measure/analytic_model.hpp"

#include <memory>
#include <set>
#include <vector>

#include "kernels/equation_list.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

/// An operation and what it was applied to; null operands are numbers that were there before.
struct Operation {
  int Operations::*kind;  ///< as which it is counted
  std::shared_ptr<const Operation> operands[3];
};

/// A number that remembers the operations that made it, for the formulas to be counted as they stand.
class Traced {
 public:
  Traced(double /*value*/ = 0) {}             // as a float is made of a constant
  Traced operator-() const { return *this; }  // a sign of an operand costs nothing
  friend Traced operator+(const Traced& a, const Traced& b) { return {&Operations::additions, a, b}; }
  friend Traced operator-(const Traced& a, const Traced& b) { return {&Operations::additions, a, b}; }
  friend Traced operator*(const Traced& a, const Traced& b) { return {&Operations::multiplications, a, b}; }
  friend Traced operator/(const Traced& a, const Traced& b) { return {&Operations::divisions, a, b}; }
  friend Traced fused(const Traced& a, const Traced& b, const Traced& c) {
    return {&Operations::fused, a, b, c};
  }
  [[nodiscard]] const Operation* made_by() const { return made_by_.get(); }

 private:
  template <class... Operands>
  Traced(int Operations::*kind, const Operands&... operands)
      : made_by_(std::make_shared<const Operation>(Operation{kind, {operands.made_by_...}})) {}
  std::shared_ptr<const Operation> made_by_;
};

/// A point whose values nobody knows, and what is stored there.
struct TracedPlace {
  std::vector<Traced>& stored;
  struct Memory {
    std::vector<Traced>& stored;
    struct Values {
      std::vector<Traced>& stored;
      Traced& operator[](std::int64_t) const { return stored.emplace_back(); }
    };
    template <int>
    [[nodiscard]] Traced value(std::int64_t) const {
      return {};
    }
    template <int>
    [[nodiscard]] Values array() const {
      return {stored};
    }
  } memory{stored};
  std::int64_t other = 0;

  template <int>
  [[nodiscard]] Traced load(int = 0, int = 0, int = 0) const {
    return {};
  }
  template <int>
  void store(const Traced& value) const {
    stored.push_back(value);
  }
};
template <class Args>
struct TracedPoint : TracedPlace {
  const Args& given;
  [[nodiscard]] const Args& args() const { return given; }
  [[nodiscard]] Index3 at() const { return {0, 0, 0}; }
  [[nodiscard]] TracedPlace place() const { return *this; }
};

/// Collects the operations that a value depends on, each once.
void collect(const Operation* operation, std::set<const Operation*>& found) {
  if (operation == nullptr || !found.insert(operation).second) return;
  for (const auto& operand : operation->operands) collect(operand.get(), found);
}

template <class Update>
Operations count() {
  typename Update::Args args;
  const Traced eta[3];  // η and its neighbours along an axis
  args.eta_x = args.eta_y = args.eta_z = eta + 1;
  std::vector<Traced> stored;
  Update::compute(TracedPoint<typename Update::Args>{{stored}, args});
  std::set<const Operation*> needed;
  for (const Traced& value : stored) collect(value.made_by(), needed);
  Operations counted;
  for (const Operation* operation : needed) {
    ++(counted.*operation->kind);
  }
  return counted;
}

}  // namespace

const Operations& operations_of(Formula formula, Equation equation) {
  return with_equation(equation, [&]<class Line>() -> const Operations& {
    static const Operations inner = count<typename Line::template Of<InnerUpdate<Traced>>>(),
                            pml = count<typename Line::template Of<PmlUpdate<Traced>>>();
    return formula == Formula::inner ? inner : pml;
  });
}

PartModel model_of(const TimedPart& part, const KernelSet& kernels, const Regions& regions) {
  const bool both = part.formula == Formula::mixed, pml_only = part.formula == Formula::outer;
  const auto inner_box = static_cast<double>(regions.inner.points());
  const auto pml_points = static_cast<double>(regions.pml_points());
  const auto own = static_cast<double>(part.points);
  const double inner = both ? inner_box : part.formula == Formula::inner ? own : 0;
  const double pml = both || pml_only ? pml_points : part.formula == Formula::pml ? own : 0;
  const auto value = static_cast<double>(bytes_of(kernels.inner->precision));
  const double velocity = kernels.inner->needs.v16 ? sizeof(std::uint16_t) : value;
  const auto beyond_wave = [&](bool damps) {
    return value * (values_of_point(kernels.inner->equation, damps) - values_of_point(Equation::wave, damps));
  };
  const double inner_bytes = kernels.schedule->inner_bytes(value, velocity) + beyond_wave(false);
  const double pml_bytes =
      kernels.schedule->pml_bytes(value) + beyond_wave(true) + (kernels.pml->needs.eta_field ? value : 0);

  PartModel model;
  model.points = inner + pml;
  model.formula_flop = inner * operations_of(Formula::inner, kernels.inner->equation).flop() +
                       pml * operations_of(Formula::pml, kernels.inner->equation).flop();
  model.flop =
      model.formula_flop + inner * kernels.inner->extra_work.flop + pml * kernels.pml->extra_work.flop;
  model.dram_bytes = inner * inner_bytes + pml * pml_bytes;
  model.extra_work = inner > 0 ? kernels.inner->extra_work.why : kernels.pml->extra_work.why;
  return model;
}

}  // namespace minimod
