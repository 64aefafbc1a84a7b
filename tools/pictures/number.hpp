#pragma once

#include <string>

namespace pictures {

/// Renders a number for gnuplot, with ten digits and an exponent if it is short.
std::string number(double value);

/// Renders a text for gnuplot. Only the quote itself is special in it.
std::string quoted(const std::string& text);

} // namespace pictures
