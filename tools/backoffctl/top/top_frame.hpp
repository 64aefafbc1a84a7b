#pragma once

#include "top_status.hpp"
#include "top_table.hpp"
#include "top_view.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace backoffctl {

/// What is to be shown.
struct TopMoment {
  std::string address{}; ///< of the program
  std::string clock{};   ///< when the status came: `21:03:12`
  TopStatus status{};
  std::string trouble{}; ///< why there is no newer one; empty: all is well
};

/// The places of a terminal.
struct TopSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

/// What a terminal shows.
struct TopFrame {
  std::vector<TopLine> lines{}; ///< as many as the terminal has, at most
  std::size_t first = 0; ///< how many senders are scrolled away: at most those that there are
  std::size_t page = 1;  ///< how many senders fit
};

/// Makes the screen: of the moment, the view and the size alone.
TopFrame frame_of(const TopMoment& moment, const TopView& view, const TopSize& size);

/// Makes all tables, for a file: nothing is cut or left out, and no keys are named.
std::string tables_of(const TopMoment& moment, const TopView& view);

/// Makes what draws a screen on a terminal that is in its alternate screen.
std::string drawing_of(const TopFrame& frame, bool is_coloured);

} // namespace backoffctl
