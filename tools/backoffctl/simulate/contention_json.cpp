#include "contention_json.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>

namespace backoffctl {

namespace {

using Json = nlohmann::ordered_json;

} // namespace

std::string contention_json(const ContentionAnswer& answer) {
  const auto& question = answer.question;
  const auto is_one = question.clients.size() == 1;
  Json result;
  if (is_one)
    result["clients"] = question.clients.front();
  result["trials"] = question.trials;
  auto& results = result["results"] = Json::array();
  for (std::size_t i = 0; i < question.clients.size(); ++i)
    for (std::size_t j = 0; j < question.contenders.size(); ++j) {
      const auto& means = answer.means[i][j];
      Json one;
      if (!is_one)
        one["clients"] = question.clients[i];
      one["policy"] = question.contenders[j].name;
      one["calls"] = means.calls;
      one["completion_ms"] = means.completion_ns ? Json(*means.completion_ns / 1e6) : Json();
      results.push_back(one);
    }
  return backoff_actor::detail::plain_json(result.dump(2)) + "\n";
}

} // namespace backoffctl
