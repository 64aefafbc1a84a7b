#include "page.hpp"

#include "look.hpp"

namespace pictures {

namespace {

// All pixels.
constexpr auto legend_line = 21;
constexpr auto around_legend = 24;
constexpr auto below_axis_title = 16; // where there is no legend
constexpr auto above_panels = 112;    // the heading, and the title of the highest panel
constexpr auto heading_margin = 95;
constexpr auto below_panels = 66; // the axis and its title

constexpr auto black = " textcolor rgb '#111111'";
constexpr auto grey = " textcolor rgb '#444444'";

std::string share(int pixels, int of) { return number(static_cast<double>(pixels) / of); }

// A PNG's fonts are in points, an SVG's in pixels.
std::string terminal(const Page& page) {
  const auto size = std::to_string(page_width) + "," + std::to_string(page.height());
  return page.is_png
           ? "set terminal pngcairo size " + size
               + " font 'Sans,11' noenhanced background rgb 'white'\n"
           : "set terminal svg size " + size
               + " font 'Helvetica,Arial,sans-serif,14' noenhanced background rgb 'white'\n";
}

} // namespace

int Page::legend_height() const {
  return legend_lines == 0 ? below_axis_title
                           : legend_line * static_cast<int>(legend_lines) + around_legend;
}

int Page::height() const { return above_panels + panels + below_panels + legend_height(); }

int Page::bottom() const { return below_panels + legend_height(); }

std::string Page::x(int pixels) const { return share(pixels, page_width); }

std::string Page::y(int pixels) const { return share(pixels, height()); }

std::string Page::legend_top() const { return y(legend_height() - around_legend / 2); }

std::string page_script(const Page& page) {
  return terminal(page) + "set encoding utf8\nset lmargin at screen " + page.x(page.left_margin)
         + "\nset rmargin at screen " + page.x(page_width - page.right_margin)
         + "\nset key at screen " + page.x(page.left_margin) + ", screen " + page.legend_top()
         + " left top vertical maxcols 1 Left reverse samplen 5" + grey
         + "\nset border 3 linewidth 1 linecolor rgb '#999999'\nset tics nomirror out scale 0.6"
         + grey + "\nset grid xtics ytics linetype 1 linewidth 0.6 linecolor rgb '#e6e6e6'\n";
}

std::string panel_script(const Page& page, const Place& place, const std::string& title,
                         bool is_lowest) {
  return "unset label\nunset object 100\nset tmargin at screen " + page.y(place.top)
         + "\nset bmargin at screen " + page.y(place.bottom) + "\nset format x '"
         + (is_lowest ? "%g" : "") + "'\nset label 1 " + quoted(title) + " at screen "
         + page.x(page.left_margin) + ", screen " + page.y(place.top + 17) + " left" + grey + "\n";
}

std::string heading_script(const Page& page, const std::string& title,
                           const std::string& subtitle) {
  const auto from_top = [&](int pixels) { return page.y(page.height() - pixels); };
  const auto left = " at screen " + page.x(heading_margin) + ", screen ";
  return "set object 100 rectangle from screen 0,0 to screen 1,1 behind fillstyle empty border"
         " linecolor rgb '#bbbbbb' linewidth 2\nset label 2 "
         + quoted(title) + left + from_top(34) + " left font '," + (page.is_png ? "14" : "19") + "'"
         + black + "\nset label 3 " + quoted(subtitle) + left + from_top(62) + " left" + grey
         + "\n";
}

std::string horizontal_title(const std::string& title) {
  return "set xlabel " + quoted(title) + grey + "\n";
}

std::string shaded(double from, double to) {
  return "set object rectangle from " + number(from) + ", graph 0 to " + number(to)
         + ", graph 1 behind fillcolor rgb '#ececec' fillstyle solid noborder\n";
}

} // namespace pictures
