#include "pictures/curves.hpp"
#include "pictures/gnuplot.hpp"
#include "pictures/line_ends.hpp"
#include "pictures/look.hpp"
#include "pictures/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace pictures::pictures_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

constexpr auto none = std::numeric_limits<double>::quiet_NaN();

// -- the file's own words -----------------------------------------------------

TEST(caption, takes_the_place_of_what_gnuplot_says_of_itself) {
  const auto drawn = "<?xml version=\"1.0\"?>\n<svg>\n<title>Gnuplot</title>\n"
                     "<desc>Produced by GNUPLOT 5.4 patchlevel 4 </desc>\n"
                     "<g id=\"gnuplot_plot_1\" ><title>gnuplot_plot_1</title></g>\n"
                     "<g id=\"gnuplot_plot_2a\" ><title>gnuplot_plot_2a</title></g></svg>";
  EXPECT_EQ(captioned(drawn, "Calls", "a < b & c"),
            "<?xml version=\"1.0\"?>\n<svg>\n<title>Calls</title>\n"
            "<desc>a &lt; b &amp; c</desc>\n"
            "<g id=\"gnuplot_plot_1\" ></g>\n<g id=\"gnuplot_plot_2a\" ></g></svg>");
}

TEST(caption, leaves_alone_what_is_no_svg) {
  const std::string png = "\x89PNG <title>Gnuplot</title><desc></desc>";
  EXPECT_EQ(captioned(png, "Calls", "of clients"), png);
}

TEST(number, quotes_what_gnuplot_would_take_for_an_end) {
  EXPECT_EQ(quoted("the client's"), "'the client''s'");
}

// -- lines that are told apart ------------------------------------------------

TEST(look, differs_from_all_others_without_its_colour) {
  std::set<std::pair<int, std::string>> seen;
  for (std::size_t i = 0; i < 12; ++i)
    seen.insert({look(i).mark, look(i).dashes});
  EXPECT_EQ(seen.size(), 12u);
  std::set<std::string> first_dashes;
  for (std::size_t i = 0; i < 6; ++i)
    first_dashes.insert(look(i).dashes);
  EXPECT_EQ(first_dashes.size(), 6u);
}

TEST(look, differs_from_all_others_in_36_lines) {
  std::set<std::tuple<std::string, std::string>> seen;
  for (std::size_t i = 0; i < 36; ++i)
    seen.insert({look(i).colour, look(i).dashes});
  EXPECT_EQ(seen.size(), 36u);
}

// -- a single second ------------------------------------------------------------

std::vector<std::pair<double, double>> pairs(const std::vector<Point>& points) {
  std::vector<std::pair<double, double>> result;
  for (const auto& point : points)
    result.emplace_back(point.x, point.y);
  return result;
}

TEST(curves, know_the_points_that_a_line_does_not_show) {
  EXPECT_THAT(pairs(lonely({{0, 5}, {1, none}, {2, 6}, {3, 7}, {4, none}, {5, 8}, {6, none}})),
              ElementsAre(Pair(0, 5), Pair(5, 8)));
  EXPECT_THAT(pairs(lonely({{0, none}, {1, none}, {2, 9}})), ElementsAre(Pair(2, 9)));
  EXPECT_TRUE(lonely({{0, 1}, {1, 1}}).empty());
  EXPECT_TRUE(lonely({}).empty());
}

TEST(curves, mark_a_single_second_between_two_interruptions) {
  std::vector<Point> points;
  for (auto i = 0; i < 100; ++i)
    points.push_back({i + 0.5, i == 57 ? 1.3 : none});
  Curves curves{1};
  curves.add(points, look(0));
  EXPECT_THAT(curves.script(),
              AllOf(HasSubstr("$data2 << end_of_data\n57.5 1.3\nend_of_data\n"),
                    HasSubstr("$data2 using 1:2 with points pointtype 7 pointsize 0.6")));
}

TEST(curves, bear_their_marks_in_turn) {
  std::vector<Point> points;
  for (auto i = 0; i < 20; ++i)
    points.push_back({static_cast<double>(i), 1});
  Curves curves{2};
  curves.add(points, look(0));
  curves.add(points, look(1));
  const auto script = curves.script();
  EXPECT_THAT(script, HasSubstr("$data2 << end_of_data\n0 1\n2 1\n4 1\n"));
  EXPECT_THAT(script, HasSubstr("$data4 << end_of_data\n1 1\n3 1\n5 1\n"));
}

