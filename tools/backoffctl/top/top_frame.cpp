#include "top.hpp"

#include "backoffctl/text/number_text.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace backoffctl {

namespace {

using backoff_actor::detail::count_characters;

// A text at the left and one at the right of a line.
TopLine both_ends(const std::string& left, const std::string& right, std::size_t width) {
  const auto used = count_characters(left) + count_characters(right);
  if (width == endless || used + 2 > width)
    return {cut(left + "  " + right, width)};
  return {left + std::string(width - used, ' ') + right};
}

TopLine title(const TopMoment& moment, const TopView& view, std::size_t width) {
  return both_ends(moment.address, view.is_frozen ? "frozen at " + moment.clock : moment.clock,
                   width);
}

TopLine summary(const TopStatus& status, std::size_t width) {
  std::uint64_t owed = 0;
  std::uint64_t owing = 0;
  std::uint64_t dead = 0;
  for (const auto& sender : status.senders) {
    owed += sender.owed;
    owing += sender.owed > 0 ? 1 : 0;
    dead += sender.dead_lettered;
  }
  auto text = counted(status.senders.size() + status.senders_left_out, "sender", "senders");
  if (owing == 0)
    text += ", none of them owes a message";
  else
    text += ", " + std::to_string(owing) + (status.senders_left_out > 0 ? " or more" : "")
            + (owing == 1 ? " of them owes " : " of them owe ")
            + counted(owed, "message", "messages");
  if (dead > 0)
    text += "; " + counted(dead, "dead letter", "dead letters");
  return {cut(text, width)};
}

// What is stuck, since when, and why.
TopLine oldest(const TopStatus& status, std::size_t width) {
  const auto found =
    std::max_element(status.senders.begin(), status.senders.end(),
                     [](const auto& a, const auto& b) { return a.oldest_s < b.oldest_s; });
  if (found == status.senders.end() || found->owed == 0)
    return {cut("Nothing is owed.", width)};
  const auto reason = reason_of(*found);
  return {cut("Oldest: " + found->name + ", " + age_text(found->oldest_s) + ", " + state_of(*found)
                + (reason.empty() ? "" : ": " + reason),
              width),
          found->oldest_s >= top_long_s ? TopLook::alarm : TopLook::plain};
}

TopLine footer(const TopView& view, const std::string& missing, std::size_t width) {
  if (view.is_filtering)
    return {cut("filter: " + view.filter + "_   Enter keeps it, Esc ends it", width)};
  auto text = "q quit   s sort: " + std::string{to_string(view.order)} + "   / filter"
              + (view.filter.empty() ? "" : ": " + view.filter) + "   space "
              + (view.is_frozen ? "go on" : "freeze");
  if (!missing.empty())
    text += "   no room for: " + missing;
  return {cut(text, width), TopLook::heading};
}

// A table that is not about single senders.
struct Section {
  std::string name;
  TopTable table;
  std::uint64_t left_out = 0; // rows that the program does not list
  std::size_t shown = 0;      // rows
};

std::vector<Section> sections_of(const TopMoment& moment, const TopView& view,
                                 const std::vector<TopSender>& senders) {
  const auto& status = moment.status;
  std::vector<Section> sections{
    {"pools", pool_table(senders)},
    {"shared outboxes", chosen_rows(status.ownerships, view)},
    {"outboxes", chosen_rows(status.outboxes, view)},
    {"guards", chosen_rows(status.guards, view)},
    {"supervisors", chosen_rows(status.supervisors, view), status.supervisors_left_out}};
  std::erase_if(sections, [](const Section& section) { return section.table.rows.empty(); });
  for (auto& section : sections)
    section.shown = section.table.rows.size();
  return sections;
}

// The lines of a section with so many rows: an empty one, the titles, the rows, those left out.
std::size_t lines_of(const Section& section) {
  return 2 + section.shown + (section.shown < section.table.rows.size() ? 1 : 0);
}

std::size_t lines_of(const std::vector<Section>& sections) {
  std::size_t sum = 0;
  for (const auto& section : sections)
    sum += lines_of(section);
  return sum;
}

// Shortens the sections, and then leaves some out, until the senders have room. Returns the names
// of those left out.
std::string make_room(std::vector<Section>& sections, std::size_t for_senders, std::size_t room) {
  constexpr std::size_t few = 3;
  constexpr std::size_t least_senders = 5;
  const auto is_too_long = [&](std::size_t senders) { return lines_of(sections) + senders > room; };
  for (auto section = sections.rbegin(); section != sections.rend() && is_too_long(for_senders);
       ++section)
    while (section->shown > few && is_too_long(for_senders))
      --section->shown;
  std::string missing;
  while (!sections.empty() && is_too_long(std::min(for_senders, least_senders))) {
    // The last one in which nobody has to look at anything, or the last one.
    const auto calm = std::find_if(sections.rbegin(), sections.rend(), [](const Section& section) {
      return !section.table.rows.front().is_alarm;
    });
    const auto leaves = calm == sections.rend() ? sections.end() - 1 : calm.base() - 1;
    missing = leaves->name + (missing.empty() ? "" : ", " + missing);
    sections.erase(leaves);
  }
  return missing;
}

void append(std::vector<TopLine>& lines, Section section, std::size_t width) {
  const auto hidden = section.table.rows.size() - section.shown + section.left_out;
  section.table.rows.resize(section.shown);
  lines.push_back({});
  std::ranges::move(lay_out(section.table, width), std::back_inserter(lines));
  if (hidden > 0)
    lines.push_back({cut("and " + std::to_string(hidden) + " more", width)});
}

// Those of a page, behind so many that are scrolled away.
void append_senders(std::vector<TopLine>& lines, const std::vector<TopSender>& senders,
                    std::uint64_t left_out, const TopView& view, std::size_t width,
                    std::size_t first, std::size_t page) {
  // All rows decide on the widths, so that the columns stay when one scrolls.
  const auto table = lay_out(sender_table(senders), width);
  const auto shown = std::min(page, senders.size() - first);
  const auto rows = table.begin() + 1 + static_cast<std::ptrdiff_t>(first);
  lines.push_back({});
  lines.push_back(table.front());
  lines.insert(lines.end(), rows, rows + static_cast<std::ptrdiff_t>(shown));
  if (senders.empty())
    lines.push_back(
      {view.filter.empty() ? "no sender is observed" : "no sender has " + cut(view.filter, width)});
  const auto more = senders.size() - first - shown + left_out;
  if (more > 0)
    lines.push_back({cut(
      "and " + std::to_string(more) + " more"
        + (left_out > 0 ? ", of which the program does not list " + std::to_string(left_out) : ""),
      width)});
}

} // namespace

