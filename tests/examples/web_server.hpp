#pragma once

#include <httplib.h>

#include <string>
#include <thread>
#include <utility>

namespace http_guard {

/// A web server in a thread of its own, for as long as this object lives.
class WebServer {
public:
  explicit WebServer(httplib::Server::Handler handler) {
    server_.Get("/jobs/(.*)", handler);
    server_.Put("/jobs/(.*)", std::move(handler));
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread{[this] { server_.listen_after_bind(); }};
    while (!server_.is_running())
      std::this_thread::yield();
  }

  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  ~WebServer() {
    server_.stop();
    thread_.join();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

private:
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

} // namespace http_guard
