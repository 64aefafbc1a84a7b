#pragma once

#include <httplib.h>

#include <functional>
#include <thread>

namespace supervised_service {

/// A web server on a port of 127.0.0.1, in threads of its own, for as long as this object lives.
/// Its end waits for the requests that it has taken.
class WebServer {
public:
  /// @errors throws `std::runtime_error` if the port cannot be listened at.
  WebServer(int port, const std::function<void(httplib::Server&)>& add_routes);
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;
  ~WebServer();

private:
  httplib::Server server_;
  std::thread thread_;
};

} // namespace supervised_service
