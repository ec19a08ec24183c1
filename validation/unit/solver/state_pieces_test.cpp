/// A state of two ranks passes through the first one, whatever fails there.
#include "src/ranks/state_pieces.hpp"

#include <algorithm>
#include <numeric>

#include <catch2/catch_test_macros.hpp>

#include "validation/unit/base/expect_error.hpp"
#include "validation/unit/base/first_of_two.hpp"

namespace minimod {

namespace {

/// The first of two ranks; the other one sends 100, 101 and so on.
class WithCountingSecond final : public FirstOfTwo {
 public:
  std::vector<double> sent;
  double next = 100;

  void send(int to, std::span<const std::byte> bytes) override {
    CHECK(to == 1);
    const auto* const values = reinterpret_cast<const double*>(bytes.data());
    sent.insert(sent.end(), values, values + bytes.size() / sizeof(double));
  }
  void receive(int from, std::span<std::byte> bytes) override {
    CHECK(from == 1);
    std::iota(reinterpret_cast<double*>(bytes.data()), reinterpret_cast<double*>(bytes.data() + bytes.size()),
              next);
    next += static_cast<double>(bytes.size() / sizeof(double));
  }
};

/// Values 1 and 2 of the first rank's three, and two of the other one, make up one part, the other part is
/// the other rank's.
const std::vector<StatePart> state{{"u", Precision::float64, 4, {{0, 1, 0, 2}, {1, 0, 2, 2}}},
                                   {"phi", Precision::float64, 3, {{1, 0, 0, 3}}}};

/// The first rank's.
struct Share {
  std::vector<double> values{10, 11, 12};

  [[nodiscard]] OwnValues take() const {
    return [this](const std::string& part, std::size_t first, Reals& to) {
      CHECK(part == "u");
      std::copy_n(values.data() + first, to.size(), to.of<double>().data());
    };
  }
  [[nodiscard]] OwnValues put() {
    return [this](const std::string& part, std::size_t first, const Reals& from) {
      CHECK(part == "u");
      std::ranges::copy(from.of<double>(), values.data() + first);
    };
  }
};

}  // namespace

TEST_CASE("The first rank gets the state of all, and what others send though it fails", "[unit]") {
  const Share mine;
  WithCountingSecond ranks;
  std::vector<double> got;
  const auto take = [&](const FieldPart& part, std::size_t first, const Reals& values) {
    CHECK(first == (part.name == "phi" ? 0 : got.size()));
    CHECK(part.size == (part.name == "phi" ? 3 : 4));
    const std::vector<double> more = values.as_doubles();
    got.insert(got.end(), more.begin(), more.end());
  };
  collect_on_first(ranks, state, mine.take(), take);
  CHECK(got == std::vector<double>{11, 12, 100, 101, 102, 103, 104});

  int calls = 0;
  const auto fail = [&](const FieldPart& part, std::size_t, const Reals&) {
    ++calls;
    throw Error(ErrorKind::io, "no room for " + part.name, "");
  };
  const Outcome outcome = outcome_of([&] { collect_on_first(ranks, state, mine.take(), fail); });
  CHECK(outcome.kind == ErrorKind::io);
  CHECK(outcome.says("no room for u"));
  CHECK(calls == 1);
  CHECK(ranks.next == 110);
}

TEST_CASE("The first rank gives all ranks their state, and sends what they wait for though it fails",
          "[unit]") {
  Share mine;
  WithCountingSecond ranks;
  double value = 0;
  const auto count = [&](const FieldPart&, std::size_t, Reals& values) {
    for (double& each : values.of<double>()) each = ++value;
  };
  distribute_from_first(ranks, state, mine.put(), count);
  CHECK(mine.values == std::vector<double>{10, 1, 2});
  CHECK(ranks.sent == std::vector<double>{3, 4, 5, 6, 7});

  const auto fail = [&](const FieldPart& part, std::size_t, Reals&) {
    throw Error(ErrorKind::data, part.name + " is damaged", "");
  };
  const Outcome outcome = outcome_of([&] { distribute_from_first(ranks, state, mine.put(), fail); });
  CHECK(outcome.kind == ErrorKind::data);
  CHECK(outcome.says("u is damaged"));
  CHECK(ranks.sent.size() == 10);
}

}  // namespace minimod
