// The only file that reads httplib.h, which takes long to compile.
//
// Of httplib, only its idea of requests, routes and answers is used. Its connections cannot be:
// - Each client takes a thread. It may be silent or slow there for as long as it likes.
// - Lines have any length. A request has any number of headers and ranges.
// - At descriptors from 1024 on, a client gets 500.
// - Some errors of accept(2) end its listener for good.
// So a `WebConnection` receives the head of a request, and httplib reads it from memory.

#include "backoff_actor/web/internal/web_pages.hpp"

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/web/internal/live_page.hpp"
#include "backoff_actor/web/internal/operator_pages.hpp"

#include <algorithm>
#include <csignal>
#include <httplib.h>
#include <initializer_list>
#include <optional>
#include <utility>

namespace backoff_actor::web {

namespace {

constexpr auto plain_text = "text/plain; charset=utf-8";

// The most senders, and the most supervisors, on the page of the status.
constexpr std::size_t most_shown = 100;

constexpr auto stream_of_events = "text/event-stream; charset=utf-8";

constexpr std::string_view too_many_watchers = "HTTP/1.1 503 Service Unavailable\r\n"
                                               "Connection: close\r\n"
                                               "Cache-Control: no-store\r\n"
                                               "Content-Type: text/plain; charset=utf-8\r\n"
                                               "Content-Length: 35\r\n"
                                               "\r\n"
                                               "as many watch already as there may\n";

// A request in memory, and its answer. The functions have no `override`: each is one in some
// versions of httplib.
class Exchange final : public httplib::Stream {
public:
  explicit Exchange(std::string_view request) : request_(request) {}

  bool is_readable() const { return true; }
  bool is_writable() const { return true; }
  bool wait_readable() const { return true; }
  bool wait_writable() const { return true; }
  void get_remote_ip_and_port(std::string&, int&) const {}
  void get_local_ip_and_port(std::string&, int&) const {}
  socket_t socket() const { return INVALID_SOCKET; }
  time_t duration() const { return 0; }

  ssize_t read(char* bytes, std::size_t size) {
    const auto count = request_.copy(bytes, size);
    request_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* bytes, std::size_t size) {
    answer_.append(bytes, size);
    return static_cast<ssize_t>(size);
  }

  std::string take_answer() { return std::move(answer_); }

private:
  std::string_view request_; // the rest
  std::string answer_;
};

// Makes the handler of SIGPIPE what it was: httplib sets it for the whole process.
class KeptHandler {
public:
  KeptHandler() { sigaction(SIGPIPE, nullptr, &before_); }
  KeptHandler(const KeptHandler&) = delete;
  KeptHandler& operator=(const KeptHandler&) = delete;
  ~KeptHandler() { sigaction(SIGPIPE, &before_, nullptr); }

private:
  struct sigaction before_ {};
};

bool begins_with(std::string_view line, std::string_view name) {
  return line.size() >= name.size()
         && std::ranges::equal(line.substr(0, name.size()), name, [](char a, char b) {
              return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
            });
}

bool is_line_of_interest(std::string_view line) {
  return std::ranges::any_of(
    std::initializer_list<std::string_view>{
      "host:", "authorization:", "x-operator:", "origin:", "sec-fetch-site:"},
    [line](std::string_view name) { return begins_with(line, name); });
}

// Whether httplib sees the same lines as `essence_of`. For httplib a line feed alone ends one, too:
// what is behind it would be a further header. A value ends at a zero.
bool has_whole_lines(std::string_view head) {
  constexpr std::string_view marks{"\r\n\0", 3};
  for (auto at = head.find_first_of(marks); at != head.npos; at = head.find_first_of(marks, at + 2))
    if (!head.substr(at).starts_with("\r\n"))
      return false;
  return true;
}

// The text with each `old_part` replaced.
std::string replaced(std::string_view text, std::string_view old_part, std::string_view new_part) {
  std::string result;
  for (auto at = text.find(old_part); at != text.npos; at = text.find(old_part)) {
    result.append(text.substr(0, at)).append(new_part);
    text.remove_prefix(at + old_part.size());
  }
  return result.append(text);
}

// Some versions of httplib take %41 in a header for A. So each % is escaped, and one header has
// nothing else: it shows whether they have taken that back.
constexpr std::string_view escaped = "%25";
constexpr auto witness = "X-Escaped";

std::string value_of(const httplib::Request& request, const char* header) {
  const auto result = request.get_header_value(header);
  return request.get_header_value(witness) == escaped ? replaced(result, escaped, "%") : result;
}

// The first line of a head, and what says the host and who asks. Nothing that could make httplib
// work more: ranges, expectations, compression.
std::string essence_of(std::string_view head) {
  if (!has_whole_lines(head))
    return "\r\n\r\n"; // no request
  std::string result;
  for (auto is_first = true; !head.empty(); is_first = false) {
    const auto size = std::min(head.find("\r\n"), head.size() - 2) + 2;
    const auto line = head.substr(0, size);
    if (is_first)
      result += line;
    else if (is_line_of_interest(line))
      result += replaced(line, "%", escaped);
    head.remove_prefix(size);
  }
  return result.append(witness).append(": ").append(escaped).append("\r\n\r\n");
}

void ensure_line_end(std::string& text) {
  if (!text.empty() && !text.ends_with('\n'))
    text += '\n';
}

bool is_method(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

} // namespace

class WebPages::Server : public httplib::Server {
public:
  using Request = httplib::Request;
  using Response = httplib::Response;

