#include "serve_options.hpp"

#include "arguments.hpp"
#include "flag_durations.hpp"

#include "backoffctl/common/flag_values.hpp"

#include <chrono>

namespace backoffctl {

using namespace std::chrono_literals;
using backoff_actor::AbandonedWork;

ServerOptions read_server(const ServerFlags& flags, backoff_actor::Problems& problems) {
  ServerOptions options;
  auto& service = options.service;
  if (flags.limit)
    if (const auto limit = read_whole("--limit", *flags.limit, 0, 1'000'000, problems))
      service.limit = static_cast<std::uint32_t>(*limit);
  if (flags.factor)
    service.factor =
      read_number("--factor", *flags.factor, 1, 1000, problems).value_or(service.factor);
  if (flags.scale)
    service.scale =
      read_number("--scale", *flags.scale, 0.001, 1e9, problems).value_or(service.scale);
  if (flags.base_delay)
    service.base_delay =
      read_duration("--base-delay", *flags.base_delay, 1ns, longest_live, problems)
        .value_or(service.base_delay);
  if (flags.backlog)
    if (const auto backlog = read_whole("--backlog", *flags.backlog, 1, 1'000'000, problems))
      service.backlog = static_cast<std::uint32_t>(*backlog);
  if (flags.abandoned_work == "dropped")
    service.abandoned_work = AbandonedWork::dropped;
  else if (flags.abandoned_work && flags.abandoned_work != "kept")
    problems.add("--abandoned-work", quoted(*flags.abandoned_work), "kept or dropped");
  if (flags.port)
    if (const auto port = read_whole("--port", *flags.port, 0, UINT16_MAX, problems))
      options.port = static_cast<std::uint16_t>(*port);
  return options;
}

std::vector<std::string> arguments_of(const ServerFlags& flags) {
  std::vector<std::string> result;
  auto copy = flags;
  declare_server(copy, [&](const std::string& name, const std::optional<std::string>& given,
                           const auto&, const auto&) { add_argument(result, name, given); });
  add_argument(result, "--port", flags.port);
  return result;
}

std::optional<std::string> note_on_backlog(std::uint32_t wished, std::optional<int> most) {
  if (!most || *most < 0 || wished <= static_cast<std::uint32_t>(*most))
    return std::nullopt;
  return "--backlog: the kernel cuts " + std::to_string(wished) + " to " + std::to_string(*most)
         + ", its net.core.somaxconn; to raise that: sysctl -w net.core.somaxconn="
         + std::to_string(wished);
}

} // namespace backoffctl
