#include "src/stencil/language/specification_builder.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include "src/base/parse.hpp"
#include "src/stencil/evaluation.hpp"

namespace minimod::stencil {
namespace {

using Kind = Term::Kind;

/// Names that mean something else, here or in the C++ that kernels are written in.
constexpr std::string_view reserved_names =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t "
    "char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue decltype default delete do double dynamic_cast else enum explicit export extern "
    "false file float for friend from goto i if in inline int j k long mutable namespace new next ni nj "
    "nk noexcept not not_eq nullptr operator or or_eq out private protected public register "
    "reinterpret_cast requires return scalar short signed sizeof static static_assert static_cast struct "
    "switch template this thread_local throw to true try typedef typeid typename union unsigned using "
    "virtual void volatile wchar_t while xor xor_eq";

std::string quoted(const PlacedName& name) {
  return "'" + escaped(name.text, 40) + "'";
}

}  // namespace

void SpecificationBuilder::add_symbol(const PlacedName& name, Symbol::Kind kind, std::size_t count,
                                      std::size_t most) {
  if (name.text.size() > limits::name_length || name.text.find("__") != std::string::npos) {
    throw Refusal{name.place, text(quoted(name), " is no name"),
                  text("give letters, digits and single _, at most ", limits::name_length)};
  }
  const auto reserved = split(reserved_names, ' ');
  if (std::ranges::find(reserved, name.text) != reserved.end()) {
    const bool declares =
        name.text == "in" || name.text == "out" || name.text == "scalar" || name.text == "next";
    throw Refusal{
        name.place, quoted(name) + " is a word of the language or of C++",
        declares ? "end the declaration before it with ;, or give another name" : "give another name"};
  }
  if (const auto other = symbols_.find(name.text); other != symbols_.end()) {
    throw Refusal{name.place, text(quoted(name), " has its meaning from line ", other->second.place.line),
                  "give another name, or add to a temporary with +="};
  }
  if (count == most) {
    constexpr const char* kinds[] = {"arrays", "arrays", "scalars", "temporaries"};
    throw Refusal{name.place, text("there are more than ", most, " ", kinds[static_cast<int>(kind)]),
                  "split the stencil"};
  }
  symbols_.emplace(name.text, Symbol{kind, static_cast<int>(count), name.place});
}

SpecificationBuilder::Symbol& SpecificationBuilder::find(const PlacedName& name) {
  const auto found = symbols_.find(name.text);
  if (found == symbols_.end()) {
    throw Refusal{name.place, quoted(name) + " is not known here",
                  "declare it, or put its equation, before it is used"};
  }
  return found->second;
}

void SpecificationBuilder::declare_array(const PlacedName& name, Precision precision, bool is_output) {
  add_symbol(name, is_output ? Symbol::Kind::output : Symbol::Kind::input, made_.arrays.size(),
             limits::arrays);
  made_.arrays.push_back({name.text, precision, is_output, {}, Array::keeps});
}

Expression SpecificationBuilder::take_start_value() {
  is_of_start_ = false;
  return std::exchange(expression_, {});
}

double SpecificationBuilder::constant_value(const Expression& expression) const {
  return evaluate(expression, [&](const Term& term) {
    return term.kind == Kind::number ? term.number : made_.scalars[term.index].value;
  });
}

void SpecificationBuilder::set_range(const PlacedName& first, const Expression& least,
                                     const Expression& greatest) {
  for (const Expression& end : {least, greatest}) {
    if (std::ranges::find(end, Kind::coordinate, &Term::kind) != end.end()) {
      throw Refusal{first.place, text("the range of ", quoted(first), " differs from point to point"),
                    "give one expression, without 'to', or numbers and scalars"};
    }
  }
  Start start;
  start.least = constant_value(least);
  start.greatest = constant_value(greatest);
  if (!(start.least <= start.greatest) || !std::isfinite(start.greatest - start.least)) {
    throw Refusal{first.place,
                  text("the values of ", quoted(first), " go from ", start.least, " to ", start.greatest),
                  "give the lesser one first, and finite ones"};
  }
  set_start(first, start);
}

void SpecificationBuilder::set_start(const PlacedName& first, const Start& start) {
  const auto begin = made_.arrays.begin() + find(first).index;
  if (begin->is_output) {
    throw Refusal{first.place, quoted(first) + " is an output, which starts from nothing",
                  "leave what stands behind 'from' out"};
  }
  for (auto array = begin; array != made_.arrays.end(); ++array) array->start = start;
}

void SpecificationBuilder::declare_scalar(const PlacedName& name) {
  const Expression expression = std::exchange(expression_, {});
  const auto depends_on_point = [](const Term& term) {
    return term.kind == Kind::load || term.kind == Kind::temporary;
  };
  if (std::ranges::any_of(expression, depends_on_point)) {
    throw Refusal{name.place, quoted(name) + " differs from point to point",
                  "make a scalar of numbers and scalars, or leave 'scalar' out"};
  }
  add_symbol(name, Symbol::Kind::scalar, made_.scalars.size(), limits::scalars);
  const double value = constant_value(expression);
  if (!std::isfinite(value)) {
    throw Refusal{name.place, text(quoted(name), " is ", value), "give a finite value"};
  }
  made_.scalars.push_back({name.text, value});
}

void SpecificationBuilder::set_next(const PlacedName& name, const PlacedName& taken_over) {
  const Symbol& to = find(name);
  const Symbol& from = find(taken_over);
  if (to.kind != Symbol::Kind::input) {
    throw Refusal{name.place, quoted(name) + " is no input",
                  "name the input that changes, then its new values"};
  }
  if (!from.is_array()) {
    throw Refusal{taken_over.place, quoted(taken_over) + " is no array", "name an output"};
  }
  Array& array = made_.arrays[to.index];
  if (array.next != Array::keeps) {
    throw Refusal{name.place, quoted(name) + " takes over two arrays", "leave one of them out"};
  }
  if (std::ranges::find(made_.arrays, from.index, &Array::next) != made_.arrays.end()) {
    throw Refusal{taken_over.place, quoted(taken_over) + " is taken over twice", "leave one of them out"};
  }
  if (array.precision != made_.arrays[from.index].precision) {
    throw Refusal{taken_over.place, text(quoted(name), " and ", quoted(taken_over), " differ in precision"),
                  "declare them alike"};
  }
  array.next = from.index;
}

void SpecificationBuilder::push_operand(const Term& term, Place place) {
  if (++operands_ > limits::operands) {
    throw Refusal{place, text("there are more than ", limits::operands, " operands"), "split the stencil"};
  }
  expression_.push_back(term);
}

void SpecificationBuilder::push_number(double number, Place place) {
  push_operand({Kind::number, number}, place);
}

void SpecificationBuilder::require_no_array(const PlacedName& name, const Symbol& symbol) {
  if (!symbol.is_array()) return;
  throw Refusal{name.place, quoted(name) + " is an array",
                "say at which point, as in " + name.text + "[i,j,k]"};
}

void SpecificationBuilder::push_name(const PlacedName& name) {
  const auto coordinate = std::ranges::find(coordinate_names, name.text);
  if (coordinate != std::end(coordinate_names)) {
    if (!is_of_start_) {
      throw Refusal{name.place, quoted(name) + " stands in the start of an array alone, behind 'from'",
                    "put it into an input that starts so"};
    }
    const auto number = static_cast<int>(coordinate - std::begin(coordinate_names));
    return push_operand({Kind::coordinate, 0, number}, name.place);
  }
  Symbol& symbol = find(name);
  if (is_of_start_ && symbol.kind != Symbol::Kind::scalar) {
    throw Refusal{name.place, quoted(name) + " has no value before the first step",
                  "start from numbers, scalars and i, j, k, ni, nj, nk"};
  }
  require_no_array(name, symbol);
  symbol.is_used = true;
  const bool is_scalar = symbol.kind == Symbol::Kind::scalar;
  push_operand({is_scalar ? Kind::scalar : Kind::temporary, 0, symbol.index}, name.place);
}

void SpecificationBuilder::push_load(const PlacedName& array, Index3 offset) {
  if (is_of_start_) {
    throw Refusal{array.place, quoted(array) + " is read at a point before the first step",
                  "start from numbers, scalars and i, j, k, ni, nj, nk"};
  }
  Symbol& symbol = find(array);
  if (symbol.kind == Symbol::Kind::output) {
    throw Refusal{array.place, quoted(array) + " is an output, which is not read",
                  "put the value into a temporary first"};
  }
  if (symbol.kind != Symbol::Kind::input) {
    throw Refusal{array.place, quoted(array) + " is no array", "leave the brackets out"};
  }
  symbol.is_used = true;
  push_operand({Kind::load, 0, symbol.index, offset}, array.place);
}

void SpecificationBuilder::push_operation(Kind kind) {
  expression_.push_back({kind});
}

void SpecificationBuilder::define_temporary(const PlacedName& name, bool adds) {
  const auto known = symbols_.find(name.text);
  if (known != symbols_.end()) require_no_array(name, known->second);
  if (adds) {
    const Symbol& symbol = find(name);
    if (symbol.kind != Symbol::Kind::temporary) {
      throw Refusal{name.place, quoted(name) + " is no temporary", "take = and another name"};
    }
    expression_.insert(expression_.begin(), {Kind::temporary, 0, symbol.index});
    expression_.push_back({Kind::add});
    made_.equations.push_back({false, symbol.index, std::exchange(expression_, {})});
    return;
  }
  add_symbol(name, Symbol::Kind::temporary, made_.temporaries.size(), limits::temporaries);
  made_.equations.push_back(
      {false, static_cast<int>(made_.temporaries.size()), std::exchange(expression_, {})});
  made_.temporaries.push_back(name.text);
}

void SpecificationBuilder::define_output(const PlacedName& array, Index3 offset, bool adds) {
  Symbol& symbol = find(array);
  if (symbol.kind != Symbol::Kind::output) {
    throw Refusal{array.place, quoted(array) + " is no output", "declare it with 'out'"};
  }
  if (offset != Index3{}) {
    throw Refusal{array.place, quoted(array) + " is written beside the point", "write it at [i,j,k]"};
  }
  if (adds || symbol.is_used) {
    throw Refusal{array.place, quoted(array) + " is written twice", "add in a temporary, and write it once"};
  }
  symbol.is_used = true;
  made_.equations.push_back({true, symbol.index, std::exchange(expression_, {})});
}

void SpecificationBuilder::check_all_used() const {
  const auto rank = [](const auto& entry) {
    const auto& [place, is_used] = std::tie(entry.second.place, entry.second.is_used);
    return std::tuple(is_used, place.line, place.column);
  };
  const auto& [name, symbol] = *std::ranges::min_element(symbols_, {}, rank);
  if (symbol.is_used) return;
  const bool is_output = symbol.kind == Symbol::Kind::output;
  throw Refusal{symbol.place, text("'", name, is_output ? "' has no equation" : "' is never used"),
                is_output ? "give it one" : "leave it out"};
}

void SpecificationBuilder::check_chains() const {
  for (const Array& array : made_.arrays) {
    const Array* last = &array;
    for (std::size_t i = 0; last->next != Array::keeps && i < made_.arrays.size(); ++i) {
      last = &made_.arrays[last->next];
    }
    if (array.next != Array::keeps && !last->is_output) {
      throw Refusal{symbols_.find(array.name)->second.place,
                    text("what '", array.name, "' takes over comes from no output"),
                    "let the last array of the chain take over an output"};
    }
  }
}

Specification SpecificationBuilder::finish(Place end) {
  if (std::ranges::none_of(made_.arrays, &Array::is_output)) {
    throw Refusal{end, "there is no output", "declare one with 'out float NAME;' and give its equation"};
  }
  if (std::ranges::all_of(made_.arrays, &Array::is_output)) {
    throw Refusal{end, "there is no input", "declare one with 'in float NAME;'"};
  }
  check_all_used();
  check_chains();
  return std::move(made_);
}

}  // namespace minimod::stencil
