#include "src/stencil/language/parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "src/base/files/input_file.hpp"
#include "src/base/parse.hpp"
#include "src/stencil/language/grammar.hpp"
#include "src/stencil/language/specification_builder.hpp"
#include "src/stencil/language/specification_error.hpp"
#include "src/stencil/start_file.hpp"

namespace minimod::stencil {
namespace {

namespace fs = std::filesystem;
namespace pegtl = tao::pegtl;

/// Messages of rules that end a statement.
constexpr std::array<std::string_view, 2> ends_of_statements{grammar::message<grammar::semicolon>,
                                                             grammar::message<grammar::end_of_list>};

struct Function {
  std::string_view name;
  Term::Kind kind;
};
constexpr Function functions[] = {{"min", Term::Kind::lesser},
                                  {"max", Term::Kind::greater},
                                  {"abs", Term::Kind::magnitude},
                                  {"sqrt", Term::Kind::root}};

/// A function whose arguments are read.
struct Call {
  Function function;
  Place place;
  int arguments = 0;
};

/// Text that a rule has matched, where it begins.
template <class Rule>
struct Matched : PlacedName {};

/// State of the statement at hand, and the actions when a rule has matched.
struct Reading {
  SpecificationBuilder builder;
  fs::path folder;  ///< folder of the specification
  int nesting = 0;
  std::vector<Call> calls;      ///< the innermost last
  PlacedName name;              ///< the last one
  std::optional<Index3> point;  ///< behind it
  int sign = 1, distance = 0;   ///< parts of an offset
  Index3 offsets;
  PlacedName target;  ///< target of an equation
  std::optional<Index3> target_point;
  bool adds = false;
  bool is_output = false;  ///< kind of a declaration
  Precision precision = Precision::float32;
  std::optional<PlacedName> first_array;  ///< first of those that the next start is for
  Expression start;
  PlacedName heir;

  void on(const Matched<grammar::name>& matched) { set_name(matched); }
  void on(const Matched<grammar::new_name>& matched) { set_name(matched); }
  void on(const Matched<grammar::any_name>& matched) { set_name(matched); }
  void set_name(const PlacedName& matched) {
    name = matched;
    point.reset();
  }

  // ---- Points

  void on(const Matched<grammar::minus_sign>&) { sign = -1; }
  void on(const Matched<grammar::distance>& digits) {
    const char* const end = digits.text.data() + digits.text.size();
    if (std::from_chars(digits.text.data(), end, distance).ec != std::errc() || distance > limits::radius) {
      throw Refusal{digits.place, text("offset ", escaped(digits.text, 20), " is too far"),
                    text("give at most ", limits::radius)};
    }
  }
  void on(const Matched<grammar::axis_x>&) { set_axis(offsets.x); }
  void on(const Matched<grammar::axis_y>&) { set_axis(offsets.y); }
  void on(const Matched<grammar::axis_z>&) { set_axis(offsets.z); }
  void set_axis(int& offset) { offset = std::exchange(sign, 1) * std::exchange(distance, 0); }
  void on(const Matched<grammar::at_point>&) { point = offsets; }

  // ---- Expressions

  void on(const Matched<grammar::opened>& opened) {
    if (++nesting > limits::nesting) {
      throw Refusal{opened.place, text("more than ", limits::nesting, " parentheses are open"),
                    "take temporaries"};
    }
  }
  void on(const Matched<grammar::closed>&) { --nesting; }
  void on(const Matched<grammar::number>& matched) {
    const auto number = to_number(matched.text);
    if (!number) throw Refusal{matched.place, "a number is too large", "give one that a double holds"};
    builder.push_number(*number, matched.place);
  }
  void on(const Matched<grammar::call_begin>& begin) {
    const std::string called = begin.text.substr(0, begin.text.find_first_of(" \t\r\n#"));
    const auto function = std::ranges::find(functions, called, &Function::name);
    if (function == std::end(functions)) {
      throw Refusal{begin.place, text("there is no function '", escaped(called, 40), "'"),
                    "there are min, max, abs and sqrt; powers are products, u * u"};
    }
    calls.push_back({*function, begin.place});
  }
  void on(const Matched<grammar::argument>&) { ++calls.back().arguments; }
  void on(const Matched<grammar::call>&) {
    const Call call = calls.back();
    calls.pop_back();
    const bool is_of_many = is_binary(call.function.kind);
    if (is_of_many ? call.arguments < 2 : call.arguments != 1) {
      throw Refusal{call.place, text("'", call.function.name, "' has ", call.arguments, " arguments"),
                    is_of_many ? "give two or more" : "give one"};
    }
    for (int i = is_of_many ? 1 : 0; i < call.arguments; ++i) builder.push_operation(call.function.kind);
  }
  void on(const Matched<grammar::load_or_value>&) {
    if (point) {
      builder.push_load(name, *point);
    } else {
      builder.push_name(name);
    }
  }
  void on(const Matched<grammar::negation>&) { builder.push_operation(Term::Kind::negate); }
  void on(const Matched<grammar::times>&) { builder.push_operation(Term::Kind::multiply); }
  void on(const Matched<grammar::over>&) { builder.push_operation(Term::Kind::divide); }
  void on(const Matched<grammar::plus_product>&) { builder.push_operation(Term::Kind::add); }
  void on(const Matched<grammar::minus_product>&) { builder.push_operation(Term::Kind::subtract); }

