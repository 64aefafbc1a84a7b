#include "top.hpp"

#include "backoffctl/text/number_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <utility>

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

// Of a type, which a complaint names.
const json& need(const json& object, const char* key, bool (json::*is_right)() const noexcept,
                 const char* type) {
  const auto& value = need(object, key);
  if (!(value.*is_right)())
    throw std::runtime_error{std::string{key} + " is no " + type};
  return value;
}

std::uint64_t whole(const json& object, const char* key) {
  return need(object, key, &json::is_number_unsigned, "whole number").get<std::uint64_t>();
}

double number(const json& object, const char* key) {
  return need(object, key, &json::is_number, "number").get<double>();
}

bool flag(const json& object, const char* key) {
  return need(object, key, &json::is_boolean, "true or false").get<bool>();
}

std::string text(const json& object, const char* key) {
  return need(object, key, &json::is_string, "text").get<std::string>();
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

template <class Read>
auto read_all(const json& object, const char* key, Read read) {
  const auto& parts = need(object, key, &json::is_array, "list");
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

// What somebody should look at comes first; else the order stays.
template <class MakeRow>
TopTable read_table(const json& page, const char* key, std::vector<TopColumn> columns,
                    MakeRow make_row) {
  TopTable table{std::move(columns), read_all(page, key, make_row)};
  std::stable_partition(table.rows.begin(), table.rows.end(),
                        [](const TopRow& row) { return row.is_alarm; });
  return table;
}

std::string whole_text(const json& object, const char* key) {
  return std::to_string(whole(object, key));
}

TopTable read_guards(const json& page) {
  return read_table(
    page, "guards",
    {{"GUARD", true}, {"BREAKER", true}, {"RETRIES LEFT", false, 1}, {"CALLS LEFT", false, 2}},
    [](const json& x) {
      const auto breaker = if_there(x, "breaker", text).value_or("-");
      const auto retries = if_there(x, "retries_left", number);
      return TopRow{{name(x, "(guard)"), breaker, retries ? fixed(*retries, 1) : "-",
                     if_there(x, "calls_left", whole_text).value_or("-")},
                    breaker == "open" || breaker == "isolated"};
    });
}

TopTable read_outboxes(const json& page) {
  return read_table(page, "outboxes",
                    {{"OUTBOX", true},
                     {"COMMITS", false, 1},
                     {"FAILED"},
                     {"NOT WRITTEN YET", false, 2},
                     {"FAILS SINCE"}},
                    [](const json& x) {
                      const auto is_failing = flag(x, "is_failing");
                      const auto failing_s = number(x, "failing_for_seconds");
                      return TopRow{{name(x, "(outbox)"), whole_text(x, "commits"),
                                     whole_text(x, "failures"), whole_text(x, "waiting_changes"),
                                     is_failing ? age_text(failing_s) : "-"},
                                    is_failing};
                    });
}

std::string due_text(double seconds) {
  return seconds < 0 ? age_text(-seconds) + " late" : age_text(seconds);
}

TopTable read_ownerships(const json& page) {
  auto result =
    read_table(page, "ownerships",
               {{"SHARED OUTBOX", true},
                {"THIS PROCESS", true},
                {"EPOCH", false, 1},
                {"SURE FOR"},
                {"TAKEOVERS", false, 2},
                {"NEXT ENTRY", false, 3},
                {"WRONG ENTRIES", false, 4}},
               [](const json& x) {
                 const auto is_owner = flag(x, "is_owner");
                 const auto epoch = whole_text(x, "epoch");
                 const auto sure = age_text(number(x, "sure_for_seconds"));
                 const auto next_s = if_there(x, "next_entry_in_seconds", number);
                 const auto problems = if_there(x, "entry_problems", whole).value_or(0);
                 return TopRow{{name(x, "(outbox)"), is_owner ? "owns it" : "stands by",
                                is_owner ? epoch : "-", is_owner ? sure : "-",
                                whole_text(x, "takeovers"), next_s ? due_text(*next_s) : "-",
                                problems > 0 ? std::to_string(problems) : "-"},
                               false};
               });
  // Most have no calendar.
  const auto has_calendar = [](const TopRow& x) { return x.cells[5] != "-" || x.cells[6] != "-"; };
  if (std::ranges::none_of(result.rows, has_calendar)) {
    result.columns.resize(5);
    for (auto& row : result.rows)
      row.cells.resize(5);
  }
  return result;
}

TopTable read_supervisors(const json& page) {
  return read_table(page, "supervisors",
                    {{"SUPERVISOR", true},
                     {"RUNNING"},
                     {"STARTING", false, 2},
                     {"WAITING"},
                     {"ENDING", false, 4},
                     {"STOPPED", false, 3},
                     {"RESTARTS", false, 1},
                     {"ESCALATED"}},
                    [](const json& x) {
                      return TopRow{{name(x, "(supervisor)"), whole_text(x, "running"),
                                     whole_text(x, "starting"), whole_text(x, "waiting"),
                                     whole_text(x, "ending"), whole_text(x, "stopped"),
                                     whole_text(x, "restarts"), whole_text(x, "escalations")},
                                    whole(x, "waiting") > 0 || whole(x, "escalations") > 0};
                    });
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
  status.supervisors = read_supervisors(page);
  status.supervisors_left_out = whole(page, "supervisors_left_out");
  status.guards = read_guards(page);
  status.outboxes = read_outboxes(page);
  if (find(page, "ownerships"))
    status.ownerships = read_ownerships(page);
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

std::string age_text(double age_s) {
  const auto two = [](std::uint64_t large, const char* large_unit, std::uint64_t small,
                      const char* small_unit) {
    auto text = std::to_string(large) + " " + large_unit;
    if (small != 0)
      text.append(" ").append(std::to_string(small)).append(" ").append(small_unit);
    return text;
  };
  if (!(age_s >= 0.001))
    return "0 s";
  if (age_s < 1)
    return fixed(std::floor(age_s * 1000), 0) + " ms";
  if (age_s < 10)
    return fixed(std::floor(age_s * 10) / 10, 1) + " s";
  const auto seconds = static_cast<std::uint64_t>(std::min(age_s, 1e15));
  if (seconds < 60)
    return std::to_string(seconds) + " s";
  if (seconds < 3600)
    return two(seconds / 60, "min", seconds % 60, "s");
  if (seconds < 24 * 3600)
    return two(seconds / 3600, "h", seconds / 60 % 60, "min");
  return two(seconds / (24 * 3600), "d", seconds / 3600 % 24, "h");
}

} // namespace backoffctl
