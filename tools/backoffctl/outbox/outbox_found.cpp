#include "outbox.hpp"

#include "backoffctl/text/number_text.hpp"
#include "backoffctl/text/table.hpp"

#include <nlohmann/json.hpp>

namespace backoffctl {

namespace {

using namespace backoff_actor;
using Json = nlohmann::ordered_json;

void add_parts(Json& json, const std::string& note, const std::optional<KeptAnswer>& answer) {
  json["note"] = note.empty() ? Json() : Json(note);
  json["answer_bytes"] = answer ? Json(answer->bytes) : Json();
  const auto is_kept = answer && !answer->message.types.empty();
  json["answer_types"] = is_kept ? Json(answer->message.types) : Json();
  json["answer"] = is_kept ? Json(base64(answer->message.bytes)) : Json();
}

} // namespace

std::string messages_table(const std::vector<MessageFound>& messages) {
  auto result = counted(messages.size(), "message", "messages") + "\n";
  if (messages.empty())
    return result;
  const auto has_parts = messages.front().note.has_value();
  std::vector<std::string> columns{"outbox", "state",           "number", "at",   "attempts",
                                   "key",    "idempotency key", "types",  "cause"};
  if (has_parts)
    columns.insert(columns.end(), {"note bytes", "answer bytes"});
  Table table{columns};
  for (const auto& x : messages) {
    std::vector<std::string> cells{x.outbox,
                                   x.state,
                                   x.id > 0 ? std::to_string(x.id) : "-",
                                   iso_time(x.at, digits_for_people),
                                   std::to_string(x.attempts),
                                   or_dash(x.key),
                                   or_dash(x.idempotency_key),
                                   or_dash(x.types),
                                   or_dash(x.cause)};
    if (has_parts) {
      const auto note = x.note.value_or("");
      cells.push_back(note.empty() ? "-" : std::to_string(note.size()));
      cells.push_back(x.answer ? std::to_string(x.answer->bytes) : "-");
    }
    table.add(cells);
  }
  return result + table.text();
}

std::string messages_json_lines(const std::vector<MessageFound>& messages) {
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
    if (x.note)
      add_parts(json, *x.note, x.answer);
    result += json_text(json);
  }
  return result;
}

} // namespace backoffctl
