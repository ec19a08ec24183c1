/// Shots that a program has in memory, in place of the words and files of a command line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/io/gather/shot_geometry.hpp"
#include "src/wavelets/signature.hpp"

namespace minimod {

struct GivenShots {
  std::vector<ShotGeometry> shots;  ///< by their numbers, each once; one without receivers has the usual line
  std::map<std::string, Signature> signatures;  ///< signatures of its sources that no form and no file has
};

}  // namespace minimod
