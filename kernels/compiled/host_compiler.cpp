#include "kernels/compiled/host_compiler.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/compiled/build_sources.hpp"
#include "kernels/host/cpu_level.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/spawn.hpp"

namespace minimod {

namespace {

constexpr const char* variable_of_compiler = "MINIMOD_CXX";

/// Compiler options of a level, as at_cpu_level has it.
std::vector<std::string> level_options(CpuLevel level) {
  std::vector<std::string> options;
  if (level >= CpuLevel::v3) options = {"-mavx2", "-mfma"};
  if (level >= CpuLevel::v4) {
    for (const char* part : {"f", "bw", "cd", "dq", "vl"}) options.push_back(text("-mavx512", part));
    options.emplace_back("-mprefer-vector-width=512");
  }
  return options;
}

/// As the built-in shapes are compiled for the host, with what the builder of the program added.
std::vector<std::string> host_compiler_options(HostCode code) {
  std::vector<std::string> options{"-std=c++20",      "-w",    "-ffp-contract=off",
                                   "-fno-math-errno", "-fPIC", "-shared"};
  if (code == HostCode::of_cores) {
    options.insert(options.end(), {"-O3", "-fno-trapping-math"});  // comparisons stay in vectors
    const auto of_level = level_options(cpu_level());
    options.insert(options.end(), of_level.begin(), of_level.end());
  } else {
    options.emplace_back("-Og");
  }
  std::istringstream flags(build_sources().flags);
  for (std::string flag; flags >> flag;) options.push_back(flag);
  return options;
}

std::string whole_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_files(const ShapeSource& source, const TemporaryDirectory& folder) {
  for (const auto& [name, content] : source.headers) {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    static_cast<void>(folder.write(std::string(name), content));
  }
}

/// The shared object.
std::string run_host_compiler(const ShapeSource& source, const std::string& compiler,
                              const std::vector<std::string>& options, const CodeCache& cache) {
  const TemporaryDirectory folder;
  write_files(source, folder);
  const std::string file = folder.write("shape.cpp", source.text);
  const std::filesystem::path log = folder.path() / "log", object = folder.path() / "shape.so";
  const int log_file = open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  Spawn how;
  how.program = compiler;
  how.arguments = options;
  how.arguments.insert(how.arguments.begin(), compiler);
  how.arguments.insert(how.arguments.end(), {"-I" + folder.path().string(), file, "-o", object.string()});
  how.output = how.errors = log_file;
  how.apart = true;  // a stop of the program is no error of the compiler
  pid_t process = 0;
  const int failure = spawn(how, process);
  const int code = failure == 0 ? wait_for(process) : 0;
  close(log_file);
  if (failure != 0 || code == 127) {  // as a shell says it, and spawn of some systems
    throw Error(ErrorKind::unavailable,
                text("the kernel ", source.name, " is not built in, and cannot be compiled: ",
                     shown(compiler), ": ", reason(failure != 0 ? failure : ENOENT)),
                text("install that compiler, name one by ", variable_of_compiler, ", or take a kernel of ",
                     command("kernels")));
  }
  if (code != 0) {
    const auto kept =
        cache.keep_log(source.name + ".log", joined(how.arguments, " ") + '\n' + whole_file(log));
    throw Error(ErrorKind::unavailable, text(shown(compiler), " does not compile the kernel ", source.name),
                text("what it says is in ", shown(kept)));
  }
  return whole_file(object);
}

/// Loads from memory: what was checked, and not what stands in a file by then. The descriptor stays open: by
/// its number the loader knows the library, and takes what it loaded under it before for the same.
std::vector<void*> load_functions(const ShapeSource& source, const std::vector<std::string>& names,
                                  const std::string& code) {
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::unavailable, text("the compiled kernel ", source.name, " cannot be loaded: ", why),
                text("take a kernel of ", command("kernels")));
  };
  const int file = memfd_create(source.name.c_str(), MFD_CLOEXEC);
  if (file < 0 || write(file, code.data(), code.size()) != static_cast<ssize_t>(code.size())) {
    const int failure = errno;
    if (file >= 0) close(file);
    fail(reason(failure));
  }
  void* const library = dlopen(text("/proc/self/fd/", file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    close(file);
    fail(escaped(why));
  }
  std::vector<void*> functions;
  for (const std::string& name : names) {
    functions.push_back(dlsym(library, name.c_str()));
    if (functions.back() == nullptr) fail("a formula is missing");
  }
  return functions;
}

}  // namespace

std::string host_compiler() {
  const char* const given = std::getenv(variable_of_compiler);
  return given != nullptr && *given != '\0' ? given : build_sources().compiler;
}

std::vector<void*> compile_functions_for_host(const ShapeSource& source,
                                              const std::vector<std::string>& names,
                                              const std::string& compiler, const CodeCache& cache,
                                              HostCode code) {
  const std::vector<std::string> options = host_compiler_options(code);
  const std::string key = source.key(compiler + ' ' + joined(options, " "));
  if (const auto object = cache.find(key)) return load_functions(source, names, *object);
  try {
    const std::string object = run_host_compiler(source, compiler, options, cache);
    cache.keep(key, object);
    return load_functions(source, names, object);
  } catch (const std::system_error& failure) {
    throw Error(ErrorKind::cannot_create,
                text("the kernel ", source.name,
                     " is not built in, and files to compile it cannot be made: ", failure.code().message()),
                "set TMPDIR to a folder that can be written");
  }
}

HostFunctions compile_for_host(const ShapeSource& source, const std::string& compiler,
                               const CodeCache& cache) {
  std::vector<std::string> names;
  names.reserve(compiled_formulas.size());
  for (const Formula formula : compiled_formulas) {
    if (source.text.find(host_function(formula)) != std::string::npos)
      names.push_back(host_function(formula));
  }
  const std::vector<void*> found = compile_functions_for_host(source, names, compiler, cache);
  HostFunctions functions{};
  for (std::size_t i = 0; i < found.size(); ++i) {
    functions[i] = reinterpret_cast<HostFunctions::value_type>(found[i]);
  }
  return functions;
}

}  // namespace minimod
