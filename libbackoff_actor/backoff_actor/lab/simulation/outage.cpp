#include "backoff_actor/lab/simulation/internal/outage.hpp"

#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/guard/internal/guard.hpp"
#include "backoff_actor/lab/simulation/internal/event_queue.hpp"
#include "backoff_actor/lab/simulation/internal/exponential_number.hpp"
#include "backoff_actor/lab/simulation/internal/outage_clients.hpp"
#include "backoff_actor/lab/simulation/internal/outage_service.hpp"
#include "backoff_actor/lab/simulation/internal/retrying_clients.hpp"
#include "backoff_actor/lab/simulation/internal/sender_clients.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>

namespace backoff_actor {

namespace {

constexpr std::uint64_t second_us = 1'000'000;
constexpr int client_bits = 20;
static_assert(OutageOptions::most_clients == 1U << client_bits);

Instant instant_of(std::uint64_t at_us) {
  return {std::chrono::microseconds{static_cast<std::int64_t>(at_us)}};
}

// Rounds up to whole seconds.
std::uint64_t whole_seconds_us(std::uint64_t span_us) {
  return (span_us + second_us - 1) / second_us * second_us;
}

double seconds_of(std::uint64_t span_us) { return static_cast<double>(span_us) / 1e6; }

OutageGuards guards_of(const OutageOptions& options) {
  OutageGuards result;
  for (std::uint32_t i = 0; i < (options.guard.empty() ? 0 : options.processes); ++i)
    result.push_back(std::make_shared<Guard>(options.guard, options.seed + i));
  return result;
}

class Outage final : public OutageWorld {
public:
  explicit Outage(const OutageOptions& options)
    : options_(options), timeout_us_(whole_us({options.timeout})),
      stop_us_(whole_us({options.warm_up})), back_us_(stop_us_ + whole_us({options.stop_for})),
      end_us_(whole_seconds_us(back_us_) + whole_us({options.watch})), service_(options),
      states_(options.clients), guards_(guards_of(options)),
      clients_(options.client == OutageClient::sender
                 ? make_sender_clients(options, guards_, *this)
                 : make_retrying_clients(options, guards_, *this)) {}

  OutageResult run(const OutageProgress& progress);

private:
  // The kinds of events. Those of one instant happen in this order.
  enum class Kind : std::uint32_t { wants, wake, connect };

  struct State {
    std::uint64_t called_us = 0;
    std::uint64_t thought_us = 0; // how long it thinks this time
    std::uint32_t thoughts = 0;   // the number of the next draw of a thinking time
    bool calls = false;
    bool is_busy = false;          // it has an unfinished task
    bool waited_when_back = false; // it had that task when the service came back
  };

  struct Deadline {
    std::uint64_t at_us;
    std::uint32_t client;
  };

  void call(std::uint32_t client) override;
  void think(std::uint32_t client) override;
  void give_up(std::uint32_t client) override;
  void wake_at(std::uint32_t client, Instant at) override;

  void schedule(std::uint64_t at_us, Kind kind, std::uint32_t client);
  void connect(std::uint32_t client);
  void happen(EventQueue::Event event);
  void end_first_deadline();
  void tell_answers();
  void stop();
  void go_on();
  void end_second();
  std::uint64_t next_us();
  void run_to(std::uint64_t end_us);
  OutageResult result();

