#include "open_files.hpp"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <sys/resource.h>
#include <system_error>

namespace backoffctl {

namespace {

rlimit limits() {
  rlimit result{};
  if (getrlimit(RLIMIT_NOFILE, &result) != 0)
    throw std::runtime_error{"cannot read the limit of open files: "
                             + std::generic_category().message(errno)};
  return result;
}

bool set_limit(rlim_t soft, rlim_t hard) {
  const rlimit limit{soft, hard};
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

} // namespace

void allow_open_files(std::uint64_t count, const std::string& what_for) {
  const auto now = limits();
  if (now.rlim_cur >= count || set_limit(count, std::max<rlim_t>(now.rlim_max, count)))
    return;
  throw std::runtime_error{
    what_for + " need " + std::to_string(count) + " open files, and the system allows "
    + std::to_string(now.rlim_max) + ": raise the limit (ulimit -Hn " + std::to_string(count)
    + " as root, or nofile in " + "/etc/security/limits.conf), or use fewer"};
}

std::uint64_t allow_most_open_files() {
  const auto now = limits();
  return set_limit(now.rlim_max, now.rlim_max) ? now.rlim_max : now.rlim_cur;
}

} // namespace backoffctl
