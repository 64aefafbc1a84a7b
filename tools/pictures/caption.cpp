#include "caption.hpp"

#include <string_view>

namespace pictures {

namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const auto c : text)
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    default:
      result += c;
    }
  return result;
}

void drop_names_of_curves(std::string& svg) {
  constexpr std::string_view begin = "<title>gnuplot_plot_";
  constexpr std::string_view end = "</title>";
  for (auto at = svg.find(begin); at != std::string::npos; at = svg.find(begin, at))
    svg.erase(at, svg.find(end, at) + end.size() - at);
}

} // namespace

std::string captioned(std::string picture, const std::string& title,
                      const std::string& description) {
  if (!picture.starts_with("<?xml"))
    return picture;
  constexpr std::string_view last = "</desc>";
  const auto begin = picture.find("<title>");
  const auto end = picture.find(last, begin);
  if (begin == std::string::npos || end == std::string::npos)
    return picture;
  picture.replace(begin, end + last.size() - begin,
                  "<title>" + escaped(title) + "</title>\n<desc>" + escaped(description)
                    + "</desc>");
  drop_names_of_curves(picture);
  return picture;
}

} // namespace pictures
