#include "kernels/compiled/gpu_compiler.hpp"

#include <cstdlib>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"

namespace minimod {

/// All that two compilers differ in.
struct GpuCompiler::Vendor {
  const char* name;                    ///< name, with which its functions begin
  const char *code_size, *code;        ///< functions that give the machine code
  std::vector<const char*> libraries;  ///< files, the newest first
  std::vector<const char*> homes;      ///< variables that name the toolkit's folder
  const char *usual_home, *subfolder;  ///< usual folder, and the libraries' below one
  const char* architecture;            ///< option that names the GPU
  std::vector<const char*> options;    ///< as the built-in shapes are compiled
  const char* toolkit;
};

namespace {

const GpuCompiler::Vendor nvidia{
    .name = "nvrtc",
    .code_size = "GetCUBINSize",
    .code = "GetCUBIN",
    .libraries = {"libnvrtc.so.13", "libnvrtc.so.12"},
    .homes = {"CUDA_HOME", "CUDA_PATH"},
    .usual_home = "/usr/local/cuda",
    .subfolder = "/lib64/",
    .architecture = "--gpu-architecture=",
    .options = {"-std=c++20", "-default-device", "-fmad=false", "-ftz=true"},
    .toolkit = "CUDA toolkit",
};

const GpuCompiler::Vendor amd{
    .name = "hiprtc",
    .code_size = "GetCodeSize",
    .code = "GetCode",
    .libraries = {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libamdhip64.so.5"},
    .homes = {"ROCM_PATH"},
    .usual_home = "/opt/rocm",
    .subfolder = "/lib/",
    .architecture = "--offload-arch=",
    .options = {"-std=c++20", "-O3", "-ffp-contract=off", "-fgpu-flush-denormals-to-zero"},
    .toolkit = "ROCm",
};

/// Where libraries are looked for, and below the toolkit that the environment names.
void* open_library(const GpuCompiler::Vendor& of) {
  std::vector<std::string> folders{""};
  for (const char* variable : of.homes) {
    if (const char* const home = std::getenv(variable)) folders.push_back(text(home, of.subfolder));
  }
  folders.push_back(text(of.usual_home, of.subfolder));
  for (const std::string& folder : folders) {
    for (const char* name : of.libraries) {
      if (void* const library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
  }
  return nullptr;
}

/// The file that a function of a library is in, behind all links.
std::string file_of(void* function) {
  Dl_info found{};
  std::error_code failed;
  if (dladdr(function, &found) == 0) return "";
  return std::filesystem::canonical(found.dli_fname, failed).string();
}

}  // namespace

GpuCompiler::GpuCompiler(const Vendor& vendor)
    : vendor_(vendor), why_none_(text("there is no ", joined(vendor.libraries, " or "))) {
  void* const library = open_library(vendor);
  if (library == nullptr) return;
  bool is_whole = true;
  const auto take = [&]<class Function>(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library, text(vendor.name, name).c_str()));
    is_whole &= function != nullptr;
  };
  take(functions_.version, "Version");
  take(functions_.create, "CreateProgram");
  take(functions_.destroy, "DestroyProgram");
  take(functions_.compile, "CompileProgram");
  take(functions_.log_size, "GetProgramLogSize");
  take(functions_.log, "GetProgramLog");
  take(functions_.code_size, vendor.code_size);
  take(functions_.code, vendor.code);
  take(functions_.error_text, "GetErrorString");
  int major = 0, minor = 0;
  if (!is_whole || functions_.version(&major, &minor) != 0) return;
  name_ = text(vendor.name, ' ', major, '.', minor);
  file_ = file_of(reinterpret_cast<void*>(functions_.version));
  why_none_.clear();
}

const GpuCompiler& GpuCompiler::nvrtc() {
  static const GpuCompiler loaded(nvidia);
  return loaded;
}

const GpuCompiler& GpuCompiler::hiprtc() {
  static const GpuCompiler loaded(amd);
  return loaded;
}

/// A source with all that it includes.
class GpuCompiler::Program {
 public:
  Program(const GpuCompiler& compiler, const ShapeSource& source)
      : compiler_(compiler), functions_(compiler.functions_), source_(source) {
    std::vector<std::string> names, texts;
    for (const auto& [name, content] : source.headers) {
      names.emplace_back(name);
      texts.emplace_back(content);
    }
    std::vector<const char*> name_pointers, text_pointers;
    for (const std::string& name : names) name_pointers.push_back(name.c_str());
    for (const std::string& content : texts) text_pointers.push_back(content.c_str());
    check(functions_.create(&handle_, source.text.c_str(), "shape.cu", static_cast<int>(names.size()),
                            text_pointers.data(), name_pointers.data()));
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { functions_.destroy(&handle_); }

  /// Whether the source is accepted.
  [[nodiscard]] bool compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    pointers.reserve(options.size());
    for (const std::string& option : options) pointers.push_back(option.c_str());
    return functions_.compile(handle_, static_cast<int>(pointers.size()), pointers.data()) == 0;
  }
  [[nodiscard]] std::string log() const { return result(functions_.log_size, functions_.log); }
  [[nodiscard]] std::string code() const { return result(functions_.code_size, functions_.code); }

 private:
  void check(int code) const {
    if (code == 0) return;
    throw Error(ErrorKind::unavailable,
                text(compiler_.vendor_.name, " fails over the kernel ", source_.name, ": ",
                     functions_.error_text(code)),
                text("take a kernel of ", command("kernels")));
  }
  [[nodiscard]] std::string result(int (*size)(Functions::Handle, std::size_t*),
                                   int (*content)(Functions::Handle, char*)) const {
    std::size_t bytes = 0;
    check(size(handle_, &bytes));
    std::string whole(bytes, '\0');
    check(content(handle_, whole.data()));
    return whole;
  }

  const GpuCompiler& compiler_;
  const Functions& functions_;
  const ShapeSource& source_;
  Functions::Handle handle_ = nullptr;
};

std::string GpuCompiler::compile(const ShapeSource& source, const std::string& architecture,
                                 const CodeCache& cache) const {
  if (!why_none_.empty()) {
    throw Error(ErrorKind::unavailable,
                text("the kernel ", source.name, " is not built in, and cannot be compiled: ", why_none_),
                text("install ", vendor_.name, " of the ", vendor_.toolkit, ", or take a kernel of ",
                     command("kernels")));
  }
  std::vector<std::string> options{vendor_.architecture + architecture + source.architecture};
  options.insert(options.end(), vendor_.options.begin(), vendor_.options.end());
  const std::string compiler = name_ + ' ' + joined(options, " ");
  const std::string key = source.key(file_ + compiler);
  if (auto code = cache.find(key)) return std::move(*code);
  Program program(*this, source);
  if (!program.compile(options)) {
    const auto log = cache.keep_log(source.name + ".log", compiler + '\n' + program.log());
    throw Error(ErrorKind::unavailable,
                text(name_, " does not compile the kernel ", source.name, " for ", architecture),
                text("what it says is in ", shown(log)));
  }
  std::string code = program.code();
  cache.keep(key, code);
  return code;
}

}  // namespace minimod
