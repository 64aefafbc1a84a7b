#include "common/tcp_server.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace backoff_actor::test {

TcpServer::TcpServer(Handler handler) : handler_(std::move(handler)) {
  std::tie(listener_, port_) = listen_at_free_port();
  thread_ = std::thread{[this] { accept_all(); }};
}

TcpServer::~TcpServer() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
    for (const auto& x : sessions_)
      if (!x.is_over)
        shutdown(x.stream.get(), SHUT_RDWR);
  }
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  for (auto& x : sessions_)
    x.thread.join();
  close(listener_);
}

std::size_t TcpServer::accepted() const {
  const std::lock_guard lock{mutex_};
  return accepted_;
}

void TcpServer::accept_all() {
  for (;;) {
    TcpStream stream{accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)};
    const std::lock_guard lock{mutex_};
    if (is_stopping_)
      return;
    if (!stream)
      continue;
    const int yes = 1;
    setsockopt(stream.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    reap();
    ++accepted_;
    auto& session = sessions_.emplace_back();
    session.stream = std::move(stream);
    session.thread = std::thread{[this, &session] { serve(session); }};
  }
}

void TcpServer::serve(Session& session) {
  handler_(session.stream);
  const std::lock_guard lock{mutex_};
  session.is_over = true;
  session.stream = {};
}

void TcpServer::reap() {
  for (auto i = sessions_.begin(); i != sessions_.end();) {
    if (!i->is_over) {
      ++i;
      continue;
    }
    i->thread.join();
    i = sessions_.erase(i);
  }
}

void echo(TcpStream& stream) {
  for (;;) {
    char part[16'384];
    const auto count = recv(stream.get(), part, sizeof(part), 0);
    if (count <= 0 || !stream.send({part, static_cast<std::size_t>(count)}))
      return;
  }
}

} // namespace backoff_actor::test