  Server(const Observatory& observatory, const WebOptions& options, HostCheck hosts)
    : observatory_(observatory), more_metrics_(options.more_metrics), hosts_(std::move(hosts)) {
    if (!options.token.empty())
      operator_pages_.emplace(observatory, options);
    // A page is for now, is never taken for another type, and has no parts.
    set_default_headers({{"Cache-Control", "no-store"},
                         {"X-Content-Type-Options", "nosniff"},
                         {"Accept-Ranges", "none"}});
    set_pre_routing_handler([this](const Request& request, Response& response) {
      return is_refused(request, response) ? HandlerResponse::Handled : HandlerResponse::Unhandled;
    });
    Get("/", [this](const Request&, Response& response) {
      show_live_page(response, operator_pages_.has_value());
    });
    if (operator_pages_)
      add_operator_pages();
    Get("/events",
        [](const Request&, Response& response) { show(response, {}, stream_of_events); });
    Get("/metrics", [this](const Request&, Response& response) {
      show(response, metrics(), "text/plain; version=0.0.4; charset=utf-8");
    });
    Get("/healthz",
        [this](const Request&, Response& response) { tell(response, observatory_.liveness()); });
    Get("/readyz",
        [this](const Request&, Response& response) { tell(response, observatory_.readiness()); });
    Get("/status", [this](const Request&, Response& response) {
      show(response, to_json(observatory_.status(most_shown)) + "\n", "application/json");
    });
    set_exception_handler(
      [](const Request&, Response& response, auto&&) { response.status = 500; });
    set_error_handler(
      Handler{[](const Request& request, Response& response) { explain(request, response); }});
  }

  void answer_to(Exchange& exchange) { process(*this, exchange); }

private:
  // Later versions are told the addresses of both ends, too. It is a template so that only what
  // there is needs to compile.
  template <class Self>
  static void process(Self& self, Exchange& exchange) {
    auto is_closed = true;
    if constexpr (requires { self.process_request(exchange, true, is_closed, nullptr); })
      self.process_request(exchange, true, is_closed, nullptr);
    else
      self.process_request(exchange, "", 0, "", 0, true, is_closed, nullptr);
  }

  bool is_refused(const Request& request, Response& response) const {
    const auto count = request.get_header_value_count("Host");
    const auto host = value_of(request, "Host");
    if (count > 1 || (count == 1 && !hosts_.allows(host))) {
      response.status = 403;
      show(response, "these pages are not for clients that call this host "
                       + detail::json_string(host)
                       + "; if it is yours, add it to WebOptions::allowed_hosts\n");
      return true;
    }
    // No name of a page has an escape. Under another spelling, a page would be none of those that
    // `is_action` and the like know.
    if (request.target.substr(0, request.target.find('?')).find('%') != std::string::npos) {
      response.status = 404;
      return true;
    }
    if (request.method == "GET" || request.method == "HEAD")
      return false;
    if (request.method == "POST" && request.path.starts_with("/act/"))
      return false; // without a token there is no such page
    response.status = 405;
    return true;
  }

  // Unlike `set_content`, it does not copy the text.
  static void show(Response& response, std::string text, const char* type = plain_text) {
    response.body = std::move(text);
    response.set_header("Content-Type", type);
  }

  void add_operator_pages() {
    Get("/letters", [this](const Request& request, Response& response) {
      show(response, operator_pages_->letters(operator_request(request)));
    });
    Post("/act/[a-z_]+", [this](const Request& request, Response& response) {
      show(response, operator_pages_->act(operator_request(request)));
    });
  }

  // A header that is there twice counts as missing.
  static OperatorRequest operator_request(const Request& request) {
    const auto header = [&](const char* name) {
      return request.get_header_value_count(name) == 1 ? value_of(request, name) : std::string{};
    };
    OperatorRequest result{request.path,
                           {},
                           header("Host"),
                           header("Authorization"),
                           header("X-Operator"),
                           header("Origin"),
                           header("Sec-Fetch-Site")};
    if (request.get_header_value_count("Origin") > 1
        || request.get_header_value_count("Sec-Fetch-Site") > 1)
      result.fetch_site = "several";
    for (const auto& [name, value] : request.params)
      result.query.emplace(name, value);
    return result;
  }

  static void show(Response& response, OperatorAnswer answer) {
    response.status = answer.status;
    if (answer.status == 401)
      response.set_header("WWW-Authenticate", "Bearer");
    show(response, std::move(answer.text), answer.is_json ? "application/json" : plain_text);
  }

