#pragma once

#include "run_record.hpp"

#include <iosfwd>
#include <string>

namespace http_guard {

/// Writes the gnuplot program that draws a run, data included, as an SVG on gnuplot's stdout.
///
/// @param title one line, in plain text
void write_picture_script(std::ostream& script, const Timeline& timeline, const std::string& title);

} // namespace http_guard
