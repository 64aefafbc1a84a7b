#include "http_caller.hpp"

#include "backoff_actor/net/internal/socket.hpp"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/keyvalq_struct.h>
#include <event2/util.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace backoffctl {

namespace {

constexpr int longest_connection_s = 24 * 3600; // our own timeout is the one that counts

std::string socket_error() { return std::generic_category().message(EVUTIL_SOCKET_ERROR()); }

std::string error_text(evhttp_request_error error) {
  switch (error) {
  case EVREQ_HTTP_EOF:
    return "the server closed the connection without an answer";
  case EVREQ_HTTP_INVALID_HEADER:
    return "the answer is not HTTP";
  case EVREQ_HTTP_DATA_TOO_LONG:
    return "the answer is too long";
  default:
    return socket_error();
  }
}

std::string body_of(evhttp_request* request) {
  auto* const buffer = evhttp_request_get_input_buffer(request);
  std::string body(evbuffer_get_length(buffer), '\0');
  evbuffer_remove(buffer, body.data(), body.size());
  return body;
}

// A numeric address, so that no call waits for a name.
std::string address_of(const std::string& host) {
  const auto found = backoff_actor::net::resolve(host, 0);
  if (found.addresses.empty())
    throw std::runtime_error{"cannot find the host " + host + ": " + found.error};
  return found.addresses.front().host();
}

} // namespace

std::optional<HttpUrl> parse_http_url(const std::string& text) {
  using Uri = std::unique_ptr<evhttp_uri, decltype(&evhttp_uri_free)>;
  const Uri uri{evhttp_uri_parse(text.c_str()), &evhttp_uri_free};
  if (!uri)
    return std::nullopt;
  const auto* scheme = evhttp_uri_get_scheme(uri.get());
  const auto* host = evhttp_uri_get_host(uri.get());
  const auto* path = evhttp_uri_get_path(uri.get());
  const auto* query = evhttp_uri_get_query(uri.get());
  const auto port = evhttp_uri_get_port(uri.get());
  const auto is_https = scheme && std::string{scheme} == "https";
  if (!scheme || (!is_https && std::string{scheme} != "http") || !host || *host == '\0' || port == 0
      || port > UINT16_MAX)
    return std::nullopt;
  HttpUrl result{host, static_cast<std::uint16_t>(port < 0 ? is_https ? 443 : 80 : port),
                 path && *path != '\0' ? path : "/", is_https};
  if (query)
    result.path.append("?").append(query);
  return result;
}

std::string to_string(const HttpUrl& url) {
  return (url.is_https ? "https://" : "http://") + url.host + ":" + std::to_string(url.port)
         + url.path;
}

struct HttpCaller::Call {
  struct Free {
    void operator()(evhttp_connection* x) const { evhttp_connection_free(x); }
  };

  Call(HttpCaller& the_owner, Done to_be_told)
    : owner(the_owner), done(std::move(to_be_told)), begun(EventLoop::now()),
      timer(the_owner.loop_, [this] {
        owner.end(*this, could_begin ? CallResult::Kind::timedout : CallResult::Kind::failed, 0);
      }) {}

  HttpCaller& owner;
  Done done; // empty once it was told
  backoff_actor::Instant begun;
  bool could_begin = true;
  std::string error;                       // empty: not known yet
  std::string tls_problem;                 // empty: TLS has not failed
  bufferevent_event_cb on_event = nullptr; // evhttp's own, and its argument
  void* on_event_argument = nullptr;
  LoopEvent timer;
  std::unique_ptr<evhttp_connection, Free> connection;
  Calls::iterator place;
};

HttpCaller::HttpCaller(EventLoop& loop, const HttpUrl& url, backoff_actor::Duration timeout,
                       HttpCallerOptions options)
  : loop_(loop), host_header_(url.host + ":" + std::to_string(url.port)),
    options_(std::move(options)), port_(url.port), path_(url.path), timeout_(timeout),
    free_ended_(loop, [this] { ended_.clear(); }) {
  if (options_.address.empty())
    options_.address = address_of(url.host);
}

