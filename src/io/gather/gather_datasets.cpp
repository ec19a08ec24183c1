#include "src/io/gather/gather_datasets.hpp"

#include <cmath>
#include <numeric>

#include "src/base/error.hpp"

namespace minimod::gather_file {
namespace {

const std::string source_scale = "source_number";

Dataset doubles(const std::string& name, const std::vector<hsize_t>& dims,
                const std::vector<std::string>& axes, const void* values, const std::string& units,
                const std::string& description, double dt = 0) {
  return {name, dims, axes, H5T_NATIVE_DOUBLE, values, units, description, dt};
}

/// Scale of a dimension `name`, which it is named after.
Dataset scale(const std::string& name, const std::vector<double>& values, const std::string& units,
              const std::string& description, double dt = 0) {
  return doubles(name, {values.size()}, {name}, values.data(), units, description, dt);
}

}  // namespace

double sample_time(double first, std::size_t n, double dt) {
  const double time = first + static_cast<double>(n) * dt;
  return std::abs(time) < 1e-6 * dt ? 0 : time;
}

FileAxes::FileAxes(const ShotGather& g)
    : time(g.samples),
      wavelet_time(g.wavelets.empty() ? 0 : g.wavelets.front().size()),
      stations(g.stations.begin(), g.stations.end()),
      receiver(g.receivers.size()),
      source(g.sources.size()),
      positions(3, std::vector<double>(g.receivers.size())) {
  for (std::size_t n = 0; n < time.size(); ++n) time[n] = sample_time(g.first_time, n, g.record_dt);
  for (std::size_t n = 0; n < wavelet_time.size(); ++n) {
    wavelet_time[n] = sample_time(g.first_time, n, g.wavelet_dt);
  }
  for (const auto& wavelet : g.wavelets) wavelets.insert(wavelets.end(), wavelet.begin(), wavelet.end());
  std::iota(receiver.begin(), receiver.end(), 0);
  std::iota(source.begin(), source.end(), 0);
  for (std::size_t i = 0; i < receiver.size(); ++i) {
    positions[0][i] = g.receivers[i].x;
    positions[1][i] = g.receivers[i].y;
    positions[2][i] = g.receivers[i].z;
  }
}

void add_sources(std::vector<Dataset>& list, const ShotGather& g, const FileAxes& axes) {
  const hsize_t n = g.sources.size();
  const bool is_one = n == 1;
  const std::vector<hsize_t> dims = is_one ? std::vector<hsize_t>{3} : std::vector<hsize_t>{n, 3};
  const std::vector<std::string> each =
      is_one ? std::vector<std::string>{"axis"} : std::vector<std::string>{source_scale, "axis"};
  list.push_back(doubles(
      "source", dims, each, g.sources.data(), "m",
      is_one ? "x, y, z of the node of the source, z down" : "x, y, z of the nodes of the sources, z down"));
  list.push_back(
      doubles("requested_source", dims, each, g.requested_sources.data(), "m", "x, y, z as requested"));
  if (is_one) return;
  list.push_back(
      {source_scale, {n}, {source_scale}, H5T_NATIVE_INT64, axes.source.data(), "1", "number from 0"});
}

std::vector<Dataset> geometry_datasets(const ShotGather& g, const FileAxes& axes) {
  const hsize_t n = g.receivers.size();
  std::vector<Dataset> list = {
      {"receiver", {n}, {"receiver"}, H5T_NATIVE_INT64, axes.receiver.data(), "1", "number from 0"}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string letter(1, "xyz"[axis]);
    list.push_back(doubles("receiver_" + letter, {n}, {"receiver"}, axes.positions[axis].data(), "m",
                           letter + " of the nodes recorded"));
  }
  const std::vector<std::string> each = {"receiver", "axis"};
  list.push_back(
      doubles("receivers", {n, 3}, each, g.receivers.data(), "m", "x, y, z of the nodes recorded, z down"));
  list.push_back(doubles("requested_receivers", {n, 3}, each, g.requested_receivers.data(), "m",
                         "x, y, z as requested"));
  if (!axes.stations.empty()) {
    list.push_back(doubles("station", {n}, {"receiver"}, axes.stations.data(), "1",
                           "whole number that the field gave the receiver"));
  }
  if (!g.water_depths.empty()) {
    list.push_back(doubles("water_depth", {n}, {"receiver"}, g.water_depths.data(), "m",
                           "sea floor below z = 0 at the receivers, 0 without one"));
  }
  add_sources(list, g, axes);
  return list;
}

void add_signals(std::vector<Dataset>& list, const ShotGather& g, const FileAxes& axes) {
  list.push_back({"traces",
                  {g.receivers.size(), g.samples},
                  {"receiver", "time"},
                  hdf5::type_of(g.traces.precision()),
                  g.traces.data(),
                  g.wavelet_unit + " / m",
                  "u [receiver, time]",
                  0,
                  0,
                  "receiver_x receiver_y receiver_z"});
  list.push_back(scale("time", axes.time, "s", "time of a trace's samples", g.record_dt));
  if (g.wavelets.empty()) return;
  const hsize_t sources = g.sources.size(), length = axes.wavelet_time.size();
  if (sources == 1) {
    list.push_back(doubles("wavelet", {length}, {"wavelet_time"}, axes.wavelets.data(), g.wavelet_unit,
                           "s(t) from the first step on", g.wavelet_dt));
  } else {
    list.push_back(doubles("wavelet", {sources, length}, {source_scale, "wavelet_time"}, axes.wavelets.data(),
                           g.wavelet_unit, "s(t) of each source from the first step on", g.wavelet_dt));
  }
  list.back().first = g.first_time;
  list.push_back(scale("wavelet_time", axes.wavelet_time, "s", "time of the wavelet's samples"));
}

void add_sections(std::vector<Dataset>& list, const ModelSections& s) {
  if (s.xz.empty()) return;
  const auto add = [&](const std::string& down, const std::string& across, const std::vector<double>& rows,
                       const std::vector<double>& columns, const std::vector<float>& values) {
    list.push_back({"model_" + across + down,
                    {rows.size(), columns.size()},
                    {down, across},
                    H5T_NATIVE_FLOAT,
                    values.data(),
                    "m/s",
                    text("V [", down, ", ", across, "] through the source's node")});
  };
  add("z", "x", s.z, s.x, s.xz);
  add("z", "y", s.z, s.y, s.yz);
  add("y", "x", s.y, s.x, s.xy);
  list.push_back(scale("x", s.x, "m", "of the sections' nodes"));
  list.push_back(scale("y", s.y, "m", "of the sections' nodes"));
  list.push_back(scale("z", s.z, "m", "of the sections' nodes, down"));
}

}  // namespace minimod::gather_file
