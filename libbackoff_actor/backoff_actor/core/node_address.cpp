#include "backoff_actor/core/node_address.hpp"

#include "backoff_actor/core/problems.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>

namespace backoff_actor {

namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view without_blanks_around(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string in_quotes(std::string_view text) { return std::string{"'"}.append(text).append("'"); }

// Returns 0 if the text is not a port.
std::uint16_t port_of(std::string_view digits) {
  std::uint16_t port = 0;
  const auto* const end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, port);
  return error == std::errc{} && last == end ? port : std::uint16_t{0};
}

struct Parts {
  std::string_view host;
  std::string_view port;
};

// Splits an item at the end of the host; nothing if it has no such place. A host with a colon needs
// brackets, or it would be unclear which colon ends it.
std::optional<Parts> parts_of(std::string_view item) {
  const auto is_bracketed = item.starts_with('[');
  const auto colon = is_bracketed ? item.find("]:") : item.find(':');
  if (colon == std::string_view::npos)
    return std::nullopt;
  const auto parts = is_bracketed ? Parts{item.substr(1, colon - 1), item.substr(colon + 2)}
                                  : Parts{item.substr(0, colon), item.substr(colon + 1)};
  if (parts.port.find(':') != std::string_view::npos)
    return std::nullopt;
  return parts;
}

bool is_host(std::string_view text) {
  return !text.empty() && text.find_first_of("[]") == std::string_view::npos
         && text.find_first_of(blanks) == std::string_view::npos;
}

// Adds what is wrong with an item to `problems`. The address is valid only if nothing was added.
NodeAddress parse_node(Problems& problems, const std::string& field, std::string_view item) {
  const auto parts = parts_of(item);
  if (!parts) {
    problems.add(field, in_quotes(item), "host:port, or [host]:port for a host with a colon");
    return {};
  }
  const auto port = port_of(parts->port);
  if (!is_host(parts->host))
    problems.add(field + ".host", in_quotes(parts->host), "a name or an address");
  if (port == 0)
    problems.add(field + ".port", in_quotes(parts->port), "1..65535");
  return {std::string{parts->host}, port};
}

} // namespace

std::string to_string(const NodeAddress& address) {
  const auto has_colon = address.host.find(':') != std::string::npos;
  std::string result;
  if (has_colon)
    result += '[';
  result += address.host;
  if (has_colon)
    result += ']';
  return result.append(1, ':').append(std::to_string(address.port));
}

std::vector<NodeAddress> parse_nodes(std::string_view text) {
  Problems problems;
  std::vector<NodeAddress> result;
  if (without_blanks_around(text).empty())
    problems.add("nodes", in_quotes(text), "host:port, and more of them separated by commas");
  else
    for (std::size_t begin = 0; begin <= text.size();) {
      const auto end = std::min(text.find(',', begin), text.size());
      const auto field = std::string{"nodes["}.append(std::to_string(result.size())).append("]");
      result.push_back(
        parse_node(problems, field, without_blanks_around(text.substr(begin, end - begin))));
      begin = end + 1;
    }
  problems.raise_if_any();
  return result;
}

} // namespace backoff_actor
