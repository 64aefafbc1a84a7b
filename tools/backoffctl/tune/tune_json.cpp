#include "tune.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <vector>

namespace backoffctl {

namespace {

using backoff_actor::RetryPoint;
using Json = nlohmann::ordered_json;

Json of_series(const TunedSeries& tuned) {
  const auto& series = tuned.series;
  Json result{{"first_s", series.first_s}, {"factor", series.factor}, {"ratio", tuned.ratio}};
  if (series.cap_s) {
    result["cap_s"] = *series.cap_s;
    if (const auto capped = first_capped_attempt(series))
      result["first_capped_attempt"] = *capped;
  }
  return result;
}

void add_retry(Json& json, const RetryPoint& retry) {
  json["attempt"] = retry.attempt;
  if (retry.attempt > 0)
    json["previous_s"] = retry.previous_s;
  json["elapsed_s"] = retry.elapsed_s;
}

Json of_rows(const std::vector<RetryPoint>& rows) {
  auto result = Json::array();
  for (const auto& row : rows) {
    Json json;
    add_retry(json, row);
    result.push_back(json);
  }
  return result;
}

Json of_formula(const backoff_actor::FormulaPoint& formula) {
  Json result;
  result["attempt"] = formula.attempt;
  if (formula.previous_s)
    result["previous_s"] = *formula.previous_s;
  result["next_s"] = formula.next_s;
  return result;
}

// Without the parameters of the series.
void add_position(Json& json, const backoff_actor::SeriesPosition& position) {
  json["at_retry"] = position.at_retry;
  json["attempt"] = position.before.attempt;
  if (position.before.attempt > 0)
    json["previous_s"] = position.before.previous_s;
  json["next_s"] = position.after.previous_s;
  json["formula"] = of_formula(position.formula);
}

Json to_json(const BeginningAnswer& answer) {
  auto result = of_series(answer.tuned);
  result["rows"] = of_rows(first_rows_of(answer.tuned.series));
  return result;
}

Json to_json(const PositionAnswer& answer) {
  const auto& position = answer.position;
  auto result = of_series(answer.tuned);
  result["elapsed_s"] = position.elapsed_s;
  add_position(result, position);
  result["rows"] =
    of_rows(rows_of(answer.tuned.series, position.before.attempt, position.after.attempt));
  return result;
}

Json to_json(const DiscoveryAnswer& answer) {
  const auto& before = answer.discovery.before;
  const auto& finds_out = answer.discovery.finds_out;
  auto result = of_series(answer.tuned);
  result["succeeds_at_s"] = answer.succeeds_at_s;
  add_retry(result, finds_out);
  result["wasted_s"] = answer.discovery.wasted_s;
  if (before)
    add_retry(result["before"], *before);
  result["rows"] =
    of_rows(rows_of(answer.tuned.series, before ? before->attempt : 0, finds_out.attempt));
  return result;
}

Json to_json(const GrowthAnswer& answer) {
  const auto& change = answer.change;
  const auto side = [&](double factor, const backoff_actor::SeriesPosition& position) {
    auto result = of_series({{change.first_s, factor, change.cap_s}, factor - 1});
    add_position(result, position);
    return result;
  };
  Json result{{"elapsed_s", change.elapsed_s},
              {"from", side(change.from_factor, answer.growth.from)},
              {"to", side(change.to_factor, answer.growth.to)},
              {"growth", answer.growth.real}};
  if (answer.growth.rough)
    result["rough_growth"] = *answer.growth.rough;
  return result;
}

} // namespace

std::string tune_json(const TuneAnswer& answer) {
  return backoff_actor::detail::plain_json(
           std::visit([](const auto& kind) { return to_json(kind); }, answer).dump(2))
         + "\n";
}

} // namespace backoffctl
