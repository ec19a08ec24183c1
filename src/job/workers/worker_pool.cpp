#include "src/job/workers/worker_pool.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <poll.h>
#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/notes.hpp"
#include "src/base/option.hpp"
#include "src/base/process/exit_codes.hpp"
#include "src/base/process/limits.hpp"
#include "src/base/process/progress.hpp"
#include "src/base/process/spawn.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/job/workers/worker_process.hpp"

namespace minimod {

namespace {

constexpr int poll_milliseconds = 200;

std::string words_of_end(int code) {
  return code < 0 ? text("was killed by signal ", -code) : text("ended with code ", code);
}

/// Not of a signal, which mpirun gives for a rank that was killed.
bool is_of_error(int code) {
  return kind_of(code).has_value();
}

}  // namespace

struct WorkerPool::Worker {
  WorkerSpec spec;
  pid_t process = 0;               ///< 0: none
  std::unique_ptr<Pipe> to, from;  ///< stdin and stdout of the worker
  std::string heard;               ///< part of a line that has not ended
  struct InHand {
    OrderedShot shot;
    bool is_begun = false;
  };
  std::deque<InHand> in_hand;  ///< not ended, the one that computes or is written first
  int computing = -1, steps_done = 0;
  int starts = 0;  ///< since it was ready
  bool is_ready = false, is_settling = false;

  explicit Worker(WorkerSpec of) : spec(std::move(of)) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    if (process == 0) return;
    kill(process, SIGKILL);
    wait_for(process);
  }
};

WorkerPool::WorkerPool(const std::vector<WorkerSpec>& specs, const std::string& first_line,
                       std::size_t in_hand)
    : first_line_(first_line), most_in_hand_(in_hand) {
  constexpr int files_of_worker = 2, files_of_start = 8;
  require_files(files_of_worker * static_cast<int>(specs.size()) + files_of_start);
  for (const WorkerSpec& spec : specs) {
    workers_.push_back(std::make_unique<Worker>(spec));
    start(*workers_.back());
  }
}

WorkerPool::~WorkerPool() = default;

void WorkerPool::start(Worker& worker) const {
  worker.to = std::make_unique<Pipe>();
  worker.from = std::make_unique<Pipe>();
  worker.heard.clear();
  worker.is_ready = false;
  ++worker.starts;
  Spawn how{"/proc/self/exe", own_arguments(), {worker_environment(worker.spec.device)}};
  if (worker.spec.threads > 0) how.settings.push_back(text("OMP_NUM_THREADS=", worker.spec.threads));
  how.input = worker.to->read_end();
  how.output = worker.from->write_end();
  const int failure = spawn(how, worker.process);
  worker.to->close_read_end();
  worker.from->close_write_end();
  if (failure != 0) {
    worker.process = 0;
    constexpr const char* what = "cannot start a worker";
    throw shortage(failure, what)
        .value_or(Error(ErrorKind::unavailable, text(what, ": ", reason(failure)),
                        "take fewer " + option("workers")));
  }
  const std::string line = first_line_ + '\n';
  static_cast<void>(::write(worker.to->write_end(), line.data(), line.size()) ==
                    0);  // one that has ended is found when it is read
}

/// A shot to compute, and where a worker may have two one to go on with while that is written, when all
/// workers have one to compute. One that a worker has ended under is alone.
void WorkerPool::hand_out(Worker& worker) {
  const auto idle = static_cast<std::size_t>(std::ranges::count_if(workers_, [&](const auto& other) {
    return other.get() != &worker && other->process != 0 && other->in_hand.empty();
  }));
  while (worker.is_ready && worker.in_hand.size() < most_in_hand_ && !waiting_.empty()) {
    const OrderedShot& next = waiting_.front();
    if (!worker.in_hand.empty()) {
      if (waiting_.size() <= idle) return;
      if (is_suspect(next.index) || is_suspect(worker.in_hand.front().shot.index)) return settle(worker);
    }
    const std::string line = text(next.index, ' ', next.configuration, '\n');
    if (::write(worker.to->write_end(), line.data(), line.size()) < 0) return;
    worker.in_hand.push_back({next});
    worker.is_settling = false;
    waiting_.pop_front();
  }
  if (worker.is_ready && waiting_.empty())
    worker.to->close_write_end();  // the worker ends behind what it has in hand
}

