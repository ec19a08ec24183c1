#!/usr/bin/env bash
#
# words.py passes a small tree and names each old word that is planted in it.  words_test.sh PYTHON

set -euo pipefail
. "$(dirname "$0")/planted.sh"
checks() { "$python" -B "$lint/words.py" "$tree"; }
mkdir -p "$tree"/{src/base,perf/references,kernels}

python=$1
printf '%s\n' '/// Launches that are displayed.' 'LaunchPlanner plan;  // "played" and "(played)"' \
  'const char* head = "occupancy,played";' 'plan.launches_of_rims(); launches_of_each(sets);' >"$tree/kernels/right.cuh"
echo "rate = record.get('played')" >"$tree/perf/right.py"
echo 'played' >"$tree/perf/references/record.txt"
echo 'Played threads name their block.' >"$tree/CHANGELOG.md"
finds

echo 'Played threads.' >"$tree/README.md"
printf '%s\n' 'PlanLaunch a, b; is_played(PlayedBlock()); hdf5::Turn turn;' '' 'const Launches& launches;' \
  'backend.launches_of(kokkos_host_launches(StencilArgs<float>()));' \
  >"$tree/src/base/wrong.hpp"
touch "$tree/src/base/played_block.cpp"
finds 'README.md:1: Played is called emulated' \
  'src/base/played_block.cpp:1: played is called emulated' \
  'src/base/wrong.hpp:1: PlanLaunch is called LaunchPlanner' \
  'src/base/wrong.hpp:1: played is called emulated' \
  'src/base/wrong.hpp:1: Played is called emulated' \
  'src/base/wrong.hpp:1: hdf5::Turn is called hdf5::LibraryLock' \
  'src/base/wrong.hpp:3: Launches is called LaunchPlanners' \
  'src/base/wrong.hpp:4: launches_of is called planners_of, or what it returns' \
  'src/base/wrong.hpp:4: host_launches is called planners' \
  'src/base/wrong.hpp:4: StencilArgs is called WaveArgs'
