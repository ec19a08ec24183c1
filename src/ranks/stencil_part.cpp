#include "src/ranks/stencil_part.hpp"

#include <algorithm>

#include "src/base/error.hpp"

namespace minimod {

namespace {

/// Planes of a slab that the neighbour above (z less) reads, as its upper ones, and that below.
stencil::PlanesRead most_planes_read(const std::vector<stencil::PlanesRead>& all) {
  stencil::PlanesRead most;
  for (const auto& [array, lower, upper] : all) {
    most = {0, std::max(most.lower, lower), std::max(most.upper, upper)};
  }
  return most;
}

std::vector<int> planes_of_even_slabs(int planes, int ranks) {
  std::vector<int> all(ranks, planes / ranks);
  for (int i = 0; i < planes % ranks; ++i) ++all[i];
  return all;
}

}  // namespace

DomainCut cut_for(const stencil::Specification& specification, int planes, const RankOptions& options,
                  Ranks& ranks) {
  if (ranks.is_alone()) return {};
  check_slab_count(options, ranks.size());
  const auto read = most_planes_read(planes_read_of_outputs(specification));
  const auto least = [&](int rank) {
    const int for_above = rank > 0 ? read.upper : 0, for_below = rank + 1 < ranks.size() ? read.lower : 0;
    return std::max({1, for_above, for_below});
  };
  const auto wanted = options.planes.empty() ? planes_of_even_slabs(planes, ranks.size()) : options.planes;
  return {&ranks, cut_by_planes(planes, wanted, least, "which a neighbour reads"), options.transport, {}};
}

int least_planes_of_slab(const stencil::Specification& specification) {
  const auto read = most_planes_read(planes_read_of_outputs(specification));
  return std::max({1, read.lower, read.upper});
}

std::string why_not_cut(const stencil::KernelName& kernel, const DomainCut& cut) {
  const bool is_cut = cut.ranks != nullptr && !cut.ranks->is_alone();
  return is_cut && kernel.family->launches() > 1
             ? "slabs exchange their halos once a step, it computes in two halves"
             : "";
}

std::vector<stencil::Kernel> compile_together(const stencil::Specification& specification,
                                              std::span<const stencil::KernelName> names, Extent3 n,
                                              const DomainCut& cut, Backend* gpu) {
  for (const stencil::KernelName& name : names) {
    if (const std::string why = why_not_cut(name, cut); !why.empty()) {
      throw Error(ErrorKind::parameter, text("ranks cannot run ", name.text(), ": ", why),
                  "take another family, or one rank");
    }
  }
  std::vector<stencil::Kernel> kernels;
  const Extent3 slab{n.x, n.y, cut.slab(n.z).planes()};
  const auto compile = [&] { kernels = compile_kernels(specification, names, slab, gpu); };
  cut.on_first(compile);
  cut.together([&] {
    if (!cut.is_first()) compile();
  });
  return kernels;
}

StencilPart::StencilPart(const stencil::Specification& specification, Extent3 n, const DomainCut& cut,
                         Backend* gpu)
    : cut_(cut), slab_(cut.slab(n.z)), planes_read_(planes_read_of_outputs(specification)) {
  cut.together([&] {
    const Box3 part{{0, 0, slab_.begin}, {n.x, n.y, slab_.end}};
    arrays_ = std::make_unique<stencil::ArraySet>(specification, n, part, gpu);
  });
  if (cut.ranks == nullptr || planes_read_.empty()) return;
  const auto read = most_planes_read(planes_read_);
  if (slab_.begin > 0) from_cut_above_ = read.upper;
  if (slab_.end < n.z) from_cut_below_ = read.lower;
  if (gpu == nullptr) host_ = make_host_backend();
  backend_ = gpu == nullptr ? host_.get() : gpu;
  exchange_ = std::make_unique<HaloExchange>(*cut.ranks, *backend_);
  exchange_->choose_transport(faces(), cut.transport);
}

std::vector<Face> StencilPart::faces() const {
  std::vector<Face> all;
  for (const auto& [array, lower, upper] : planes_read_) {
    const std::size_t plane = arrays_->plane_bytes(array), lower_bytes = lower * plane,
                      upper_bytes = upper * plane;
    const int end = slab_.planes();
    const auto at = [&, array = array](int z) { return arrays_->plane(array, z); };
    exchange_->for_each_neighbour([&, lower = lower](int rank, int side) {
      all.push_back(side == 0 ? Face{rank, side, at(0), upper_bytes, at(-lower), lower_bytes}
                              : Face{rank, side, at(end - lower), lower_bytes, at(end), upper_bytes});
    });
  }
  return all;
}

void StencilPart::compute(const stencil::Kernel& kernel, int begin, int end) {
  if (begin >= end) return;
  stencil::ArrayArgs args = arrays_->args();
  args.box.begin.z = begin;
  args.box.end.z = end;
  kernel.run(args);
}

void StencilPart::step(const stencil::Kernel& kernel, Stopwatch* waited) {
  const int end = slab_.planes(), above = from_cut_above_, below = std::max(above, end - from_cut_below_);
  compute(kernel, 0, above);
  compute(kernel, below, end);
  if (exchange_) exchange_->start(faces());
  compute(kernel, above, below);
  if (exchange_) {
    if (waited != nullptr) waited->start();
    exchange_->finish();
    if (waited != nullptr) waited->lap();
  }
  arrays_->hand_on();
}

double StencilPart::seconds_waited_in_step(const stencil::Kernel& kernel) {
  if (exchange_ == nullptr) {
    step(kernel);
    return 0;
  }
  Stopwatch waited(*backend_);
  step(kernel, &waited);
  return waited.seconds();
}

}  // namespace minimod
