#include "backoff_actor/web/web_server.hpp"

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/node_address.hpp"
#include "backoff_actor/net/tls/internal/tls_context.hpp"
#include "backoff_actor/process/internal/error_stream.hpp"
#include "backoff_actor/web/internal/host_check.hpp"
#include "backoff_actor/web/internal/web_loop.hpp"
#include "backoff_actor/web/internal/web_pages.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

namespace backoff_actor {

namespace {

std::string place_of(const WebOptions& options) {
  return to_string(NodeAddress{options.address, options.port});
}

// At the first of the addresses where it can.
net::Descriptor listen_at(const WebOptions& options) {
  const auto resolved = net::resolve(options.address, options.port);
  if (resolved.ending != net::Wait::done)
    throw std::system_error(std::make_error_code(std::errc::address_not_available),
                            place_of(options) + ": " + resolved.error);
  std::optional<std::error_code> first_error;
  for (const auto& address : resolved.addresses) {
    try {
      return net::listen_at(address);
    } catch (const std::system_error& error) {
      first_error = first_error.value_or(error.code());
    }
  }
  throw std::system_error(*first_error, place_of(options));
}

// Only programs on this machine reach it.
bool is_loopback(const net::Descriptor& socket) {
  const auto host = net::address_of(socket).host();
  return host.starts_with("127.") || host == "::1";
}

net::Descriptor checked(net::Descriptor listener, const WebOptions& options) {
  Problems problems{"WebOptions"};
  if (!options.token.empty() && !options.tls && !is_loopback(listener))
    problems.add("address", detail::json_string(options.address),
                 "a loopback address, because there is a token and no tls");
  problems.raise_if_any();
  return listener;
}

std::unique_ptr<net::TlsContext> context_of(const WebOptions& options) {
  return options.tls ? std::make_unique<net::TlsContext>(*options.tls, net::TlsPeers::clients)
                     : nullptr;
}

NetworkEventHook hook_of(const WebOptions& options) {
  if (options.on_network_event)
    return options.on_network_event;
  return [](const NetworkEvent& event) {
    detail::tell_error_stream("backoff_actor: web server: " + to_string(event));
  };
}

} // namespace

Problems check(const WebOptions& options) {
  Problems problems{"WebOptions"};
  if (options.address.empty())
    problems.add("address", "\"\"", "an address of this machine");
  for (std::size_t i = 0; i != options.allowed_hosts.size(); ++i)
    if (const auto& host = options.allowed_hosts[i]; !web::is_host(host))
      problems.add("allowed_hosts[" + std::to_string(i) + "]", detail::json_string(host),
                   "a host name or an IP address, without a port");
  if (options.tls)
    problems.add_nested("tls", net::check_tls(*options.tls, net::TlsPeers::clients));
  constexpr std::size_t shortest_token = 16;
  constexpr std::size_t longest_token = 200;
  const auto& token = options.token;
  const auto is_visible = std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; });
  if (!token.empty() && !is_visible)
    problems.add("token", "other characters", "visible characters of ASCII");
  else if (!token.empty() && (token.size() < shortest_token || token.size() > longest_token))
    problems.add("token", std::to_string(token.size()) + " characters", "16..200 characters");
  return problems;
}

class WebServer::State {
public:
  State(net::Descriptor listener, const Observatory& observatory, const WebOptions& options)
    : port(net::port_of(listener)), tls_(context_of(options)),
      pages_(observatory, options, web::HostCheck{options, is_loopback(listener)}),
      loop_({std::move(listener), tls_.get(), hook_of(options)}, pages_, observatory) {}

  const std::uint16_t port;

private:
  const std::unique_ptr<net::TlsContext> tls_; // none: plain HTTP
  web::WebPages pages_;
  web::WebLoop loop_;
};

WebServer::WebServer(const Observatory& observatory, const WebOptions& options) {
  check(options).raise_if_any();
  state_ = std::make_unique<State>(checked(listen_at(options), options), observatory, options);
}

WebServer::~WebServer() = default;

std::uint16_t WebServer::port() const { return state_->port; }

} // namespace backoff_actor
