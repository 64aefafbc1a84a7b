#include "backoff_actor/observe/metrics/observed_status.hpp"

#include "backoff_actor/core/text/internal/number_text.hpp"
#include "backoff_actor/observe/internal/json_parts.hpp"
#include "backoff_actor/observe/sender_status.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <string_view>

namespace backoff_actor {

namespace {

using detail::json_name;
using detail::json_seconds;
using detail::json_string;

// Appends an object to a text. The object ends with this.
class JsonObject {
public:
  explicit JsonObject(std::string& json) : json_(json) { json_ += "{"; }
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;
  ~JsonObject() { json_ += "}"; }

  // Appends a key. Its value comes next.
  std::string& key(std::string_view name) {
    json_.append(is_first_ ? "\"" : ",\"").append(name).append("\":");
    is_first_ = false;
    return json_;
  }

  void add(std::string_view name, const std::string& json) { key(name) += json; }
  void add(std::string_view name, std::same_as<bool> auto value) {
    key(name) += value ? "true" : "false";
  }
  void add(std::string_view name,
           std::unsigned_integral auto value) requires(!std::same_as<decltype(value), bool>) {
    key(name) += std::to_string(value);
  }

private:
  std::string& json_;
  bool is_first_ = true;
};

// A number in the fewest digits that give it back.
std::string json_number(double value) {
  return std::isfinite(value) ? detail::number_text(value) : "null";
}

void add_letters(JsonObject& object, const DeadLetterTally& tally) {
  object.add("dead_letters", tally.count);
  object.add("oldest_dead_letter_at",
             tally.count == 0 ? "null" : json_string(to_string(tally.oldest)));
}

// Adds a member of `from` for each row of a table.
template <class Table>
void add_all(JsonObject& object, const Table& table, const auto& from) {
  for (const auto& one : table)
    object.add(one.key, from.*one.member);
}

void write(std::string& json, const PoolGlance& pool) {
  JsonObject object{json};
  for (std::size_t i = 0; i < pool.workers.size(); ++i)
    object.add(to_string(static_cast<WorkerState>(i)), pool.workers[i]);
  object.add("ready", pool.ready);
}

void write(std::string& json, const ObservedSender& sender, Instant now) {
  const auto& glance = sender.glance;
  const auto span = [](Instant from, Instant to) { // 0 if `from` is never
    return json_seconds(std::max(to - from, Duration::zero()));
  };
  JsonObject object{json};
  object.add("name", json_name(sender.name));
  object.add("supervisor", json_name(sender.supervisor));
  object.add("phase", json_string(to_string(glance.phase)));
  add_all(object, detail::sender_flags, glance);
  object.add(detail::sender_restarts.key, glance.*detail::sender_restarts.member);
  add_all(object, detail::sender_gauges, glance);
  for (const auto& one : detail::sender_moments)
    object.add(one.key, span(glance.*one.member, now));
  for (const auto& one : detail::sender_dues)
    object.add(one.key,
               glance.*one.member == Instant::never() ? "null" : span(now, glance.*one.member));
  object.add("last_cause", sender.last_cause.empty() ? "null" : json_string(sender.last_cause));
  object.add("cause_age_seconds", span(sender.cause_at, now));
  add_letters(object, sender.dead_letters);
  if (sender.has_pool)
    write(object.key("pool"), sender.pool);
  else
    object.add("pool", "null");
  JsonObject counters{object.key("counters")};
  add_all(counters, detail::sender_counters, glance.counters);
}

void write(std::string& json, const ObservedSupervisor& supervisor) {
  JsonObject object{json};
  object.add("name", json_name(supervisor.name));
  object.add("supervisor", json_name(supervisor.supervisor));
  object.add("running", supervisor.running);
  object.add("starting", supervisor.starting);
  object.add("waiting", supervisor.waiting);
  object.add("ending", supervisor.ending);
  object.add("stopped", supervisor.stopped);
  object.add("restarts", supervisor.restarts);
  object.add("escalations", supervisor.escalations);
}

void write(std::string& json, const ObservedGuard& guard) {
  JsonObject object{json};
  object.add("name", json_string(guard.name));
  object.add("has_breaker", guard.has_breaker);
  object.add("breaker", guard.has_breaker ? json_string(to_string(guard.breaker)) : "null");
  // A status that does not change is not sent again to those who watch.
  const auto is_closed = !guard.has_breaker || guard.breaker == BreakerState::closed;
  object.add("breaker_for_seconds", is_closed ? "null" : json_seconds(guard.breaker_for));
  const auto is_open = guard.has_breaker && guard.breaker == BreakerState::open;
  object.add("probe_in_seconds", is_open ? json_seconds(guard.probe_in) : "null");
  object.add("has_budget", guard.has_budget);
  object.add("retries_left", guard.has_budget ? json_number(guard.retries_left) : "null");
  object.add("has_rate", guard.has_rate);
  object.add("calls_left", guard.has_rate ? std::to_string(guard.calls_left) : "null");
}

void write(std::string& json, const ObservedOutbox& outbox) {
  JsonObject object{json};
  object.add("name", json_string(outbox.name));
  object.add("commits", outbox.commits);
  object.add("failures", outbox.failures);
  object.add("waiting_changes", outbox.waiting_changes);
  object.add("is_failing", outbox.is_failing);
  object.add("failing_for_seconds", json_seconds(outbox.failing_for));
  add_letters(object, outbox.dead_letters);
}

void write(std::string& json, const ObservedOwnership& ownership) {
  JsonObject object{json};
  object.add("name", json_string(ownership.name));
  object.add("is_owner", ownership.epoch != 0);
  object.add("epoch", ownership.epoch);
  object.add("sure_for_seconds", json_seconds(ownership.sure_for));
  object.add("takeovers", ownership.takeovers);
  const auto& calendar = ownership.calendar;
  object.add("next_entry_in_seconds",
             calendar && calendar->next_in ? json_seconds(*calendar->next_in) : "null");
  object.add("entry_problems", calendar ? std::to_string(calendar->problems) : "null");
}

template <class Part>
void write(std::string& json, const std::vector<Part>& parts, auto... now) {
  const auto* separator = "[";
  for (const auto& part : parts) {
    json += separator;
    separator = ",";
    write(json, part, now...);
  }
  json += parts.empty() ? "[]" : "]";
}

} // namespace

std::string to_json(const ObservedStatus& status) {
  std::string json;
  {
    JsonObject object{json};
    write(object.key("senders"), status.senders, status.at);
    object.add("senders_left_out", status.senders_left_out);
    write(object.key("supervisors"), status.supervisors);
    object.add("supervisors_left_out", status.supervisors_left_out);
    write(object.key("guards"), status.guards);
    write(object.key("outboxes"), status.outboxes);
    write(object.key("ownerships"), status.ownerships);
  }
  return json;
}

} // namespace backoff_actor