TopFrame frame_of(const TopMoment& moment, const TopView& view, const TopSize& size) {
  const auto senders = chosen_senders(moment.status, view);
  auto sections = sections_of(moment, view, senders);
  TopFrame frame;
  auto& lines = frame.lines;
  lines.push_back(title(moment, view, size.columns));
  lines.push_back(moment.trouble.empty()
                    ? summary(moment.status, size.columns)
                    : TopLine{cut(moment.trouble, size.columns), TopLook::alarm});
  lines.push_back(oldest(moment.status, size.columns));
  // Below are the table of senders with an empty line and its titles, the sections, the footer.
  const auto used = lines.size() + 3;
  const auto room = size.rows - std::min(size.rows, used);
  const auto is_cut = moment.status.senders_left_out > 0 ? 1u : 0u;
  const auto missing = make_room(sections, std::max<std::size_t>(senders.size(), 1) + is_cut, room);
  auto page = room - std::min(room, lines_of(sections));
  if (page < senders.size() + is_cut)
    page -= std::min<std::size_t>(page, 1); // for the line that says how many more there are
  frame.page = std::max<std::size_t>(page, 1);
  frame.first = std::min(view.first, senders.size() - std::min(senders.size(), frame.page));
  append_senders(lines, senders, moment.status.senders_left_out, view, size.columns, frame.first,
                 frame.page);
  for (const auto& section : sections)
    append(lines, section, size.columns);
  if (size.rows == endless)
    return frame;
  lines.resize(size.rows - std::min<std::size_t>(size.rows, 1));
  lines.push_back(footer(view, missing, size.columns));
  return frame;
}

std::string tables_of(const TopMoment& moment, const TopView& view) {
  std::string text;
  for (const auto& line : frame_of(moment, view, {endless, endless}).lines)
    text += line.text + '\n';
  return text;
}

std::string drawing_of(const TopFrame& frame, bool is_coloured) {
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < frame.lines.size(); ++i) {
    const auto& line = frame.lines[i];
    const auto* const look = line.look == TopLook::heading                ? "\x1b[7m"
                             : line.look == TopLook::alarm && is_coloured ? "\x1b[31m"
                                                                          : "";
    // Cleared before: behind a line that is as wide as the terminal, its last place would be.
    text += std::string{"\x1b[2K"} + look + line.text + (*look == '\0' ? "" : "\x1b[0m");
    if (i + 1 < frame.lines.size())
      text += "\r\n";
  }
  return text;
}

} // namespace backoffctl
