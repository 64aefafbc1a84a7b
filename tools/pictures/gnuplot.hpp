#pragma once

#include <string>

namespace pictures {

/// What gnuplot is to draw, and what the file says that it shows.
struct Picture {
  std::string title;       ///< plain text, one line; viewers show it as the name of an SVG
  std::string description; ///< plain text, for those who cannot see the picture
  std::string script;      ///< a gnuplot program that draws on its stdout
};

/// Runs a gnuplot program and returns the picture that it draws on stdout, an SVG or a PNG.
///
/// @errors throws `std::runtime_error` if gnuplot is missing or complains, or the picture is not
///         whole.
std::string run_gnuplot(const std::string& script);

/// Returns what gnuplot has drawn with a title and a description in place of gnuplot's own.
///
/// The names that gnuplot gives to single curves go: browsers show them as tooltips. A PNG has
/// neither and is returned as it is.
std::string captioned(std::string picture, const std::string& title,
                      const std::string& description);

/// Has gnuplot draw, and returns the picture with its title and description.
///
/// @errors as `run_gnuplot`
std::string drawn(const Picture& picture);

} // namespace pictures