  OutageOptions options_;
  std::uint64_t timeout_us_;
  std::uint64_t stop_us_;
  std::uint64_t back_us_;
  std::uint64_t end_us_;
  std::uint64_t now_us_ = 0;
  std::uint64_t events_ = 0;
  bool is_stopped_ = false;
  EventQueue queue_;
  std::deque<Deadline>
    deadlines_; // of all calls, also answered ones; in order, because all have the same timeout
  OutageService service_;
  std::vector<State> states_;
  std::vector<std::uint32_t> answered_; // kept to reuse its memory
  OutageSecond second_{};               // the current second
  double latencies_s_ = 0;              // the sum of latencies in `second_`
  std::vector<OutageSecond> seconds_;
  std::uint64_t attempts_during_outage_ = 0;
  std::uint64_t lost_before_ = 0;
  std::uint64_t dead_letters_ = 0;
  std::vector<double> waits_s_; // waits after the service came back
  OutageGuards guards_;
  std::unique_ptr<OutageClients> clients_;
};

// -- what clients do ---------------------------------------------------------------------------

void Outage::schedule(std::uint64_t at_us, Kind kind, std::uint32_t client) {
  if (at_us < end_us_)
    queue_.push(at_us, static_cast<std::uint32_t>(kind) << client_bits | client);
}

void Outage::think(std::uint32_t client) {
  auto& state = states_[client];
  const auto x =
    exponential_number(unit_random(options_.seed, think_stream(client), state.thoughts++));
  const auto mean_us = static_cast<double>(options_.mean_think.count()) / 1e3;
  state.thought_us = static_cast<std::uint64_t>(std::ceil(x * mean_us));
  state.is_busy = false;
  schedule(now_us_ + state.thought_us, Kind::wants, client);
}

void Outage::give_up(std::uint32_t client) {
  ++dead_letters_;
  states_[client].waited_when_back = false;
  think(client);
}

void Outage::wake_at(std::uint32_t client, Instant at) {
  schedule(std::max(whole_us(at), now_us_), Kind::wake, client);
}

void Outage::call(std::uint32_t client) {
  auto& state = states_[client];
  state.called_us = now_us_;
  state.calls = true;
  ++second_.attempts;
  if (is_stopped_)
    ++attempts_during_outage_;
  deadlines_.push_back({now_us_ + timeout_us_, client});
  connect(client);
}

// TCP's waits double, from one second on: it tries at 0, 1, 3, 7 ... s.
void Outage::connect(std::uint32_t client) {
  if (service_.connect(now_us_, client))
    return;
  const auto called_us = states_[client].called_us;
  const auto again_us = called_us + 2 * (now_us_ - called_us) + second_us;
  if (again_us < called_us + timeout_us_)
    schedule(again_us, Kind::connect, client);
}

// -- what happens ------------------------------------------------------------------------------

void Outage::happen(EventQueue::Event event) {
  const auto client = event.tag & (OutageOptions::most_clients - 1);
  const auto now = instant_of(now_us_);
  switch (static_cast<Kind>(event.tag >> client_bits)) {
  case Kind::wants: {
    auto& state = states_[client];
    state.is_busy = true;
    clients_->wants(client, now,
                    std::chrono::microseconds{static_cast<std::int64_t>(state.thought_us)});
    break;
  }
  case Kind::wake:
    clients_->woken(client, now);
    break;
  case Kind::connect:
    connect(client);
    break;
  }
}

void Outage::end_first_deadline() {
  const auto deadline = deadlines_.front();
  deadlines_.pop_front();
  auto& state = states_[deadline.client];
  if (!state.calls || state.called_us + timeout_us_ != deadline.at_us)
    return; // it was answered
  state.calls = false;
  ++second_.timed_out;
  service_.leave(deadline.client);
  clients_->timed_out(deadline.client, instant_of(now_us_));
}

void Outage::tell_answers() {
  for (const auto client : answered_) {
    auto& state = states_[client];
    state.calls = false;
    ++second_.ok;
    latencies_s_ += seconds_of(now_us_ - state.called_us);
    if (state.waited_when_back) {
      state.waited_when_back = false;
      waits_s_.push_back(seconds_of(now_us_ - back_us_));
    }
    clients_->answered(client, instant_of(now_us_));
  }
  events_ += answered_.size();
  answered_.clear();
}

void Outage::stop() {
  service_.stop();
  is_stopped_ = true;
  lost_before_ = service_.lost_work();
}

void Outage::go_on() {
  is_stopped_ = false;
  for (auto& state : states_)
    state.waited_when_back = state.is_busy;
  service_.go_on(now_us_, answered_);
  tell_answers();
}

void Outage::end_second() {
  second_.concurrency = service_.take_mean_concurrency(now_us_);
  second_.peak_concurrency = service_.take_peak_concurrency();
  if (second_.ok > 0)
    second_.latency_s = latencies_s_ / static_cast<double>(second_.ok);
  seconds_.push_back(second_);
  second_ = {};
  latencies_s_ = 0;
}

// -- the course of time ------------------------------------------------------------------------

std::uint64_t Outage::next_us() {
  auto result = service_.next_look_us();
  if (!deadlines_.empty())
    result = std::min(result, deadlines_.front().at_us);
  return queue_.empty() ? result : std::min(result, queue_.next_us());
}

// At one instant the service acts first, then clients time out, then clients begin their tasks.
void Outage::run_to(std::uint64_t end_us) {
  for (auto at_us = next_us(); at_us < end_us; at_us = next_us()) {
    now_us_ = at_us;
    ++events_;
    if (service_.next_look_us() == at_us) {
      service_.look(answered_);
      tell_answers();
    } else if (!deadlines_.empty() && deadlines_.front().at_us == at_us) {
      end_first_deadline();
    } else {
      happen(queue_.pop());
    }
  }
  now_us_ = end_us;
}

OutageResult Outage::run(const OutageProgress& progress) {
  for (std::uint32_t client = 0; client < options_.clients; ++client)
    think(client);
  const auto count = end_us_ / second_us; // whole seconds
  auto control_us = stop_us_;
  for (std::uint64_t second = 1; second <= count; ++second) {
    while (control_us <= second * second_us) {
      run_to(control_us);
      control_us == stop_us_ && !is_stopped_ ? stop() : go_on();
      control_us = is_stopped_ ? back_us_ : UINT64_MAX;
    }
    run_to(second * second_us);
    end_second();
    if (progress)
      progress(second, count);
  }
  return result();
}

OutageResult Outage::result() {
  OutageResult result;
  const auto stop_s = seconds_of(stop_us_);
  result.times = {stop_s / 2, stop_s, seconds_of(back_us_)};
  result.summary = summarize(seconds_, result.times);
  result.summary.attempts_during_outage = attempts_during_outage_;
  result.summary.dead_letters = dead_letters_;
  result.summary.lost_work = service_.lost_work() - lost_before_ + service_.worked_on_for_nobody();
  std::uint64_t still_waiting = 0;
  for (const auto& state : states_)
    if (state.waited_when_back) {
      waits_s_.push_back(seconds_of(now_us_ - back_us_));
      ++still_waiting;
    }
  add_waits(result.summary, std::move(waits_s_), still_waiting);
  result.seconds = std::move(seconds_);
  result.events = events_;
  return result;
}

} // namespace

OutageResult simulate_outage(const OutageOptions& options, const OutageProgress& progress) {
  check(options).raise_if_any();
  return Outage{options}.run(progress);
}

} // namespace backoff_actor
