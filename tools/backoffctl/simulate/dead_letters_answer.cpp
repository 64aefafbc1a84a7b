#include "dead_letters.hpp"

#include "backoffctl/text/number_text.hpp"
#include "backoffctl/text/table.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <nlohmann/json.hpp>

namespace backoffctl {

namespace {

using namespace backoff_actor;
using Json = nlohmann::ordered_json;

std::string setting_of(const DeadLettersOptions& x) {
  auto result = counted(x.messages, "message", "messages");
  if (x.poison > 0)
    result += ", " + std::to_string(x.poison) + " of them poison";
  result += x.every == Duration::zero() ? ", all at once" : ", one each " + to_string(x.every);
  result += "; calls take " + to_string(x.takes) + "; max_attempts "
            + std::to_string(x.max_attempts.value_or(0)) + "\nthe service is down for "
            + to_string(x.down_for) + ", then well, watched for " + to_string(x.watch) + "; seed "
            + std::to_string(x.seed) + "\n";
  return result;
}

std::string setups_of(const DeadLettersQuestion& question) {
  std::string result;
  const auto width = numbered_label(question.setups.size()).size() + 2;
  const std::string indent(width + 2, ' ');
  for (std::size_t i = 0; i < question.setups.size(); ++i) {
    const auto& setup = question.setups[i];
    const auto label = numbered_label(i + 1);
    result +=
      "  " + label + std::string(width - label.size(), ' ') + to_string(setup.policy) + "\n";
    if (!setup.guard.empty())
      result += indent + "+ " + to_string(setup.guard) + "\n";
    if (setup.retry_after)
      result += indent + "the service asks for " + to_string(*setup.retry_after) + "\n";
  }
  return result;
}

Json to_json(const DeadLettersRun& run, const DeadLettersOptions& setup) {
  const auto& x = run.result;
  Json result;
  result["policy"] = to_string(setup.policy);
  result["guard"] = to_string(setup.guard);
  result["retry_after_s"] = setup.retry_after ? Json(seconds_of(*setup.retry_after)) : Json();
  result["workers"] = run.workers;
  result["charging"] = to_string(run.charging);
  result["dead_letters"] = x.healthy_dead;
  result["poison_dead"] = x.poison_dead;
  result["done"] = x.done;
  result["left"] = x.left;
  result["last_done_s"] = x.last_done ? Json(seconds_of(*x.last_done)) : Json();
  result["calls_while_down"] = x.calls_while_down;
  return result;
}

} // namespace

DeadLettersAnswer answer(const DeadLettersQuestion& question,
                         const std::function<void(std::uint64_t)>& progress) {
  DeadLettersAnswer result{question, {}};
  const auto count = question.setups.size() * question.workers.size() * question.chargings.size();
  for (std::size_t i = 0; i < question.setups.size(); ++i)
    for (const auto workers : question.workers)
      for (const auto& charging : question.chargings) {
        auto options = question.setups[i];
        options.workers = workers;
        options.charging = charging;
        const auto span_s = seconds_of(options.down_for + options.watch);
        const auto before = static_cast<double>(result.runs.size());
        DeadLettersProgress tell;
        if (progress)
          tell = [&](Duration now) {
            const auto part = (before + seconds_of(now) / span_s) / static_cast<double>(count);
            progress(static_cast<std::uint64_t>(part * 1e6));
          };
        result.runs.push_back({i, workers, charging, simulate_dead_letters(options, tell)});
      }
  return result;
}

std::string dead_letters_text(const DeadLettersAnswer& answer) {
  const auto& question = answer.question;
  const auto has_poison = question.setups.front().poison > 0;
  std::vector<std::string> header{"run", "workers", "charging", "dead letters"};
  if (has_poison)
    header.push_back("dead poison");
  header.insert(header.end(), {"done", "still owed", "last done after", "calls while down"});
  Table table{header};
  for (const auto& run : answer.runs) {
    const auto& x = run.result;
    std::vector<std::string> row{numbered_label(run.setup + 1), std::to_string(run.workers),
                                 to_string(run.charging), std::to_string(x.healthy_dead)};
    if (has_poison)
      row.push_back(std::to_string(x.poison_dead));
    row.insert(row.end(), {std::to_string(x.done), std::to_string(x.left),
                           x.last_done ? span_text(seconds_of(*x.last_done)) : std::string{"-"},
                           std::to_string(x.calls_while_down)});
    table.add(std::move(row));
  }
  return setting_of(question.setups.front()) + "\n" + setups_of(question) + "\n" + table.text();
}

std::string dead_letters_json(const DeadLettersAnswer& answer) {
  Json result;
  auto& runs = result["runs"] = Json::array();
  for (const auto& run : answer.runs)
    runs.push_back(to_json(run, answer.question.setups[run.setup]));
  return backoff_actor::detail::plain_json(result.dump(2)) + "\n";
}

} // namespace backoffctl
