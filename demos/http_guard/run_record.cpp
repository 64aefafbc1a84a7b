#include "run_record.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace http_guard {

namespace {

using backoff_actor::Duration;
namespace event = backoff_actor::event;

// The resolution of the curves.
constexpr double progress_step = 0.01;

double seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

// What is the same for all failures of a kind: `HTTP 500` of `PUT http://host/jobs/17: HTTP 500`.
std::string class_of(const std::string& text) {
  const auto job = text.find("/jobs/");
  const auto colon = text.find(": ", job == std::string::npos ? 0 : job);
  if (job == std::string::npos || colon == std::string::npos)
    return text;
  auto result = text.substr(colon + 2);
  if (const std::string_view answer = "HTTP 429"; result.starts_with(answer.substr(0, 5)))
    return result.substr(0, answer.size()); // without what an error says beside it
  if (const std::string prefix = "Recv failure: "; result.starts_with(prefix)) // libcurl's
    result.erase(0, prefix.size());
  return result;
}

} // namespace

class RunRecord::Reader {
public:
  explicit Reader(RunRecord& self) : self_(self), counts_(self.present_.counts) {}

  void operator()(const event::Accepted&) { ++counts_.accepted; }

  void operator()(const event::Restored& x) {
    ++counts_.restored;
    self_.last_restored_ = x.delivery;
  }

  void operator()(const event::Suspended&) { ++counts_.suspended; }

  void operator()(const event::ChildStarted& x) {
    self_.present_.incarnation = x.incarnation;
    ++self_.present_.workers_up;
  }

  void operator()(const event::StartFailed& x) { crash(x.cause); }

  void operator()(const event::ChildDown& x) {
    --self_.present_.workers_up;
    if (x.is_failure)
      crash(x.cause);
  }

  void operator()(const event::Refused& x) {
    ++counts_.nacks;
    fail(x.cause, true);
    auto& longest = self_.timeline_.longest_wish;
    longest = std::max(longest, seconds(x.retry_after.value_or(Duration{0})));
  }

  void operator()(const event::RetryScheduled& x) {
    self_.present_.delay = x.delay;
    self_.timeline_.failures.push_back({self_.since_start(x.at), seconds(x.delay),
                                        self_.index_of(self_.present_.last_cause),
                                        self_.last_is_nack_});
  }

  void operator()(const event::DelayEnded&) { self_.present_.delay.reset(); }

  void operator()(const event::HandedOver& x) {
    ++counts_.hand_overs;
    if (x.again)
      ++counts_.resends;
  }

  void operator()(const event::Acknowledged& x) {
    if (is_restored(x.delivery)) {
      ++counts_.restored_ended;
      return;
    }
    ++counts_.acknowledged;
    self_.timeline_.latencies.push_back(seconds(x.latency));
  }

  void operator()(const event::DeadLettered& x) {
    ++counts_.dead_lettered;
    if (is_restored(x.delivery))
      ++counts_.restored_ended;
  }

  template <class Other>
  void operator()(const Other&) {}

private:
  bool is_restored(std::uint64_t delivery) const { return delivery <= self_.last_restored_; }

  void crash(const backoff_actor::Cause& cause) {
    ++counts_.crashes;
    fail(cause, false);
  }

  void fail(const backoff_actor::Cause& cause, bool is_nack) {
    self_.present_.last_cause = class_of(cause.text);
    self_.last_is_nack_ = is_nack;
  }

  RunRecord& self_;
  Counts& counts_;
};

RunRecord::RunRecord(const Counts& before) {
  auto& counts = present_.counts;
  counts.crashes = before.crashes;
  counts.nacks = before.nacks;
  counts.hand_overs = before.hand_overs;
  counts.resends = before.resends;
}

void RunRecord::known_before() {
  const std::lock_guard lock{mutex_};
  ++present_.counts.accepted;
  ++present_.counts.acknowledged;
  ++present_.counts.known;
}

void RunRecord::on_event(const backoff_actor::Event& event) {
  const std::lock_guard lock{mutex_};
  std::visit(Reader{*this}, event);
  // The last point is the latest state, those before it are `progress_step` apart.
  const auto at = since_start(time_of(event));
  const Timeline::Progress point{at, present_.counts.acknowledged, present_.counts.resends};
  auto& progress = timeline_.progress;
  if (progress.size() < 2 || at >= progress[progress.size() - 2].at + progress_step)
    progress.push_back(point);
  else
    progress.back() = point;
}

void RunRecord::service_down() {
  const std::lock_guard lock{mutex_};
  timeline_.outages.push_back({now(), now()});
}

void RunRecord::service_up() {
  const std::lock_guard lock{mutex_};
  timeline_.outages.back().to = now();
}

void RunRecord::finish() {
  const std::lock_guard lock{mutex_};
  timeline_.end = now();
  timeline_.progress.push_back({now(), present_.counts.acknowledged, present_.counts.resends});
}

Counts RunRecord::counts() const {
  const std::lock_guard lock{mutex_};
  return present_.counts;
}

Present RunRecord::present() const {
  const std::lock_guard lock{mutex_};
  return present_;
}

Timeline RunRecord::timeline() const {
  const std::lock_guard lock{mutex_};
  return timeline_;
}

double RunRecord::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double RunRecord::since_start(backoff_actor::Instant at) {
  if (!origin_) {
    const auto since = std::chrono::duration<double>(now());
    origin_ = at + -std::chrono::duration_cast<Duration>(since);
  }
  return seconds(at - *origin_);
}

std::size_t RunRecord::index_of(const std::string& cause) {
  const auto [entry, is_new] = cause_indices_.try_emplace(cause, timeline_.causes.size());
  if (is_new)
    timeline_.causes.push_back(cause);
  return entry->second;
}

} // namespace http_guard
