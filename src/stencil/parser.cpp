#include "src/stencil/parser.hpp"

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

#include "src/base/input_file.hpp"
#include "src/base/parse.hpp"
#include "src/stencil/grammar.hpp"
#include "src/stencil/specification_builder.hpp"
#include "src/stencil/specification_error.hpp"
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

/// What has been read of the statement at hand.
struct Reading {
  SpecificationBuilder builder;
  fs::path folder;  ///< of the specification
  int nesting = 0;
  std::vector<Call> calls;      ///< the innermost last
  PlacedName name;              ///< the last one
  std::optional<Index3> point;  ///< behind it
  int sign = 1, distance = 0;   ///< of an offset
  Index3 offsets;
  PlacedName target;  ///< of an equation
  std::optional<Index3> target_point;
  bool adds = false;
  bool is_output = false;  ///< of a declaration
  Precision precision = Precision::float32;
  std::optional<PlacedName> first_array;  ///< of those that the next start is for
  Expression start;
  PlacedName heir;
};

template <class Input>
Place place_of(const Input& in) {
  return {in.position().line, in.position().column};
}

template <class Input>
double number_at(const Input& in) {
  const auto number = to_number(in.string_view());
  if (!number) throw Refusal{place_of(in), "a number is too large", "give one that a double holds"};
  return *number;
}

void set_axis(Reading& reading, int& offset) {
  offset = std::exchange(reading.sign, 1) * std::exchange(reading.distance, 0);
}

/// What is done when a rule has matched: nothing, or `apply(in, reading)`.
template <class Rule>
struct Action : pegtl::nothing<Rule> {};

template <class Rule>
struct NameAction {
  template <class Input>
  static void apply(const Input& in, Reading& reading) {
    reading.name = {in.string(), place_of(in)};
    reading.point.reset();
  }
};
template <>
struct Action<grammar::name> : NameAction<grammar::name> {};
template <>
struct Action<grammar::new_name> : NameAction<grammar::new_name> {};
template <>
struct Action<grammar::any_name> : NameAction<grammar::any_name> {};

// ---- Points

template <>
struct Action<grammar::minus_sign> {
  static void apply0(Reading& reading) { reading.sign = -1; }
};
template <>
struct Action<grammar::distance> {
  template <class Input>
  static void apply(const Input& in, Reading& reading) {
    const std::string_view digits = in.string_view();
    const auto end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, reading.distance).ec != std::errc() ||
        reading.distance > limits::radius) {
      throw Refusal{place_of(in), text("offset ", escaped(digits, 20), " is too far"),
                    text("give at most ", limits::radius)};
    }
  }
};
template <>
struct Action<grammar::axis_x> {
  static void apply0(Reading& reading) { set_axis(reading, reading.offsets.x); }
};
template <>
struct Action<grammar::axis_y> {
  static void apply0(Reading& reading) { set_axis(reading, reading.offsets.y); }
};
template <>
struct Action<grammar::axis_z> {
  static void apply0(Reading& reading) { set_axis(reading, reading.offsets.z); }
};
template <>
struct Action<grammar::at_point> {
  static void apply0(Reading& reading) { reading.point = reading.offsets; }
};

// ---- Expressions

template <>
struct Action<grammar::opened> {
  template <class Input>
  static void apply(const Input& in, Reading& reading) {
    if (++reading.nesting > limits::nesting) {
      throw Refusal{place_of(in), text("more than ", limits::nesting, " parentheses are open"),
                    "take temporaries"};
    }
  }
};
template <>
struct Action<grammar::closed> {
  static void apply0(Reading& reading) { --reading.nesting; }
};
template <>
struct Action<grammar::number> {
  template <class Input>
  static void apply(const Input& in, Reading& reading) {
    reading.builder.push_number(number_at(in), place_of(in));
  }
};
template <>
struct Action<grammar::call_begin> {
  template <class Input>
  static void apply(const Input& in, Reading& reading) {
    std::string_view name = in.string_view();
    name = name.substr(0, name.find_first_of(" \t\r\n#"));
    const auto function = std::ranges::find(functions, name, &Function::name);
    if (function == std::end(functions)) {
      throw Refusal{place_of(in), text("there is no function '", escaped(name, 40), "'"),
                    "there are min, max, abs and sqrt; powers are products, u * u"};
    }
    reading.calls.push_back({*function, place_of(in)});
  }
};
template <>
struct Action<grammar::argument> {
  static void apply0(Reading& reading) { ++reading.calls.back().arguments; }
};
template <>
struct Action<grammar::call> {
  static void apply0(Reading& reading) {
    const Call call = reading.calls.back();
    reading.calls.pop_back();
    const bool is_of_many = is_binary(call.function.kind);
    if (is_of_many ? call.arguments < 2 : call.arguments != 1) {
      throw Refusal{call.place, text("'", call.function.name, "' has ", call.arguments, " arguments"),
                    is_of_many ? "give two or more" : "give one"};
    }
    for (int i = is_of_many ? 1 : 0; i < call.arguments; ++i) {
      reading.builder.push_operation(call.function.kind);
    }
  }
};
template <>
struct Action<grammar::load_or_value> {
  static void apply0(Reading& reading) {
    if (reading.point) {
      reading.builder.push_load(reading.name, *reading.point);
    } else {
      reading.builder.push_name(reading.name);
    }
  }
};

