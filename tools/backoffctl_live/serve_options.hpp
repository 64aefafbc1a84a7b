#pragma once

#include "http_server.hpp"

#include "backoff_actor/core/problems.hpp"

#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// What was given of the server, and not yet looked at.
struct ServerFlags {
  std::optional<std::string> limit{};
  std::optional<std::string> factor{};
  std::optional<std::string> scale{};
  std::optional<std::string> base_delay{};
  std::optional<std::string> backlog{};
  std::optional<std::string> abandoned_work{};
  std::optional<std::string> port{};
};

/// Reads the server's flags; notes problems that name them.
ServerOptions read_server(const ServerFlags& flags, backoff_actor::Problems& problems);

/// Returns the command line of a server with the same flags.
std::vector<std::string> arguments_of(const ServerFlags& flags);

/// Returns what is to be said if the kernel lets fewer connections wait than are wished; else nothing.
///
/// @param most net.core.somaxconn, if that is known
std::optional<std::string> note_on_backlog(std::uint32_t wished, std::optional<int> most);

/// Declares the flags of the server, but for --port.
///
/// @param add a flag with a value: name, where it goes, the kind of value, help
template <class Add>
void declare_server(ServerFlags& flags, Add add) {
  add("--limit", flags.limit, "N",
      "requests at once beyond which the server slows down,\n0..1000000; default 30");
  add("--factor", flags.factor, "F",
      "slowdown for each --scale requests beyond the limit,\n1..1000; default 1.05");
  add("--scale", flags.scale, "N",
      "requests for which --factor applies once,\n0.001..1000000000; default 15");
  add("--base-delay", flags.base_delay, "SPAN",
      "the shortest time that a request takes, 1ns..24h;\ndefault 100ms");
  add("--backlog", flags.backlog, "N",
      "the most connections that wait to be accepted, 1..1000000;\ndefault 4096; the kernel's "
      "net.core.somaxconn may\nlimit it further");
  add("--abandoned-work", flags.abandoned_work, "kept|dropped",
      "requests whose clients left are kept or dropped;\ndefault kept");
}

} // namespace backoffctl
