#include "top_status.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string_view>
#include <unordered_map>

namespace backoffctl {

namespace {

using nlohmann::json;

const json* find(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const json& need(const json& object, const char* key) {
  if (const auto* const found = find(object, key))
    return *found;
  throw std::runtime_error{std::string{"there is no "} + key};
}

[[noreturn]] void refuse_type(const char* key, std::string_view type) {
  throw std::runtime_error{std::string{key}.append(" is no ").append(type)};
}

std::uint64_t whole(const json& object, const char* key) {
  const auto& value = need(object, key);
  if (!value.is_number_unsigned())
    refuse_type(key, "whole number");
  return value.get<std::uint64_t>();
}

double number(const json& object, const char* key) {
  const auto& value = need(object, key);
  if (!value.is_number())
    refuse_type(key, "number");
  return value.get<double>();
}

bool flag(const json& object, const char* key) {
  const auto& value = need(object, key);
  if (!value.is_boolean())
    refuse_type(key, "true or false");
  return value.get<bool>();
}

std::string text(const json& object, const char* key) {
  const auto& value = need(object, key);
  if (!value.is_string())
    refuse_type(key, "text");
  return value.get<std::string>();
}

// An actor without a name is there with null.
std::string name(const json& object, const char* nameless) {
  return find(object, "name") ? text(object, "name") : nameless;
}

template <class Read>
auto if_there(const json& object, const char* key, Read read) {
  return find(object, key) ? std::optional{read(object, key)} : std::nullopt;
}

TopPool read_pool(const json& object, const char* key) {
  const auto& pool = need(object, key);
  return {whole(pool, "starting"), whole(pool, "serving"), whole(pool, "waiting"),
          whole(pool, "leaving"),  whole(pool, "resting"), whole(pool, "ready")};
}

TopSender read_sender(const json& object) {
  TopSender sender;
  sender.name = name(object, "(sender)");
  sender.phase = text(object, "phase");
  sender.is_paused = flag(object, "is_paused");
  sender.is_held_back = flag(object, "is_held_back");
  sender.is_on_fallback = flag(object, "is_on_fallback");
  sender.is_delayed = flag(object, "is_delayed");
  sender.is_store_behind = flag(object, "is_store_behind");
  sender.owed = whole(object, "owed");
  sender.in_flight = whole(object, "in_flight");
  sender.abandoned = whole(object, "abandoned");
  sender.oldest_s = number(object, "oldest_age_seconds");
  sender.silent_s = number(object, "silent_for_seconds");
  const auto& counters = need(object, "counters");
  sender.acknowledged = whole(counters, "acknowledged");
  sender.dead_lettered = whole(counters, "dead_lettered");
  sender.failures =
    whole(counters, "crashes") + whole(counters, "failed_starts") + whole(counters, "hangs");
  sender.due_s = if_there(object, "due_in_seconds", number);
  sender.cause = if_there(object, "last_cause", text).value_or("");
  sender.cause_s = if_there(object, "cause_age_seconds", number).value_or(0);
  sender.pool = if_there(object, "pool", read_pool);
  return sender;
}

TopGuard read_guard(const json& object) {
  return {name(object, "(guard)"), if_there(object, "breaker", text).value_or(""),
          if_there(object, "retries_left", number), if_there(object, "calls_left", whole)};
}

TopSupervisor read_supervisor(const json& object) {
  return {name(object, "(supervisor)"), whole(object, "running"),    whole(object, "starting"),
          whole(object, "waiting"),     whole(object, "ending"),     whole(object, "stopped"),
          whole(object, "restarts"),    whole(object, "escalations")};
}

TopOutbox read_outbox(const json& object) {
  return {name(object, "(outbox)"),   whole(object, "commits"),
          whole(object, "failures"),  whole(object, "waiting_changes"),
          flag(object, "is_failing"), number(object, "failing_for_seconds")};
}

TopOwnership read_ownership(const json& object) {
  return {name(object, "(outbox)"), flag(object, "is_owner"), whole(object, "epoch"),
          number(object, "sure_for_seconds"), whole(object, "takeovers")};
}

template <class Read>
auto read_all(const json& object, const char* key, Read read) {
  const auto& parts = need(object, key);
  if (!parts.is_array())
    refuse_type(key, "list");
  std::vector<decltype(read(parts))> result;
  result.reserve(parts.size());
  for (const auto& part : parts)
    try {
      if (!part.is_object())
        throw std::runtime_error{"it is no object"};
      result.push_back(read(part));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error{std::string{key} + "[" + std::to_string(result.size())
                               + "]: " + error.what()};
    }
  return result;
}

} // namespace

TopStatus read_status(const std::string& json_text) {
  const auto page = json::parse(json_text, nullptr, false);
  if (page.is_discarded())
    throw std::runtime_error{"it is not JSON"};
  if (!page.is_object())
    throw std::runtime_error{"it is no object of JSON"};
  TopStatus status;
  status.senders = read_all(page, "senders", read_sender);
  status.senders_left_out = whole(page, "senders_left_out");
  status.supervisors = read_all(page, "supervisors", read_supervisor);
  status.supervisors_left_out = whole(page, "supervisors_left_out");
  status.guards = read_all(page, "guards", read_guard);
  status.outboxes = read_all(page, "outboxes", read_outbox);
  if (find(page, "ownerships"))
    status.ownerships = read_all(page, "ownerships", read_ownership);
  return status;
}

void set_rates(TopStatus& status, const TopStatus& before, double span_s) {
  std::unordered_map<std::string, std::uint64_t> acknowledged;
  for (const auto& sender : before.senders)
    acknowledged.emplace(sender.name, sender.acknowledged);
  for (auto& sender : status.senders)
    if (const auto found = acknowledged.find(sender.name);
        found != acknowledged.end() && found->second <= sender.acknowledged)
      sender.rate_hz = static_cast<double>(sender.acknowledged - found->second) / span_s;
}

} // namespace backoffctl
