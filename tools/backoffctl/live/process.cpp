#include "process.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <iostream>
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

void print_line(const std::string& line) {
  if (!(std::cout << line << std::endl))
    throw std::runtime_error{"the output cannot be written"};
}

std::string clock_text() {
  const auto now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[16];
  return {text, std::strftime(text, sizeof text, "%H:%M:%S", &parts)};
}

void allow_files_of_clients(std::uint64_t clients) {
  constexpr std::uint64_t files_besides_connections = 64;
  const auto count = clients + files_besides_connections;
  const auto now = limits();
  if (now.rlim_cur >= count || set_limit(count, std::max<rlim_t>(now.rlim_max, count)))
    return;
  throw std::runtime_error{std::to_string(clients) + " clients need " + std::to_string(count)
                           + " open files, and the system allows " + std::to_string(now.rlim_max)
                           + ": raise the limit (ulimit -Hn " + std::to_string(count)
                           + " as root, or nofile in /etc/security/limits.conf), or use fewer"};
}

void allow_most_open_files() {
  const auto now = limits();
  set_limit(now.rlim_max, now.rlim_max);
}

} // namespace backoffctl
