#include "top.hpp"

#include "backoffctl/text/number_text.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

namespace backoffctl {

namespace {

using backoff_actor::detail::count_characters;
using backoff_actor::detail::in_places;

constexpr std::size_t gap = 2;            // between two columns
constexpr std::size_t shortest_rest = 16; // of the last column, so that others are left out for it
constexpr std::size_t longest_name = 40;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// The places that each column takes; 0: it is left out.
std::vector<std::size_t> widths_of(const TopTable& table, std::size_t width) {
  const auto& columns = table.columns;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto widest = columns[i].title.size();
    for (const auto& row : table.rows)
      widest = std::max(widest, count_characters(row.cells[i]));
    if (i == 0 && width != endless)
      widest = std::min(widest, longest_name);
    widths.push_back(widest);
  }
  const auto needed = [&] {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] != 0)
        sum += (i == 0 ? 0 : gap)
               + (i + 1 == widths.size() ? std::min(widths[i], shortest_rest) : widths[i]);
    return sum;
  };
  while (needed() > width) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (widths[i] != 0 && columns[i].leaves > columns[next].leaves)
        next = i;
    if (columns[next].leaves == 0)
      break;
    widths[next] = 0;
  }
  return widths;
}

std::string line_of(const TopTable& table, const std::vector<std::string>& cells,
                    const std::vector<std::size_t>& widths, std::size_t width) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == 0)
      continue;
    if (i != 0)
      line.append(gap, ' ');
    const auto is_last = i + 1 == cells.size();
    const auto cell = is_last ? cells[i] : cut(cells[i], widths[i]);
    const std::string fill(is_last && table.columns[i].is_text
                             ? 0
                             : widths[i] - std::min(widths[i], count_characters(cell)),
                           ' ');
    line += table.columns[i].is_text ? cell + fill : fill + cell;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return cut(line, width);
}

// -- senders --------------------------------------------------------------------------------

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool has(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return lower(a) == lower(b); })
           != text.end()
         || part.empty();
}

bool is_silent(const TopSender& sender) {
  return sender.silent_s >= top_long_s && !sender.is_paused && !sender.is_held_back
         && !sender.is_delayed && !sender.is_store_behind;
}

void add(std::string& text, const std::string& part) { text += (text.empty() ? "" : "; ") + part; }

std::string digits(std::uint64_t value) { return std::to_string(value); }

bool is_before(const TopSender& a, const TopSender& b, TopOrder order) {
  const auto key = [order](const TopSender& x) {
    switch (order) {
    case TopOrder::oldest:
      return x.oldest_s;
    case TopOrder::owed:
      return static_cast<double>(x.owed);
    case TopOrder::rate:
      return x.rate_hz.value_or(0);
    case TopOrder::failures:
      return static_cast<double>(x.failures);
    case TopOrder::name:
      break;
    }
    return 0.0;
  };
  // The larger one, and then the one whose name comes first.
  return std::tuple{key(b), order == TopOrder::name ? 0 : b.owed, a.name}
         < std::tuple{key(a), order == TopOrder::name ? 0 : a.owed, b.name};
}

} // namespace

std::string cut(std::string_view text, std::size_t width) {
  auto result = in_places(text);
  if (count_characters(result) <= width)
    return result;
  if (width == 0)
    return {};
  std::size_t end = 0;
  for (std::size_t characters = 0; end < result.size(); ++end)
    if (begins_character(result[end]) && ++characters == width)
      break;
  return result.substr(0, end) + "…";
}

std::vector<TopLine> lay_out(const TopTable& table, std::size_t width) {
  TopTable clean = table; // a cell has the width that is counted
  for (auto& row : clean.rows)
    for (auto& cell : row.cells)
      cell = in_places(cell);
  const auto widths = widths_of(clean, width);
  std::vector<std::string> titles;
  for (const auto& column : clean.columns)
    titles.push_back(column.title);
  std::vector<TopLine> lines{{line_of(clean, titles, widths, width), TopLook::heading}};
  for (const auto& row : clean.rows)
    lines.push_back(
      {line_of(clean, row.cells, widths, width), row.is_alarm ? TopLook::alarm : TopLook::plain});
  return lines;
}

