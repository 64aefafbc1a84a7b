#include "backoff_actor/web/internal/host_check.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <functional>
#include <optional>

namespace backoff_actor::web {

namespace {

// The most characters of a name in DNS.
constexpr std::size_t longest_name = 253;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_of_name(char c) {
  return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '-' || c == '.' || c == '_';
}

// Whether the system's functions, for which a text ends at a zero, take all of it.
bool is_whole(std::string_view text) { return text.find('\0') == text.npos; }

bool is_ipv4(const std::string& text) {
  in_addr ignored{};
  return is_whole(text) && inet_pton(AF_INET, text.c_str(), &ignored) == 1;
}

// An IPv6 address in brackets, in its shortest form; nothing if the text is none.
std::optional<std::string> ipv6(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']'))
    text = text.substr(1, text.size() - 2);
  in6_addr address{};
  char shortest[INET6_ADDRSTRLEN];
  if (!is_whole(text) || inet_pton(AF_INET6, std::string{text}.c_str(), &address) != 1
      || inet_ntop(AF_INET6, &address, shortest, sizeof shortest) == nullptr)
    return std::nullopt;
  return std::string{"["}.append(shortest).append("]");
}

// A host in the one form in which it is compared.
std::string normal(std::string_view host) {
  if (auto address = ipv6(host))
    return *address;
  std::string name{host};
  std::ranges::transform(name, name.begin(), lower);
  return name;
}

// The host of a value of the header, without the port; empty if the value is malformed.
std::string_view host_of(std::string_view header) {
  const auto end_of_host = header.starts_with('[') ? header.find(']') : header.find(':');
  if (header.starts_with('[') && end_of_host == header.npos)
    return {};
  const auto size =
    header.starts_with('[') ? end_of_host + 1 : std::min(end_of_host, header.size());
  auto port = header.substr(size);
  if (port.starts_with(':'))
    port.remove_prefix(1);
  else if (!port.empty())
    return {};
  return std::ranges::all_of(port, is_digit) ? header.substr(0, size) : std::string_view{};
}

} // namespace

bool is_host(std::string_view text) {
  return ipv6(text)
         || (!text.empty() && text.size() <= longest_name && std::ranges::all_of(text, is_of_name));
}

HostCheck::HostCheck(const WebOptions& options, bool is_loopback)
  : names_{"localhost", "127.0.0.1", "[::1]", normal(options.address)},
    allows_addresses_(!is_loopback) {
  for (const auto& host : options.allowed_hosts)
    names_.insert(normal(host));
}

bool HostCheck::allows(std::string_view header) const {
  const auto host = normal(host_of(header));
  if (names_.contains(host))
    return true;
  return allows_addresses_ && (is_ipv4(host) || ipv6(host));
}

} // namespace backoff_actor::web
