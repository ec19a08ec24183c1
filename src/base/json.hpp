/// JSON as records, messages and heads of files have it.
///
/// json.cpp alone knows the library that reads and writes the texts: its templates would take two seconds of
/// each batch of files that builds a record.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace minimod {

/// A text that is no JSON, or a value that is not what it is taken for.
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A value in JSON; members of an object stay in the order they came.
class Json {
 public:
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;

  Json();
  Json(std::nullptr_t);
  Json(bool value);
  Json(int value);
  Json(unsigned value);
  Json(long value);
  Json(unsigned long value);
  Json(long long value);
  Json(unsigned long long value);
  Json(double value);
  Json(const char* value);
  Json(const void* value) = delete;  // would be true
  Json(std::string_view value);
  Json(std::string value);
  template <class Value>
  Json(const std::vector<Value>& values) : Json(array()) {
    for (const Value& value : values) push_back(value);
  }
  template <class Value, std::size_t count>
  Json(const std::array<Value, count>& values) : Json(array()) {
    for (const Value& value : values) push_back(value);
  }
  /// An object where each of the values is a pair behind a name, an array where one is not.
  Json(std::initializer_list<Json> values);
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(Json other) noexcept;
  ~Json();

  [[nodiscard]] static Json array(std::initializer_list<Json> values = {});
  [[nodiscard]] static Json object();

  /// The value that a text says; JsonError where it is no JSON.
  [[nodiscard]] static Json parse(std::string_view text);
  /// The value that a text says; null where it is no JSON.
  [[nodiscard]] static Json read(std::string_view text);
  [[nodiscard]] static Json read(std::istream& stream);

  /// On one line, or on lines that each level begins with so many blanks; JsonError where a text is not
  /// UTF-8.
  [[nodiscard]] std::string dump(int blanks = -1) const;
  /// On one line, all of it ASCII.
  [[nodiscard]] std::string dump_ascii() const;

  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_boolean() const;
  [[nodiscard]] bool is_number() const;
  [[nodiscard]] bool is_unsigned() const;  ///< as numbers without sign and point are when they were read
  [[nodiscard]] bool is_string() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_object() const;

  /// As bool, int, unsigned, long, unsigned long, double, std::string or a vector of int or double; JsonError
  /// where it is none.
  template <class Value>
  [[nodiscard]] Value get() const;

  /// Number of elements or members; of what has none, 0 where it is null and 1 of all else.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] bool contains(std::string_view name) const;

  /// The member, null at first if it was not there.
  Json& operator[](std::string_view name);
  /// The element, which must be there.
  Json& operator[](std::size_t index);
  /// The member or element, null if it is not there.
  const Json& operator[](std::string_view name) const;
  const Json& operator[](std::size_t index) const;
  /// The value below members and elements ("/seconds/median", "/red/0"), null if it is not there.
  [[nodiscard]] const Json& below(std::string_view path) const;
  /// The member; JsonError where it is not there.
  [[nodiscard]] const Json& at(std::string_view name) const;
  [[nodiscard]] Json value(std::string_view name, const Json& otherwise) const;

  /// The element that now comes last.
  Json& push_back(Json value);
  /// Takes the other's members, in place of those of the same names.
  void update(const Json& other);

  /// Elements of an array; null has none, JsonError where it is neither.
  [[nodiscard]] Array::iterator begin();
  [[nodiscard]] Array::iterator end();
  [[nodiscard]] Array::const_iterator begin() const;
  [[nodiscard]] Array::const_iterator end() const;
  [[nodiscard]] const Json& back() const { return (*this)[size() - 1]; }
  /// The first element, or the value of the first member.
  [[nodiscard]] const Json& front() const;
  /// Members of an object; what is none has none.
  [[nodiscard]] const Object& members() const;

  /// Numbers of different kinds are equal where their values are.
  friend bool operator==(const Json& a, const Json& b);
  friend std::ostream& operator<<(std::ostream& stream, const Json& json);

 private:
  friend struct JsonText;
  [[nodiscard]] const Array& elements() const;
  [[nodiscard]] const Json* find(std::string_view name) const;
  template <class Number>
  [[nodiscard]] Number number() const;

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

struct Json::Member {
  std::string name;
  Json value;

  friend bool operator==(const Member& a, const Member& b) = default;
};

template <>
bool Json::get() const;
template <>
int Json::get() const;
template <>
unsigned Json::get() const;
template <>
long Json::get() const;
template <>
unsigned long Json::get() const;
template <>
double Json::get() const;
template <>
std::string Json::get() const;
template <>
std::vector<int> Json::get() const;
template <>
std::vector<double> Json::get() const;

}  // namespace minimod
