// Whatever the head of a request is: its answer is one answer of HTTP with all of its body, or
// none. Only a request with the token, of no other site, reaches a sender. The first byte says
// whether the pages are served by TLS to the network, or to this machine alone.

#include "require.hpp"

#include "backoff_actor/sinks/internal/observatory_state.hpp"
#include "backoff_actor/web/internal/host_check.hpp"
#include "backoff_actor/web/internal/web_pages.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace backoff_actor;
using namespace std::chrono_literals;

constexpr std::string_view token = "0123456789abcdef";
constexpr std::string_view end_of_head = "\r\n\r\n";

// What has reached a sender or a guard.
struct Reached {
  int looks = 0; // at dead letters
  int deeds = 0; // whatever else
};

class Sender final : public detail::Operable {
public:
  explicit Sender(Reached& reached) : reached_(reached) {}

  OperatorOutcome act(OperatorAction) override { return done(0); }
  Letters letters(std::uint64_t, std::size_t) override {
    ++reached_.looks;
    return {{one()}, 1};
  }
  std::optional<KeptLetter> letter(std::uint64_t) override {
    ++reached_.looks;
    return one();
  }
  OperatorOutcome resubmit(std::span<const std::uint64_t> ids) override { return done(ids.size()); }
  OperatorOutcome remove(std::span<const std::uint64_t> ids) override { return done(ids.size()); }
  void end() override {}

private:
  static KeptLetter one() {
    KeptLetter letter;
    letter.id = 7;
    letter.cause = "cannot parse \"poison\"\r\n1";
    letter.message = std::string(3'000, 'x');
    return letter;
  }

  OperatorOutcome done(std::size_t letters) {
    ++reached_.deeds;
    return {OperatorOutcome::Result::done, letters, "mail#5: running"};
  }

  Reached& reached_;
};

class Breaker final : public detail::ClosableGuard {
public:
  explicit Breaker(Reached& reached) : reached_(reached) {}
  bool close_by_hand() override {
    ++reached_.deeds;
    return true;
  }

private:
  Reached& reached_;
};

// Pages of an observatory that sees two senders, a supervisor and a guard.
class Site {
public:
  explicit Site(bool has_tls) : options_(options_for(has_tls)), hosts_(options_, !has_tls) {
    SenderGlance glance;
    glance.phase = Phase::waiting;
    glance.owed = 3;
    glance.oldest_since = {1s};
    orders_.publish(glance, {2s});
    orders_.note_cause("connection\r\n\r\nrefused <b>", {2s});
    shop_.add_child(5);
    observatory_.state()->add_closable_guard("payments", guard_);
  }

  const web::WebPages& pages() const { return pages_; }
  bool allows(std::string_view host) const { return hosts_.allows(host); }
  bool has_tls() const { return options_.tls.has_value(); }

  Reached reached{};

private:
  static WebOptions options_for(bool has_tls) {
    WebOptions result;
    result.token = token;
    result.allowed_hosts = {"pages.example", "2001:db8::1"};
    result.more_metrics = [] { return std::string{"more 1"}; };
    result.on_action = [](const OperatorEvent& event) {
      require(to_string(event).find_first_of("\r\n") == std::string::npos,
              "an event has two lines");
    };
    if (has_tls) {
      result.address = "0.0.0.0";
      result.tls.emplace();
    }
    return result;
  }

