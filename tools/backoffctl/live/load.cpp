#include "live.hpp"

#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/common/policy_flags.hpp"
#include "backoffctl/text/number_text.hpp"

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/guard/internal/guard.hpp"
#include "backoff_actor/lab/simulation/internal/exponential_number.hpp"
#include "backoff_actor/lab/simulation/internal/retrying_clients.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <vector>

namespace backoffctl {

using namespace std::chrono_literals;
using namespace backoff_actor;

namespace {

// The clients of the simulation, in real time.
class RetryClients final : OutageWorld {
public:
  RetryClients(EventLoop& loop, const OutageOptions& options, const CountedCall& make_call)
    : options_(options), call_(make_call),
      clients_(make_retrying_clients(options, guards_of(options), *this)) {
    states_.reserve(options.clients);
    for (std::uint32_t i = 0; i < options.clients; ++i) {
      states_.push_back(std::make_unique<State>(loop, [this, i] { wake(i); }));
      think(i);
    }
  }

private:
  struct State {
    State(EventLoop& loop, LoopEvent::Callback wake) : timer(loop, std::move(wake)) {}

    LoopEvent timer;
    Duration thought{0};
    std::uint64_t thoughts = 0;
    bool is_thinking = false;
  };

  static OutageGuards guards_of(const OutageOptions& options) {
    if (options.guard.empty())
      return {};
    return {std::make_shared<Guard>(options.guard, options.seed)};
  }

  void call(std::uint32_t client) override {
    call_([this, client](bool is_ok) {
      if (is_ok)
        clients_->answered(client, EventLoop::now());
      else
        clients_->timed_out(client, EventLoop::now());
    });
  }

  void think(std::uint32_t client) override {
    auto& state = *states_[client];
    state.thought = think_time(options_, client, state.thoughts++);
    state.is_thinking = true;
    state.timer.in(state.thought);
  }

  void give_up(std::uint32_t client) override { think(client); }

  void wake_at(std::uint32_t client, Instant at) override {
    states_[client]->timer.in(at - EventLoop::now());
  }

  void wake(std::uint32_t client) {
    auto& state = *states_[client];
    if (std::exchange(state.is_thinking, false))
      clients_->wants(client, EventLoop::now(), state.thought);
    else
      clients_->woken(client, EventLoop::now());
  }

  const OutageOptions& options_;
  const CountedCall& call_;
  std::vector<std::unique_ptr<State>> states_;
  std::unique_ptr<OutageClients> clients_;
};

} // namespace

Duration think_time(const OutageOptions& options, std::uint32_t client, std::uint64_t n) {
  const auto u = unit_random(options.seed, think_stream(client), n);
  return Duration{static_cast<std::int64_t>(static_cast<double>(options.mean_think.count())
                                            * exponential_number(u))};
}

OutageOptions live_options() {
  OutageOptions result;
  result.policy = Policy{Fixed{100ms}};
  result.warm_up = 15s;
  result.watch = 1min;
  return result;
}

void declare_live_clients(Command& command, OutageOptions& options) {
  command.add_flag("--policy", one<OutagePolicy>(options.policy, outage_policies), "POLICY",
                   "a policy of backoffctl plan --help, or smira_as_shipped;\ndefault "
                   "fixed(100ms)");
  command.add_flag("--guard", one<GuardOptions>(options.guard, guards), "GUARD",
                   "a guard that all clients share, such as\n'circuit_breaker(5 failures, open "
                   "5s)'; default none");
  command.add_flag("--client", client_kind(options.client), "KIND",
                   "retry, or sender: each client is an actor with its own\nBackOffSender; default "
                   "retry");
  declare_clients(command, options, most_live_clients);
}

void check_live_clients(const OutageOptions& options, Problems& problems) {
  if (options.client == OutageClient::sender && !std::holds_alternative<Policy>(options.policy))
    problems.add("--policy", policy_text(options.policy) + " needs --client retry", "");
}

bool CallCounts::add(const CallResult& result) {
  using Kind = CallResult::Kind;
  if (result.kind == Kind::answered && result.status >= 200 && result.status <= 299) {
    ++ok;
    latency_sum += result.latency;
    latency_max = std::max(latency_max, result.latency);
    return true;
  }
  if (result.kind == Kind::timedout) {
    ++timedout;
  } else {
    ++errors;
    ++causes[result.kind == Kind::answered ? "HTTP status " + std::to_string(result.status)
                                           : result.error];
  }
  return false;
}

std::string CallCounts::main_cause() const {
  const auto most = std::max_element(
    causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == causes.end() ? std::string{} : most->first;
}

std::string counts_json(const CallCounts& counts, double clock_s, double span_s) {
  nlohmann::ordered_json json;
  json["clock_s"] = clock_s;
  json["span_s"] = span_s;
  json["attempts"] = counts.attempts;
  json["ok"] = counts.ok;
  json["errors"] = counts.errors;
  json["timedout"] = counts.timedout;
  json["latency_mean_s"] =
    counts.ok == 0 ? 0.0 : seconds_of(counts.latency_sum) / static_cast<double>(counts.ok);
  json["latency_max_s"] = seconds_of(counts.latency_max);
  json["error"] =
    counts.errors == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(counts.main_cause());
  return backoff_actor::detail::plain_json(json.dump());
}

Load::Load(EventLoop& loop, const OutageOptions& options, const HttpUrl& url)
  : options_(options), caller_(loop, url, options.timeout),
    call_([this](std::function<void(bool)> done) {
      ++counts_.attempts;
      caller_.call(
        [this, done = std::move(done)](const CallResult& result) { done(counts_.add(result)); });
    }) {
  if (options_.client == OutageClient::sender)
    clients_ = make_sender_clients(loop, options_, call_);
  else
    clients_ = std::make_shared<RetryClients>(loop, options_, call_);
}

} // namespace backoffctl
