#pragma once

#include <string>

namespace pictures {

/// Returns what gnuplot has drawn with a title and a description in place of gnuplot's own.
///
/// The names that gnuplot gives to single curves go: browsers show them as tooltips. A PNG has
/// neither and is returned as it is.
std::string captioned(std::string picture, const std::string& title,
                      const std::string& description);

} // namespace pictures