  const WebOptions options_;
  const Observatory observatory_;
  const web::HostCheck hosts_;
  const web::WebPages pages_{observatory_, options_, hosts_};
  detail::SenderSeat mail_{observatory_.state()->senders("mail"),
                           5,
                           {[](void* reached_here) -> std::shared_ptr<detail::Operable> {
                              return std::make_shared<Sender>(*static_cast<Reached*>(reached_here));
                            },
                            &reached}};
  detail::SenderSeat orders_{observatory_.state()->senders("orders"), 6};
  detail::SupervisorSeat shop_{observatory_.state()->supervisors("shop"),
                               observatory_.state()->families(), ActorName{"shop", 4}};
  detail::GuardSeat seat_of_guard_{observatory_.state()->guards("payments"), GuardStatus{}, {}};
  const std::shared_ptr<Breaker> guard_ = std::make_shared<Breaker>(reached);
};

std::string lower(std::string_view text) {
  std::string result{text};
  for (auto& c : result)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

// The values of all lines of a head with this name, without spaces around them. A line without a
// value is not there.
std::vector<std::string> values(std::string_view head, std::string_view name) {
  std::vector<std::string> result;
  for (auto end = head.find("\r\n"); end != head.npos; end = head.find("\r\n")) {
    const auto line = head.substr(0, end);
    head.remove_prefix(end + 2);
    if (line.size() <= name.size() || lower(line.substr(0, name.size())) != name
        || line[name.size()] != ':')
      continue;
    auto value = line.substr(name.size() + 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    value = value.substr(0, value.find_last_not_of(" \t") + 1);
    if (!value.empty())
      result.emplace_back(value);
  }
  return result;
}

// Returns the status; nothing: there is no answer.
std::optional<int> inspect(std::string_view answer, std::string_view request) {
  if (answer.empty())
    return std::nullopt;
  require(answer.starts_with("HTTP/1.1 ") && answer.size() > 13 && answer[12] == ' ',
          "it is no answer of HTTP");
  int status = 0;
  std::from_chars(answer.data() + 9, answer.data() + 12, status);
  require(status >= 200 && status <= 599, "the status is none");
  const auto end = answer.find(end_of_head);
  require(end != answer.npos, "the head has no end");
  const auto head = answer.substr(0, end + 2);
  for (std::size_t i = 0; i != head.size(); ++i)
    require((head[i] != '\r' || head[i + 1] == '\n') && (head[i] != '\n' || head[i - 1] == '\r'),
            "a line has another end");
  const auto body = answer.substr(end + end_of_head.size());
  const auto sizes = values(head, "content-length");
  require(sizes.size() == 1 && values(head, "transfer-encoding").empty(),
          "the body has no size, or several");
  const auto is_whole = std::to_string(body.size()) == sizes[0];
  if (request.starts_with("HEAD ") && status != 400)
    require(body.empty(), "an answer to HEAD has a body");
  else // a request that is none may be one for HEAD
    require(is_whole || (request.starts_with("HEAD") && body.empty()), "a body is not whole");
  require(values(head, "cache-control") == std::vector<std::string>{"no-store"}
            && values(head, "x-content-type-options") == std::vector<std::string>{"nosniff"}
            && values(head, "content-type").size() == 1 && values(head, "location").empty(),
          "it has not the headers of every answer");
  return status;
}

// As `values`; the host of an address in full counts.
std::vector<std::string> hosts_of(std::string_view head) {
  auto result = values(head, "host");
  const auto target = head.substr(std::min(head.find(' '), head.size() - 1) + 1);
  const auto scheme = lower(target.substr(0, 8));
  const std::size_t size = scheme == "https://" ? 8 : scheme.starts_with("http://") ? 7 : 0;
  const auto host = target.substr(size, target.substr(size).find_first_of("/?# "));
  if (size != 0 && !host.empty() && result.size() <= 1)
    result = {std::string{host}};
  return result;
}

bool is_of_this_site(const Site& site, std::string_view head) {
  const auto sites = values(head, "sec-fetch-site");
  const auto origins = values(head, "origin");
  const auto hosts = hosts_of(head);
  const auto host = hosts.empty() ? std::string{} : hosts[0];
  return sites.size() <= 1 && origins.size() <= 1
         && (sites.empty() || sites[0] == "same-origin" || sites[0] == "none")
         && (origins.empty() || origins[0] == "https://" + host
             || (!site.has_tls() && origins[0] == "http://" + host));
}

void ask(Site& site, std::string_view head) {
  using Way = web::WebPages::Way;
  site.reached = {};
  const auto way = web::WebPages::way_of(head);
  const auto status = inspect(site.pages().answer(head), head);
  const auto is_good = status && *status < 300;
  const auto hosts = hosts_of(head);
  if (is_good)
    require(hosts.size() <= 1 && (hosts.empty() || site.allows(hosts[0])),
            "a client of another host is served");
  const auto is_deed = site.reached.deeds != 0 || (is_good && head.starts_with("POST "));
  if (is_deed || site.reached.looks != 0) {
    const auto given = values(head, "authorization");
    require(given == std::vector{"Bearer " + std::string{token}},
            "something is done without the token");
    require(values(head, "x-operator").size() == 1, "something is done by nobody");
    require(is_of_this_site(site, head), "something is done for another site");
    require(way == Way::by_actor, "others wait for an action");
    require(!is_deed || head.starts_with("POST "), "something is done without POST");
  }
  if (way != Way::as_stream)
    return;
  const auto refusal = site.pages().refusal_of_stream(head, true);
  require(refusal.empty() == (status == 200), "the stream is refused, or not, unlike the page");
  require(!site.pages().refusal_of_stream(head, false).empty(), "there is no room, and no refusal");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Site here{false};
  static Site network{true};
  if (size == 0)
    return 0;
  std::string head{data + 1, data + size};
  head = head.substr(0, head.find(end_of_head)).append(end_of_head);
  ask(data[0] % 2 == 0 ? here : network, head);
  return 0;
}
