#include "versus/report.hpp"

#include "common/table.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace versus {

namespace {

// The quartiles are values that occurred: of three, the least and the most.
Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto quarter = (values.size() - 1) / 4;
  return {benchmarks::median(values), values[quarter], values[values.size() - 1 - quarter]};
}

std::string rounded(double number) {
  const auto size = std::abs(number);
  if (size >= 1000)
    return benchmarks::grouped(std::llround(number));
  return benchmarks::with_decimals(number, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

std::string with_unit(double number, const std::string& unit) {
  return unit.empty() ? rounded(number) : rounded(number) + ' ' + unit;
}

std::string text(const Bound& bound, const std::string& unit) {
  std::ostringstream out;
  out << (bound.kind == Bound::Kind::at_least ? ">= " : "<= ") << bound.value;
  if (!unit.empty())
    out << ' ' << unit;
  return out.str();
}

nlohmann::json json(const Spread& spread) {
  return {{"median", spread.median},
          {"first_quartile", spread.first_quartile},
          {"third_quartile", spread.third_quartile}};
}

} // namespace

std::vector<Result> results_of(const std::vector<Row>& rows, const std::vector<Round>& rounds) {
  std::vector<Result> results;
  for (const auto& row : rows) {
    std::vector<double> ours;
    std::vector<double> beside;
    std::vector<double> ratios;
    for (const auto& round : rounds) {
      const auto our = row.ours.in_round(round);
      const auto other = row.beside ? row.beside->in_round(round) : std::nullopt;
      if (!our || (row.beside && !other))
        continue;
      ours.push_back(*our);
      if (!other)
        continue;
      beside.push_back(*other);
      if (*other != 0)
        ratios.push_back(*our / *other);
    }
    if (ours.empty())
      continue;
    Result result{row, spread_of(std::move(ours))};
    if (!beside.empty())
      result.beside = spread_of(std::move(beside));
    if (!ratios.empty())
      result.ratio = spread_of(std::move(ratios));
    results.push_back(std::move(result));
  }
  return results;
}

const Spread& bounded(const Result& result) {
  return result.ratio && !result.row.bounds_ours ? *result.ratio : result.ours;
}

std::string figure_and_goal(const Result& result) {
  const auto& row = result.row;
  const auto& spread = bounded(result);
  const auto unit = &spread == &result.ours ? row.unit : "";
  return with_unit(spread.median, unit) + ", goal " + text(*row.bound, unit);
}

bool is_reached(const Result& result) {
  return !result.row.bound || result.row.bound->is_reached_by(bounded(result).median);
}

std::string table(const std::vector<Result>& results) {
  benchmarks::Table lines{
    {"medians", "ours", "beside", "ratio", "quartiles", "to be reached", "reached"}};
  for (const auto& result : results) {
    const auto& row = result.row;
    const auto& spread = result.ratio ? *result.ratio : result.ours;
    lines.add({row.what, with_unit(result.ours.median, row.unit),
               result.beside ? with_unit(result.beside->median, row.unit) : "-",
               result.ratio ? rounded(result.ratio->median) : "-",
               rounded(spread.first_quartile) + " .. " + rounded(spread.third_quartile),
               row.bound ? text(*row.bound, row.bounds_ours ? row.unit : "") : "-",
               row.bound ? (is_reached(result) ? "yes" : "no") : "-"});
  }
  return lines.text();
}

nlohmann::json json(const std::vector<Result>& results, const std::vector<Round>& rounds) {
  auto rows = nlohmann::json::array();
  for (const auto& result : results) {
    nlohmann::json line{
      {"what", result.row.what}, {"unit", result.row.unit}, {"ours", json(result.ours)}};
    if (result.beside)
      line["beside"] = json(*result.beside);
    if (result.ratio)
      line["ratio"] = json(*result.ratio);
    if (const auto& bound = result.row.bound) {
      line[bound->kind == Bound::Kind::at_least ? "at_least" : "at_most"] = bound->value;
      line["bound_is_of"] = &bounded(result) == &result.ours ? "ours" : "ratio";
      line["reached"] = is_reached(result);
    }
    rows.push_back(std::move(line));
  }
  return {{"benchmark", "versus"},
          {"caf", VERSUS_CAF_VERSION},
          {"rows", std::move(rows)},
          {"rounds", rounds}};
}

} // namespace versus
