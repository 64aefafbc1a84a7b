#pragma once

#include <cstddef>
#include <string>

// The frame of a picture: a white page with a border, so that it is read on a light and on a dark
// page alike; a heading above the panels; the legend below them, where no curve is. All places are
// given in pixels, not left to gnuplot, so that its versions draw alike.

namespace pictures {

inline constexpr auto page_width = 1000; ///< pixels

/// The size of a picture, in pixels.
struct Page {
  int panels;                   // their heights, and what is between them
  std::size_t legend_lines = 0; // of the legend below
  int left_margin = 95;
  int right_margin = 60;
  bool is_png = false; // otherwise an SVG

  /// The height below the title of the lowest axis.
  int legend_height() const;
  int height() const;
  /// Where the lowest panel begins, from below.
  int bottom() const;
  /// The share of the page's height that is below the top of the legend.
  std::string legend_top() const;
  /// The share of the page's width that is left of the given pixel, as gnuplot takes it.
  std::string x(int pixels) const;
  /// The share of the page's height that is below the given pixel.
  std::string y(int pixels) const;
};

/// Where in a picture a panel is, in pixels from below.
struct Place {
  int bottom;
  int top;
};

/// Returns gnuplot's settings of a page: format, size, legend, border, grid.
std::string page_script(const Page& page);

/// Returns the settings of a panel, in place of those of the one before. The title is above it, at
/// the left.
///
/// @param is_lowest only the lowest has numbers at its horizontal axis
std::string panel_script(const Page& page, const Place& place, const std::string& title,
                         bool is_lowest = true);

/// Returns the settings of the heading, and of the page's border. They are to follow those of the
/// first panel, and are drawn with it.
std::string heading_script(const Page& page, const std::string& title, const std::string& subtitle);

/// Returns the setting of the title of the horizontal axis.
std::string horizontal_title(const std::string& title);

/// Returns the setting of an area behind the curves, over the whole height of each panel.
std::string shaded(double from, double to);

} // namespace pictures
