/// minimod._core: shots as arrays for the package's Python, which has names, defaults and words.
#include <atomic>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/notes.hpp"
#include "src/base/option.hpp"
#include "src/base/work/wanted_work.hpp"
#include "src/commands/exit_codes.hpp"
#include "src/job/geometry/acquisition.hpp"
#include "src/python/core/call_options.hpp"
#include "src/python/core/computing_thread.hpp"
#include "src/python/core/given_model.hpp"
#include "src/python/core/misfits.hpp"
#include "src/python/core/modeling.hpp"
#include "src/python/core/nanobind.hpp"
#include "src/python/core/to_python.hpp"
#include "src/wavelets/sampling_transpose.hpp"

namespace minimod {

namespace {

using Positions = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

/// A change of the model's velocities: none, a file or words, an array.
using GivenChange = std::variant<std::monostate, std::string, Velocities>;

// ---- from Python

std::vector<Point3> points_of(const Positions& positions) {
  std::vector<Point3> points(positions.shape(0));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double* const p = positions.data() + 3 * i;
    points[i] = {p[0], p[1], p[2]};
  }
  return points;
}

/// A shot as the package hands it over: receivers as positions, as words, or none for the usual line.
struct GivenShot {
  int number;
  Positions sources;
  std::vector<std::string> wavelets;
  std::vector<double> amplitudes;
  std::variant<std::monostate, Positions, std::string> receivers;
};

ShotGeometry geometry_of(const GivenShot& given) {
  ShotGeometry shot{given.number, {}, {}};
  const std::vector<Point3> positions = points_of(given.sources);
  for (std::size_t i = 0; i < positions.size(); ++i)
    shot.sources.push_back({positions[i], given.wavelets[i], given.amplitudes[i]});
  if (const auto* at = std::get_if<Positions>(&given.receivers)) shot.receivers = points_of(*at);
  if (const auto* words = std::get_if<std::string>(&given.receivers)) {
    ReceiverList list = parse_receivers(*words, position_limit());
    if (!list.note.empty()) tell(list.note);
    shot.receivers = std::move(list.positions);
    shot.stations = std::move(list.stations);
  }
  return shot;
}

// ---- calls

/// Notes of the work that this thread does; null: nobody asks.
thread_local std::vector<std::string>* notes = nullptr;

/// Work of a call on the computing thread, the interpreter's lock released; meanwhile Ctrl-C is heard and
/// progress told. Notes become warnings by `warn`.
class Call {
 public:
  explicit Call(nb::object progress) : progress_(std::move(progress)) {}

  template <class Work>
  void run(const Work& work) {
    std::vector<std::string> told;
    {
      const nb::gil_scoped_release released;
      ComputingThread::here().run(
          [&] {
            notes = &told;
            const struct Reset {
              ~Reset() { notes = nullptr; }
            } reset;
            const WantedWork wanted([this] { return is_stopped_.load(); });
            work();
          },
          [this] { look(); }, [this] { is_stopped_ = true; });
    }
    if (told.empty()) return;
    const nb::object warn = nb::module_::import_("minimod.errors").attr("warn");
    for (const std::string& note : told) warn(without_marks(note));
  }

  [[nodiscard]] ShotHooks hooks() {
    ShotHooks hooks;
    hooks.progress = [this](int steps) { steps_done_ = steps; };
    hooks.is_stopped = [this] { return is_stopped_.load(); };
    return hooks;
  }
  [[nodiscard]] bool is_stopped() const { return is_stopped_; }

 private:
  void look() {
    const nb::gil_scoped_acquire here;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const int steps = steps_done_;
    if (progress_.is_none() || steps == told_) return;
    told_ = steps;
    progress_(steps);
  }

