/// Small HDF5 files for cases and tests, ill-formed ones included.
#pragma once

#include <string>
#include <vector>

#include "src/base/hdf5/hdf5.hpp"

namespace minimod {

/// A new file, closed with the object.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& path) : file_(create(path), H5Fclose) {}

  [[nodiscard]] hid_t file() const { return file_; }

  /// A dataset of `dims`, slowest first; `type` is the file's, `creation` of H5P_DATASET_CREATE.
  template <class Value>
  hdf5::Handle dataset(const std::string& name, const std::vector<hsize_t>& dims,
                       const std::vector<Value>& values, hid_t type, hid_t creation = H5P_DEFAULT) const {
    hdf5::Handle made = declare(name, dims, type, creation);
    H5Dwrite(made, memory_type(Value{}), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    return made;
  }

  /// A dataset without values.
  [[nodiscard]] hdf5::Handle declare(const std::string& name, const std::vector<hsize_t>& dims, hid_t type,
                                     hid_t creation = H5P_DEFAULT) const {
    const hdf5::Handle space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr), H5Sclose);
    return {H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose};
  }

  static void attribute(hid_t object, const std::string& name, const std::vector<double>& values) {
    const hsize_t count = values.size();
    const hdf5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    write(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, values.data());
  }

  static void attribute(hid_t object, const std::string& name, const std::string& value) {
    const hdf5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, value.size());
    write(object, name, type, type, hdf5::Handle(H5Screate(H5S_SCALAR), H5Sclose), value.data());
  }

  /// Texts of variable length, as h5py writes them.
  static void attribute(hid_t object, const std::string& name, const std::vector<const char*>& values) {
    const hsize_t count = values.size();
    const hdf5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const hdf5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, H5T_VARIABLE);
    write(object, name, type, type, space, values.data());
  }

  /// An external link, although the program has the library forget that there are any.
  void external_link(const std::string& name, const std::string& target, const std::string& object) const {
    H5L_class_t external{};
    external.version = H5L_LINK_CLASS_T_VERS;
    external.id = H5L_TYPE_EXTERNAL;
    external.trav_func = [](const char*, hid_t, const void*, size_t, hid_t, hid_t) -> hid_t { return -1; };
    const std::string content = std::string(1, '\0') + target + '\0' + object + '\0';
    H5Lregister(&external);
    H5Lcreate_ud(file_, name.c_str(), H5L_TYPE_EXTERNAL, content.data(), content.size(), H5P_DEFAULT,
                 H5P_DEFAULT);
    H5Lunregister(H5L_TYPE_EXTERNAL);
  }

 private:
  static hid_t create(const std::string& path) {
    hdf5::initialize();
    return H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  }
  static hid_t memory_type(float) { return H5T_NATIVE_FLOAT; }
  static hid_t memory_type(double) { return H5T_NATIVE_DOUBLE; }
  static hid_t memory_type(int) { return H5T_NATIVE_INT; }

  static void write(hid_t object, const std::string& name, hid_t type, hid_t memory,
                    const hdf5::Handle& space, const void* values) {
    const hdf5::Handle made(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                            H5Aclose);
    H5Awrite(made, memory, values);
  }

  hdf5::Handle file_;
};

}  // namespace minimod
