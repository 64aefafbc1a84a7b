#include "versus/report.hpp"

#include "common/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
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

void plot(const std::vector<Result>& results, const std::string& file) {
  std::ostringstream data;
  std::size_t count = 0;
  for (auto it = results.rbegin(); it != results.rend(); ++it) {
    if (!it->row.bound)
      continue;
    // 1: just reached; beyond: better.
    const auto& spread = bounded(*it);
    const auto goal = it->row.bound->value;
    const auto part = [&](double value) {
      return it->row.bound->kind == Bound::Kind::at_least ? value / goal : goal / value;
    };
    if (spread.median <= 0 || spread.first_quartile <= 0)
      continue;
    data << '"' << it->row.what << "\" " << part(spread.median) << ' '
         << part(spread.first_quartile) << ' ' << part(spread.third_quartile) << ' '
         << (is_reached(*it) ? 1 : 2) << '\n';
    ++count;
  }
  if (count == 0)
    throw std::runtime_error("none of the lines is to reach anything, so there is nothing to draw");
  std::ostringstream script;
  script << "set terminal svg size 1100," << 80 + 24 * count
         << " dynamic noenhanced font 'sans,12'\n"
         << "set output \"" << file << "\"\n"
         << "$rows << END\n"
         << data.str() << "END\n"
         << "set lmargin 78\nset logscale x\nset xlabel 'part of it that is reached'\n"
         << "set yrange [-0.7:" << count << " - 0.3]\nset grid x\nunset key\n"
         << "set arrow from 1, graph 0 to 1, graph 1 nohead lc rgb 'black'\n"
         << "plot $rows using 2:0:3:4:ytic(1) with xerrorbars lc rgb 'gray40' pt 0, "
         << "$rows using 2:($5 == 1 ? $0 : NaN) with points pt 7 lc rgb '#1b7837', "
         << "$rows using 2:($5 == 2 ? $0 : NaN) with points pt 7 lc rgb '#b2182b'\n";
  const auto close = [](FILE* pipe) { return pclose(pipe); };
  std::unique_ptr<FILE, decltype(close)> gnuplot{popen("gnuplot", "w"), close};
  if (!gnuplot)
    throw std::runtime_error("gnuplot cannot be started");
  const auto text = script.str();
  const auto is_written = std::fwrite(text.data(), 1, text.size(), gnuplot.get()) == text.size();
  if (pclose(gnuplot.release()) != 0 || !is_written)
    throw std::runtime_error("gnuplot failed; to install it: apt-get install gnuplot-nox");
}

} // namespace versus
