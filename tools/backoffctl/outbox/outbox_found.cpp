#include "outbox_found.hpp"

#include "outbox_records.hpp"

#include "backoffctl/common/table.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <nlohmann/json.hpp>

namespace backoffctl {

namespace {

using namespace backoff_actor;

constexpr auto milliseconds = 3; // digits of the second
constexpr auto nanoseconds = 9;

} // namespace

std::string messages_table(const std::vector<PostgresMessage>& messages) {
  auto result =
    std::to_string(messages.size()) + (messages.size() == 1 ? " message\n" : " messages\n");
  if (messages.empty())
    return result;
  Table table{
    {"outbox", "state", "number", "at", "attempts", "key", "idempotency key", "types", "cause"}};
  for (const auto& x : messages)
    table.add({x.outbox, x.state, x.id > 0 ? std::to_string(x.id) : "-",
               iso_time(x.at, milliseconds), std::to_string(x.attempts), or_dash(x.key),
               or_dash(x.idempotency_key), or_dash(x.types), or_dash(x.cause)});
  return result + table.text();
}

std::string messages_json_lines(const std::vector<PostgresMessage>& messages) {
  using Json = nlohmann::ordered_json;
  std::string result;
  for (const auto& x : messages) {
    const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    Json json;
    json["outbox"] = x.outbox;
    json["state"] = x.state;
    json["id"] = x.id > 0 ? Json(x.id) : Json();
    json["at"] = iso_time(x.at, nanoseconds);
    json["attempts"] = x.attempts;
    json["key"] = or_null(x.key);
    json["idempotency_key"] = or_null(x.idempotency_key);
    json["types"] = or_null(x.types);
    json["cause"] = or_null(x.cause);
    result +=
      backoff_actor::detail::plain_json(json.dump(-1, ' ', false, Json::error_handler_t::replace))
      + "\n";
  }
  return result;
}

} // namespace backoffctl
