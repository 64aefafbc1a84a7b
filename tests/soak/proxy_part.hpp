#pragma once

#include "part.hpp"
#include "sender_part.hpp"

#include "common/tcp_server.hpp"

#include <backoff_actor/testing/proxy/tcp_proxy.hpp>

namespace backoff_actor::soak {

/// Senders whose children call a service on this machine, through a proxy by which connections
/// fail.
class ProxyPart final : public Part {
public:
  /// All begin to work. `shared` must outlive all actors.
  explicit ProxyPart(Shared& shared);

  void disturb(double kind, double which) override;
  void calm_down() override;
  void end() override { senders_.end(); }

private:
  test::TcpServer service_;
  testing::TcpProxy proxy_;
  SenderPart senders_;
};

} // namespace backoff_actor::soak