  nb::object progress_;
  std::atomic<bool> is_stopped_ = false;
  std::atomic<int> steps_done_ = 0;
  int told_ = 0;
};

/// A Modeling that calls of Python share: one at a time.
class Session {
 public:
  Session(const GivenOptions& options, const std::string& call, std::optional<Velocities> model,
          Point3 spacing, const GivenChange& change, const std::vector<GivenShot>& shots,
          const std::map<std::string, std::tuple<Samples, double, double>>& signatures, bool writes,
          bool for_gradients)
      : model_(std::move(model)), change_(change) {
    auto read = read_call(options, call);
    if (model_) read->model.source = array_source;
    auto given = std::make_shared<GivenShots>();
    for (const auto& [name, signature] : signatures) {
      const auto& [samples, dt, first] = signature;
      given->signatures[name] =
          sampled_signature({samples.data(), samples.data() + samples.size()}, dt, first, name);
    }
    Call(nb::none()).run([&] {
      if (model_) read->model.array = array_model(*model_, spacing);
      set_change(*read, change_);
      for (const GivenShot& shot : shots) given->shots.push_back(geometry_of(shot));
      if (!given->shots.empty()) read->acquisition.given = std::move(given);
      modeling_ = std::make_unique<Modeling>(std::move(read), writes, for_gradients);
    });
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    const nb::gil_scoped_release released;
    ComputingThread::here().run([&] { modeling_.reset(); }, [] {}, [] {});
  }

  nb::dict run(std::size_t shot, nb::object progress) {
    return run_with(std::move(progress), [shot](Modeling& m, const ShotHooks& h) { return m.run(shot, h); });
  }
  nb::dict run_other(const GivenShot& shot, nb::object progress) {
    return run_with(std::move(progress),
                    [&](Modeling& m, const ShotHooks& h) { return m.run(geometry_of(shot), h); });
  }
  nb::dict model(std::size_t shot, std::optional<double> memory, const std::string& history,
                 const std::string& states_on, int every, int shots_at_once, const std::string& by,
                 const std::string& condition, nb::object progress) {
    const WantedSums wanted{memory, history, states_on, every, shots_at_once, by, condition};
    ShotGather gather;
    with([&](Modeling& m, Call& call) { gather = m.model(shot, wanted, call.hooks()); }, std::move(progress));
    return gather_of(std::move(gather));
  }
  nb::dict derive(const Traces& derivative, bool by_sources) {
    ShotDerivatives all;
    with([&](Modeling& m, Call& call) {
      all = m.derive({derivative.data(), derivative.data() + derivative.size()}, by_sources, call.hooks());
    });
    return derivatives_of(std::move(all));
  }
  void begin(std::size_t shot) {
    with([&](Modeling& m, Call&) { m.begin(shot); });
  }
  void begin_other(const GivenShot& shot) {
    with([&](Modeling& m, Call&) { m.begin(geometry_of(shot)); });
  }
  void step(int steps) {
    with([&](Modeling& m, Call& call) { m.step(steps, [&] { return call.is_stopped(); }); });
  }
  void add(int x, int y, int z, double value) {
    with([&](Modeling& m, Call&) { m.add({x, y, z}, value); });
  }
  nb::dict gather() {
    ShotGather gather;
    with([&](Modeling& m, Call&) { gather = m.gather(); });
    return gather_of(std::move(gather));
  }

  /// An array over the device's memory that keeps its session alive.
  static nb::object wavefield(nb::handle_t<Session> self, bool with_layer) {
    WavefieldView view;
    nb::cast<Session&>(self).with([&](Modeling& m, Call&) { view = m.wavefield(with_layer); });
    const std::size_t shape[] = {std::size_t(view.n.z), std::size_t(view.n.y), std::size_t(view.n.x)};
    const std::int64_t strides[] = {view.stride_z, view.stride_y, 1};
    return with_real(view.first.precision, [&]<class Real>() -> nb::object {
      void* const data = view.first.data;
      if (view.on_gpu) {
        return nb::cast(nb::ndarray<Real>(data, 3, shape, self, strides, nb::dtype<Real>(),
                                          nb::device::cuda::value, view.gpu));
      }
      return nb::cast(nb::ndarray<nb::numpy, Real>(data, 3, shape, self, strides));
    });
  }

