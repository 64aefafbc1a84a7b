#include "line_ends.hpp"

#include "look.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pictures {

namespace {

// All pixels.
constexpr auto label_height = 16;
constexpr auto beside_panel = 10;

// Labels that stand one above the other without a gap.
struct Stack {
  int size;
  double lowest; // the sum of where each of them would have the lowest be

  // As near as can be to where all want to be, and within the panel.
  double bottom(int panel) const {
    return std::clamp(lowest / size, 0.0, static_cast<double>(panel - (size - 1) * label_height));
  }
};

// Where labels are to be, from below, that would be at the wanted places, which ascend.
std::vector<int> spread(const std::vector<double>& wanted, int panel) {
  std::vector<Stack> stacks;
  for (const auto place : wanted) {
    stacks.push_back({1, place});
    while (stacks.size() > 1) {
      const auto above = stacks.back();
      auto& below = stacks[stacks.size() - 2];
      if (below.bottom(panel) + below.size * label_height <= above.bottom(panel))
        break;
      below.lowest += above.lowest - above.size * below.size * label_height;
      below.size += above.size;
      stacks.pop_back();
    }
  }
  std::vector<int> result;
  for (const auto& stack : stacks)
    for (auto i = 0; i < stack.size; ++i)
      result.push_back(static_cast<int>(std::lround(stack.bottom(panel))) + i * label_height);
  return result;
}

} // namespace

std::string Scale::script() const {
  return std::string{is_logarithmic ? "set logscale y\n" : "unset logscale y\n"} + "set yrange ["
         + number(bottom) + ":" + number(top) + "]\n";
}

double Scale::share_below(double value) const {
  const auto place = [&](double x) { return is_logarithmic ? std::log(x) : x; };
  const auto least = is_logarithmic ? std::max(value, bottom) : value;
  return std::clamp((place(least) - place(bottom)) / (place(top) - place(bottom)), 0.0, 1.0);
}

std::string line_ends_script(const Page& page, const Place& place, const Scale& scale,
                             std::vector<LineEnd> ends) {
  std::erase_if(ends, [](const LineEnd& end) { return std::isnan(end.value); });
  const auto panel = place.top - place.bottom;
  if (static_cast<int>(ends.size()) * label_height > panel)
    return {};
  std::stable_sort(ends.begin(), ends.end(),
                   [](const LineEnd& a, const LineEnd& b) { return a.value < b.value; });
  std::vector<double> wanted;
  for (const auto& end : ends)
    wanted.push_back(scale.share_below(end.value) * panel);
  const auto at = spread(wanted, panel);
  std::string result;
  for (std::size_t i = 0; i < ends.size(); ++i)
    result += "set label " + std::to_string(11 + i) + " " + quoted(ends[i].label) + " at screen "
              + page.x(page_width - page.right_margin + beside_panel) + ", screen "
              + page.y(place.bottom + at[i]) + " left textcolor rgb '" + ends[i].colour + "'\n";
  return result;
}

} // namespace pictures