std::string state_of(const TopSender& sender) {
  if (sender.phase != "running" && sender.phase != "waiting" && sender.phase != "starting")
    return sender.phase;
  if (sender.is_paused)
    return "paused";
  if (sender.is_held_back)
    return "held back";
  if (sender.is_store_behind)
    return "store behind";
  if (sender.is_delayed)
    return "waiting";
  if (is_silent(sender))
    return "no turn";
  return sender.is_on_fallback ? "fallback" : sender.phase;
}

std::string reason_of(const TopSender& sender) {
  std::string text;
  if (is_silent(sender))
    add(text,
        (sender.in_flight > 0 ? "no answer for " : "no turn for ") + age_text(sender.silent_s));
  if (sender.is_delayed)
    add(text, sender.due_s ? "retries in " + age_text(*sender.due_s) : "waits for a retry");
  if (!sender.cause.empty())
    add(text, sender.cause + ", " + age_text(sender.cause_s) + " ago");
  if (sender.pool && sender.pool->ready > 0)
    add(text, digits(sender.pool->ready) + " wait for a free worker");
  if (sender.abandoned > 0)
    add(text, digits(sender.abandoned)
                + (sender.abandoned == 1 ? " child does not end" : " children do not end"));
  if (sender.is_paused)
    add(text, "somebody paused it");
  if (sender.is_held_back)
    add(text, "its guard lets nothing through");
  if (sender.is_store_behind)
    add(text, "its store does not keep up");
  if (sender.is_on_fallback)
    add(text, "its fallback works");
  return text;
}

bool is_alarming(const TopSender& sender) {
  return sender.oldest_s >= top_long_s || sender.abandoned > 0 || is_silent(sender)
         || (sender.owed > 0 && (sender.is_held_back || sender.is_store_behind));
}

std::vector<TopSender> chosen_senders(const TopStatus& status, const TopView& view) {
  std::vector<TopSender> senders;
  for (const auto& sender : status.senders)
    if (has(sender.name, view.filter) || has(state_of(sender), view.filter)
        || has(reason_of(sender), view.filter))
      senders.push_back(sender);
  std::stable_sort(senders.begin(), senders.end(), [&](const TopSender& a, const TopSender& b) {
    return is_before(a, b, view.order);
  });
  return senders;
}

TopTable sender_table(const std::vector<TopSender>& senders) {
  TopTable table{{{"SENDER", true},
                  {"STATE", true},
                  {"OLDEST"},
                  {"OWED", false, 1},
                  {"IN FLIGHT", false, 5},
                  {"DONE/S", false, 4},
                  {"FAILURES", false, 3},
                  {"DEAD", false, 2},
                  {"WHY", true}},
                 {}};
  for (const auto& sender : senders)
    table.rows.push_back(
      {{sender.name, state_of(sender), sender.owed == 0 ? "-" : age_text(sender.oldest_s),
        digits(sender.owed), digits(sender.in_flight),
        sender.rate_hz ? fixed(*sender.rate_hz, 1) : "-", digits(sender.failures),
        digits(sender.dead_lettered), reason_of(sender)},
       is_alarming(sender)});
  return table;
}

TopTable pool_table(const std::vector<TopSender>& senders) {
  TopTable table{{{"POOL", true},
                  {"SERVING"},
                  {"STARTING"},
                  {"WAITING"},
                  {"LEAVING", false, 2},
                  {"RESTING", false, 3},
                  {"NO FREE WORKER", false, 1}},
                 {}};
  for (const auto& sender : senders)
    if (const auto& pool = sender.pool)
      table.rows.push_back(
        {{sender.name, digits(pool->serving), digits(pool->starting), digits(pool->waiting),
          digits(pool->leaving), digits(pool->resting), digits(pool->ready)},
         pool->serving == 0 && sender.owed > 0});
  std::stable_partition(table.rows.begin(), table.rows.end(),
                        [](const TopRow& row) { return row.is_alarm; });
  return table;
}

TopTable chosen_rows(TopTable table, const TopView& view) {
  std::erase_if(table.rows, [&](const TopRow& row) { return !has(row.cells[0], view.filter); });
  return table;
}

} // namespace backoffctl
