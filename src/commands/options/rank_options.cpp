#include "src/base/parse.hpp"
#include "src/commands/options/option_groups.hpp"

namespace minimod {

void add_ranks(OptionTable& table, RankOptions& o) {
  table.value("--ranks", "N", groups::run,
              "cut the domain along z among N processes of MPI, a GPU each (on a CPU they share the cores)",
              [&o](const auto& v, const auto& name) { o.count = parse_int(v, name, 1); });
  table.value(
      "--transport", "T", groups::run,
      "of halos between ranks: ipc (GPU to GPU), mpi (CUDA-aware) or staged (the fastest that works)",
      [&o](const auto& v, const auto& name) { o.transport = parse_choice(transport_names, v, name); });
  table.flag("--share-gpu", groups::run, "let several ranks have one GPU", o.share_gpu);
}

void add_slabs(OptionTable& table, RankOptions& o) {
  table.value("--slabs", "N,N,...", groups::run, "planes of each rank's slab, layers included (cut by cost)",
              [&o](const auto& v, const auto& name) {
                for (const std::string_view planes : split(v, ','))
                  o.planes.push_back(parse_int(planes, name, 1));
              });
}

}  // namespace minimod
