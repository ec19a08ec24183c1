/// The ends of a transport: memory that neighbours write to is freed when they have let go of it.
#include "src/ranks/halos/peer_carrier.hpp"

#include <catch2/catch_test_macros.hpp>

#include "validation/unit/base/first_of_two.hpp"

using namespace minimod;

namespace {

using Log = std::vector<std::string>;

/// A rank whose neighbour does all that it should.
class LoggedRank final : public FirstOfTwo {
 public:
  explicit LoggedRank(Log& log) : log_(log) {}
  void start_exchange(std::span<const Message> messages) override {
    for (const Message& message : messages) log_.push_back(text("tells ", message.rank));
  }
  void finish_exchange() override { log_.emplace_back("has heard"); }

 private:
  Log& log_;
};

class LoggedLink final : public PeerLink {
 public:
  explicit LoggedLink(Log& log) : log_(log) {}
  ~LoggedLink() override { log_.emplace_back("frees"); }
  [[nodiscard]] PeerCard card() const override { return {}; }
  void connect(int face, const PeerCard& /*other*/, int other_face) override {
    log_.push_back(text("connects ", face, " to ", other_face));
  }
  void begin(int turn) override { log_.push_back(text("begins ", turn)); }
  void push(int /*face*/, int turn, std::size_t at, const void* /*from*/, std::size_t bytes,
            const Ready& ready) override {
    log_.push_back(text("pushes ", turn, ": ", bytes, " at ", at));
    if (ready.is_early()) log_.back() += text(" when ", ready.number);
  }
  void take(int /*face*/, int turn, std::size_t at, void* /*to*/, std::size_t bytes) override {
    log_.push_back(text("takes ", turn, ": ", bytes, " at ", at));
  }
  void keep_edges() override { log_.emplace_back("keeps edges"); }
  void disconnect() noexcept override { log_.emplace_back("lets go"); }

 private:
  Log& log_;
};

/// One exchange, and what `then` does.
template <class Then>
Log log_of(const Then& then) {
  Log log;
  LoggedRank ranks(log);
  const std::vector<Face> faces = {{1, 1, nullptr, 8, nullptr, 16}, {1, 1, nullptr, 4, nullptr, 0}};
  try {
    const CarrierInUse carrier(
        std::make_unique<PeerCarrier>(ranks, std::make_unique<LoggedLink>(log), faces));
    carrier->start(faces);
    carrier->finish();
    then();
  } catch (const Error&) {
    log.emplace_back("fails");
  }
  return log;
}

const Log exchange = {"connects 1 to 0",  "begins 0",         "pushes 0: 8 at 0",
                      "pushes 0: 4 at 8", "tells 1",          "has heard",
                      "takes 0: 16 at 0", "takes 0: 0 at 16", "keeps edges"};

Log exchange_and(const Log& more) {
  Log all = exchange;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

TEST_CASE("A transport's memory is freed when the neighbours have let go of it", "[unit]") {
  CHECK(log_of([] {}) == exchange_and({"lets go", "tells 1", "has heard", "frees"}));
}

TEST_CASE("A transport that an error ends waits for no neighbour", "[unit]") {
  const Log log = log_of([] { throw Error(ErrorKind::internal, "wrong", "right"); });
  CHECK(log == exchange_and({"frees", "fails"}));
}

TEST_CASE("Of an exchange that is opened before the launches what is ready early goes first", "[unit]") {
  Log log;
  LoggedRank ranks(log);
  const unsigned counter = 0;
  const std::vector<Face> faces = {{2, 1, nullptr, 8, nullptr, 8},
                                   {0, 0, nullptr, 8, nullptr, 8, {&counter, 7}}};
  PeerCarrier carrier(ranks, std::make_unique<LoggedLink>(log), {faces[0]});
  log.clear();
  carrier.open();
  carrier.start(faces);
  carrier.finish();
  carrier.start({faces[0]});
  carrier.finish();
  CHECK(log == Log{"begins 0", "pushes 0: 8 at 0 when 7", "pushes 0: 8 at 0", "tells 2", "has heard",
                   "takes 0: 8 at 0", "takes 0: 8 at 0", "begins 1", "pushes 1: 8 at 0", "tells 2",
                   "has heard", "takes 1: 8 at 0", "keeps edges"});
}
