#include "contention.hpp"

#include "backoffctl/text/number_text.hpp"
#include "backoffctl/text/table.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>

namespace backoffctl {

namespace {

using Column = std::vector<std::string>;
using Json = nlohmann::ordered_json;

constexpr auto contention_digits = 4;

std::string legend(const ContentionQuestion& question, const Column& names) {
  const auto longest = std::max_element(names.begin(), names.end(),
                                        [](auto& a, auto& b) { return a.size() < b.size(); });
  std::string result;
  for (std::size_t i = 0; i < names.size(); ++i)
    result += "  " + names[i] + std::string(longest->size() + 2 - names[i].size(), ' ')
              + question.contenders[i].description() + "\n";
  return result;
}

std::string heading(const ContentionQuestion& question) {
  std::string clients;
  for (const auto number : question.clients)
    clients += (clients.empty() ? "" : ", ") + std::to_string(number);
  return clients + (clients == "1" ? " client writes" : " clients write")
         + " one row under an optimistic lock; means of " + std::to_string(question.trials)
         + (question.trials == 1 ? " trial" : " trials") + ", seed " + std::to_string(question.seed)
         + "\n\n";
}

std::string means_of_calls(const ContentionMeans& means) {
  return rounded(means.calls, contention_digits);
}

std::string completion_text(const ContentionMeans& means) {
  return means.completion_ns ? span_text(*means.completion_ns / 1e9) : "over 12.7 d";
}

std::string one_number(const ContentionAnswer& answer, const Column& names) {
  Table table{{"policy", "calls", "calls per client", "all done after"}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& means = answer.means.front()[i];
    table.add({names[i], means_of_calls(means),
               rounded(means.calls / answer.question.clients.front(), contention_digits),
               completion_text(means)});
  }
  return table.text();
}

template <class F>
std::string by_clients(const ContentionAnswer& answer, const Column& names, F cell) {
  Column clients{"clients"};
  for (const auto number : answer.question.clients)
    clients.push_back(std::to_string(number));
  std::vector<ColumnGroup> groups;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Column column{names[i]};
    for (const auto& row : answer.means)
      column.push_back(cell(row[i]));
    groups.push_back({column});
  }
  return side_by_side({clients}, groups);
}

} // namespace

std::string contention_text(const ContentionAnswer& answer) {
  const auto names = answer.question.labels();
  const auto beginning = heading(answer.question) + legend(answer.question, names) + "\n";
  if (answer.question.clients.size() == 1)
    return beginning + one_number(answer, names);
  return beginning + "calls:\n\n" + by_clients(answer, names, means_of_calls)
         + "\nall done after:\n\n" + by_clients(answer, names, completion_text);
}

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
