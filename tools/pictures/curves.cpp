#include "curves.hpp"

#include "look.hpp"

#include <algorithm>
#include <cmath>

namespace pictures {

namespace {

bool is_there(const std::vector<Point>& points, std::size_t i) {
  return i < points.size() && !std::isnan(points[i].y);
}

std::string rows(const std::vector<Point>& points) {
  std::string result;
  for (const auto& point : points)
    result += number(point.x) + " " + (std::isnan(point.y) ? "NaN" : number(point.y)) + "\n";
  return result;
}

} // namespace

std::vector<Point> lonely(const std::vector<Point>& points) {
  std::vector<Point> result;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (is_there(points, i) && !is_there(points, i - 1) && !is_there(points, i + 1))
      result.push_back(points[i]);
  return result;
}

void Curves::add(const std::vector<Point>& points, const Look& look) {
  const auto any = std::any_of(points.begin(), points.end(),
                               [](const Point& point) { return !std::isnan(point.y); });
  const auto turn = curves_++;
  if (!any)
    return; // gnuplot complains of a curve without a point
  const auto name = add_data(rows(points));
  add_plot(name + " using 1:2 with lines " + line_words(look) + " notitle");
  const auto step = std::max<std::size_t>(points.size() / marks_, 1);
  std::vector<Point> marked;
  for (auto i = step * turn / count_; i < points.size(); i += step)
    if (is_there(points, i))
      marked.push_back(points[i]);
  for (const auto& point : lonely(points))
    marked.push_back(point);
  if (!marked.empty())
    add_plot(add_data(rows(marked)) + " using 1:2 with points " + mark_words(look) + " notitle");
}

void Curves::add_legend(const Look& look, const std::string& title) {
  add_plot(legend_entry(look, title));
}

std::string Curves::script() const {
  return plots_.empty() ? "plot NaN notitle\n" : data_ + "plot " + plots_ + "\n";
}

std::string Curves::add_data(const std::string& rows) {
  auto name = "$data" + std::to_string(++blocks_);
  data_ += name + " << end_of_data\n" + rows + "end_of_data\n";
  return name;
}

void Curves::add_plot(const std::string& plot) {
  plots_ += (plots_.empty() ? "" : ", \\\n") + plot;
}

} // namespace pictures
