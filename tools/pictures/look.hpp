#pragma once

#include <cstddef>
#include <string>

namespace pictures {

/// Renders a number for gnuplot, with ten digits and an exponent if it is short.
std::string number(double value);

/// Renders a text for gnuplot. Only the quote itself is special in it.
std::string quoted(const std::string& text);

/// How a line is drawn. Dashes and mark tell it from others where colours cannot be seen.
struct Look {
  const char* colour;
  int mark;           // gnuplot's number of it
  const char* dashes; // gnuplot's dashtype
  double width = 2;   // pixels
};

/// Returns how the line of the given number, from 0 on, is drawn. No two of the first 36 are alike.
Look look(std::size_t line);

/// Returns gnuplot's words for a line.
std::string line_words(const Look& look);

/// Returns gnuplot's words for a mark.
std::string mark_words(const Look& look, double size = 0.6);

/// Returns the part of a plot command that draws nothing but a line of the legend.
std::string legend_entry(const Look& look, const std::string& title);

} // namespace pictures
