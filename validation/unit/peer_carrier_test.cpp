/// The ends of a transport: memory that neighbours write to is freed when they have let go of it.
#include "src/ranks/peer_carrier.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace minimod;

namespace {

using Log = std::vector<std::string>;

/// The first of two ranks, whose neighbour does all that it should.
class FirstOfTwo final : public Ranks {
 public:
  explicit FirstOfTwo(Log& log) : log_(log) { size_ = 2; }
  [[nodiscard]] bool takes_gpu_memory() const override { return false; }
  void send(int /*to*/, std::span<const float> /*values*/) override {}
  void receive(int /*from*/, std::span<float> /*values*/) override {}
  void start_exchange(std::span<const Message> messages) override {
    for (const Message& message : messages) log_.push_back(text("tells ", message.rank));
  }
  void finish_exchange() override { log_.emplace_back("has heard"); }
  void finish() override {}
  [[nodiscard]] ExitCode leave(ExitCode code, const std::string& /*line*/) override { return code; }

 private:
  void gather_bytes(const void* mine, void* all, std::size_t bytes) override {
    for (std::size_t rank = 0; rank < 2; ++rank) {
      std::copy_n(static_cast<const char*>(mine), bytes, static_cast<char*>(all) + rank * bytes);
    }
  }
  void broadcast_bytes(int /*from*/, void* /*value*/, std::size_t /*bytes*/) override {}

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
  void push(int /*face*/, int turn, const void* /*from*/, std::size_t /*bytes*/) override {
    log_.push_back(text("pushes ", turn));
  }
  void take(int /*face*/, int turn, void* /*to*/, std::size_t /*bytes*/) override {
    log_.push_back(text("takes ", turn));
  }
  void disconnect() noexcept override { log_.emplace_back("lets go"); }

 private:
  Log& log_;
};

/// One exchange, and what `then` does.
template <class Then>
Log log_of(const Then& then) {
  Log log;
  FirstOfTwo ranks(log);
  const std::vector<Face> faces = {{1, 1, nullptr, nullptr, 8}};
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

const Log exchange = {"connects 1 to 0", "pushes 0", "tells 1", "has heard", "takes 0"};

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
  const Log log = log_of([] { throw Error(ExitCode::internal, "wrong", "right"); });
  CHECK(log == exchange_and({"frees", "fails"}));
}
