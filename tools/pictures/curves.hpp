#pragma once

#include "pictures/look.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pictures {

struct Point {
  double x;
  double y; // NaN: there is none, and the line is interrupted
};

/// Returns the points between two interruptions: a line is drawn from point to point, and would not
/// show them.
std::vector<Point> lonely(const std::vector<Point>& points);

/// Lines that share a panel.
class Curves {
public:
  /// @param count how many there are; they bear their marks in turn, so that each is seen where two
  ///              are one upon the other
  /// @param marks how many marks a long line bears, about; a short one bears one at each point
  explicit Curves(std::size_t count, std::size_t marks = 10) : count_(count), marks_(marks) {}

  /// Adds the next.
  void add(const std::vector<Point>& points, const Look& look);

  /// Adds only a line of the legend.
  void add_legend(const Look& look, const std::string& title);

  /// Adds data, and returns the name under which a plot finds them.
  ///
  /// @param rows each ends with a newline
  std::string add_data(const std::string& rows);

  /// Adds anything else that gnuplot can draw.
  void add_plot(const std::string& plot);

  /// Returns the data and the plot command.
  std::string script() const;

private:
  std::size_t count_;
  std::size_t marks_;
  std::size_t curves_ = 0;
  std::size_t blocks_ = 0;
  std::string data_;
  std::string plots_;
};

} // namespace pictures
