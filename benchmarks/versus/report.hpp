#pragma once

#include "versus/readings.hpp"
#include "versus/rows.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace versus {

/// A number of a row in all rounds in which it was measured.
struct Spread {
  double median = 0;
  double first_quartile = 0;
  double third_quartile = 0;
};

/// A row with its numbers.
struct Result {
  Row row;
  Spread ours;
  std::optional<Spread> beside{};
  std::optional<Spread> ratio{}; ///< of the two, round by round
};

/// Returns those rows that were measured.
std::vector<Result> results_of(const std::vector<Row>& rows, const std::vector<Round>& rounds);

/// Returns the number that the row's bound is about.
const Spread& bounded(const Result& result);

/// Returns whether the row reaches what it is to reach; true if that is nothing.
bool is_reached(const Result& result);

/// Renders the figure of a row that has a bound, and the bound: `0.626, goal >= 0.6`.
std::string figure_and_goal(const Result& result);

/// Renders the results for people.
std::string table(const std::vector<Result>& results);

/// Renders the results, and all that was measured, for programs.
nlohmann::json json(const std::vector<Result>& results, const std::vector<Round>& rounds);

} // namespace versus
