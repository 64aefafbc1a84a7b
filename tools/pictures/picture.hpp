#pragma once

#include <string>

namespace pictures {

/// What gnuplot is to draw, and what the file says that it shows.
struct Picture {
  std::string title;       ///< plain text, one line; viewers show it as the name of an SVG
  std::string description; ///< plain text, for those who cannot see the picture
  std::string script;      ///< a gnuplot program that draws on its stdout
};

} // namespace pictures
