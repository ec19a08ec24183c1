#include "src/stencil/parser.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "src/base/input_file.hpp"
#include "src/base/number_rows.hpp"
#include "src/base/parse.hpp"
#include "src/stencil/grammar.hpp"
#include "src/stencil/specification_builder.hpp"

namespace minimod::stencil {
namespace {

namespace fs = std::filesystem;
namespace pegtl = tao::pegtl;

/// What has been read of the statement at hand.
struct Reading {
  SpecificationBuilder builder;
  int nesting = 0;
  PlacedName name;              ///< the last one
  std::optional<Index3> point;  ///< behind it
  int sign = 1, distance = 0;   ///< of an offset
  Index3 offsets;
  PlacedName target;  ///< of an equation
  std::optional<Index3> target_point;
  bool adds = false;
  bool is_output = false;  ///< of a declaration
  Precision precision = Precision::float32;
  std::optional<PlacedName> first_array;
  std::optional<double> least;
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
template <>
struct Action<grammar::sign> {
  template <class Input>
  static void apply(const Input& in, Reading& reading) {
    reading.sign = in.empty() ? 1 : -1;
  }
};
template <>
struct Action<grammar::bound_number> {
  template <class Input>
  static void apply(const Input& in, Reading& reading) {
    const double bound = std::exchange(reading.sign, 1) * number_at(in);
    if (!reading.least) {
      reading.least = bound;
    } else {
      reading.builder.set_range(*reading.first_array, *std::exchange(reading.least, std::nullopt), bound);
    }
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

// ---- Errors

std::string_view line_of(std::string_view text, std::size_t number) {
  for (; number > 1; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

/// With as much of the line around the place as a line of a terminal has room for.
Error error_at(const Refusal& refusal, std::string_view specification, const fs::path& path) {
  constexpr std::size_t longest = 200, shortest_excerpt = 20, longest_excerpt = 60;
  const std::size_t others =
      std::min<std::size_t>(path.native().size(), 80) + refusal.what.size() + refusal.remedy.size();
  const std::size_t room = std::clamp(longest - std::min(longest, others), shortest_excerpt, longest_excerpt);
  std::string_view line = line_of(specification, refusal.place.line);
  const std::size_t column = std::min(refusal.place.column - 1, line.size());
  if (line.size() > room && column > room / 2) line.remove_prefix(column - room / 2);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string excerpt = line.empty() ? "" : text(", in '", escaped(line, room), "'");
  return line_error(path, static_cast<std::int64_t>(refusal.place.line), refusal.place.column,
                    refusal.what + excerpt, refusal.remedy);
}

/// What a rule misses at a place, or the byte there that no rule takes.
Refusal missed(std::string_view message, std::string_view specification, const pegtl::position& position) {
  const Place place{position.line, position.column};
  const unsigned char byte = position.byte < specification.size() ? specification[position.byte] : ' ';
  const bool is_text = (byte >= ' ' && byte < 0x7f) || byte == '\n' || byte == '\r' || byte == '\t';
  if (is_text) return {place, std::string(message), "kernels/stencils/README.md has the language"};
  return {place, text("byte ", escaped(specification.substr(position.byte, 1)), " is no text"),
          "write ASCII, in comments UTF-8"};
}

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
    throw error_at(missed(error.message(), specification, error.positions().front()), specification, path);
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
