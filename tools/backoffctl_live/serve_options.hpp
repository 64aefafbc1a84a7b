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
  add("--limit", flags.limit, "N", "so many requests at once cost nothing: 0..1000000 (30)");
  add("--factor", flags.factor, "F",
      "beyond that a request takes so many times longer for\neach --scale more: 1..1000 (1.05)");
  add("--scale", flags.scale, "N", "see --factor: 0.001..1000000000 (15)");
  add("--base-delay", flags.base_delay, "SPAN", "how long a request takes at least (100ms)");
  add("--backlog", flags.backlog, "N",
      "connections that wait to be accepted: 1..1000000 (4096);\nthe kernel may allow fewer, see "
      "net.core.somaxconn");
  add("--abandoned-work", flags.abandoned_work, "kept|dropped",
      "whether it works on for clients that have left (kept)");
}

} // namespace backoffctl
