/// The kind of JSON that records, files and messages of the program are: members stay in the order they came.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace minimod {

using Json = nlohmann::ordered_json;

}  // namespace minimod
