#include "postgres/report.hpp"

#include "common/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>

namespace postgres_benchmarks {

namespace {

// Both are values that occurred: of three, the least and the most.
std::pair<double, double> quartiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto quarter = (values.size() - 1) / 4;
  return {values[quarter], values[values.size() - 1 - quarter]};
}

std::string with_unit(double number, const std::string& unit) {
  return unit.empty() ? rounded(number) : rounded(number) + ' ' + unit;
}

// The figure that the goal is about.
double goal_figure(const Row& row) {
  return benchmarks::median(row.goal->of == Goal::Of::ratio ? ratios(row) : row.ours);
}

std::string goal_text(const Row& row) {
  std::ostringstream out;
  out << (row.goal->is_at_least ? ">= " : "<= ") << row.goal->value;
  if (row.goal->of == Goal::Of::ours)
    out << ' ' << row.unit;
  return out.str();
}

nlohmann::json figures(const std::vector<double>& values) {
  const auto [first, third] = quartiles(values);
  return {{"median", benchmarks::median(values)},
          {"first_quartile", first},
          {"third_quartile", third},
          {"rounds", values}};
}

} // namespace

std::string rounded(double number) {
  const auto size = std::abs(number);
  if (size >= 1000)
    return benchmarks::grouped(std::llround(number));
  return benchmarks::with_decimals(number, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

std::vector<double> ratios(const Row& row) {
  std::vector<double> result;
  for (std::size_t i = 0; i < row.beside.size(); ++i)
    result.push_back(row.ours[i] / row.beside[i]);
  return result;
}

bool is_reached(const Row& row) {
  if (!row.goal)
    return true;
  const auto figure = goal_figure(row);
  return row.goal->is_at_least ? figure >= row.goal->value : figure <= row.goal->value;
}

std::string table(const std::vector<Row>& rows) {
  benchmarks::Table lines{
    {"medians", "ours", "beside", "ratio", "quartiles", "to be reached", "reached"}};
  for (const auto& row : rows) {
    const auto ratio = ratios(row);
    const auto [first, third] = quartiles(ratio.empty() ? row.ours : ratio);
    lines.add({row.what, with_unit(benchmarks::median(row.ours), row.unit),
               ratio.empty() ? "-" : with_unit(benchmarks::median(row.beside), row.unit),
               ratio.empty() ? "-" : rounded(benchmarks::median(ratio)),
               rounded(first) + " .. " + rounded(third), row.goal ? goal_text(row) : "-",
               row.goal ? (is_reached(row) ? "yes" : "no") : "-"});
  }
  return lines.text();
}

nlohmann::json json(const std::string& benchmark, const std::vector<Row>& rows) {
  auto lines = nlohmann::json::array();
  for (const auto& row : rows) {
    nlohmann::json line{{"what", row.what}, {"unit", row.unit}, {"ours", figures(row.ours)}};
    if (!row.beside.empty()) {
      line["beside"] = figures(row.beside);
      line["ratio"] = figures(ratios(row));
    }
    if (row.goal) {
      line[row.goal->is_at_least ? "at_least" : "at_most"] = row.goal->value;
      line["goal_is_of"] = row.goal->of == Goal::Of::ratio ? "ratio" : "ours";
      line["reached"] = is_reached(row);
    }
    lines.push_back(std::move(line));
  }
  return {{"benchmark", benchmark}, {"rows", std::move(lines)}};
}

} // namespace postgres_benchmarks