  [[nodiscard]] const Modeling& modeling() const { return *modeling_; }
  [[nodiscard]] std::string record() const { return record_; }

 private:
  /// A file or words, or an array at the run's nodes.
  static void set_change(ShotOptions& options, const GivenChange& change) {
    if (const auto* words = std::get_if<std::string>(&change)) options.change.source = *words;
    const auto* array = std::get_if<Velocities>(&change);
    if (array == nullptr) return;
    options.change.source = array_source;
    options.change.array = array_model(*array, {});
  }

  template <class Work>
  void with(const Work& work, nb::object progress = nb::none()) {
    if (is_busy_.exchange(true)) {
      throw Error(ErrorKind::parameter, "the solver is at work in another thread",
                  "give each thread a solver of its own");
    }
    const struct Reset {
      std::atomic<bool>& busy;
      ~Reset() { busy = false; }
    } reset{is_busy_};
    Call call(std::move(progress));
    call.run([&] { work(*modeling_, call); });
  }

  template <class Run>
  nb::dict run_with(nb::object progress, const Run& run) {
    ComputedShot shot;
    with(
        [&](Modeling& m, Call& call) {
          shot = run(m, call.hooks());
          record_ = without_marks(m.record(shot));
        },
        std::move(progress));
    nb::dict gather = gather_of(std::move(shot.gather));
    gather["record"] = record_;
    return gather;
  }

  std::optional<Velocities> model_;  ///< keeps the array, and is let go by a thread of Python
  GivenChange change_;               ///< as well
  std::string record_;
  std::unique_ptr<Modeling> modeling_;
  std::atomic<bool> is_busy_ = false;
};

nb::dict facts_of_session(const Session& session) {
  const Modeling& m = session.modeling();
  const RunPlan& plan = m.plan().shared;
  const Extent3 n = plan.medium->inner().extent();
  const Point3 h = plan.grid().spacing;
  nb::dict facts;
  facts["kernel"] = m.choice().kernels.inner->name;
  facts["schedule"] = std::string(m.choice().kernels.schedule->name());
  facts["device"] = m.choice().device.name;
  facts["dt"] = plan.time().dt;
  facts["steps"] = plan.time().steps;
  facts["first_time"] = plan.time().first;
  facts["record_every"] = plan.time().record_every;
  facts["shape"] = nb::make_tuple(n.z, n.y, n.x);
  facts["spacing"] = nb::make_tuple(h.x, h.y, h.z);
  facts["width"] = plan.problem.layer_width();
  const bool stays = nodes_there(*plan.medium, m.choice().device.memory()).has_value();
  const auto& array = plan.medium->model().spec.array;
  facts["model_memory"] = stays ? array->distant->memory() : cpu_kind;
  facts["model_bytes_copied"] = array && array->distant ? array->distant->bytes_copied() : 0;
  return facts;
}

/// Derivatives by the samples of a signature, from those by what the scheme is given in their place.
nb::object by_samples(const Session& session, const Samples& by_fed, std::size_t count, double dt,
                      double first) {
  const TimeAxis& time = session.modeling().plan().shared.time();
  return array_of(transpose_sampling({by_fed.data(), by_fed.size()}, time, count, dt, first), {count});
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  const auto raise = [](ErrorKind kind, std::string message) {
    const std::string parameter = take_parameter(message);
    const nb::object type = nb::module_::import_("minimod.errors").attr("Error");
    const nb::object error =
        type(message, sysexit_of(kind), parameter.empty() ? nb::none() : nb::cast(parameter));
    PyErr_SetObject(type.ptr(), error.ptr());
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    raise(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    raise(ErrorKind::resource, "not enough host memory; take a smaller grid, fewer receivers or fewer steps");
  }
}

}  // namespace

}  // namespace minimod

