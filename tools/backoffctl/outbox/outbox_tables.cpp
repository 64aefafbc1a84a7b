#include "outbox.hpp"

#include "backoffctl/text/number_text.hpp"
#include "backoffctl/text/table.hpp"

#include "backoff_actor/store/postgres/internal/postgres_messages.hpp"
#include "backoff_actor/store/postgres/postgres_store.hpp"

#include <nlohmann/json.hpp>

namespace backoffctl {

namespace {

using namespace backoff_actor;
using backoff_actor::detail::one_line;
using Json = nlohmann::ordered_json;

constexpr auto digits_for_people = 3;   // of a second
constexpr auto digits_for_programs = 9; // of a second

bool was_owned(const PostgresOutbox& x) { return x.owner.epoch > 0; }

} // namespace

std::string messages_table(const std::vector<PostgresMessage>& messages) {
  auto result = counted(messages.size(), "message", "messages") + "\n";
  if (messages.empty())
    return result;
  Table table{
    {"outbox", "state", "number", "at", "attempts", "key", "idempotency key", "types", "cause"}};
  for (const auto& x : messages)
    table.add({x.outbox, x.state, x.id > 0 ? std::to_string(x.id) : "-",
               iso_time(x.at, digits_for_people), std::to_string(x.attempts), or_dash(x.key),
               or_dash(x.idempotency_key), or_dash(x.types), or_dash(x.cause)});
  return result + table.text();
}

std::string messages_json_lines(const std::vector<PostgresMessage>& messages) {
  std::string result;
  for (const auto& x : messages) {
    const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    Json json{{"outbox", x.outbox},
              {"state", x.state},
              {"id", x.id > 0 ? Json(x.id) : Json()},
              {"at", iso_time(x.at, digits_for_programs)},
              {"attempts", x.attempts},
              {"key", or_null(x.key)},
              {"idempotency_key", or_null(x.idempotency_key)},
              {"types", or_null(x.types)},
              {"cause", or_null(x.cause)}};
    result += json_text(json);
  }
  return result;
}

std::string owners_table(const std::vector<PostgresOutbox>& outboxes) {
  auto result = counted(outboxes.size(), "outbox", "outboxes") + "\n";
  if (outboxes.empty())
    return result;
  Table table{{"outbox", "node", "epoch", "since", "alive", "owed", "oldest", "dead"}};
  for (const auto& x : outboxes)
    table.add({x.name, was_owned(x) ? one_line(x.owner.node) : "-", std::to_string(x.owner.epoch),
               was_owned(x) ? iso_time(x.owner.since, digits_for_people) : "-",
               x.owner.is_alive ? "yes" : "no", std::to_string(x.owed),
               x.owed > 0 ? iso_time(x.oldest, digits_for_people) : "-", std::to_string(x.dead)});
  result += table.text();
  for (const auto& x : outboxes)
    if (!x.owner.held_by.empty())
      result += x.name + ": " + one_line(x.owner.held_by) + " holds its lock and is no owner\n";
  return result;
}

std::string owners_json_lines(const std::vector<PostgresOutbox>& outboxes) {
  std::string result;
  for (const auto& x : outboxes) {
    Json json{{"outbox", x.name},
              {"node", was_owned(x) ? Json(x.owner.node) : Json()},
              {"epoch", x.owner.epoch},
              {"since", was_owned(x) ? Json(iso_time(x.owner.since, digits_for_programs)) : Json()},
              {"alive", x.owner.is_alive}};
    if (!x.owner.held_by.empty())
      json["held_by"] = x.owner.held_by;
    json["owed"] = x.owed;
    json["oldest"] = x.owed > 0 ? Json(iso_time(x.oldest, digits_for_programs)) : Json();
    json["dead"] = x.dead;
    result += json_text(json);
  }
  return result;
}

} // namespace backoffctl
