#include "src/shot/model_sections.hpp"

#include <iostream>

#include "src/shot/outputs.hpp"
#include "src/shot/record.hpp"

namespace minimod {

namespace {

constexpr int most_nodes = 1000;  // along an axis: a picture has no more columns

std::vector<double> positions(int points, int step, double spacing) {
  std::vector<double> list;
  for (int i = 0; i < points; i += step) list.push_back(i * spacing);
  return list;
}

int step_for(int points) {
  return 1 + (points - 1) / most_nodes;
}

}  // namespace

SectionTaker::SectionTaker(const RunPlan& plan)
    : box_(plan.model_box), at_(plan.sources.front().node), row_(plan.grid.n.x) {
  const Extent3 n = box_.extent();
  const Point3 h = plan.grid.spacing;
  step_ = {step_for(n.x), step_for(n.y), step_for(n.z)};
  sections_.x = positions(n.x, step_.x, h.x);
  sections_.y = positions(n.y, step_.y, h.y);
  sections_.z = positions(n.z, step_.z, h.z);
}

void SectionTaker::take(int z, std::span<const float> plane) {
  const auto value = [&](int x, int y) { return plane[std::size_t(y) * row_ + x]; };
  const auto add_row = [&](std::vector<float>& section, int y) {
    for (int x = box_.begin.x; x < box_.end.x; x += step_.x) section.push_back(value(x, y));
  };
  if (z < box_.begin.z || z >= box_.end.z) return;
  if (z == at_.z) {
    for (int y = box_.begin.y; y < box_.end.y; y += step_.y) add_row(sections_.xy, y);
  }
  if ((z - box_.begin.z) % step_.z != 0) return;
  add_row(sections_.xz, at_.y);
  for (int y = box_.begin.y; y < box_.end.y; y += step_.y) sections_.yz.push_back(value(at_.x, y));
}

void write_model_sections(const ShotOptions& options) {
  const RunPlan plan = make_plan(options);
  const ShotOutputs outputs(options);
  SectionTaker taker(plan);
  std::vector<float> plane(std::size_t(plan.grid.n.x) * plan.grid.n.y);
  for (int z = plan.model_box.begin.z; z < plan.model_box.end.z; ++z) {
    plan.medium.sample_plane(z, plane);
    taker.take(z, plane);
  }
  write_sections(make_sections_file(plan, std::move(taker.sections())), outputs.gather(),
                 options.output.force);
  std::cout << "sections " << outputs.gather().string() << '\n';
}

}  // namespace minimod
