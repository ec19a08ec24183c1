#include "src/choice/cache_file.hpp"

#include <fstream>
#include <system_error>

#include "src/base/error.hpp"
#include "src/base/files/cache_folder.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/json.hpp"

namespace minimod {

std::filesystem::path CacheFile::of_user(const char* file) {
  const std::filesystem::path folder = cache_folder();
  return folder.empty() ? folder : folder / file;
}

Json CacheFile::entries() const {
  std::ifstream in(file_);
  const Json all = Json::read(in);
  const bool is_ours = all["schema"] == schema_ && all[name_].is_object();
  return is_ours ? all[name_] : Json::object();
}

void CacheFile::keep(const std::string& key, const Json& entry) const {
  if (file_.empty()) return;
  Json all = {{"schema", schema_}, {name_, entries()}};
  all[name_][key] = entry;
  std::error_code failure;
  std::filesystem::create_directories(file_.parent_path(), failure);
  try {
    TemporaryFile temporary(file_);
    std::ofstream out(temporary.path());
    out << all.dump(2) << '\n';
    out.close();
    if (out) temporary.publish();
  } catch (const Error&) {  // nothing is kept: the next run measures again
  }
}

std::string text_in(const Json& entry, const char* name) {
  return entry[name].is_string() ? entry[name].get<std::string>() : "";
}

double number_in(const Json& entry, const char* name) {
  return entry[name].is_number() ? entry[name].get<double>() : 0;
}

}  // namespace minimod
