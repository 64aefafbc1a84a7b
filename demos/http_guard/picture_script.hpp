#pragma once

#include "run_record.hpp"

#include "pictures/gnuplot.hpp"

#include <string>

namespace http_guard {

/// Returns the picture of a run: the requests above, the failures and delays below.
///
/// @param title one line, in plain text
pictures::Picture picture_of(const Timeline& timeline, const std::string& title);

} // namespace http_guard
