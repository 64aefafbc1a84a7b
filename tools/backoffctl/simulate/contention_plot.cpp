#include "contention.hpp"

#include "backoffctl/text/number_text.hpp"
#include "pictures/curves.hpp"
#include "pictures/line_ends.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace backoffctl {

namespace {

// All pixels.
constexpr auto contention_panel_height = 300;
constexpr auto between_contention_panels = 50;
constexpr auto beside_contention_panels = 125; // the names of the policies

constexpr auto contention_title = "What jitter is good for: many clients write the same row";

double calls_of(const ContentionMeans& means) { return means.calls; }

double completion_of(const ContentionMeans& means) {
  return means.completion_ns.value_or(std::numeric_limits<double>::quiet_NaN()) / 1e9;
}

using ContentionValue = double (*)(const ContentionMeans&);

// Which rows, by the number of clients.
std::vector<std::size_t> by_clients(const ContentionQuestion& question) {
  std::vector<std::size_t> result(question.clients.size());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = i;
  std::stable_sort(result.begin(), result.end(),
                   [&](auto a, auto b) { return question.clients[a] < question.clients[b]; });
  return result;
}

std::vector<pictures::Point> points(const ContentionAnswer& answer, std::size_t contender,
                                    ContentionValue value) {
  std::vector<pictures::Point> result;
  for (const auto row : by_clients(answer.question))
    result.push_back(
      {static_cast<double>(answer.question.clients[row]), value(answer.means[row][contender])});
  return result;
}

// Given, not left to gnuplot, whose choice depends on its version.
pictures::Scale scale(const ContentionAnswer& answer, ContentionValue value, bool is_logarithmic) {
  auto least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const auto& row : answer.means)
    for (const auto& means : row) {
      least = std::min(least, value(means)); // neither is NaN's
      most = std::max(most, value(means));
    }
  if (most == 0) // nothing was completed
    return {0, 1};
  return is_logarithmic ? pictures::Scale{least / 1.5, most * 1.5, true}
                        : pictures::Scale{0, most * 1.05};
}

std::string legend(const Contender& contender, const std::string& label) {
  return label + (label.back() == ']' ? " " : ": ") + contender.description();
}

// The legend is drawn with the lowest panel.
std::string panel(const ContentionAnswer& answer, const pictures::Page& page,
                  const pictures::Place& place, const pictures::Scale& vertical,
                  ContentionValue value, bool is_lowest) {
  const auto& question = answer.question;
  const auto labels = question.labels();
  const auto count = question.contenders.size();
  pictures::Curves curves{count, question.clients.size()};
  std::vector<pictures::LineEnd> ends;
  for (std::size_t i = 0; i < count; ++i) {
    const auto look = pictures::look(i);
    const auto curve = points(answer, i, value);
    curves.add(curve, look);
    ends.push_back({curve.back().y, labels[i], look.colour});
    if (is_lowest)
      curves.add_legend(look, legend(question.contenders[i], labels[i]));
  }
  return vertical.script() + line_ends_script(page, place, vertical, std::move(ends))
         + curves.script();
}

std::string description(const ContentionQuestion& question) {
  std::string result = "Means of " + std::to_string(question.trials)
                       + (question.trials == 1 ? " trial" : " trials")
                       + ", over the number of clients. Above: the calls that all clients make, "
                         "refused ones included. "
                         "Below: the seconds until the last client has succeeded. The lines:";
  const auto labels = question.labels();
  for (std::size_t i = 0; i < labels.size(); ++i)
    result += (i == 0 ? " " : "; ") + legend(question.contenders[i], labels[i]);
  return result + ".";
}

} // namespace

pictures::Picture contention_plot(const ContentionAnswer& answer, const PlotRequest& plot) {
  const auto& question = answer.question;
  auto page =
    plot.page(2 * contention_panel_height + between_contention_panels, question.contenders.size());
  page.right_margin = beside_contention_panels;
  const pictures::Place below{page.bottom(), page.bottom() + contention_panel_height};
  const pictures::Place above{below.top + between_contention_panels,
                              below.top + between_contention_panels + contention_panel_height};
  const auto most = *std::max_element(question.clients.begin(), question.clients.end());
  return {
    contention_title, description(question),
    page_script(page) + "set xrange [0:" + rounded(most * 1.02, 6) + "]\nset multiplot\n"
      + panel_script(page, above, "calls of all clients, refused ones included", false)
      + heading_script(page, contention_title,
                       "Calls, and the time until all are done, by the number of clients that "
                       "start together")
      + panel(answer, page, above, scale(answer, calls_of, plot.is_logarithmic), calls_of, false)
      + panel_script(page, below, "seconds until all are done")
      + pictures::horizontal_title("number of clients")
      + panel(answer, page, below, scale(answer, completion_of, plot.is_logarithmic), completion_of,
              true)
      + "unset multiplot\n"};
}

} // namespace backoffctl
