#include "timeline.hpp"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <sstream>
#include <utility>
#include <variant>

namespace event = backoff_actor::event;

namespace {

constexpr double column = 0.1; // seconds

} // namespace

double Timeline::seconds_of(const backoff_actor::Event& event) {
  const auto at = time_of(event);
  if (!std::exchange(has_begun_, true))
    begin_ = at;
  const auto result = std::chrono::duration<double>(at - begin_).count();
  end_ = std::max(end_, result);
  return result;
}

void Timeline::add(const backoff_actor::Event& event) {
  const auto at = seconds_of(event);
  if (event.worker == 0)
    return;
  if (std::holds_alternative<event::ChildStarted>(event))
    bars_[event.worker]; // a row even if it does nothing
  else if (std::holds_alternative<event::HandedOver>(event))
    busy_since_[event.worker] = at;
  else if (std::holds_alternative<event::Acknowledged>(event))
    end(event.worker, at, Outcome::done);
  else if (std::holds_alternative<event::AckTimedOut>(event))
    end(event.worker, at, Outcome::hung);
  else if (const auto* const down = std::get_if<event::ChildDown>(&event); down && down->is_failure)
    end(event.worker, at, Outcome::crashed);
}

void Timeline::end(std::uint32_t worker, double at, Outcome outcome) {
  const auto began = busy_since_.extract(worker);
  if (began)
    bars_[worker].push_back({began.mapped(), at, outcome});
}

std::string Timeline::as_text() const {
  const auto columns = static_cast<std::size_t>(end_ / column) + 1;
  std::string result;
  for (const auto& [worker, bars] : bars_) {
    std::vector<int> done(columns);
    std::string row(columns, '.');
    for (const auto& bar : bars) {
      const auto at = static_cast<std::size_t>(bar.to / column);
      if (bar.outcome == Outcome::done)
        ++done[at];
      else
        row[at] = bar.outcome == Outcome::crashed ? 'x' : '!';
    }
    for (std::size_t i = 0; i < columns; ++i)
      if (row[i] == '.' && done[i] > 0)
        row[i] = done[i] > 9 ? '+' : static_cast<char>('0' + done[i]);
    result += "worker " + std::to_string(worker) + " " + row + "\n";
  }
  return result;
}

std::string Timeline::as_svg() const {
  constexpr int row_height = 26;
  constexpr int left = 80;
  constexpr int width = 720;
  const auto height = row_height * static_cast<int>(bars_.size()) + 40;
  const auto x_of = [this](double seconds) {
    return left + (end_ > 0 ? seconds / end_ * width : 0.0);
  };
  std::ostringstream svg;
  svg << std::fixed << std::setprecision(1);
  svg << "<svg xmlns='http://www.w3.org/2000/svg' width='" << left + width + 20 << "' height='"
      << height << "' font-family='sans-serif' font-size='12'>\n"
      << "<rect width='100%' height='100%' fill='white'/>\n";
  auto top = 10;
  for (const auto& [worker, bars] : bars_) {
    svg << "<text x='10' y='" << top + 15 << "'>worker " << worker << "</text>\n";
    for (const auto& bar : bars) {
      const auto* const fill = bar.outcome == Outcome::done      ? "#4a90d9"
                               : bar.outcome == Outcome::crashed ? "#d0312d"
                                                                 : "#f0a030";
      svg << "<rect x='" << x_of(bar.from) << "' y='" << top << "' width='"
          << std::max(x_of(bar.to) - x_of(bar.from) - 0.5, 1.0) << "' height='" << row_height - 6
          << "' fill='" << fill << "'/>\n";
    }
    top += row_height;
  }
  svg << "<text x='" << left << "' y='" << height - 8
      << "'>blue: done, red: crashed, orange: hung; " << end_ << " s</text>\n</svg>\n";
  return svg.str();
}
