#include "live.hpp"
#include "process.hpp"

#include "backoffctl/common/commands.hpp"
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
#include <csignal>
#include <iostream>
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
  nlohmann::ordered_json json{
    {"clock_s", clock_s},
    {"span_s", span_s},
    {"attempts", counts.attempts},
    {"ok", counts.ok},
    {"errors", counts.errors},
    {"timedout", counts.timedout},
    {"latency_mean_s",
     counts.ok == 0 ? 0.0 : seconds_of(counts.latency_sum) / static_cast<double>(counts.ok)},
    {"latency_max_s", seconds_of(counts.latency_max)},
    {"error",
     counts.errors == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(counts.main_cause())}};
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

// -- the command --------------------------------------------------------------------------

namespace {

constexpr auto load_description =
  R"(Runs a thousand real HTTP clients that retry.

Each client thinks for a while and then calls the server. It retries after a delay as long as the
call fails, gets an answer other than 2xx, or gets none within --timeout. Each call uses a new
connection. All clients run in one process and one thread; with --client sender each is an actor
that gives its calls to a BackOffSender. Every five seconds load prints how many calls per second
were answered, failed and timed out. If calls fail, it says on stderr why most of them do. Ctrl-C
ends it. It is the client of "Exponential Backoff or how not to bring down the server" (smira,
2013).
)";

constexpr auto load_footer = R"(
Examples:
  backoffctl load
      the clients of the article, which retry every 100 ms
  backoffctl load --policy smira_as_shipped
      the same with the exponential backoff of the article's program
  backoffctl load --policy 'exponential(100ms, x2, cap 30s) | full_jitter' --guard circuit_breaker
      a backoff with jitter, and a circuit breaker that all clients share
  backoffctl load --client sender --policy 'exponential(100ms, x2, cap 30s) | full_jitter' --json
      a thousand BackOffSenders, for programs

Keys of the JSON, one object a line:
  clock_s   the machine's clock CLOCK_MONOTONIC, in seconds
  span_s    the length of the period that the line covers, in seconds
  attempts  calls that began
  ok, errors, timedout
            calls that were answered, failed and timed out
  latency_mean_s, latency_max_s
            how long the answered calls took, in seconds
  error     why most of the failed calls failed; null if none did

Exit codes:
  0    after --duration
  1    failed, for example because the process cannot open enough files
  2    bad input; nothing was done
  130  ended by Ctrl-C (143: by SIGTERM)
)";

// `OK: 98.00 req/sec, errors: 0.00 req/sec, timedout: 0.00 req/sec`, as the article's program.
std::string client_line(const CallCounts& counts, double span_s) {
  const auto rate = [&](std::uint64_t count) {
    return fixed(static_cast<double>(count) / span_s, 2) + " req/sec";
  };
  return "OK: " + rate(counts.ok) + ", errors: " + rate(counts.errors)
         + ", timedout: " + rate(counts.timedout);
}

class LoadCommand final : public Command {
public:
  explicit LoadCommand(CLI::App& program)
    : Command(program, "load", load_description, load_footer), options_(live_options()) {
    declare_live_clients(*this, options_);
    add_flag(
      "--url",
      [this](const auto& flag, const std::string& given, Problems& problems) {
        if (const auto url = parse_http_url(given); url && !url->is_https)
          url_ = *url;
        else
          problems.add(flag, quoted(given), "a URL such as http://127.0.0.1:8070/api");
      },
      "URL", "the URL to call; default http://127.0.0.1:8070/api");
    add_flag("--every", span(every_, 10ms, 24h), "SPAN",
             "time from one line to the next, 10ms..24h; default 5s");
    add_flag("--duration", span(duration_, 1ms, 24h), "SPAN",
             "end after this time, 1ms..24h; default never");
    add_switch("--json", json_, "print JSON, one object per line, instead of text");
  }

  std::string run() override {
    std::signal(SIGPIPE, SIG_IGN);
    allow_files_of_clients(options_.clients);
    EventLoop loop;
    const EndOnSignal end{loop};
    if (!json_)
      std::cerr << "backoffctl: " << options_.clients << " clients call " << to_string(url_)
                << ", Ctrl-C ends them\n";
    Load load{loop, options_, url_};
    const Reports reports{loop, every_, duration_, [&](double clock_s, double span_s) {
                            tell(load.take(), clock_s, span_s);
                          }};
    loop.run();
    exit_code_ = end.exit_code();
    return {};
  }

private:
  void check(Problems& problems) override { check_live_clients(options_, problems); }

  // On stderr, where the calls fail, whenever the main cause is another than at the last report.
  void tell_cause(const std::string& cause) {
    if (!cause.empty() && cause != told_cause_)
      std::cerr << "backoffctl: calls to " << to_string(url_) << " fail: " << cause << '\n';
    told_cause_ = cause;
  }

  void tell(const CallCounts& counts, double clock_s, double span_s) {
    if (!json_)
      tell_cause(counts.main_cause());
    print_line(json_ ? counts_json(counts, clock_s, span_s) : client_line(counts, span_s));
  }

  backoff_actor::OutageOptions options_;
  HttpUrl url_{"127.0.0.1", 8070, "/api"};
  backoff_actor::Duration every_ = 5s;
  std::optional<backoff_actor::Duration> duration_;
  bool json_ = false;
  std::string told_cause_;
};

} // namespace

void add_load_command(CLI::App& program, Commands& commands) {
  add_command<LoadCommand>(program, commands);
}

} // namespace backoffctl
