/// JSON as records and messages have it.
#include "src/base/json.hpp"

#include <cstdint>
#include <limits>
#include <sstream>

#include <catch2/catch_test_macros.hpp>

using namespace minimod;

TEST_CASE("JSON is written with its members in their order, and read as it was", "[unit]") {
  const std::string text =
      R"({"z":null,"a":[true,-1,18446744073709551615,0.1,1e+300],"text":"a\"\n\u0001µ","none":{},"empty":[]})";
  const Json json = Json::parse(text);
  CHECK(json.dump() == text);
  CHECK(json.dump_ascii().find("\\u00b5") != std::string::npos);
  CHECK(Json{{"a", 1}, {"b", {2, 3}}}.dump(1) == "{\n \"a\": 1,\n \"b\": [\n  2,\n  3\n ]\n}");
  CHECK(json["a"][1].get<int>() == -1);
  CHECK(json["a"][2].get<std::uint64_t>() == std::numeric_limits<std::uint64_t>::max());
  CHECK(json.below("/a/3").get<double>() == 0.1);
  CHECK(json.below("/a/9/none").is_null());
  CHECK(Json(std::numeric_limits<double>::infinity()).dump() == "null");
}

TEST_CASE("Values in braces are an object where all are pairs behind a name", "[unit]") {
  CHECK(Json{{"a", 1}, {"b", nullptr}}.dump() == R"({"a":1,"b":null})");
  CHECK(Json{{"a", 1, 2}, {"b", 1}}.dump() == R"([["a",1,2],["b",1]])");
  CHECK(Json({1, 2.5, "c"}).dump() == R"([1,2.5,"c"])");
  CHECK(Json::array().dump() == "[]");
  CHECK(Json(std::vector<int>{1, 2}).get<std::vector<double>>() == std::vector<double>{1, 2});
}

TEST_CASE("Numbers in JSON are equal by their values, and whole ones know no sign when they were read",
          "[unit]") {
  CHECK(Json(1) == Json(1U));
  CHECK(Json(1) == Json(1.0));
  CHECK(Json(1) != Json(true));
  CHECK(Json::parse("7").is_unsigned());
  CHECK_FALSE(Json::parse("-7").is_unsigned());
  CHECK(Json{{"a", 1}} != Json{{"a", 2}});
}

TEST_CASE("What is no JSON, or not what it is taken for, is told", "[unit]") {
  CHECK_THROWS_AS(Json::parse("{"), JsonError);
  CHECK(Json::read("{").is_null());
  std::istringstream stream("[1]");
  CHECK(Json::read(stream) == Json::array({1}));
  CHECK_THROWS_AS(static_cast<void>(Json("1").get<int>()), JsonError);
  CHECK_THROWS_AS(static_cast<void>(Json(1).get<std::string>()), JsonError);
  CHECK_THROWS_AS(static_cast<void>(Json::object().at("a")), JsonError);
  CHECK_THROWS_AS(static_cast<void>(Json(3).begin()), JsonError);
  CHECK_THROWS_AS(static_cast<void>(Json("\xff").dump()), JsonError);
  CHECK_FALSE(Json::read(std::string(1'000'000, '[')).is_array());
  CHECK(Json::read(std::string(1000, '[') + std::string(1000, ']')).is_array());
}
