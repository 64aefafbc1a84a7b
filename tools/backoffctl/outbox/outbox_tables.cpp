#include "outbox.hpp"

#include "backoffctl/text/number_text.hpp"
#include "backoffctl/text/table.hpp"

#include "backoff_actor/store/postgres/postgres_store.hpp"

#include <nlohmann/json.hpp>

namespace backoffctl {

namespace {

using namespace backoff_actor;
using backoff_actor::detail::one_line;
using Json = nlohmann::ordered_json;

bool was_owned(const PostgresOutbox& x) { return x.owner.epoch > 0; }

} // namespace

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
