#include "http_server.hpp"

#include "backoff_actor/net/internal/socket.hpp"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;
namespace net = backoff_actor::net;

constexpr auto pause_without_files = 100ms; // when no more files can be opened
constexpr int longest_silence_s = 24 * 3600;

[[noreturn]] void fail(const ServerOptions& options, int error) {
  throw std::runtime_error{"the server cannot listen on 127.0.0.1:" + std::to_string(options.port)
                           + ": " + std::generic_category().message(error)};
}

// Not evhttp_bind_socket, which chooses the backlog by itself.
net::Descriptor listening_socket(const ServerOptions& options) {
  auto result = net::bind_to_loopback(options.port);
  if (!result || listen(result.get(), static_cast<int>(options.service.backlog)) != 0)
    fail(options, errno);
  return result;
}

} // namespace

HttpServer::HttpServer(EventLoop& loop, const ServerOptions& options)
  : options_(options), work_(options.service), next_look_(loop, [this] { look(); }),
    http_(evhttp_new(loop.base())) {
  if (!http_)
    throw std::runtime_error{"libevent cannot create an HTTP server"};
  evhttp_set_timeout(http_.get(), longest_silence_s);
  evhttp_set_cb(http_.get(), "/api", &HttpServer::on_api, this);
  auto socket = listening_socket(options);
  port_ = net::port_of(socket);
  auto* bound = evhttp_accept_socket_with_handle(http_.get(), socket.get());
  if (!bound)
    fail(options, ENOMEM);
  socket.release(); // evhttp closes it
  // Where no more files can be opened, connections wait in the backlog; without a pause the loop
  // would spin.
  evconnlistener_set_error_cb(
    evhttp_bound_socket_get_listener(bound), [](evconnlistener* listener, void*) {
      timeval pause{0, std::chrono::microseconds{pause_without_files}.count()};
      evconnlistener_disable(listener);
      event_base_once(
        evconnlistener_get_base(listener), -1, EV_TIMEOUT,
        [](int, short, void* x) { evconnlistener_enable(static_cast<evconnlistener*>(x)); },
        listener, &pause);
    });
}

HttpServer::~HttpServer() {
  // evhttp frees the requests of the connections that it closes.
  work_.for_each([](std::unique_ptr<Request>& request) {
    if (!request->client_has_left) {
      evhttp_connection_set_closecb(evhttp_request_get_connection(request->http), nullptr, nullptr);
      request->http = nullptr;
    }
  });
  http_ = nullptr; // closes all connections
  work_.for_each([](std::unique_ptr<Request>& request) {
    if (request->http)
      forget(*request);
  });
}

void HttpServer::on_api(evhttp_request* http, void* self) {
  static_cast<HttpServer*>(self)->begin(http);
}

void HttpServer::begin(evhttp_request* http) {
  ++counts_.requests;
  auto request = std::make_unique<Request>(Request{http, this, false});
  auto* connection = evhttp_request_get_connection(http);
  evhttp_connection_set_closecb(connection, &HttpServer::on_close, request.get());
  // evhttp stops reading until the answer is sent, and would not notice that the client leaves.
  bufferevent_enable(evhttp_connection_get_bufferevent(connection), EV_READ);
  const auto now = EventLoop::now();
  const auto was_idle = work_.concurrency() == 0;
  work_.add(now, std::move(request));
  counts_.peak_concurrency = std::max<std::uint64_t>(counts_.peak_concurrency, work_.concurrency());
  if (was_idle)
    next_look_.in(work_.next_look() - now);
}

void HttpServer::on_close(evhttp_connection*, void* request) {
  auto& abandoned = *static_cast<Request*>(request);
  if (abandoned.client_has_left)
    return;
  abandoned.client_has_left = true;
  if (abandoned.server->options_.service.abandoned_work == backoff_actor::AbandonedWork::kept)
    ++abandoned.server->for_nobody_;
}

void HttpServer::look() {
  const auto now = EventLoop::now();
  work_.look(
    now,
    [this](const std::unique_ptr<Request>& request) {
      const auto is_dropped =
        request->client_has_left
        && options_.service.abandoned_work == backoff_actor::AbandonedWork::dropped;
      if (is_dropped) {
        ++counts_.dropped;
        forget(*request);
      }
      return is_dropped;
    },
    [this](std::unique_ptr<Request>& request) { finish(*request); });
  if (work_.concurrency() > 0)
    next_look_.in(work_.next_look() - now);
}

void HttpServer::finish(Request& request) {
  if (request.client_has_left) {
    ++counts_.finished_for_nobody;
    if (options_.service.abandoned_work == backoff_actor::AbandonedWork::kept)
      --for_nobody_;
    forget(request);
    return;
  }
  ++counts_.answered;
  evhttp_connection_set_closecb(evhttp_request_get_connection(request.http), nullptr, nullptr);
  evhttp_add_header(evhttp_request_get_output_headers(request.http), "Content-Type", "text/plain");
  evbuffer_add(evhttp_request_get_output_buffer(request.http), "OK", 2);
  evhttp_send_reply(request.http, HTTP_OK, "OK", nullptr);
}

// evhttp has let go of the connection, but not of the request; it frees that.
void HttpServer::forget(Request& request) {
  evhttp_send_reply(request.http, HTTP_OK, "OK", nullptr);
}

HttpServer::Counts HttpServer::take() {
  auto result = counts_;
  result.worked_on_for_nobody = for_nobody_;
  counts_ = {};
  counts_.peak_concurrency = work_.concurrency();
  return result;
}

std::optional<int> longest_backlog() {
  std::ifstream file{"/proc/sys/net/core/somaxconn"};
  int result = 0;
  if (file >> result)
    return result;
  return std::nullopt;
}

} // namespace backoffctl
