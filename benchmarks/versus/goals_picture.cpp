#include "pictures/curves.hpp"
#include "pictures/gnuplot.hpp"
#include "pictures/look.hpp"
#include "pictures/page.hpp"
#include "versus/measures.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace versus {

namespace {

constexpr auto title = "What supervision costs: how far each goal is reached";
constexpr auto subtitle =
  "1: the goal is just reached; further right is better. Mark: median; bar: from "
  "quartile to quartile.";

// All pixels.
constexpr auto row_height = 40;
constexpr auto beside_names = 440;
constexpr auto beside_figures = 240;

constexpr auto mark_size = 0.9;
constexpr pictures::Look is_met{"#16803c", 7, "1"};
constexpr pictures::Look is_missed{"#b3261e", 13, "1"};

// 1 is just on the goal, beyond is better.
double reached_part(const Goal& goal, double figure) {
  return goal.is_at_least ? figure / goal.value : goal.value / figure;
}

// What is measured, and below it what is compared. No name has a quote in it.
std::string name_in_picture(std::string what) {
  if (const auto end = what.rfind(": "); end != std::string::npos)
    what.replace(end, 2, "\\n");
  return '"' + what + '"';
}

// Those with a goal that a logarithmic axis has a place for, from below.
std::vector<Row> rows_with_goals(const std::vector<Row>& results) {
  auto rows = results;
  std::erase_if(rows, [](const Row& row) {
    return !row.goal || row.of_goal().median <= 0 || row.of_goal().first_quartile <= 0;
  });
  std::reverse(rows.begin(), rows.end());
  return rows;
}

std::string data_of(const std::vector<Row>& rows, bool reached) {
  std::string result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].is_reached() != reached)
      continue;
    const auto spread = rows[i].of_goal();
    const auto part = [&](double figure) {
      return pictures::number(reached_part(*rows[i].goal, figure));
    };
    result += part(spread.median) + " " + std::to_string(i) + " " + part(spread.first_quartile)
              + " " + part(spread.third_quartile) + "\n";
  }
  return result;
}

template <class F>
std::string ticks(const std::vector<Row>& rows, F label) {
  std::string result;
  for (std::size_t i = 0; i < rows.size(); ++i)
    result += (i == 0 ? "" : ", ") + label(rows[i]) + " " + std::to_string(i);
  return "(" + result + ") font ',12' scale 0 textcolor rgb '#222222'\n";
}

// Every other row has a grey ground, from edge to edge.
std::string grounds(std::size_t rows) {
  std::string result;
  for (std::size_t i = 0; i < rows; i += 2)
    result += "set object rectangle from screen 0.01, first " + std::to_string(i)
              + " - 0.5 to screen 0.99, first " + std::to_string(i)
              + " + 0.5 behind fillcolor rgb '#f4f4f4' fillstyle solid noborder\n";
  return result;
}

std::string marks(const std::vector<Row>& rows) {
  pictures::Curves curves{2};
  const auto add = [&](bool reached, const pictures::Look& look, const std::string& words) {
    if (const auto data = data_of(rows, reached); !data.empty()) {
      const auto name = curves.add_data(data);
      curves.add_plot(name
                      + " using 1:2:3:4 with xerrorbars pointtype 0 linewidth 1.2"
                        " linecolor rgb '#555555' notitle");
      curves.add_plot(name + " using 1:2 with points " + mark_words(look, mark_size) + " notitle");
    }
    curves.add_plot("keyentry with points " + mark_words(look, mark_size) + " title "
                    + pictures::quoted(words));
  };
  add(true, is_met, "the goal is reached");
  add(false, is_missed, "the goal is missed");
  return curves.script();
}

pictures::Picture goals_picture(const std::vector<Row>& results) {
  const auto rows = rows_with_goals(results);
  if (rows.empty())
    throw std::runtime_error("none of the lines has a goal, so there is nothing to draw");
  const pictures::Page page{.panels = static_cast<int>(rows.size()) * row_height,
                            .legend_lines = 2,
                            .left_margin = beside_names,
                            .right_margin = beside_figures};
  const auto name = [](const Row& row) { return name_in_picture(row.what); };
  const auto figure = [](const Row& row) { return pictures::quoted(row.figure_and_goal()); };
  return {
    title, std::string{subtitle} + " Each row says at the right what was measured, and its goal.",
    page_script(page) + panel_script(page, {page.bottom(), page.bottom() + page.panels}, "")
      + heading_script(page, title, subtitle)
      + "set logscale x\nset xtics (0.25, 0.5, 1, 2, 4, 8, 16)\nset link y2\nset grid noytics\n"
        "set yrange [-0.5:"
      + std::to_string(rows.size()) + " - 0.5]\nset ytics " + ticks(rows, name)
      + "set y2tics nomirror " + ticks(rows, figure) + grounds(rows.size())
      + "set arrow 1 from 1, graph 0 to 1, graph 1 nohead linewidth 1.5 linecolor rgb '#222222'\n"
      + pictures::horizontal_title("how far the goal is reached, logarithmic") + marks(rows)};
}

} // namespace

void plot(const std::vector<Row>& results, const std::string& file) {
  const auto drawn = pictures::drawn(goals_picture(results));
  std::ofstream stream{file, std::ios::binary};
  stream << drawn << std::flush;
  if (!stream)
    throw std::runtime_error(file + " cannot be written");
}

} // namespace versus
