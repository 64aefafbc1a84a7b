#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace benchmarks {

/// What one run measured, or one figure of each round.
using Figures = std::vector<double>;

/// What no figure says.
inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

// -- numbers ------------------------------------------------------------------------------

/// The middle one, or the mean of the two in the middle.
///
/// @range not empty
double median(Figures values);

/// The value that so large a part of all is below, or at.
///
/// @range `values` is not empty, `0 <= part <= 1`
double percentile(Figures values, double part);

/// A median and quartiles. The quartiles are values that occurred: of three, the least and the
/// most.
struct Spread {
  double median = 0;
  double first_quartile = 0;
  double third_quartile = 0;
};

/// @range not empty
Spread spread_of(const Figures& values);

/// Renders a whole number for people: `-3,011,234`.
std::string grouped(std::int64_t number);
inline std::string grouped(std::uint64_t number) {
  return grouped(static_cast<std::int64_t>(number));
}

/// Renders a number with three digits, or all that are before the point: `12,300`, `1.53`. Without
/// a point if it is whole.
std::string rounded(double number);

// -- rounds -------------------------------------------------------------------------------

/// Something that is measured, once in each round.
struct Subject {
  std::string name;
  std::function<Figures()> measure; ///< what each number means the subject says
  std::size_t most_rounds = 1001;   ///< for one that takes long, or is the same each time
};

/// What the subjects of one round measured, by their names.
using Round = std::map<std::string, Figures>;

/// Measures all subjects once, then all once more, and so on. Names them on standard error.
std::vector<Round> in_turn(std::uint64_t rounds, const std::vector<Subject>& subjects);

// -- reports ------------------------------------------------------------------------------

/// What a program prints.
struct Report {
  std::string text;
  nlohmann::json json = nlohmann::json::object();
  bool is_good = true; ///< else the program fails
};

/// A table of figures by subject and round: of each the median.
class Grid {
public:
  /// @param columns begins with the title of the names
  explicit Grid(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  /// Measures subjects in turn, each of which has a figure for each column behind the first.
  Grid(std::vector<std::string> columns, std::uint64_t rounds,
       const std::vector<Subject>& subjects);

  /// Adds the figures of a round. A row that is new goes to the end.
  void add(const std::string& name, const Figures& figures);

  /// Returns the figures of a row and of a column, by rounds.
  const Figures& of(const std::string& name, const std::string& column) const;

  /// The same, the median.
  double median_of(const std::string& name, const std::string& column) const {
    return median(of(name, column));
  }

  Report report() const;

private:
  std::vector<std::string> columns_;
  std::vector<std::pair<std::string, std::vector<Figures>>> rows_; // by column, and round
};

/// What a row is to reach.
struct Goal {
  bool is_at_least; ///< else at most
  double value;
  bool is_of_ours = false; ///< else of the ratio

  bool is_reached_by(double figure) const {
    return is_at_least ? figure >= value : figure <= value;
  }
};

constexpr Goal at_least(double ratio) { return {true, ratio}; }
constexpr Goal at_most(double ratio) { return {false, ratio}; }
constexpr Goal ours_at_most(double figure) { return {false, figure, true}; }

/// A figure of this library, and what it is compared with.
struct Row {
  std::string what;
  std::string unit{};
  std::optional<Goal> goal{};
  Figures ours{};   ///< by rounds; not empty when it is reported
  Figures beside{}; ///< by the same rounds; empty: nothing is beside

  /// `ours / beside`, round by round.
  Figures ratios() const;
  /// What the goal is about: the ratio, or ours.
  Spread of_goal() const;
  /// Whether it reaches its goal; true if it has none.
  bool is_reached() const { return !goal || goal->is_reached_by(of_goal().median); }
  /// Renders what the goal is about, and the goal: `0.626, goal >= 0.6`.
  std::string figure_and_goal() const;
};

/// Reports rows: medians, and the quartiles of the ratios. One without a ratio has the quartiles of
/// its own figure.
Report compared(const std::vector<Row>& rows);

/// Renders a table for the console, its header first: the first column to the left, the others to
/// the right.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// Puts one report behind another.
Report both(Report a, Report b);

} // namespace benchmarks
