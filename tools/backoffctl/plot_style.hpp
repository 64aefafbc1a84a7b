#pragma once

#include "picture.hpp"

#include <cstddef>
#include <string>

// What all pictures have in common. Places are given in pixels, not left to gnuplot, so that its
// versions draw alike.

namespace backoffctl {

inline constexpr auto plot_above_panel = 60; ///< pixels: the headline
inline constexpr auto plot_below_panel = 85; ///< pixels: the axis and its title

/// How a line is drawn.
struct PlotLook {
  const char* colour;
  int mark;           // gnuplot's number of it
  std::size_t dashes; // gnuplot's number of them
};

/// How the line of the given number, from 0 on, is drawn.
PlotLook plot_look(std::size_t line);

/// Where in a picture something is drawn, in pixels from below.
struct PlotPlace {
  int bottom;
  int top;
};

/// How high the legend is, which is at the bottom of a picture.
///
/// @units pixels
int plot_legend_height(std::size_t lines);

/// How high a picture is.
///
/// @units pixels
int plot_height(int panels, std::size_t legend_lines);

/// Returns gnuplot's settings of a picture: format, size, legend, border, grid.
std::string plot_frame(const PlotRequest& plot, int height, std::size_t legend_lines);

/// Returns the settings of a part of the picture that has axes of its own.
std::string plot_panel(const PlotPlace& place, int height, const std::string& vertical_title);

/// Returns the setting of the line above the highest panel.
std::string plot_headline(const std::string& text, int height);

} // namespace backoffctl
