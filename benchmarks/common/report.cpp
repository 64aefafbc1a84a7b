#include "common/report.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace benchmarks {

namespace {

std::string with_unit(double number, const std::string& unit) {
  return unit.empty() ? rounded(number) : rounded(number) + ' ' + unit;
}

std::string text_of(const Row& row) {
  if (!row.goal)
    return "-";
  std::ostringstream out;
  out << (row.goal->is_at_least ? ">= " : "<= ") << row.goal->value;
  return row.goal->is_of_ours && !row.unit.empty() ? out.str() + ' ' + row.unit : out.str();
}

nlohmann::json json_of(const Figures& values) {
  const auto spread = spread_of(values);
  return {{"median", spread.median},
          {"first_quartile", spread.first_quartile},
          {"third_quartile", spread.third_quartile},
          {"rounds", values}};
}

} // namespace

double median(Figures values) {
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double percentile(Figures values, double part) {
  const auto rank =
    static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

Spread spread_of(const Figures& values) {
  auto sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const auto quarter = (sorted.size() - 1) / 4;
  return {median(values), sorted[quarter], sorted[sorted.size() - 1 - quarter]};
}

std::string grouped(std::int64_t number) {
  auto result = std::to_string(number);
  for (auto i = static_cast<std::ptrdiff_t>(result.size()) - 3; i > (number < 0 ? 1 : 0); i -= 3)
    result.insert(static_cast<std::size_t>(i), ",");
  return result;
}

std::string rounded(double number) {
  if (std::isnan(number))
    return "-";
  const auto size = std::abs(number);
  if (size >= 1000 || size == std::floor(size))
    return grouped(std::int64_t{std::llround(number)});
  std::ostringstream out;
  out << std::fixed
      << std::setprecision(size >= 100   ? 0
                           : size >= 10  ? 1
                           : size >= 1   ? 2
                           : size >= 0.1 ? 3
                                         : 4)
      << number;
  return out.str();
}

std::vector<Round> in_turn(std::uint64_t rounds, const std::vector<Subject>& subjects) {
  std::vector<Round> result(rounds);
  for (std::uint64_t i = 0; i < rounds; ++i)
    for (const auto& subject : subjects)
      if (i < subject.most_rounds) {
        std::cerr << "round " << i + 1 << " of " << rounds << ", " << subject.name << '\n';
        result[i][subject.name] = subject.measure();
      }
  return result;
}

Grid::Grid(std::vector<std::string> columns, std::uint64_t rounds,
           const std::vector<Subject>& subjects)
  : Grid(std::move(columns)) {
  for (const auto& round : in_turn(rounds, subjects))
    for (const auto& subject : subjects)
      if (const auto it = round.find(subject.name); it != round.end())
        add(subject.name, it->second);
}

void Grid::add(const std::string& name, const Figures& figures) {
  auto it = std::find_if(rows_.begin(), rows_.end(), [&](auto& row) { return row.first == name; });
  if (it == rows_.end())
    it = rows_.insert(it, {name, std::vector<Figures>(columns_.size() - 1)});
  for (std::size_t i = 0; i < it->second.size(); ++i)
    it->second[i].push_back(figures.at(i));
}

const Figures& Grid::of(const std::string& name, const std::string& column) const {
  for (const auto& [row, figures] : rows_)
    for (std::size_t i = 1; row == name && i < columns_.size(); ++i)
      if (columns_[i] == column)
        return figures[i - 1];
  throw std::logic_error("nobody measures '" + column + "' of '" + name + "'");
}

Report Grid::report() const {
  std::vector<std::vector<std::string>> lines{columns_};
  auto rows = nlohmann::json::array();
  for (const auto& [name, figures] : rows_) {
    auto& line = lines.emplace_back(std::vector{name});
    nlohmann::json row{{"what", name}};
    for (std::size_t i = 0; i < figures.size(); ++i) {
      line.push_back(rounded(median(figures[i])));
      if (!std::isnan(figures[i].front()))
        row[columns_[i + 1]] = json_of(figures[i]);
    }
    rows.push_back(std::move(row));
  }
  return {table(lines), {{"rows", std::move(rows)}}};
}

Figures Row::ratios() const {
  Figures result;
  for (std::size_t i = 0; i < beside.size(); ++i)
    if (beside[i] != 0)
      result.push_back(ours[i] / beside[i]);
  return result;
}

Spread Row::of_goal() const {
  const auto all = ratios();
  return spread_of(all.empty() || (goal && goal->is_of_ours) ? ours : all);
}

std::string Row::figure_and_goal() const {
  const auto is_of_ours = beside.empty() || goal->is_of_ours;
  return with_unit(of_goal().median, is_of_ours ? unit : "") + ", goal " + text_of(*this);
}

Report compared(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> lines{
    {"medians", "ours", "beside", "ratio", "quartiles", "to be reached", "reached"}};
  auto all = nlohmann::json::array();
  for (const auto& row : rows) {
    const auto ratios = row.ratios();
    const auto [middle, first, third] = spread_of(ratios.empty() ? row.ours : ratios);
    lines.push_back({row.what, with_unit(median(row.ours), row.unit),
                     row.beside.empty() ? "-" : with_unit(median(row.beside), row.unit),
                     ratios.empty() ? "-" : rounded(middle),
                     rounded(first) + " .. " + rounded(third), text_of(row),
                     !row.goal          ? "-"
                     : row.is_reached() ? "yes"
                                        : "no"});
    nlohmann::json line{{"what", row.what}, {"unit", row.unit}, {"ours", json_of(row.ours)}};
    if (!row.beside.empty())
      line["beside"] = json_of(row.beside);
    if (!ratios.empty())
      line["ratio"] = json_of(ratios);
    if (row.goal) {
      line[row.goal->is_at_least ? "at_least" : "at_most"] = row.goal->value;
      line["goal_is_of"] = row.goal->is_of_ours || ratios.empty() ? "ours" : "ratio";
      line["reached"] = row.is_reached();
    }
    all.push_back(std::move(line));
  }
  return {table(lines), {{"rows", std::move(all)}}};
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::ostringstream out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      out << (i == 0 ? std::left : std::right) << (i == 0 ? "" : "  ")
          << std::setw(static_cast<int>(widths[i])) << row[i];
    out << '\n';
  }
  return out.str();
}

Report both(Report a, Report b) {
  for (auto& row : b.json["rows"])
    a.json["rows"].push_back(std::move(row));
  return {a.text + '\n' + b.text, std::move(a.json), a.is_good && b.is_good};
}

} // namespace benchmarks
