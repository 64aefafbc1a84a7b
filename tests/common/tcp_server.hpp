#pragma once

#include "common/tcp_stream.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace backoff_actor::test {

/// A server on 127.0.0.1 which serves each connection in a thread of its own.
class TcpServer {
public:
  /// Serves one connection, which is closed when it returns; it is to return when that ends.
  using Handler = std::function<void(TcpStream& stream)>;

  /// Listens from now on, at a free port or at that one.
  explicit TcpServer(Handler handler, std::uint16_t port = 0);
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;

  /// Ends all connections, and waits for the handlers.
  ~TcpServer();

  /// Where it listens.
  std::uint16_t port() const { return net::port_of(listener_); }

  /// How many connections were accepted.
  std::size_t accepted() const;

private:
  struct Session {
    TcpStream stream;
    std::thread thread;
    bool is_over = false;
  };

  void accept_all();
  void serve(Session& session);
  void reap();

  Handler handler_;
  net::Descriptor listener_;
  mutable std::mutex mutex_; // of all below
  bool is_stopping_ = false;
  std::size_t accepted_ = 0;
  std::list<Session> sessions_;
  std::thread thread_;
};

/// Sends what comes next from one on to the other. Returns whether anything came and went.
bool pass_on(TcpStream& from, TcpStream& to);

/// Sends back what comes, until its end, and then the end.
void echo(TcpStream& stream);

} // namespace backoff_actor::test
