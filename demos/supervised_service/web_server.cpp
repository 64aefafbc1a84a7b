#include "web_server.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace supervised_service {

namespace {

constexpr std::size_t threads = 16;
constexpr std::time_t patience = 1; // with a customer who says nothing, in seconds

} // namespace

WebServer::WebServer(int port, const std::function<void(httplib::Server&)>& add_routes) {
  server_.new_task_queue = [] { return new httplib::ThreadPool(threads); }; // it deletes it
  server_.set_tcp_nodelay(true);
  // A connection that is kept open would be waited for at the end.
  server_.set_keep_alive_max_count(1);
  server_.set_read_timeout(patience);
  // httplib's default would let two services share a port.
  server_.set_socket_options([](int socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  add_routes(server_);
  if (!server_.bind_to_port("127.0.0.1", port))
    throw std::runtime_error("cannot listen at port " + std::to_string(port) + ": "
                             + std::generic_category().message(errno));
  thread_ = std::thread{[this] { server_.listen_after_bind(); }};
  while (!server_.is_running()) // until then it cannot be stopped
    std::this_thread::yield();
}

WebServer::~WebServer() {
  server_.stop();
  thread_.join();
}

} // namespace supervised_service
