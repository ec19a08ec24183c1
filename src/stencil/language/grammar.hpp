/// The grammar of specifications, as rules of PEGTL. Where a rule with a message stands, nothing else may.
#pragma once

#include <type_traits>

#include <tao/pegtl.hpp>

namespace minimod::stencil::grammar {

using namespace tao::pegtl;

// ---- Words

struct comment_character : utf8::ranges<'\t', '\t', ' ', '~', 0x80, 0x10ffff> {};
struct comment : if_must<one<'#'>, until<eolf, must<comment_character>>> {};
struct gap : star<sor<one<' ', '\t', '\r', '\n'>, comment>> {};

struct name_character : sor<alnum, one<'_'>> {};
template <char... letters>
struct keyword : seq<string<letters...>, not_at<name_character>, gap> {};
template <char letter>
struct mark : seq<one<letter>, gap> {};

struct name : seq<alpha, star<name_character>> {};
struct new_name : name {};
struct any_name : name {};
struct exponent : seq<one<'e', 'E'>, opt<one<'+', '-'>>, plus<digit>> {};
struct number
    : seq<plus<digit>, opt<one<'.'>, plus<digit>>, opt<exponent>, not_at<sor<name_character, one<'.'>>>> {};

struct equals : mark<'='> {};
struct semicolon : mark<';'> {};

// ---- Points: [i+1,j,k-2]

struct plus_sign : mark<'+'> {};
struct minus_sign : mark<'-'> {};
struct distance : plus<digit> {};
struct required_distance : seq<distance, gap> {};
template <char letter>
struct axis : seq<mark<letter>, opt<sor<plus_sign, minus_sign>, required_distance>> {};
struct axis_x : axis<'i'> {};
struct axis_y : axis<'j'> {};
struct axis_z : axis<'k'> {};
struct point : seq<axis_x, mark<','>, axis_y, mark<','>, axis_z, mark<']'>> {};
struct at_point : if_must<mark<'['>, point> {};

// ---- Expressions

struct expression;
struct opened : one<'('> {};
struct closed : one<')'> {};
struct parenthesised : if_must<opened, gap, expression, closed> {};
struct function_name : name {};
struct call_begin : seq<function_name, gap, at<opened>> {};
struct argument : seq<expression> {};
struct call : if_must<call_begin, opened, gap, list<argument, mark<','>>, closed> {};
struct load_or_value : seq<name, gap, opt<at_point>> {};
struct operand : seq<sor<number, call, load_or_value, parenthesised>, gap> {};
struct negation : if_must<mark<'-'>, operand> {};
struct factor : sor<negation, operand> {};
struct times : if_must<mark<'*'>, factor> {};
struct over : if_must<mark<'/'>, factor> {};
struct product : seq<factor, star<sor<times, over>>> {};
struct plus_product : if_must<mark<'+'>, product> {};
struct minus_product : if_must<mark<'-'>, product> {};
struct expression : seq<product, star<sor<plus_product, minus_product>>> {};

// ---- Statements

struct precision : sor<keyword<'f', 'l', 'o', 'a', 't'>, keyword<'d', 'o', 'u', 'b', 'l', 'e'>> {};
struct array : seq<new_name, gap> {};
struct file_character : utf8::ranges<' ', '!', '#', '~', 0x80, 0x10ffff> {};
struct file_name : plus<file_character> {};
struct quoted_name : seq<one<'"'>, file_name, mark<'"'>> {};
struct file_start : if_must<keyword<'f', 'i', 'l', 'e'>, quoted_name> {};
struct start_value : seq<expression> {};
struct greatest_value : seq<expression> {};
struct to : keyword<'t', 'o'> {};
struct values_start : seq<start_value, opt<if_must<to, greatest_value>>> {};
struct from : keyword<'f', 'r', 'o', 'm'> {};
struct start : if_must<from, sor<file_start, values_start>> {};
struct arrays : list<seq<array, opt<start>>, mark<','>> {};
struct direction : sor<keyword<'i', 'n'>, keyword<'o', 'u', 't'>> {};
struct end_of_list : mark<';'> {};
struct arrays_statement : if_must<direction, precision, arrays, end_of_list> {};

struct new_scalar : name {};
struct scalar : seq<new_scalar, gap, equals, expression> {};
struct scalars : list<scalar, mark<','>> {};
struct scalars_statement : if_must<keyword<'s', 'c', 'a', 'l', 'a', 'r'>, scalars, semicolon> {};

struct heir : seq<any_name, gap> {};
struct taken_over : seq<any_name, gap> {};
struct taking_over : seq<heir, equals, taken_over> {};
struct next_statement : if_must<keyword<'n', 'e', 'x', 't'>, list<taking_over, mark<','>>, end_of_list> {};

struct target : seq<name, gap, opt<at_point>> {};
struct assignment : seq<opt<one<'+'>>, equals> {};
struct equation : if_must<target, assignment, expression, semicolon> {};

struct statement : sor<arrays_statement, scalars_statement, next_statement, equation> {};
struct end : eof {};
struct file : must<opt<utf8::bom>, gap, star<statement>, end> {};

// ---- Messages where a rule with a message fails

template <class Rule, class... Rules>
inline constexpr bool is_one_of = (std::is_same_v<Rule, Rules> || ...);

template <class Rule>
inline constexpr const char* message =
    is_one_of<Rule, comment_character>      ? "a comment is no UTF-8 text here"
    : is_one_of<Rule, new_name, new_scalar> ? "a name is wanted here"
    : is_one_of<Rule, any_name>             ? "the name of an array is wanted here"
    : is_one_of<Rule, semicolon>            ? "a ';' or an operation is wanted here"
    : is_one_of<Rule, end_of_list>          ? "a ';' or a ',' is wanted here"
    : is_one_of<Rule, equals>               ? "a '=' is wanted here"
    : is_one_of<Rule, required_distance>    ? "a whole number is wanted here"
    : is_one_of<Rule, point>                ? "a point as [i+1,j,k-2] is wanted here"
    : is_one_of<Rule, closed>               ? "a ')' or an operation is wanted here"
    : is_one_of<Rule, factor, operand>      ? "a number, a name or a '(' is wanted here"
    : is_one_of<Rule, precision>            ? "'float' or 'double' is wanted here"
    : is_one_of<Rule, quoted_name>          ? "a file in double quotes is wanted here"
    : is_one_of<Rule, end>                  ? "a declaration or an equation is wanted here"
                                            : nullptr;

}  // namespace minimod::stencil::grammar
