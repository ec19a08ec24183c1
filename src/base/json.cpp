#include "src/base/json.hpp"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <ostream>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/base/parse.hpp"

namespace minimod {

namespace {

using Text = nlohmann::ordered_json;

const Json& nothing() {
  static const Json value;
  return value;
}

/// Levels deeper than any that the program writes are left away, for what follows calls itself once a level.
bool is_shallow(int level, Text::parse_event_t, const Text&) {
  constexpr int deepest = 100;
  return level < deepest;
}

Json value_of(const Text& text) {
  switch (text.type()) {
    case Text::value_t::boolean:
      return text.get<bool>();
    case Text::value_t::number_integer:
      return text.get<std::int64_t>();
    case Text::value_t::number_unsigned:
      return text.get<std::uint64_t>();
    case Text::value_t::number_float:
      return text.get<double>();
    case Text::value_t::string:
      return text.get<std::string>();
    case Text::value_t::array: {
      Json all = Json::array();
      for (const Text& one : text) all.push_back(value_of(one));
      return all;
    }
    case Text::value_t::object: {
      Json all = Json::object();
      for (const auto& [name, one] : text.items()) all[name] = value_of(one);
      return all;
    }
    default:
      return nullptr;
  }
}

bool is_pair(const Json& value) {
  return value.is_array() && value.size() == 2 && value[0].is_string();
}

}  // namespace

/// Values as the library writes them.
struct JsonText {
  static Text of(const Json& json) {
    return std::visit([](const auto& value) { return of_value(value); }, json.value_);
  }
  template <class Value>
  static Text of_value(const Value& value) {
    return value;
  }
  static Text of_value(const Json::Array& values) {
    Text all = Text::array();
    for (const Json& one : values) all.push_back(of(one));
    return all;
  }
  static Text of_value(const Json::Object& members) {
    Text all = Text::object();
    for (const auto& [name, value] : members) all[name] = of(value);
    return all;
  }
  static std::string dump(const Json& json, int blanks, bool is_ascii) {
    try {
      return of(json).dump(blanks, ' ', is_ascii);
    } catch (const Text::exception& error) {
      throw JsonError(error.what());
    }
  }
};

Json::Json() : Json(nullptr) {}
Json::Json(std::nullptr_t) : value_(nullptr) {}
Json::Json(bool value) : value_(value) {}
Json::Json(int value) : value_(std::int64_t{value}) {}
Json::Json(unsigned value) : value_(std::uint64_t{value}) {}
Json::Json(long value) : value_(std::int64_t{value}) {}
Json::Json(unsigned long value) : value_(std::uint64_t{value}) {}
Json::Json(long long value) : value_(std::int64_t{value}) {}
Json::Json(unsigned long long value) : value_(std::uint64_t{value}) {}
Json::Json(double value) : value_(value) {}
Json::Json(const char* value) : value_(std::string(value)) {}
Json::Json(std::string_view value) : value_(std::string(value)) {}
Json::Json(std::string value) : value_(std::move(value)) {}
Json::Json(std::initializer_list<Json> values) : Json(array(values)) {
  if (!std::ranges::all_of(values, is_pair)) return;
  value_ = Object();
  for (const Json& pair : values) (*this)[pair[0].get<std::string>()] = pair[1];
}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(Json other) noexcept {
  value_ = std::move(other.value_);
  return *this;
}
Json::~Json() = default;

Json Json::array(std::initializer_list<Json> values) {
  Json all;
  all.value_ = Array(values);
  return all;
}

Json Json::object() {
  Json all;
  all.value_ = Object();
  return all;
}

Json Json::parse(std::string_view text) {
  try {
    return value_of(Text::parse(text, is_shallow));
  } catch (const Text::exception& error) {
    throw JsonError(error.what());
  }
}

Json Json::read(std::string_view text) {
  return value_of(Text::parse(text, is_shallow, false));
}

Json Json::read(std::istream& stream) {
  return value_of(Text::parse(stream, is_shallow, false));  // a file that is none is known by its first bytes
}

std::string Json::dump(int blanks) const {
  return JsonText::dump(*this, blanks, false);
}

std::string Json::dump_ascii() const {
  return JsonText::dump(*this, -1, true);
}

bool Json::is_null() const {
  return std::holds_alternative<std::nullptr_t>(value_);
}
bool Json::is_boolean() const {
  return std::holds_alternative<bool>(value_);
}
bool Json::is_number() const {
  return std::holds_alternative<std::int64_t>(value_) || is_unsigned() ||
         std::holds_alternative<double>(value_);
}
bool Json::is_unsigned() const {
  return std::holds_alternative<std::uint64_t>(value_);
}
bool Json::is_string() const {
  return std::holds_alternative<std::string>(value_);
}
bool Json::is_array() const {
  return std::holds_alternative<Array>(value_);
}
bool Json::is_object() const {
  return std::holds_alternative<Object>(value_);
}

template <class Number>
Number Json::number() const {
  if (!is_number()) throw JsonError(dump() + " is no number");
  if (const auto* real = std::get_if<double>(&value_)) return static_cast<Number>(*real);
  if (is_unsigned()) return static_cast<Number>(std::get<std::uint64_t>(value_));
  return static_cast<Number>(std::get<std::int64_t>(value_));
}

template <>
bool Json::get() const {
  if (!is_boolean()) throw JsonError(dump() + " is neither true nor false");
  return std::get<bool>(value_);
}
template <>
int Json::get() const {
  return number<int>();
}
template <>
unsigned Json::get() const {
  return number<unsigned>();
}
template <>
long Json::get() const {
  return number<long>();
}
template <>
unsigned long Json::get() const {
  return number<unsigned long>();
}
template <>
double Json::get() const {
  return number<double>();
}
template <>
std::string Json::get() const {
  if (!is_string()) throw JsonError(dump() + " is no text");
  return std::get<std::string>(value_);
}
template <>
std::vector<int> Json::get() const {
  std::vector<int> all;
  for (const Json& one : *this) all.push_back(one.number<int>());
  return all;
}
template <>
std::vector<double> Json::get() const {
  std::vector<double> all;
  for (const Json& one : *this) all.push_back(one.number<double>());
  return all;
}

std::size_t Json::size() const {
  if (is_null()) return 0;
  if (is_object()) return members().size();
  return is_array() ? elements().size() : 1;
}

const Json* Json::find(std::string_view name) const {
  const auto found = std::ranges::find(members(), name, &Member::name);
  return found == members().end() ? nullptr : &found->value;
}

bool Json::contains(std::string_view name) const {
  return find(name) != nullptr;
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) value_ = Object();
  if (!is_object()) throw JsonError(dump() + " has no members");
  if (const Json* const found = find(name)) return const_cast<Json&>(*found);
  Object& members = std::get<Object>(value_);
  members.push_back({std::string(name), Json()});
  return members.back().value;
}

