#include "kernels/compiled/nvrtc.hpp"

#include <cstdlib>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

/// The functions of nvrtc.h that are needed here; 0 is success.
struct Nvrtc {
  using Program = struct NvrtcProgram*;
  int (*version)(int* major, int* minor) = nullptr;
  int (*create)(Program*, const char* text, const char* name, int headers, const char* const* texts,
                const char* const* names) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*compile)(Program, int count, const char* const* options) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*code_size)(Program, std::size_t*) = nullptr;
  int (*code)(Program, char*) = nullptr;
  const char* (*error_text)(int) = nullptr;
  int major = 0, minor = 0;  ///< 0: there is none
};

/// Where libraries are looked for, and below the toolkit that the environment names.
void* open_nvrtc() {
  std::vector<std::string> folders{""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* const home = std::getenv(variable)) folders.push_back(text(home, "/lib64/"));
  }
  folders.emplace_back("/usr/local/cuda/lib64/");
  for (const std::string& folder : folders) {
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) {
      if (void* const library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
  }
  return nullptr;
}

Nvrtc load_nvrtc() {
  Nvrtc found;
  void* const library = open_nvrtc();
  if (library == nullptr) return found;
  bool is_whole = true;
  const auto take = [&]<class Function>(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    is_whole &= function != nullptr;
  };
  take(found.version, "nvrtcVersion");
  take(found.create, "nvrtcCreateProgram");
  take(found.destroy, "nvrtcDestroyProgram");
  take(found.compile, "nvrtcCompileProgram");
  take(found.log_size, "nvrtcGetProgramLogSize");
  take(found.log, "nvrtcGetProgramLog");
  take(found.code_size, "nvrtcGetCUBINSize");
  take(found.code, "nvrtcGetCUBIN");
  take(found.error_text, "nvrtcGetErrorString");
  if (is_whole) found.version(&found.major, &found.minor);
  return found;
}

const Nvrtc& nvrtc() {
  static const Nvrtc loaded = load_nvrtc();
  return loaded;
}

/// A program of nvrtc, from a source with all that it includes.
class NvrtcProgram {
 public:
  explicit NvrtcProgram(const ShapeSource& source) : source_(source) {
    std::vector<std::string> names, texts;
    for (const auto& [name, content] : source.headers) {
      names.emplace_back(name);
      texts.emplace_back(content);
    }
    std::vector<const char*> name_pointers, text_pointers;
    for (const std::string& name : names) name_pointers.push_back(name.c_str());
    for (const std::string& content : texts) text_pointers.push_back(content.c_str());
    check(nvrtc().create(&program_, source.text.c_str(), "shape.cu", static_cast<int>(names.size()),
                         text_pointers.data(), name_pointers.data()));
  }
  NvrtcProgram(const NvrtcProgram&) = delete;
  NvrtcProgram& operator=(const NvrtcProgram&) = delete;
  ~NvrtcProgram() { nvrtc().destroy(&program_); }

  /// Whether the source is accepted.
  [[nodiscard]] bool compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    pointers.reserve(options.size());
    for (const std::string& option : options) pointers.push_back(option.c_str());
    return nvrtc().compile(program_, static_cast<int>(pointers.size()), pointers.data()) == 0;
  }
  [[nodiscard]] std::string log() const { return result(nvrtc().log_size, nvrtc().log); }
  [[nodiscard]] std::string code() const { return result(nvrtc().code_size, nvrtc().code); }

 private:
  void check(int code) const {
    if (code == 0) return;
    throw Error(ErrorKind::unavailable,
                text("nvrtc fails over the kernel ", source_.name, ": ", nvrtc().error_text(code)),
                text("take a kernel of ", command("kernels")));
  }
  [[nodiscard]] std::string result(int (*size)(Nvrtc::Program, std::size_t*),
                                   int (*content)(Nvrtc::Program, char*)) const {
    std::size_t bytes = 0;
    check(size(program_, &bytes));
    std::string whole(bytes, '\0');
    check(content(program_, whole.data()));
    return whole;
  }

  const ShapeSource& source_;
  Nvrtc::Program program_ = nullptr;
};

/// As the built-in shapes are compiled.
std::vector<std::string> options_for(ComputeCapability of, const char* architecture) {
  return {text("--gpu-architecture=sm_", of.major, of.minor, architecture), "-std=c++20", "-default-device",
          "-fmad=false", "-ftz=true"};
}

}  // namespace

NvrtcFacts find_nvrtc() {
  if (nvrtc().major > 0) return {text(nvrtc().major, '.', nvrtc().minor), ""};
  return {"", "there is no libnvrtc.so.13 or .12"};
}

std::string compile_for_gpu(const ShapeSource& source, ComputeCapability capability, const CodeCache& cache) {
  const NvrtcFacts facts = find_nvrtc();
  if (!facts.why_none.empty()) {
    throw Error(
        ErrorKind::unavailable,
        text("the kernel ", source.name, " is not built in, and cannot be compiled: ", facts.why_none),
        text("install nvrtc of the CUDA toolkit, or take a kernel of ", command("kernels")));
  }
  const std::vector<std::string> options = options_for(capability, source.architecture);
  std::string compiler = "nvrtc " + facts.version;
  for (const std::string& option : options) compiler += ' ' + option;
  const std::string key = source.key(compiler);
  if (auto code = cache.find(key)) return std::move(*code);
  NvrtcProgram program(source);
  if (!program.compile(options)) {
    const auto kept = cache.keep_log(source.name + ".log", compiler + '\n' + program.log());
    throw Error(ErrorKind::unavailable,
                text("nvrtc ", facts.version, " does not compile the kernel ", source.name,
                     " for compute "
                     "capability ",
                     capability.text()),
                text("what it says is in ", shown(kept)));
  }
  std::string code = program.code();
  cache.keep(key, code);
  return code;
}

}  // namespace minimod
