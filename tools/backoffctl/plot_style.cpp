#include "plot_style.hpp"

#include "number_text.hpp"

#include <array>

namespace backoffctl {

namespace {

// All pixels.
constexpr auto picture_width = 1000;
constexpr auto left_margin = 95;
constexpr auto right_margin = 25;
constexpr auto legend_line = 24;

// Those that come after these have the same again, dashed.
constexpr std::array<PlotLook, 6> looks{{{"#0072b2", 7, 1},
                                         {"#2a9d3a", 5, 1},
                                         {"#e07b00", 9, 1},
                                         {"#b0388f", 13, 1},
                                         {"#7a4a21", 11, 1},
                                         {"#555555", 15, 1}}};

std::string terminal(const PlotRequest& plot, int height) {
  const auto size = std::to_string(picture_width) + "," + std::to_string(height);
  return plot.file.extension() == ".png" ? "set terminal pngcairo size " + size
                                             + " font 'Sans,11' noenhanced"
                                               " background rgb 'white'\n"
                                         : "set terminal svg size " + size
                                             + " font 'Helvetica,Arial,sans-serif,14' noenhanced"
                                               " background rgb 'white'\n";
}

std::string share(int pixels, int of) { return rounded(static_cast<double>(pixels) / of); }

} // namespace

PlotLook plot_look(std::size_t line) {
  auto result = looks[line % looks.size()];
  result.dashes += line / looks.size();
  return result;
}

int plot_legend_height(std::size_t lines) { return legend_line * static_cast<int>(lines); }

int plot_height(int panels, std::size_t legend_lines) {
  return plot_above_panel + panels + plot_below_panel + plot_legend_height(legend_lines);
}

std::string plot_frame(const PlotRequest& plot, int height, std::size_t legend_lines) {
  return terminal(plot, height) + "set encoding utf8\nset lmargin at screen "
         + share(left_margin, picture_width) + "\nset rmargin at screen "
         + share(picture_width - right_margin, picture_width) + "\nset key at screen "
         + share(left_margin, picture_width) + ", screen "
         + share(plot_legend_height(legend_lines) + 10, height)
         + " left top vertical maxcols 1 Left reverse samplen 3 textcolor rgb '#222222'"
           "\nset border 3 linewidth 1 linecolor rgb '#999999'"
           "\nset tics nomirror out scale 0.6 textcolor rgb '#444444'"
           "\nset grid xtics ytics linetype 1 linewidth 0.6 linecolor rgb '#e6e6e6'\n";
}

// The title is at a place of its own: gnuplot's own title moves with the width of the ticks' labels.
std::string plot_panel(const PlotPlace& place, int height, const std::string& vertical_title) {
  return "set tmargin at screen " + share(place.top, height) + "\nset bmargin at screen "
         + share(place.bottom, height) + "\nset label 1 '" + vertical_title
         + "' at screen 0.018, screen " + share((place.bottom + place.top) / 2, height)
         + " center rotate textcolor rgb '#444444'\n";
}

std::string plot_headline(const std::string& text, int height) {
  return "set label 2 '" + text + "' at graph 0, screen "
         + share(height - plot_above_panel / 2, height) + " left textcolor rgb '#222222'\n";
}

} // namespace backoffctl