template <Term::Kind kind>
struct OperationAction {
  static void apply0(Reading& reading) { reading.builder.push_operation(kind); }
};
template <>
struct Action<grammar::negation> : OperationAction<Term::Kind::negate> {};
template <>
struct Action<grammar::times> : OperationAction<Term::Kind::multiply> {};
template <>
struct Action<grammar::over> : OperationAction<Term::Kind::divide> {};
template <>
struct Action<grammar::plus_product> : OperationAction<Term::Kind::add> {};
template <>
struct Action<grammar::minus_product> : OperationAction<Term::Kind::subtract> {};

// ---- Statements

template <>
struct Action<grammar::direction> {
  template <class Input>
  static void apply(const Input& in, Reading& reading) {
    reading.is_output = in.string_view().starts_with("out");
    reading.first_array.reset();
  }
};
template <>
struct Action<grammar::precision> {
  template <class Input>
  static void apply(const Input& in, Reading& reading) {
    reading.precision = in.string_view().starts_with("double") ? Precision::float64 : Precision::float32;
  }
};
template <>
struct Action<grammar::array> {
  static void apply0(Reading& reading) {
    reading.builder.declare_array(reading.name, reading.precision, reading.is_output);
    if (!reading.first_array) reading.first_array = reading.name;
  }
};
struct StartAction {
  static void apply0(Reading& reading) { reading.builder.begin_start(); }
};
template <>
struct Action<grammar::from> : StartAction {};
template <>
struct Action<grammar::to> : StartAction {};
template <>
struct Action<grammar::start_value> {
  static void apply0(Reading& reading) { reading.start = reading.builder.take_start_value(); }
};
template <>
struct Action<grammar::greatest_value> {
  static void apply0(Reading& reading) {
    reading.builder.set_range(*reading.first_array, std::exchange(reading.start, {}),
                              reading.builder.take_start_value());
  }
};
template <>
struct Action<grammar::file_name> {
  template <class Input>
  static void apply(const Input& in, Reading& reading) {
    static_cast<void>(reading.builder.take_start_value());
    Start start;
    start.file = std::make_shared<StartFile>(in.string(), reading.folder, reading.first_array->text);
    reading.builder.set_start(*reading.first_array, start);
  }
};
template <>
struct Action<grammar::start> {
  static void apply0(Reading& reading) {
    if (!reading.start.empty()) {
      Start start;
      start.value = std::exchange(reading.start, {});
      reading.builder.set_start(*reading.first_array, start);
    }
    reading.first_array.reset();
  }
};
template <>
struct Action<grammar::new_scalar> {
  template <class Input>
  static void apply(const Input& in, Reading& reading) {
    reading.target = {in.string(), place_of(in)};
  }
};
template <>
struct Action<grammar::scalar> {
  static void apply0(Reading& reading) { reading.builder.declare_scalar(reading.target); }
};
template <>
struct Action<grammar::heir> {
  static void apply0(Reading& reading) { reading.heir = reading.name; }
};
template <>
struct Action<grammar::taken_over> {
  static void apply0(Reading& reading) { reading.builder.set_next(reading.heir, reading.name); }
};
template <>
struct Action<grammar::target> {
  static void apply0(Reading& reading) {
    reading.target = reading.name;
    reading.target_point = reading.point;
  }
};
template <>
struct Action<grammar::assignment> {
  template <class Input>
  static void apply(const Input& in, Reading& reading) {
    reading.adds = in.string_view().starts_with('+');
  }
};
template <>
struct Action<grammar::equation> {
  static void apply0(Reading& reading) {
    if (reading.target_point) {
      reading.builder.define_output(reading.target, *reading.target_point, reading.adds);
    } else {
      reading.builder.define_temporary(reading.target, reading.adds);
    }
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
    throw Error(ExitCode::data,
                text(shown(path), " has ", file.size(), " bytes, a stencil at most ", limits::file_bytes),
                "give the specification of a stencil");
  }
  std::string content(file.size(), '\0');
  file.read(0, std::as_writable_bytes(std::span(content)));
  return parse_specification(content, path);
}

}  // namespace minimod::stencil