Json& Json::operator[](std::size_t index) {
  return std::get<Array>(value_).at(index);
}

const Json& Json::operator[](std::string_view name) const {
  const Json* const found = find(name);
  return found != nullptr ? *found : nothing();
}

const Json& Json::operator[](std::size_t index) const {
  return index < elements().size() ? elements()[index] : nothing();
}

const Json& Json::below(std::string_view path) const {
  const Json* at = this;
  for (const std::string_view name : split(path.substr(1), '/')) {
    std::size_t index = 0;
    const bool is_index = std::from_chars(name.data(), name.data() + name.size(), index).ec == std::errc();
    at = is_index && at->is_array() ? &(*at)[index] : &std::as_const(*at)[name];
  }
  return *at;
}

const Json& Json::at(std::string_view name) const {
  if (const Json* const found = find(name)) return *found;
  throw JsonError(std::string(name) + " is not there");
}

Json Json::value(std::string_view name, const Json& otherwise) const {
  const Json* const found = find(name);
  return found != nullptr ? *found : otherwise;
}

Json& Json::push_back(Json value) {
  if (is_null()) value_ = Array();
  return std::get<Array>(value_).emplace_back(std::move(value));
}

void Json::update(const Json& other) {
  for (const auto& [name, value] : other.members()) (*this)[name] = value;
}

const Json::Array& Json::elements() const {
  static const Array none;
  if (is_null()) return none;
  if (!is_array()) throw JsonError(dump() + " is no list");
  return std::get<Array>(value_);
}

const Json::Object& Json::members() const {
  static const Object none;
  return is_object() ? std::get<Object>(value_) : none;
}

Json::Array::iterator Json::begin() {
  return const_cast<Array&>(elements()).begin();
}
Json::Array::iterator Json::end() {
  return const_cast<Array&>(elements()).end();
}
Json::Array::const_iterator Json::begin() const {
  return elements().begin();
}
Json::Array::const_iterator Json::end() const {
  return elements().end();
}

const Json& Json::front() const {
  return is_object() ? members().front().value : (*this)[0];
}

bool operator==(const Json& a, const Json& b) {
  if (!a.is_number() || !b.is_number()) return a.value_ == b.value_;
  const bool are_whole =
      !std::holds_alternative<double>(a.value_) && !std::holds_alternative<double>(b.value_);
  return are_whole ? a.number<std::int64_t>() == b.number<std::int64_t>()
                   : a.number<double>() == b.number<double>();
}

std::ostream& operator<<(std::ostream& stream, const Json& json) {
  return stream << json.dump();
}

}  // namespace minimod