TEST(curves, leave_out_a_line_without_a_point) {
  Curves curves{1};
  curves.add({{1, none}, {2, none}}, look(0));
  EXPECT_EQ(curves.script(), "plot NaN notitle\n");
}

// -- the page -----------------------------------------------------------------

TEST(page, is_white_and_has_a_border_and_room_for_the_legend_below) {
  const Page page{.panels = 500, .legend_lines = 2};
  EXPECT_EQ(page.height(), 744);
  EXPECT_THAT(page_script(page), AllOf(HasSubstr("set terminal svg size 1000,744 "),
                                       HasSubstr("background rgb 'white'"),
                                       HasSubstr("set key at screen 0.095, screen 0.0725")));
  EXPECT_THAT(heading_script(page, "Calls", "of clients"),
              HasSubstr("set object 100 rectangle from screen 0,0 to screen 1,1 behind fillstyle "
                        "empty border"));
}

TEST(page, names_the_horizontal_axis_below_the_lowest_panel_only) {
  const Page page{.panels = 500};
  EXPECT_THAT(panel_script(page, {100, 200}, "calls", false), HasSubstr("set format x ''\n"));
  EXPECT_THAT(panel_script(page, {100, 200}, "calls"), HasSubstr("set format x '%g'\n"));
}

TEST(page, draws_the_heading_with_the_first_panel_only) {
  const Page page{.panels = 500};
  EXPECT_THAT(panel_script(page, {100, 200}, "calls"),
              HasSubstr("unset label\nunset object 100\n"));
}

// -- labels at the ends of lines ------------------------------------------------

// A page of 682 pixels, so that a place of 100 pixels more is 0.1466 more.
constexpr Page tall{.panels = 488};

std::vector<double> places_of(const std::string& script) {
  std::vector<double> result;
  const std::string before = ", screen ";
  for (auto at = script.find(before); at != std::string::npos; at = script.find(before, at + 1))
    result.push_back(std::round(std::stod(script.substr(at + before.size())) * tall.height()));
  return result;
}

TEST(line_ends, are_labelled_where_the_lines_end) {
  const auto script =
    line_ends_script(tall, {100, 200}, {0, 10}, {{5, "b", "#111111"}, {0, "a", "#222222"}});
  EXPECT_THAT(script, HasSubstr("set label 11 'a' at screen 0.95, "));
  EXPECT_THAT(places_of(script), ElementsAre(100, 150));
}

TEST(line_ends, are_moved_apart_where_their_labels_would_be_upon_each_other) {
  EXPECT_THAT(places_of(line_ends_script(tall, {100, 200}, {0, 10},
                                         {{5, "a", "#111111"}, {5, "b", "#111111"}})),
              ElementsAre(142, 158));
  EXPECT_THAT(places_of(line_ends_script(tall, {100, 200}, {0, 10},
                                         {{0, "a", "#111111"}, {0, "b", "#111111"}})),
              ElementsAre(100, 116));
  EXPECT_THAT(places_of(line_ends_script(tall, {100, 200}, {0, 10},
                                         {{10, "a", "#111111"}, {10, "b", "#111111"}})),
              ElementsAre(184, 200));
}

TEST(line_ends, have_no_label_without_a_line_or_without_room) {
  EXPECT_EQ(line_ends_script(tall, {100, 200}, {0, 10}, {{none, "a", "#111111"}}), "");
  const std::vector<LineEnd> seven(7, LineEnd{5, "a", "#111111"});
  EXPECT_EQ(line_ends_script(tall, {100, 200}, {0, 10}, seven), "");
}

TEST(line_ends, follow_a_logarithmic_axis) {
  EXPECT_DOUBLE_EQ((Scale{1, 100, true}.share_below(10)), 0.5);
  EXPECT_DOUBLE_EQ((Scale{1, 100, true}.share_below(0)), 0);
  EXPECT_DOUBLE_EQ((Scale{0, 100}.share_below(10)), 0.1);
  EXPECT_EQ((Scale{1, 100, true}.script()), "set logscale y\nset yrange [1:100]\n");
  EXPECT_EQ((Scale{0, 100}.script()), "unset logscale y\nset yrange [0:100]\n");
}

} // namespace pictures::pictures_test
