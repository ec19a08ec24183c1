#include "src/solver/source.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "src/base/process/on_all_cores.hpp"
#include "src/base/process/zeroed_array.hpp"

namespace minimod {

namespace {

/// A node's share of a source.
struct NodeShare {
  bool is_behind_rims;
  std::int64_t index;
  double weight;
  std::int32_t source;
};

template <class Value>
std::vector<Value> column(std::span<const NodeShare> shares, Value NodeShare::*member) {
  std::vector<Value> values(shares.size());
  std::ranges::transform(shares, values.begin(), member);
  return values;
}

/// Factors of sources in a wavefield at nodes, whose medium k is of_medium(k).
template <class OfMedium>
std::vector<double> factors_of(const EquationFacts& equation, std::size_t wavefield,
                               const OfMedium& of_medium) {
  std::vector<std::vector<double>> rows;
  for (std::size_t k = 0; k < equation.media.size(); ++k) rows.push_back(of_medium(k));
  std::vector<double> factors(rows.front().size()), media(rows.size());
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (std::size_t k = 0; k < rows.size(); ++k) media[k] = rows[k][i];
    factors[i] = equation.source(wavefield, media);
  }
  return factors;
}

/// Factors at the first node of each source, wherever in the domain that lies.
std::vector<double> first_factors(const Fields& fields, const std::vector<NodeWeights>& places) {
  std::vector<Index3> nodes(places.size());
  std::ranges::transform(places, nodes.begin(), &NodeWeights::first);
  return factors_of(fields.equation(), 0, [&](std::size_t k) { return fields.medium_at(k, nodes); });
}

/// The nodes of a place that lie in this slab or its ghosts.
Box3 box_in(const Grid& grid, const NodeWeights& place) {
  const Index3 begin = place.first;
  const Extent3 n = place.count;
  return {{begin.x, begin.y, std::max(begin.z, 0)},
          {begin.x + n.x, begin.y + n.y, std::min(begin.z + n.z, grid.n.z)}};
}

/// Puts a source's shares of the nodes that lie in this slab there, in the order of memory, as they are where
/// the medium is that of the source's first node.
void put_shares(const NodeWeights& place, const Grid& grid, const std::vector<Box3>& rims,
                std::int32_t source, NodeShare* to) {
  const auto rounded = [&](double weight) {
    return grid.precision == Precision::float32 ? double{static_cast<float>(weight)} : weight;
  };
  const Box3 nodes = box_in(grid, place);
  const Index3 first = place.first;
  for (int z = nodes.begin.z; z < nodes.end.z; ++z) {
    for (int y = nodes.begin.y; y < nodes.end.y; ++y) {
      for (int x = nodes.begin.x; x < nodes.end.x; ++x) {
        const Index3 node{x, y, z};
        const double weight =
            rounded(place.x[x - first.x]) * rounded(place.y[y - first.y]) * rounded(place.z[z - first.z]);
        const bool is_in_rim = std::ranges::any_of(rims, [&](const Box3& rim) { return rim.contains(node); });
        *to++ = {!is_in_rim, grid.index(node), weight, source};
      }
    }
  }
}

/// Shares of all sources, one behind the other. `firsts`: factors at their first nodes.
ZeroedArray<NodeShare> shares_of(const FedSources& sources, const std::vector<double>& firsts,
                                 const Fields& fields, std::size_t wavefield, const std::vector<Box3>& rims) {
  std::vector<std::size_t> begins{0};
  for (const NodeWeights& place : sources.places) {
    const Box3 nodes = box_in(fields.grid(), place);
    begins.push_back(begins.back() + (nodes.empty() ? 0 : static_cast<std::size_t>(nodes.points())));
  }
  ZeroedArray<NodeShare> shares(begins.back());
  const auto put = [&](std::size_t i) {
    put_shares(sources.places[i], fields.grid(), rims, static_cast<std::int32_t>(i),
               shares.data() + begins[i]);
  };
  on_all_cores("minimod::shares", sources.places.size(), put, 64);
  constexpr std::size_t at_once = std::size_t{1} << 20;
  for (std::size_t begin = 0; begin < shares.size(); begin += at_once) {
    const std::span part(&shares[begin], std::min(at_once, shares.size() - begin));
    const std::vector<std::int64_t> nodes = column(part, &NodeShare::index);
    const std::vector<double> factors = factors_of(
        fields.equation(), wavefield, [&](std::size_t medium) { return fields.medium_of(medium, nodes); });
    for (std::size_t i = 0; i < part.size(); ++i)
      part[i].weight = part[i].weight * factors[i] / firsts[part[i].source];
  }
  return shares;
}

/// [step][source], each times the scale of its source.
DeviceReals upload_samples(Backend& backend, const Fields& fields, const FedSources& sources,
                           const std::vector<double>& firsts) {
  const Point3 h = fields.grid().spacing;
  const std::size_t count = sources.places.size();
  DeviceReals uploaded(backend, count * sources.steps, fields.grid().precision);
  with_real(uploaded.precision(), [&]<class Real>() {
    std::vector<Real> scaled(count * sources.steps);
    const auto scale = [&](std::size_t i) {
      const std::vector<double> samples = sources.samples(i);
      const double factor = firsts[i] / (h.x * h.y * h.z);
      for (std::size_t n = 0; n < std::min(samples.size(), sources.steps); ++n) {
        scaled[n * count + i] = static_cast<Real>(factor * samples[n]);
      }
    };
    on_all_cores("minimod::feed", count, scale, 64);
    backend.upload(uploaded.data(), scaled.data(), uploaded.bytes());
  });
  return uploaded;
}

}  // namespace