NB_MODULE(_core, m) {
  using namespace minimod;
  nb::set_leak_warnings(false);  // a view may outlive the interpreter, as a global of another package
  spell_options(marked_parameter);
  hear_notes([](const std::string& note) {
    if (notes != nullptr) notes->push_back(note);
  });
  nb::register_exception_translator(translate);
  m.attr("version") = build_info().version;

  m.def("options", [] {
    nb::list list;
    for (const CallOption& option : call_options())
      list.append(nb::make_tuple(option.name, option.type, option.group, option.help));
    return list;
  });

  m.def("reads_gpu", &reads_gpu);

  m.def("misfit", &misfit_of_arrays, nb::arg("modelled"), nb::arg("observed"), nb::arg("times"),
        nb::arg("kind"), nb::arg("window").none(), nb::arg("weights").none());
  m.def("migration", &migration_of_arrays, nb::arg("modelled"), nb::arg("observed"), nb::arg("times"),
        nb::arg("keep_direct"), nb::arg("window").none(), nb::arg("weights").none());

  nb::class_<GivenShot>(m, "Shot").def(
      "__init__",
      [](GivenShot* shot, int number, Positions sources, std::vector<std::string> wavelets,
         std::vector<double> amplitudes, const nb::object& receivers) {
        new (shot) GivenShot{number, std::move(sources), std::move(wavelets), std::move(amplitudes), {}};
        if (nb::isinstance<nb::str>(receivers)) {
          shot->receivers = nb::cast<std::string>(receivers);
        } else if (!receivers.is_none()) {
          shot->receivers = nb::cast<Positions>(receivers);
        }
      },
      nb::arg("number"), nb::arg("sources"), nb::arg("wavelets"), nb::arg("amplitudes"),
      nb::arg("receivers").none());

  nb::class_<Session>(m, "Session")
      .def(
          "__init__",
          [](Session* session, const GivenOptions& options, const std::string& call,
             std::optional<Velocities> model, std::tuple<double, double, double> spacing,
             const GivenChange& change, const std::vector<GivenShot*>& shots,
             const std::map<std::string, std::tuple<Samples, double, double>>& signatures, bool writes,
             bool for_gradients) {
            std::vector<GivenShot> all;
            all.reserve(shots.size());
            for (const GivenShot* shot : shots) all.push_back(*shot);
            const auto [x, y, z] = spacing;
            new (session) Session(options, call, std::move(model), {x, y, z}, change, all, signatures, writes,
                                  for_gradients);
          },
          nb::arg("options"), nb::arg("call"), nb::arg("model").none(), nb::arg("spacing"),
          nb::arg("change").none(), nb::arg("shots"), nb::arg("signatures"), nb::arg("writes"),
          nb::arg("for_gradients"))
      .def("run", &Session::run, nb::arg("shot"), nb::arg("progress").none())
      .def("run_other", &Session::run_other, nb::arg("shot"), nb::arg("progress").none())
      .def("model", &Session::model, nb::arg("shot"), nb::arg("memory").none(), nb::arg("history"),
           nb::arg("states_on"), nb::arg("every"), nb::arg("shots_at_once"), nb::arg("by"),
           nb::arg("condition"), nb::arg("progress").none())
      .def("derive", &Session::derive, nb::arg("derivative"), nb::arg("by_sources"))
      .def("by_samples", &by_samples, nb::arg("by_fed"), nb::arg("count"), nb::arg("dt"), nb::arg("first"))
      .def("begin", &Session::begin)
      .def("begin_other", &Session::begin_other)
      .def("step", &Session::step)
      .def("add", &Session::add)
      .def("gather", &Session::gather)
      .def("wavefield", &Session::wavefield)
      .def_prop_ro("facts", &facts_of_session)
      .def_prop_ro("steps_done", [](const Session& s) { return s.modeling().steps_done(); })
      .def_prop_ro("time", [](const Session& s) { return s.modeling().time(); });
}
