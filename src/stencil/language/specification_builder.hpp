/// Makes a specification from what a parser reads, and refuses what has no meaning.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "src/stencil/language/specification.hpp"

namespace minimod::stencil {

/// In a text, both from 1; the column in bytes.
struct Place {
  std::size_t line = 1, column = 1;
};

/// Refusal of a text: the fault, its place, and what to do instead.
struct Refusal {
  Place place;
  std::string what, remedy;
};

/// A name where it stands.
struct PlacedName {
  std::string text;
  Place place;
};

/// Names are declared, or have their equation, before they are used: so that there are no cycles. All throw
/// Refusal.
class SpecificationBuilder {
 public:
  void declare_array(const PlacedName& name, Precision precision, bool is_output);
  /// An expression of what an input starts from follows, in which coordinates stand, until it is taken.
  void begin_start() { is_of_start_ = true; }
  [[nodiscard]] Expression take_start_value();
  /// Sets the start of the inputs that were declared last, of which `first` is the first: values between two,
  /// of one expression, or of a file.
  void set_range(const PlacedName& first, const Expression& least, const Expression& greatest);
  void set_start(const PlacedName& first, const Start& start);
  /// With the value of the expression that has been pushed.
  void declare_scalar(const PlacedName& name);
  /// `taken_over` becomes `name` in the next step.
  void set_next(const PlacedName& name, const PlacedName& taken_over);

  void push_number(double number, Place place);
  void push_name(const PlacedName& name);
  void push_load(const PlacedName& array, Index3 offset);
  /// On the last value, or the last two.
  void push_operation(Term::Kind kind);

  /// The value of a temporary is the expression that has been pushed, or that is added to it.
  void define_temporary(const PlacedName& name, bool adds);
  /// The same of an output array at `offset` from the point, which must be 0.
  void define_output(const PlacedName& array, Index3 offset, bool adds);

  /// When all has been read. `end`: of the text.
  [[nodiscard]] Specification finish(Place end);

 private:
  struct Symbol {
    enum class Kind { input, output, scalar, temporary };
    Kind kind;
    int index;
    Place place;
    bool is_used = false;  ///< an output: has its equation
    [[nodiscard]] bool is_array() const { return kind == Kind::input || kind == Kind::output; }
  };

  void push_operand(const Term& term, Place place);
  /// Refuses an array where no point is said.
  static void require_no_array(const PlacedName& name, const Symbol& symbol);
  /// Value of an expression of numbers and scalars.
  [[nodiscard]] double constant_value(const Expression& expression) const;
  /// Refuses a name that is taken or none; `count` of its kind are there, and `most` may be.
  void add_symbol(const PlacedName& name, Symbol::Kind kind, std::size_t count, std::size_t most);
  Symbol& find(const PlacedName& name);
  void check_chains() const;
  void check_all_used() const;

  Specification made_;
  std::map<std::string, Symbol, std::less<>> symbols_;
  Expression expression_;
  std::size_t operands_ = 0;
  bool is_of_start_ = false;
};

}  // namespace minimod::stencil
