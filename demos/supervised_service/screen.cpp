#include "screen.hpp"

#include "common/terminal.hpp"

#include <algorithm>
#include <iostream>
#include <unistd.h>

namespace supervised_service {

namespace {

constexpr std::size_t events_shown = 8;

} // namespace

Screen::Screen() : is_terminal_(isatty(STDOUT_FILENO) == 1) {}

void Screen::draw(const backoff_actor::SupervisionTree& tree,
                  const std::vector<std::string>& events) {
  last_.insert(last_.end(), events.begin(), events.end());
  while (last_.size() > events_shown)
    last_.pop_front();
  auto text = to_string(tree) + "\n\n";
  for (const auto& line : last_)
    text += line + '\n';
  text = example::fit_block_to_terminal(text, STDOUT_FILENO);
  if (drawn_ > 0)
    std::cout << "\033[" << drawn_ << "A\r\033[J"; // up, and clear what is below
  std::cout << text << std::flush;
  drawn_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

void Screen::print(const std::vector<std::string>& events) const {
  for (const auto& line : events)
    std::cout << line << '\n';
  std::cout << std::flush;
}

} // namespace supervised_service
