#include "top_source.hpp"

#include "backoff_actor/net/internal/socket.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

constexpr auto patience = 5s;
constexpr std::size_t longest_page = 64u << 20;

} // namespace

std::optional<HttpUrl> parse_status_url(const std::string& given) {
  auto url = parse_http_url(given.find("://") == std::string::npos ? "http://" + given : given);
  if (!url || url->path.find('?') != std::string::npos)
    return std::nullopt;
  while (url->path.ends_with('/'))
    url->path.pop_back();
  if (!url->path.ends_with("/status"))
    url->path += "/status";
  return url;
}

std::string host_of(const HttpUrl& url) {
  const auto& host = url.host;
  return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

TopAnswer answer_of(const HttpUrl& url, const CallResult& result) {
  const auto address = to_string(url);
  const auto trouble = [&](const std::string& text) { return TopAnswer{{}, {}, address + text}; };
  switch (result.kind) {
  case CallResult::Kind::failed:
    return trouble(
      ": " + result.error
      + (result.is_by_tls ? "" : "; does the program run, and does its WebServer listen there?"));
  case CallResult::Kind::timedout:
    return trouble(std::string{": no answer within 5 s"}
                   + (url.is_https ? "; if it has no TLS, begin with http" : ""));
  case CallResult::Kind::answered:
    break;
  }
  if (result.status == 400 && !url.is_https
      && result.body.find("begin with https") != std::string::npos)
    return trouble(": its pages are encrypted; begin with https");
  if (result.status == 403)
    return trouble(" refuses the host name " + url.host
                   + " (403); use 127.0.0.1, or add the name to WebOptions::allowed_hosts");
  if (result.status == 404)
    return trouble(": there is no such page (404); is this the WebServer of a program with "
                   "backoff_actor?");
  if (result.status != 200)
    return trouble(" answers " + std::to_string(result.status) + " instead of 200");
  try {
    return {result.body, read_status(result.body), {}};
  } catch (const std::runtime_error& error) {
    return trouble(std::string{" is not the status of a program with backoff_actor: "}
                   + error.what());
  }
}

TopSource::TopSource(EventLoop& loop, const HttpUrl& url, const MakeTls& make_tls) : url_(url) {
  const auto found = backoff_actor::net::resolve(host_of(url), 0);
  if (found.addresses.empty())
    throw std::runtime_error{"cannot find the host " + url.host + ": " + found.error};
  for (const auto& address : found.addresses)
    callers_.push_back(std::make_unique<HttpCaller>(
      loop, url, patience, HttpCallerOptions{address.host(), longest_page, make_tls}));
}

void TopSource::ask(Done done) {
  done_ = std::move(done);
  ask_from(0);
}

void TopSource::ask_from(std::size_t tried) {
  callers_[next_]->call([this, tried](const CallResult& result) {
    if (result.kind == CallResult::Kind::failed && !result.is_by_tls
        && tried + 1 < callers_.size()) {
      next_ = (next_ + 1) % callers_.size();
      ask_from(tried + 1);
      return;
    }
    const auto done = std::exchange(done_, nullptr);
    done(answer_of(url_, result));
  });
}

} // namespace backoffctl
