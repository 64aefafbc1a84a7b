#include "backoff_actor/web/internal/web_pages.hpp"

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/web/internal/live_page.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor::web {

namespace {

// The most senders, and the most supervisors, on the page of the status.
constexpr std::size_t most_shown = 100;

// The most bytes of the first line of a head, with its end.
constexpr std::size_t longest_first_line = 8192;

// Whether a path has the name of an action at its end.
bool is_action(std::string_view path) {
  return path.starts_with(act_path)
         && std::ranges::all_of(path.substr(act_path.size()),
                                [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

void ensure_line_end(std::string& text) {
  if (!text.empty() && !text.ends_with('\n'))
    text += '\n';
}

WebAnswer answer_of_wrong_method(bool is_action) {
  WebAnswer result{405, is_action ? "the method is POST\n" : "the methods are GET and HEAD\n"};
  result.headers = is_action ? "Allow: POST\r\n" : "Allow: GET, HEAD\r\n";
  return result;
}

WebAnswer answer_of_stream() { return {200, {}, "text/event-stream; charset=utf-8"}; }

WebAnswer answer_of_probe(ProbeAnswer answer) {
  ensure_line_end(answer.text);
  return {answer.is_ok ? 200 : 503, std::move(answer.text)};
}

} // namespace

// A page: how it is asked for, how the answer comes, and what makes it.
struct WebPages::Route {
  std::string_view method; // GET stands for HEAD, too
  std::string_view path;   // `act_path` stands for the addresses of all actions
  Way way;
  WebAnswer (*page)(const WebPages& pages, const WebRequest& request);
};

WebPages::WebPages(const Observatory& observatory, const WebOptions& options, HostCheck hosts)
  : observatory_(observatory), more_metrics_(options.more_metrics), hosts_(std::move(hosts)) {
  if (!options.token.empty())
    operator_pages_.emplace(observatory, options);
}

// The names of the pages have no escapes, so that each has one spelling. No page here asks for the
// token: `OperatorPages::is_refused` does, first thing in both of its pages.
const WebPages::Route* WebPages::route_of(const WebRequest& request) {
  static constexpr Route routes[] = {
    {"GET", "/", Way::in_turn, [](auto& pages, auto&) { return pages.live(); }},
    {"GET", "/events", Way::as_stream, [](auto&, auto&) { return answer_of_stream(); }},
    {"GET", "/metrics", Way::in_turn, [](auto& pages, auto&) { return pages.metrics(); }},
    {"GET", "/status", Way::in_turn, [](auto& pages, auto&) { return pages.status(); }},
    {"GET", "/healthz", Way::at_once,
     [](auto& pages, auto&) { return answer_of_probe(pages.observatory_.liveness()); }},
    {"GET", "/readyz", Way::at_once,
     [](auto& pages, auto&) { return answer_of_probe(pages.observatory_.readiness()); }},
    {"GET", "/letters", Way::by_actor,
     [](auto& pages, auto& x) { return pages.operator_pages_->letters(x); }},
    {"POST", act_path, Way::by_actor,
     [](auto& pages, auto& x) { return pages.operator_pages_->act(x); }},
  };
  const auto method = request.method == "HEAD" ? "GET" : request.method;
  const auto path =
    is_action(request.path) ? request.path.substr(0, act_path.size()) : request.path;
  for (const auto& route : routes)
    if (route.method == method && route.path == path)
      return &route;
  return nullptr;
}

WebPages::Way WebPages::way_of(std::string_view head) {
  const auto request = WebRequest::read(head);
  const auto* const route = request ? route_of(*request) : nullptr;
  const auto has_no_body = head.starts_with("HEAD ");
  return !route || (route->way == Way::as_stream && has_no_body) ? Way::at_once : route->way;
}

std::string WebPages::answer(std::string_view head) const noexcept try {
  const auto has_body = !head.starts_with("HEAD ");
  try {
    return to_http(page(head), has_body);
  } catch (...) {
    return to_http({500, "the page could not be made\n"}, has_body);
  }
} catch (...) { // no memory is left
  return {};
}

WebAnswer WebPages::page(std::string_view head) const {
  if (head.find("\r\n") + 2 > longest_first_line)
    return {414, "the address of the page is too long\n"};
  const auto request = WebRequest::read(head);
  if (!request)
    return {400, "this is no request of HTTP/1.1 or HTTP/1.0\n"};
  if (const auto host = request->host(); !host.empty() && !hosts_.allows(host))
    return {403, "these pages are not for clients that call this host " + detail::json_string(host)
                   + "; if it is yours, add it to WebOptions::allowed_hosts\n"};
  const auto* const route = route_of(*request);
  if (route && (route->way != Way::by_actor || operator_pages_))
    return route->page(*this, *request);
  const auto is_act = request->path.starts_with(act_path);
  const auto is_method =
    request->method == "GET" || request->method == "HEAD" || (request->method == "POST" && is_act);
  if (!is_method && request->path.find('%') == std::string_view::npos)
    return answer_of_wrong_method(is_act && operator_pages_);
  return {404, "there is no such page; / names those that there are\n"};
}

WebAnswer WebPages::live() const {
  const auto nonce = new_nonce();
  return {200, live_page(nonce, operator_pages_.has_value()), "text/html; charset=utf-8",
          "Content-Security-Policy: " + policy_of_live_page(nonce)
            + "\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n"};
}

WebAnswer WebPages::metrics() const {
  auto text = to_exposition(observatory_.metrics());
  ensure_line_end(text);
  if (more_metrics_) {
    try {
      text += more_metrics_();
      ensure_line_end(text);
    } catch (...) { // the others are shown without them
    }
  }
  return {200, std::move(text), "text/plain; version=0.0.4; charset=utf-8"};
}

WebAnswer WebPages::status() const {
  return {200, to_json(observatory_.status(most_shown)) + "\n", json_type};
}

std::string WebPages::refusal_of_stream(std::string_view head, bool has_room) const {
  if (auto text = answer(head); !text.empty() && !text.starts_with("HTTP/1.1 200 "))
    return text;
  return has_room ? std::string{} : to_http({503, "as many watch already as there may\n"});
}

// A browser that loses the stream comes back after a second.
std::string WebPages::beginning_of_stream() {
  return head_of(answer_of_stream()) + "\r\nretry: 1000\n\n";
}

} // namespace backoff_actor::web
