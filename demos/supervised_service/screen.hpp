#pragma once

#include "backoff_actor/observe/supervision_tree.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace supervised_service {

/// What people see on stdout: on a terminal the tree, drawn again and again in its place, and the
/// last events below it; otherwise each event, a line each.
class Screen {
public:
  Screen();

  /// Whether there is a tree to be drawn.
  bool shows_tree() const { return is_terminal_; }

  /// Draws the tree, and the last events with those that have come.
  ///
  /// @range only if it `shows_tree`
  void draw(const backoff_actor::SupervisionTree& tree, const std::vector<std::string>& events);

  /// Prints events below all that is there.
  void print(const std::vector<std::string>& events) const;

private:
  bool is_terminal_;
  std::size_t drawn_ = 0; // lines
  std::deque<std::string> last_;
};

} // namespace supervised_service
