#include "backoff_actor/calendar/parse_schedule.hpp"

#include "backoff_actor/backoff/internal/text.hpp"
#include "backoff_actor/backoff/internal/text_parser.hpp"
#include "backoff_actor/calendar/internal/cron_fields.hpp"
#include "backoff_actor/calendar/internal/schedule_checks.hpp"
#include "backoff_actor/calendar/internal/zone_name.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

// schedule := 'every' '(' span [ ',' 'offset' span ] ')'
//           | 'at' '(' time { ',' local } ')'
//           | 'cron' '(' '"' fields '"' { ',' local } ')'
//           | fields
// local    := zone | weekdays | 'gap' rule | 'twice' rule       each once; weekdays for `at` alone

namespace backoff_actor {

namespace {

class ScheduleParser : public detail::TextParser {
public:
  ScheduleParser(std::string_view text, const ZoneFinder& find_zone, const Zone& otherwise)
    : TextParser(text), text_(text), find_zone_(find_zone), zone_(otherwise) {}

  Schedule schedule() {
    next_column();
    const auto next = peek();
    if (next == '*' || next == '@' || is_at_digit())
      return bare_fields();
    auto result = named();
    if (!is_at_end())
      fail("the end");
    return result;
  }

private:
  using Other = detail::Argument::Other;

  // -- the forms ----------------------------------------------------------------------

  Schedule named() {
    const std::string names = "a schedule: every, at, cron, or five fields of cron";
    const auto name = this->name(names);
    if (name == "every")
      return every_period();
    if (name == "at")
      return at_time();
    if (name == "cron")
      return fields_of_cron();
    fail_at_name(names);
  }

  Schedule every_period() {
    Duration period{0};
    Duration offset{0};
    arguments(
      {{"period", "", Form::span, &period, true}, {"offset", "offset", Form::span, &offset}});
    raise_if_any(detail::check_every(period, offset), 1, take_columns());
    return every(period, offset);
  }

  Schedule at_time() {
    std::string time;
    std::string days = "mon-sun";
    auto could_come = local_arguments();
    could_come.insert(
      could_come.begin(),
      {"time", "", Form::other,
       Other{"a time of day such as 02:30", [this] { return is_at_digit(); },
             [&] { time = while_any([](char c) { return detail::is_digit(c) || c == ':'; }); }},
       true});
    could_come.push_back(
      {"weekdays", "", Form::other,
       Other{"weekdays such as mon-fri",
             [this] { return detail::begins_with_weekday(text_.substr(position())); },
             [&] { days = while_any([](char c) { return c != ',' && c != ')'; }); }}});
    arguments(std::move(could_come));
    detail::read_time_of_day(time, problems_);
    detail::read_weekdays(days, problems_);
    raise_if_any(problems_, 1, take_columns());
    return with_rules(at(time, zone_, days));
  }

  Schedule fields_of_cron() {
    std::string fields;
    std::size_t column = 0;
    auto could_come = local_arguments();
    could_come.insert(could_come.begin(),
                      {"fields", "", Form::other,
                       Other{"five fields of cron in quotes", [this] { return peek() == '"'; },
                             [&] { fields = in_quotes(column); }},
                       true});
    arguments(std::move(could_come));
    return with_rules(of_fields(fields, column, take_columns()));
  }

  Schedule bare_fields() {
    const auto column = position() + 1;
    std::string fields;
    while (const auto c = character())
      fields += *c == '\n' || *c == '\r' ? ' ' : *c;
    return of_fields(fields, column, {});
  }

  Schedule of_fields(const std::string& fields, std::size_t column, Columns columns) {
    detail::read_cron(fields, column, problems_, columns);
    raise_if_any(problems_, column, columns);
    return cron(fields, zone_);
  }

  // -- what forms with local times have in common ---------------------------------------

  std::vector<detail::Argument> local_arguments() {
    return {
      {"zone", "", Form::other,
       Other{"a zone such as Europe/Berlin", [this] { return peek() >= 'A' && peek() <= 'Z'; },
             [this] { zone(); }}},
      {"gap", "gap", Form::other, Other{"a rule", {}, [this] { gap_ = rule(gaps); }}},
      {"twice", "twice", Form::other, Other{"a rule", {}, [this] { twice_ = rule(twices); }}},
    };
  }

  void zone() {
    const auto name = while_any(detail::is_in_zone_name);
    try {
      zone_ = find_zone_(name);
    } catch (const InvalidArgument& error) {
      for (const auto& problem : error.problems().list())
        problems_.add("zone", problem.given, problem.allowed);
    }
  }

  template <class Rule>
  struct Rules {
    const char* expected;
    std::vector<Rule> all;
  };

  template <class Rule>
  Rule rule(const Rules<Rule>& rules) {
    const auto given = name(rules.expected);
    for (const auto one : rules.all)
      if (to_string(one) == given)
        return one;
    fail_at_name(rules.expected);
  }

  Schedule with_rules(Schedule schedule) const {
    if (gap_)
      schedule = std::move(schedule) | *gap_;
    if (twice_)
      schedule = std::move(schedule) | *twice_;
    return schedule;
  }

  // -- characters ---------------------------------------------------------------------

  char peek() const { return position() < text_.size() ? text_[position()] : '\0'; }

  template <class Is>
  std::string while_any(Is is) {
    std::string result;
    while (position() < text_.size() && is(peek()))
      result += *character();
    return result;
  }

  // Reads what is between two quotes, and tells where it begins.
  std::string in_quotes(std::size_t& column) {
    accept("\"");
    column = position() + 1;
    auto result = while_any([](char c) { return c != '"'; });
    if (!accept("\""))
      fail("'\"' after the fields");
    return result;
  }

  static inline const Rules<Gap> gaps{"a rule: run_after or skip", {Gap::run_after, Gap::skip}};
  static inline const Rules<Twice> twices{"a rule: first, second or both",
                                          {Twice::first, Twice::second, Twice::both}};

  std::string_view text_;
  const ZoneFinder& find_zone_;
  Zone zone_;
  std::optional<Gap> gap_;
  std::optional<Twice> twice_;
  Problems problems_;
};

} // namespace

Schedule parse_schedule(std::string_view text, const ZoneFinder& find_zone, const Zone& otherwise) {
  return ScheduleParser{text, find_zone, otherwise}.schedule();
}

} // namespace backoff_actor
