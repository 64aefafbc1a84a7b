#pragma once

#include "common/becomes_true.hpp"
#include "common/tcp_server.hpp"
#include "common/tcp_stream.hpp"

#include <backoff_actor/testing/proxy/tcp_proxy.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace backoff_actor::system_test {

using namespace std::chrono_literals;
using test::becomes_true;
using test::TcpServer;
using test::TcpStream;
using testing::ConnectionFault;
using testing::ConnectionPlan;
using testing::TcpProxy;
using testing::TcpProxyOptions;
using Clock = std::chrono::steady_clock;
using Ending = TcpStream::Ending;

/// Its n-th byte tells n, more or less.
inline std::string pattern(std::size_t size) {
  std::string result(size, ' ');
  for (std::size_t i = 0; i != size; ++i)
    result[i] = static_cast<char>((i * 7 + i / 251) % 256);
  return result;
}

/// A proxy before a service.
class TcpProxyTest : public ::testing::Test {
protected:
  /// Before a service that does `handler` with each connection.
  TcpProxy& proxy(ConnectionPlan plan, TcpServer::Handler handler = test::echo,
                  TcpProxyOptions options = {}) {
    server.emplace(std::move(handler));
    return proxied.emplace("127.0.0.1", server->port(), std::move(plan), std::move(options));
  }

  TcpStream connect() const { return TcpStream::connect(proxied->port()); }

  /// Waits until the proxy has accepted it: a connection is established at the client's end before
  /// the other end knows of it.
  TcpStream connect_for_sure() const {
    const auto before = proxied->statistics().connections;
    auto result = connect();
    EXPECT_TRUE(becomes_true([&] { return proxied->statistics().connections == before + 1; }));
    return result;
  }

  /// What comes back of `bytes`, and how that ends; within `limit` if it does not.
  TcpStream::Received echo_of(const std::string& bytes,
                              std::chrono::milliseconds limit = TcpStream::patience) const {
    auto client = connect();
    client.send(bytes);
    return client.receive(bytes.size(), limit);
  }

  std::optional<TcpServer> server;
  std::optional<TcpProxy> proxied;
};

} // namespace backoff_actor::system_test
