#include "outbox_owners.hpp"

#include "outbox_records.hpp"

#include "backoffctl/common/table.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <nlohmann/json.hpp>

namespace backoffctl {

namespace {

using namespace backoff_actor;
using backoff_actor::detail::one_line;

constexpr auto digits_for_people = 3;   // of a second
constexpr auto digits_for_programs = 9; // of a second

bool was_owned(const PostgresOutbox& x) { return x.owner.epoch > 0; }

} // namespace

std::string owners_table(const std::vector<PostgresOutbox>& outboxes) {
  auto result =
    std::to_string(outboxes.size()) + (outboxes.size() == 1 ? " outbox\n" : " outboxes\n");
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
  using Json = nlohmann::ordered_json;
  std::string result;
  for (const auto& x : outboxes) {
    Json json;
    json["outbox"] = x.name;
    json["node"] = was_owned(x) ? Json(x.owner.node) : Json();
    json["epoch"] = x.owner.epoch;
    json["since"] = was_owned(x) ? Json(iso_time(x.owner.since, digits_for_programs)) : Json();
    json["alive"] = x.owner.is_alive;
    if (!x.owner.held_by.empty())
      json["held_by"] = x.owner.held_by;
    json["owed"] = x.owed;
    json["oldest"] = x.owed > 0 ? Json(iso_time(x.oldest, digits_for_programs)) : Json();
    json["dead"] = x.dead;
    result +=
      backoff_actor::detail::plain_json(json.dump(-1, ' ', false, Json::error_handler_t::replace))
      + "\n";
  }
  return result;
}

} // namespace backoffctl