HttpCaller::~HttpCaller() = default;

void HttpCaller::call(Done done) {
  auto& call = open_.emplace_back(*this, std::move(done));
  call.place = std::prev(open_.end());
  call.timer.in(timeout_);
  // Without a bufferevent, evhttp makes that of a plain socket.
  call.connection.reset(evhttp_connection_base_bufferevent_new(
    loop_.base(), nullptr,
    options_.make_tls ? options_.make_tls(loop_.base(), call.tls_problem) : nullptr,
    options_.address.c_str(), port_));
  auto* request = evhttp_request_new(&HttpCaller::on_answer, &call);
  if (!call.connection || !request)
    throw std::bad_alloc{};
  evhttp_request_set_error_cb(request, &HttpCaller::on_error);
  evhttp_connection_set_timeout(call.connection.get(), longest_connection_s);
  if (options_.longest_body)
    evhttp_connection_set_max_body_size(call.connection.get(),
                                        static_cast<ev_ssize_t>(*options_.longest_body));
  auto* headers = evhttp_request_get_output_headers(request);
  evhttp_add_header(headers, "Host", host_header_.c_str());
  evhttp_add_header(headers, "Connection", "close");
  // Where no connection can be begun, evhttp frees the request. The call fails when its timer says
  // so: at once.
  EVUTIL_SET_SOCKET_ERROR(0);
  if (evhttp_make_request(call.connection.get(), request, EVHTTP_REQ_GET, path_.c_str()) != 0) {
    call.error = socket_error();
    call.could_begin = false;
    call.timer.soon();
    return;
  }
  if (EVUTIL_SOCKET_ERROR() == ECONNREFUSED) // at once, as on the same machine
    call.error = socket_error();
  watch_connecting(call);
}

// What evhttp tells while it connects goes through here, for it does not keep why it could not.
void HttpCaller::watch_connecting(Call& call) {
  auto* const buffer = evhttp_connection_get_bufferevent(call.connection.get());
  bufferevent_data_cb read = nullptr;
  bufferevent_data_cb write = nullptr;
  bufferevent_getcb(buffer, &read, &write, &call.on_event, &call.on_event_argument);
  bufferevent_setcb(buffer, read, write, &HttpCaller::on_connecting, &call);
}

void HttpCaller::on_connecting(bufferevent* buffer, short events, void* call) {
  auto& its_call = *static_cast<Call*>(call);
  if ((events & BEV_EVENT_ERROR) != 0 && its_call.error.empty())
    its_call.error = socket_error();
  its_call.on_event(buffer, events, its_call.on_event_argument);
}

// Called before `on_answer`, but not if there was no connection.
void HttpCaller::on_error(evhttp_request_error error, void* call) {
  static_cast<Call*>(call)->error = error_text(error);
}

void HttpCaller::on_answer(evhttp_request* request, void* call) {
  const auto status = request ? evhttp_request_get_response_code(request) : 0;
  auto& its_call = *static_cast<Call*>(call);
  its_call.owner.end(its_call, status != 0 ? CallResult::Kind::answered : CallResult::Kind::failed,
                     status,
                     request && its_call.owner.options_.longest_body ? body_of(request) : "");
}

void HttpCaller::end(Call& call, CallResult::Kind kind, int status, std::string body) {
  if (!call.done)
    return;
  const auto done = std::exchange(call.done, nullptr);
  call.timer.cancel();
  ended_.splice(ended_.end(), open_, call.place);
  free_ended_.soon();
  CallResult result{kind, status, EventLoop::now() - call.begun, {}, std::move(body)};
  if (kind == CallResult::Kind::failed) {
    result.is_by_tls = !call.tls_problem.empty();
    result.error = result.is_by_tls ? call.tls_problem : call.error;
  }
  done(result);
}

} // namespace backoffctl
