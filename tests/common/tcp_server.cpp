#include "common/tcp_server.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

namespace backoff_actor::test {

TcpServer::TcpServer(Handler handler, std::uint16_t port)
  : handler_(std::move(handler)), listener_(net::bind_to_loopback(port, 0)) {
  if (!listener_ || listen(listener_.get(), SOMAXCONN) != 0)
    throw std::system_error(errno, std::generic_category(), "no port for the server");
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
  shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
  for (auto& x : sessions_)
    x.thread.join();
}

std::size_t TcpServer::accepted() const {
  const std::lock_guard lock{mutex_};
  return accepted_;
}

void TcpServer::accept_all() {
  for (;;) {
    net::Descriptor socket{accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    const std::lock_guard lock{mutex_};
    if (is_stopping_)
      return;
    if (!socket)
      continue;
    net::send_at_once(socket);
    reap();
    ++accepted_;
    auto& session = sessions_.emplace_back();
    session.stream = TcpStream{std::move(socket)};
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

bool pass_on(TcpStream& from, TcpStream& to) {
  char part[16'384];
  const auto count = recv(from.get(), part, sizeof(part), 0);
  return count > 0 && to.send({part, static_cast<std::size_t>(count)});
}

void echo(TcpStream& stream) {
  while (pass_on(stream, stream)) {
  }
}

} // namespace backoff_actor::test