/// Has it end what it has in hand before it is given more: else it ends that while it computes the next shot.
void WorkerPool::settle(Worker& worker) {
  if (worker.is_settling) return;
  const std::string line = text(no_shot, " -\n");
  worker.is_settling = ::write(worker.to->write_end(), line.data(), line.size()) > 0;
}

void WorkerPool::hear(Worker& worker, const Json& message) {
  if (message.contains("ready")) {
    worker.is_ready = true;
    worker.starts = 0;
    callbacks_->ready(worker.spec.device, message);
  } else if (message.contains("begun")) {
    worker.computing = message["begun"].get<int>();
    worker.steps_done = 0;
    for (Worker::InHand& one : worker.in_hand) one.is_begun |= one.shot.index == worker.computing;
  } else if (message.contains("steps")) {
    worker.steps_done = message["steps"].get<int>();
  } else if (message.contains("computed")) {
    worker.computing = -1;
  } else if (message.contains("finished") || message.contains("failed")) {
    const bool finished = message.contains("finished");
    const int shot = message[finished ? "finished" : "failed"].get<int>();
    std::erase_if(worker.in_hand, [&](const Worker::InHand& one) { return one.shot.index == shot; });
    if (worker.computing == shot) worker.computing = -1;
    const int attempts = is_suspect(shot) ? deaths_[shot] + 1 : 1;
    ShotOutcome outcome{finished ? message : Json(), 0, "", attempts, worker.spec.device};
    if (!finished) {
      outcome.code = message["code"].get<int>();
      outcome.what = message["what"].get<std::string>();
    }
    end_shot(shot, outcome);
  }
}

void WorkerPool::end_shot(int shot, const ShotOutcome& outcome) {
  ++ended_;
  callbacks_->ended(shot, outcome);
}

void WorkerPool::read(Worker& worker) {
  std::array<char, 4096> buffer;
  const ssize_t bytes = ::read(worker.from->read_end(), buffer.data(), buffer.size());
  if (bytes < 0 && errno == EINTR) return;
  if (bytes <= 0) return bury(worker);
  worker.heard.append(buffer.data(), static_cast<std::size_t>(bytes));
  for (std::size_t end; (end = worker.heard.find('\n')) != std::string::npos;) {
    const Json message = Json::read(worker.heard.substr(0, end));
    worker.heard.erase(0, end + 1);
    if (message.is_object()) hear(worker, message);
  }
}

/// The shots of a worker that has ended wait again, the one that it had begun with one attempt less; one that
/// has none left has failed.
void WorkerPool::take_back(Worker& worker, int code) {
  std::deque<Worker::InHand> lost = std::exchange(worker.in_hand, {});
  const bool had_begun = std::ranges::any_of(lost, &Worker::InHand::is_begun);
  if (!had_begun && !lost.empty()) lost.front().is_begun = true;  // a worker cannot have gone on for ever
  for (auto one = lost.rbegin(); one != lost.rend(); ++one) {
    const int shot = one->shot.index;
    if (!one->is_begun || ++deaths_[shot] < most_attempts) {
      waiting_.push_front(one->shot);
      continue;
    }
    end_shot(shot,
             {Json(), last_code_, "its worker " + words_of_end(code), deaths_[shot], worker.spec.device});
  }
}

