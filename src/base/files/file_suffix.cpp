#include "src/base/files/file_suffix.hpp"

#include <algorithm>
#include <cctype>

namespace minimod {
namespace {

namespace fs = std::filesystem;

struct SuffixFormat {
  std::string_view suffix, format;
};

constexpr std::string_view hdf5_format = "HDF5", segy_format = "SEG-Y";
constexpr SuffixFormat suffix_formats[] = {
    {".h5", hdf5_format},    {".hdf5", hdf5_format}, {".sgy", segy_format},   {".segy", segy_format},
    {".su", "Seismic Unix"}, {".rsf", "Madagascar"}, {".sgd", "SEG-D"},       {".segd", "SEG-D"},
    {".sg2", "SEG-2"},       {".seg2", "SEG-2"},     {".sac", "SAC"},         {".mseed", "miniSEED"},
    {".nc", "netCDF"},       {".nc4", "netCDF"},     {".zarr", "Zarr"},       {".npy", "NumPy"},
    {".npz", "NumPy"},       {".mat", "MATLAB"},     {".bin", "raw numbers"}, {".raw", "raw numbers"},
    {".dat", "raw numbers"}, {".csv", "CSV"},        {".txt", "text"},        {".json", "JSON"},
    {".xdmf", "XDMF"},       {".vtk", "VTK"},        {".vti", "VTK"},         {".png", "a picture"}};

}  // namespace

std::string small_suffix(const fs::path& file) {
  std::string suffix = file.extension().string();
  std::ranges::transform(suffix, suffix.begin(), [](unsigned char c) { return std::tolower(c); });
  return suffix;
}

bool is_hdf5_name(const fs::path& file) {
  return format_said_by(file) == hdf5_format;
}

bool is_segy_name(const fs::path& file) {
  return format_said_by(file) == segy_format;
}

std::string_view format_said_by(const fs::path& file) {
  const auto* const found = std::ranges::find(suffix_formats, small_suffix(file), &SuffixFormat::suffix);
  return found == std::end(suffix_formats) ? std::string_view() : found->format;
}

}  // namespace minimod