NodeWeights at_node(Index3 node) {
  NodeWeights place{node, {1, 1, 1}, {}, {}, {}};
  place.x[0] = place.y[0] = place.z[0] = 1;
  return place;
}

/// The samples carry the scale of the first node of their source, the weights the ratio of the others to it.
Sources::Sources(Backend& backend, const Fields& fields, const FedSources& sources,
                 const std::vector<Box3>& rims)
    : count_(sources.places.size()),
      steps_(static_cast<int>(sources.steps)),
      box_(box_in(fields.grid(), sources.places.front())) {
  const Precision precision = fields.grid().precision;
  const std::vector<double> firsts = first_factors(fields, sources.places);
  samples_ = upload_samples(backend, fields, sources, firsts);
  ZeroedArray<NodeShare> shares;
  std::vector<double> weights;
  for (std::size_t wavefield = 0; wavefield < fields.equation().wavefields.size(); ++wavefield) {
    shares = shares_of(sources, firsts, fields, wavefield, rims);
    if (wavefield == 0) shares_ = {backend, column(shares, &NodeShare::weight), precision};
    std::ranges::stable_sort(
        shares, {}, [](const NodeShare& share) { return std::pair(share.is_behind_rims, share.index); });
    std::ranges::copy(column(shares, &NodeShare::weight), std::back_inserter(weights));
  }
  in_rims_ = std::ranges::count(shares, false, &NodeShare::is_behind_rims);
  indices_ = DeviceArray<std::int64_t>(backend, column(shares, &NodeShare::index));
  weights_ = {backend, weights, precision};
  owners_ = DeviceArray<std::int32_t>(backend, column(shares, &NodeShare::source));
}

std::vector<std::size_t> Sources::allocations(std::size_t nodes, std::size_t samples, Precision precision,
                                              Equation equation) {
  const std::size_t each = bytes_of(precision), wavefields = facts_of(equation).wavefields.size();
  return {samples * each, nodes * sizeof(std::int64_t), wavefields * nodes * each,
          nodes * sizeof(std::int32_t), nodes * each};
}

std::size_t Sources::host_bytes(std::size_t nodes, std::size_t samples, Precision precision) {
  return samples * bytes_of(precision) + 2 * nodes * sizeof(NodeShare);  // sorting takes them twice
}

void Sources::feed(ShotArgs<void>& args, int number) const {
  args.source = box_;
  args.source_shares = shares_.data();
  if (box_.empty()) return;
  args.source_sample = sample(number).data;
  args.source_second = sample(number + 1).data;
}

void Sources::inject(Backend& backend, const Fields& fields, int number) const {
  inject(backend, fields, number, 0, indices_.size());
}

void Sources::inject_rims(Backend& backend, const Fields& fields, int number) const {
  inject(backend, fields, number, 0, in_rims_);
}

void Sources::inject_behind_rims(Backend& backend, const Fields& fields, int number) const {
  inject(backend, fields, number, in_rims_, indices_.size());
}

void Sources::inject(Backend& backend, const Fields& fields, int number, std::size_t begin,
                     std::size_t end) const {
  if (sample(number).data == nullptr || begin == end) return;
  std::size_t first = begin;
  for (const PlacedField& u_next : fields.all(FieldRole::before)) {
    backend.field_kernels().inject(
        u_next,
        {indices_.data() + begin, weights_.at() + static_cast<std::ptrdiff_t>(first), owners_.data() + begin,
         static_cast<int>(end - begin)},
        sample(number));
    first += indices_.size();
  }
}

}  // namespace minimod
