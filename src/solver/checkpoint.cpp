#include "src/solver/checkpoint.hpp"

#include "src/base/error.hpp"

namespace minimod {

Checkpoint read_checkpoint(Backend& backend, const Propagator& propagator) {
  Checkpoint checkpoint{propagator.steps_done(), propagator.is_ahead(), {}};
  propagator.check_status();
  for (const FieldPart& part : propagator.state(propagator.is_ahead())) {
    backend.download(checkpoint.fields.emplace_back(part.bytes).data(), part.data, part.bytes);
  }
  return checkpoint;
}

void put_back(Backend& backend, const Checkpoint& checkpoint, Propagator& propagator) {
  const std::vector<FieldPart> parts = propagator.state(checkpoint.is_ahead);
  bool fits = parts.size() == checkpoint.fields.size();
  for (std::size_t i = 0; fits && i < parts.size(); ++i) fits = parts[i].bytes == checkpoint.fields[i].size();
  if (!fits) {
    throw Error(ExitCode::data, "the state is that of another grid, boundary or schedule",
                "go on with the options that it was written with");
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    backend.upload(parts[i].data, checkpoint.fields[i].data(), parts[i].bytes);
  }
  propagator.resume(checkpoint.steps_done, checkpoint.is_ahead);
}

}  // namespace minimod
