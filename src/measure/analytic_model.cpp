#include "src/measure/analytic_model.hpp"

#include <memory>
#include <set>

#include "kernels/update.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

/// An operation and what it was applied to; null operands are numbers that were there before.
struct Operation {
  enum class Kind { addition, multiplication, fused, division } kind;
  std::shared_ptr<const Operation> operands[3];
};

/// A number that remembers the operations that made it, for the formulas to be counted as they stand.
class Traced {
 public:
  Traced(double /*value*/ = 0) {}             // as a float is made of a constant
  Traced operator-() const { return *this; }  // a sign of an operand costs nothing
  friend Traced operator+(const Traced& a, const Traced& b) { return {Operation::Kind::addition, a, b}; }
  friend Traced operator-(const Traced& a, const Traced& b) { return {Operation::Kind::addition, a, b}; }
  friend Traced operator*(const Traced& a, const Traced& b) {
    return {Operation::Kind::multiplication, a, b};
  }
  friend Traced operator/(const Traced& a, const Traced& b) { return {Operation::Kind::division, a, b}; }
  friend Traced fused(const Traced& a, const Traced& b, const Traced& c) {
    return {Operation::Kind::fused, a, b, c};
  }
  [[nodiscard]] const Operation* made_by() const { return made_by_.get(); }

 private:
  template <class... Operands>
  Traced(Operation::Kind kind, const Operands&... operands)
      : made_by_(std::make_shared<const Operation>(Operation{kind, {operands.made_by_...}})) {}
  std::shared_ptr<const Operation> made_by_;
};

struct UnknownStar {
  [[nodiscard]] Traced x(int) const { return {}; }
  [[nodiscard]] Traced y(int) const { return {}; }
  [[nodiscard]] Traced z(int) const { return {}; }
};

/// Those that a value depends on, each once.
void collect(const Operation* operation, std::set<const Operation*>& found) {
  if (operation == nullptr || !found.insert(operation).second) return;
  for (const auto& operand : operation->operands) collect(operand.get(), found);
}

template <class Update>
Operations count() {
  typename Update::Args args;
  Traced u_before, u_next, v2dt2, phi, eta[3];  // η and its neighbours along an axis
  args.u_before = &u_before;
  args.u_next = &u_next;
  args.v2dt2 = &v2dt2;
  args.phi = &phi;
  args.eta_x = args.eta_y = args.eta_z = eta + 1;
  update_point<Update>(args, {0, 0, 0}, UnknownStar{});
  std::set<const Operation*> needed;
  collect(u_next.made_by(), needed);
  collect(phi.made_by(), needed);
  Operations counted;
  for (const Operation* operation : needed) {
    switch (operation->kind) {
      case Operation::Kind::addition:
        ++counted.additions;
        break;
      case Operation::Kind::multiplication:
        ++counted.multiplications;
        break;
      case Operation::Kind::fused:
        ++counted.fused;
        break;
      case Operation::Kind::division:
        ++counted.divisions;
        break;
    }
  }
  return counted;
}

}  // namespace

const Operations& operations_of(Formula formula) {
  static const Operations inner = count<InnerUpdate<Traced>>(), pml = count<PmlUpdate<Traced>>();
  return formula == Formula::inner ? inner : pml;
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
  const double inner_bytes = kernels.schedule->inner_bytes(value, velocity);
  const double pml_bytes = kernels.schedule->pml_bytes(value) + (kernels.pml->needs.eta_field ? value : 0);

  PartModel model;
  model.points = inner + pml;
  model.formula_flop =
      inner * operations_of(Formula::inner).flop() + pml * operations_of(Formula::pml).flop();
  model.flop =
      model.formula_flop + inner * kernels.inner->extra_work.flop + pml * kernels.pml->extra_work.flop;
  model.dram_bytes = inner * inner_bytes + pml * pml_bytes;
  model.extra_work = inner > 0 ? kernels.inner->extra_work.why : kernels.pml->extra_work.why;
  return model;
}

}  // namespace minimod
