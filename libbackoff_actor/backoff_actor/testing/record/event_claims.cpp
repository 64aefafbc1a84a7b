#include "backoff_actor/testing/record/event_claims.hpp"

#include <initializer_list>
#include <string_view>
#include <utility>

namespace backoff_actor::testing {

namespace {

bool fits(const EventPattern& pattern, const LogEntry& entry) {
  return entry.event() && pattern.fits(*entry.event(), entry.sender);
}

bool is_near(const EventPattern& pattern, const LogEntry& entry) {
  return entry.event() && pattern.is_near(*entry.event(), entry.sender);
}

// Appends, because GCC 12 warns of `"text" + std::string{}` at -O3.
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string result;
  for (const auto part : parts)
    result.append(part);
  return result;
}

// The searched log, and the texts about it.
class Search {
public:
  explicit Search(const EventLog& log) : snapshot_(log.snapshot()), entries_(snapshot_.entries()) {}

  const std::vector<LogEntry>& entries() const { return entries_; }

  // The first entry at or after `start` that fits; the number of entries if there is none.
  std::size_t find(const EventPattern& pattern, std::size_t start) const {
    while (start < entries_.size() && !fits(pattern, entries_[start]))
      ++start;
    return start;
  }

  // The same for entries that are near, see `EventPattern::is_near`.
  std::size_t find_near(const EventPattern& pattern, std::size_t start) const {
    while (start < entries_.size() && !is_near(pattern, entries_[start]))
      ++start;
    return start;
  }

  // An entry and its time: `"child 1 down: crash" at +10ms`.
  std::string quote(std::size_t index) const {
    const auto& entry = entries_[index];
    return joined({"\"", to_string(entry), "\" at +", to_string(snapshot_.since_start(entry.at))});
  }

  // Returns the nearest entry from `start` on, for a pattern that was not found.
  std::string instead(const EventPattern& pattern, std::size_t start) const {
    if (const auto near = find_near(pattern, start); near < entries_.size())
      return joined({"; nearest is ", quote(near)});
    return {};
  }

  // Returns why a claim about the whole history does not hold: the log has forgotten entries.
  // Empty: it has forgotten none.
  std::string ignorance() const {
    const auto count = snapshot_.forgotten();
    return count == 0 ? std::string{}
                      : joined({"which has forgotten its first ", std::to_string(count),
                                count == 1 ? " entry" : " entries", ", so that nobody can tell"});
  }

  Finding finding(bool holds, std::string why, std::vector<std::size_t> found = {}) const {
    return {holds, std::move(why), std::move(found), snapshot_};
  }

private:
  EventLog snapshot_;
  std::vector<LogEntry> entries_;
};

std::string times(std::size_t count) {
  return count == 0 ? "never" : count == 1 ? "once" : std::to_string(count) + " times";
}

} // namespace

std::string Finding::text() const {
  const auto lines = log.timeline(shown_lines, found);
  return joined({why, lines.empty() ? "" : "\ntimeline:\n", lines});
}

Finding saw_in_order(const EventLog& log, const std::vector<EventPattern>& patterns) {
  const Search search{log};
  std::vector<std::size_t> found;
  for (const auto& pattern : patterns) {
    const auto start = found.empty() ? 0 : found.back() + 1;
    const auto index = search.find(pattern, start);
    if (index < search.entries().size()) {
      found.push_back(index);
      continue;
    }
    auto why = joined({"which never saw ", pattern.description()});
    if (!found.empty())
      why.append(" after ").append(search.quote(found.back()));
    if (const auto earlier = search.find(pattern, 0); earlier < start)
      why.append(", only before that: ").append(search.quote(earlier));
    why.append(search.instead(pattern, start));
    return search.finding(false, std::move(why), std::move(found));
  }
  return search.finding(true, "which saw them in this order", std::move(found));
}

Finding saw_exactly(const EventLog& log, const std::vector<EventPattern>& patterns) {
  const Search search{log};
  if (auto why = search.ignorance(); !why.empty())
    return search.finding(false, std::move(why));
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < search.entries().size(); ++i) {
    const auto& entry = search.entries()[i];
    if (!entry.event())
      continue;
    if (found.size() == patterns.size())
      return search.finding(false,
                            joined({"which saw ", search.quote(i), " beyond the last of these"}),
                            std::move(found));
    const auto& wanted = patterns[found.size()];
    if (!fits(wanted, entry))
      return search.finding(
        false,
        joined({"which saw ", search.quote(i), " where ", wanted.description(), " was to be"}),
        std::move(found));
    found.push_back(i);
  }
  if (found.size() < patterns.size())
    return search.finding(
      false, joined({"which ended where ", patterns[found.size()].description(), " was to be"}),
      std::move(found));
  return search.finding(true, "which saw exactly these", std::move(found));
}

Finding saw(const EventLog& log, const EventPattern& pattern) {
  const Search search{log};
  const auto index = search.find(pattern, 0);
  if (index == search.entries().size())
    return search.finding(
      false, joined({"which never saw ", pattern.description(), search.instead(pattern, 0)}));
  return search.finding(true, joined({"which saw ", search.quote(index)}), {index});
}

Finding saw_times(const EventLog& log, std::size_t wanted, const EventPattern& pattern) {
  const Search search{log};
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < search.entries().size(); ++i)
    if (fits(pattern, search.entries()[i]))
      found.push_back(i);
  if (auto why = search.ignorance(); !why.empty())
    return search.finding(false, std::move(why), std::move(found));
  auto why = joined({"which saw it ", times(found.size())});
  if (found.empty())
    why.append(search.instead(pattern, 0));
  const auto holds = found.size() == wanted;
  return search.finding(holds, std::move(why), std::move(found));
}

} // namespace backoff_actor::testing
