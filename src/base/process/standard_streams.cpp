#include "src/base/process/standard_streams.hpp"

#include <cerrno>
#include <cstdio>
#include <iostream>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "src/base/error.hpp"

namespace minimod {

void open_missing_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", O_RDWR);  // takes the lowest number that is free
  }
}

void finish_stdout() {
  std::cout.flush();
  errno = 0;
  const bool is_flushed = std::fflush(stdout) == 0;  // an error may have come before, and does not come twice
  const int failure = errno;
  if (is_flushed && std::ferror(stdout) == 0) return;
  pollfd reader{STDOUT_FILENO, POLLOUT, 0};
  if (poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR) != 0) return;
  throw Error(ErrorKind::io,
              "stdout did not take all that was printed" + (failure == 0 ? "" : ": " + reason(failure)),
              "print to a place with room");
}

}  // namespace minimod