/// Takes leave of a worker that has ended, and starts another in its place where shots wait. One that refused
/// to begin would do so again; one that was killed before it was ready is tried once more.
void WorkerPool::bury(Worker& worker) {
  const int code = wait_for(worker.process);
  worker.process = 0;
  worker.to->close_write_end();
  worker.from->close_read_end();
  last_code_ = is_of_error(code) ? code : exit_code(ErrorKind::internal);
  last_has_spoken_ = is_of_error(code);
  last_end_ = words_of_end(code) + (worker.is_ready ? "" : " before it was ready");
  worker.computing = -1;
  if (is_stopping_ || StopRequests::came()) return worker.in_hand.clear();
  if (last_code_ == exit_code(ErrorKind::io)) {
    stop();
    throw Error(ErrorKind::io, "a shot could not be written, so that no other is begun",
                "make room, and run it again");
  }
  const bool had_shots = !worker.in_hand.empty();
  take_back(worker, code);
  if (had_shots || (!worker.is_ready && !is_of_error(code))) {
    tell(text("the worker on ", worker.spec.device, ' ', last_end_,
              had_shots ? "; what it had in hand begins again" : ""));
  }
  const bool may_start = worker.is_ready || (!is_of_error(code) && worker.starts < most_starts);
  if (may_start && !waiting_.empty()) start(worker);
}

bool WorkerPool::is_busy() const {
  return std::ranges::any_of(workers_, [](const auto& worker) { return !worker->in_hand.empty(); });
}

double WorkerPool::shots_under_way() const {
  double shots = 0;
  for (const auto& worker : workers_) {
    if (worker->computing >= 0) shots += static_cast<double>(worker->steps_done) / steps_;
  }
  return shots;
}

/// Reads what the workers say within so long. Returns whether there is one.
bool WorkerPool::listen(int milliseconds) {
  std::vector<pollfd> watched;
  std::vector<Worker*> of;
  for (const auto& worker : workers_) {
    if (worker->process == 0) continue;
    watched.push_back({worker->from->read_end(), POLLIN, 0});
    of.push_back(worker.get());
  }
  if (poll(watched.data(), watched.size(), milliseconds) <= 0) return !watched.empty();
  for (std::size_t i = 0; i < watched.size(); ++i) {
    if (watched[i].revents != 0) read(*of[i]);
  }
  return true;
}

/// Has them leave their checkpoints, and waits until they have ended; none is started in their place.
void WorkerPool::stop() {
  is_stopping_ = true;
  constexpr int tell_milliseconds = 20;
  std::map<pid_t, StopHandedOn> told;
  do {
    for (const auto& worker : workers_) {
      if (worker->process == 0) continue;
      told.try_emplace(worker->process, worker->process).first->second.go_on();
      worker->to->close_write_end();
    }
  } while (listen(tell_milliseconds));
}

/// Until they end, behind what they have in hand; mpirun removes what MPI has left.
void WorkerPool::wait_for_all() {
  for (const auto& worker : workers_) worker->to->close_write_end();
  while (listen(poll_milliseconds)) {
  }
}

std::size_t WorkerPool::run(std::deque<OrderedShot> shots, int steps, std::int64_t points,
                            const Callbacks& callbacks) {
  const std::size_t count = shots.size();
  Progress progress(static_cast<std::int64_t>(count) * steps, points);
  waiting_ = std::move(shots);
  steps_ = steps;
  callbacks_ = &callbacks;
  while (!waiting_.empty() || is_busy()) {
    if (StopRequests::came()) {
      stop();
      return ended_;
    }
    for (const auto& worker : workers_) {
      if (worker->process != 0) hand_out(*worker);
    }
    if (!listen(poll_milliseconds)) {
      throw Error(kind_of(last_code_).value_or(ErrorKind::internal),
                  text("no worker runs any more: the last ", last_end_),
                  last_has_spoken_ ? "its own message stands above" : "run it again");
    }
    const double done = static_cast<double>(ended_) + shots_under_way();
    if (done > 0) progress.update(std::llround(done * steps), text("shots ", ended_, '/', count, "  "));
  }
  wait_for_all();
  return ended_;
}

}  // namespace minimod
