#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/web/web_server.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace backoff_actor {

std::string token_in_file(const std::string& path) {
  const auto name = detail::json_string(path);
  const auto fail = [&](int error) {
    throw std::system_error(error, std::generic_category(), "cannot read " + name);
  };
  const auto file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    fail(errno);
  struct stat status {};
  const auto is_known = fstat(file, &status) == 0;
  std::string result(4096, '\0');
  const auto count = is_known ? read(file, result.data(), result.size()) : -1;
  const auto error = errno;
  close(file);
  if (count < 0)
    fail(error);
  Problems problems{"token_in_file"};
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    problems.add("path", name, "a file that only its owner may use");
  problems.raise_if_any();
  result.resize(static_cast<std::size_t>(count));
  while (!result.empty() && (result.back() == '\n' || result.back() == '\r'))
    result.pop_back();
  return result;
}

} // namespace backoff_actor
