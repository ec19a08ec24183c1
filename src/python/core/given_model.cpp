#include "src/python/core/given_model.hpp"

#include <string>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/device/nodes/device_nodes.hpp"
#include "src/job/shot/modeled_shot.hpp"

namespace minimod {

namespace {

bool is_on_host(const Velocities& v) {
  return v.device_type() == nb::device::cpu::value;
}

bool lies_in_c_order(const Velocities& v) {
  std::int64_t stride = 1;
  for (std::size_t axis = 3; axis-- > 0; stride *= static_cast<std::int64_t>(v.shape(axis))) {
    if (v.shape(axis) > 1 && v.stride(axis) != stride) return false;
  }
  return true;
}

std::unique_ptr<Backend> device_of(const Velocities& v) {
  return is_on_host(v) ? make_host_backend() : gpu_devices.make(v.device_id());
}

}  // namespace

bool reads_gpu(int index) {
  return index < gpu_devices.find().count;
}

std::shared_ptr<const ModelArray> array_model(const Velocities& v, Point3 spacing) {
  const bool are_doubles = v.dtype() == nb::dtype<double>();
  if (!are_doubles && v.dtype() != nb::dtype<float>())
    throw Error(ErrorKind::parameter, "the model's values are no floats", "give float32 or float64");
  auto array = std::make_shared<ModelArray>();
  array->n = {static_cast<int>(v.shape(2)), static_cast<int>(v.shape(1)), static_cast<int>(v.shape(0))};
  array->spacing = spacing;
  if (is_on_host(v) && !are_doubles && lies_in_c_order(v)) {
    array->v = {static_cast<const float*>(v.data()), v.size()};
    return array;
  }
  ModelNodes nodes;
  nodes.first = v.data();
  nodes.are_doubles = are_doubles;
  nodes.n = array->n;
  nodes.stride_x = v.stride(2);
  nodes.stride_y = v.stride(1);
  nodes.stride_z = v.stride(0);
  array->distant = std::make_shared<DeviceNodes>(device_of(v), nodes);
  return array;
}

std::string note_of_copies(const SampledMedium& medium, const std::string& memory) {
  const auto& array = medium.model().spec.array;
  if (!array || !array->distant || nodes_there(medium, memory)) return {};
  const std::string there = array->distant->memory();
  if (medium.distant_nodes())
    return text("the model lies in the memory of ", there, " and is copied to ", memory, " through the host");
  return text("the model lies in the memory of ", there,
              " and is copied to the host, where the nodes of the ", "run are made of it");
}

}  // namespace minimod