  // ---- Statements

  void on(const Matched<grammar::direction>& direction) {
    is_output = direction.text.starts_with("out");
    first_array.reset();
  }
  void on(const Matched<grammar::precision>& matched) {
    precision = matched.text.starts_with("double") ? Precision::float64 : Precision::float32;
  }
  void on(const Matched<grammar::array>&) {
    builder.declare_array(name, precision, is_output);
    if (!first_array) first_array = name;
  }
  void on(const Matched<grammar::from>&) { builder.begin_start(); }
  void on(const Matched<grammar::to>&) { builder.begin_start(); }
  void on(const Matched<grammar::start_value>&) { start = builder.take_start_value(); }
  void on(const Matched<grammar::greatest_value>&) {
    builder.set_range(*first_array, std::exchange(start, {}), builder.take_start_value());
  }
  void on(const Matched<grammar::file_name>& file) {
    static_cast<void>(builder.take_start_value());
    Start of_file;
    of_file.file = std::make_shared<StartFile>(file.text, folder, first_array->text);
    builder.set_start(*first_array, of_file);
  }
  void on(const Matched<grammar::start>&) {
    if (!start.empty()) {
      Start of_value;
      of_value.value = std::exchange(start, {});
      builder.set_start(*first_array, of_value);
    }
    first_array.reset();
  }
  void on(const Matched<grammar::new_scalar>& scalar) { target = scalar; }
  void on(const Matched<grammar::scalar>&) { builder.declare_scalar(target); }
  void on(const Matched<grammar::heir>&) { heir = name; }
  void on(const Matched<grammar::taken_over>&) { builder.set_next(heir, name); }
  void on(const Matched<grammar::target>&) {
    target = name;
    target_point = point;
  }
  void on(const Matched<grammar::assignment>& sign_of_it) { adds = sign_of_it.text.starts_with('+'); }
  void on(const Matched<grammar::equation>&) {
    if (target_point) {
      builder.define_output(target, *target_point, adds);
    } else {
      builder.define_temporary(target, adds);
    }
  }
};

template <class Input>
Place place_of(const Input& in) {
  return {in.position().line, in.position().column};
}

template <class Rule>
struct Action : pegtl::nothing<Rule> {};
template <class Rule>
requires requires(Reading& reading, const Matched<Rule>& matched) {
  reading.on(matched);
}
struct Action<Rule> {
  template <class Input>
  static void apply(const Input& in, Reading& reading) {
    reading.on(Matched<Rule>{{in.string(), place_of(in)}});
  }
};

struct Messages {
  template <class Rule>
  static constexpr const char* message = grammar::message<Rule>;
};
template <class Rule>
using Control = pegtl::must_if<Messages, pegtl::normal, false>::control<Rule>;

/// The comment of the first line.
std::string summary_of(std::string_view specification) {
  if (specification.starts_with("\xEF\xBB\xBF")) specification.remove_prefix(3);
  std::string_view line = line_of(specification, 1);
  const std::size_t begin = line.find_first_not_of("# \t");
  return line.starts_with('#') && begin != line.npos ? std::string(line.substr(begin)) : "";
}

}  // namespace

Specification parse_specification(std::string_view specification, const fs::path& path) {
  Reading reading;
  reading.folder = path.parent_path();
  pegtl::memory_input in(specification.data(), specification.size(), path.native());
  try {
    pegtl::parse<grammar::file, Action, Control>(in, reading);
    Specification made = reading.builder.finish(place_of(in));
    made.name = path.stem().native();
    made.summary = summary_of(specification);
    made.source = specification;
    return made;
  } catch (const Refusal& refusal) {
    throw error_at(refusal, specification, path);
  } catch (const pegtl::parse_error& error) {
    const bool is_end = std::ranges::find(ends_of_statements, error.message()) != ends_of_statements.end();
    const Refusal missed = missed_at(error.positions().front().byte, error.message(), is_end, specification);
    throw error_at(missed, specification, path);
  }
}

Specification read_specification(const fs::path& path) {
  const InputFile file(path);
  if (file.size() > limits::file_bytes) {
    throw Error(ErrorKind::data,
                text(shown(path), " has ", file.size(), " bytes, a stencil at most ", limits::file_bytes),
                "give the specification of a stencil");
  }
  std::string content(file.size(), '\0');
  file.read(0, std::as_writable_bytes(std::span(content)));
  return parse_specification(content, path);
}

}  // namespace minimod::stencil