  static void show_live_page(Response& response, bool can_act) {
    const auto nonce = new_nonce();
    response.set_header("Content-Security-Policy", policy_of_live_page(nonce));
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_header("X-Frame-Options", "DENY");
    show(response, live_page(nonce, can_act), "text/html; charset=utf-8");
  }

  // Says what is wrong, if no page has.
  static void explain(const Request& request, Response& response) {
    // httplib takes a method that it does not know for a malformed request.
    if (response.status == 400 && response.body.empty() && request.version.starts_with("HTTP/1.")
        && is_method(request.method) && request.method != "GET" && request.method != "HEAD")
      response.status = 405;
    if (response.status == 405)
      response.set_header("Allow", "GET, HEAD");
    if (response.body.empty())
      show(response, text_of(response.status));
  }

  static std::string text_of(int status) {
    switch (status) {
    case 400:
      return "this is no request of HTTP/1.1 or HTTP/1.0\n";
    case 404:
      return "there is no such page; / names those that there are\n";
    case 405:
      return "the methods are GET and HEAD\n";
    case 414:
      return "the address of the page is too long\n";
    default:
      return "the page could not be made\n";
    }
  }

  static void tell(Response& response, ProbeAnswer answer) {
    ensure_line_end(answer.text);
    response.status = answer.is_ok ? 200 : 503;
    show(response, std::move(answer.text));
  }

  std::string metrics() const {
    auto text = to_exposition(observatory_.metrics());
    ensure_line_end(text);
    if (more_metrics_) {
      try {
        text += more_metrics_();
        ensure_line_end(text);
      } catch (...) { // the others are shown without them
      }
    }
    return text;
  }

  const Observatory observatory_;
  const std::function<std::string()> more_metrics_;
  const HostCheck hosts_;
  std::optional<OperatorPages> operator_pages_{}; // none: there is no token
};

WebPages::WebPages(const Observatory& observatory, const WebOptions& options, HostCheck hosts) {
  const KeptHandler sigpipe;
  server_ = std::make_unique<Server>(observatory, options, std::move(hosts));
}

WebPages::~WebPages() = default;

std::string WebPages::in_origin_form(std::string head) {
  std::string_view rest = head;
  const auto take_line = [&rest] {
    const auto line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(std::min(rest.size(), line.size() + 2));
    return line;
  };
  const auto first = take_line();
  const auto method = first.substr(0, first.find(' '));
  auto target = first.substr(std::min(first.size(), method.size() + 1));
  const std::string_view scheme = begins_with(target, "http://")    ? "http://"
                                  : begins_with(target, "https://") ? "https://"
                                                                    : "";
  target.remove_prefix(scheme.size());
  const auto host = target.substr(0, target.find_first_of("/?# "));
  if (scheme.empty() || host.empty())
    return head;
  target.remove_prefix(host.size());
  std::string others;
  std::string hosts;
  auto count = 0;
  while (!rest.empty()) {
    const auto line = take_line();
    const auto is_host = begins_with(line, "host:");
    count += is_host ? 1 : 0;
    (is_host ? hosts : others).append(line).append("\r\n");
  }
  std::string result{method};
  result.append(target.starts_with('/') ? " " : " /").append(target).append("\r\n");
  if (count > 1) // it is refused, as it would be without the address
    result += hosts;
  return result.append("Host: ").append(host).append("\r\n").append(others);
}

std::string WebPages::answer(std::string_view head) const noexcept try {
  const auto request = essence_of(head);
  Exchange exchange{request};
  server_->answer_to(exchange);
  return exchange.take_answer();
} catch (...) { // no memory is left
  return {};
}

bool WebPages::is_action(std::string_view head) {
  return head.starts_with("POST /act/") || head.starts_with("GET /letters")
         || head.starts_with("HEAD /letters");
}

bool WebPages::is_stream(std::string_view head) {
  return head.starts_with("GET /events ") || head.starts_with("GET /events?");
}

std::string WebPages::refusal_of_stream(std::string_view head, bool has_room) const {
  auto text = answer(head);
  if (!text.starts_with("HTTP/1.1 200 "))
    return text.empty() ? std::string{too_many_watchers} : text;
  return has_room ? std::string{} : std::string{too_many_watchers};
}

// A browser that loses the stream comes back after a second.
std::string WebPages::beginning_of_stream() {
  return std::string{"HTTP/1.1 200 OK\r\n"
                     "Connection: close\r\n"
                     "Cache-Control: no-store\r\n"
                     "X-Content-Type-Options: nosniff\r\n"
                     "Content-Type: "}
    .append(stream_of_events)
    .append("\r\n\r\nretry: 1000\n\n");
}

bool WebPages::is_quick(std::string_view head) {
  return std::ranges::any_of(
    std::initializer_list<std::string_view>{"GET /healthz ", "GET /readyz ", "HEAD /healthz ",
                                            "HEAD /readyz "},
    [head](std::string_view beginning) { return head.starts_with(beginning); });
}

} // namespace backoff_actor::web
