#pragma once

#include "run_record.hpp"

#include <filesystem>
#include <string>

namespace http_guard {

/// Draws a run as an SVG, by gnuplot: the requests above, the failures and delays below.
///
/// @param title one line, in plain text
/// @return empty, or one line on why there is no picture
std::string draw_picture(const Timeline& timeline, const std::string& title,
                         const std::filesystem::path& file);

} // namespace http_guard
