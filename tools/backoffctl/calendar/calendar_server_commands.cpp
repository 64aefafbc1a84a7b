#include "calendar.hpp"

#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/outbox/outbox.hpp"
#include "backoffctl/text/number_text.hpp"
#include "backoffctl/text/table.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/calendar/calendar_entry.hpp"
#include "backoff_actor/calendar/parse_schedule.hpp"
#include "backoff_actor/core/text/internal/secrets.hpp"
#include "backoff_actor/store/postgres/calendar/postgres_calendar.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>

namespace backoffctl {

namespace {

using namespace backoff_actor;
using Json = nlohmann::ordered_json;

constexpr auto allowed_calendar = "the address of an outbox: postgres://USER@HOST/DATABASE#NAME";
constexpr auto allowed_in_list =
  "the file of an outbox, or its address: postgres://USER@HOST/DATABASE#NAME";
constexpr auto allowed_in_file = "one on a server: postgres://USER@HOST/DATABASE#NAME. The program "
                                 "that owns a file changes its entries, by Repeat and Cancel";

// What all commands for the entries of an outbox take: its address first.
class EntriesCommand : public Command {
public:
  EntriesCommand(CLI::App& calendar, const char* name, const char* description, const char* footer,
                 const char* allowed = allowed_calendar)
    : Command(calendar, name, description, footer), allowed_(allowed) {
    add_value("OUTBOX", outbox_, allowed_);
  }

  void check(Problems& problems) override {
    if (outbox_.value_or("").empty())
      problems.add("OUTBOX", "nothing", allowed_);
    else if (is_on_server(*outbox_))
      check_outbox_on_server(*outbox_, problems);
    else if (backoff_actor::detail::is_connection_string(*outbox_))
      problems.add("OUTBOX", "a connection string that is no URL", allowed_);
    else
      check_file(problems);
  }

protected:
  // A command that does not take a file says so.
  virtual void check_file(Problems& problems) { problems.add("OUTBOX", "a file", allowed_in_file); }

  std::string address() const { return outbox_.value_or(""); }
  PostgresCalendar entries() const { return PostgresCalendar{parse_postgres_address(*outbox_)}; }
  std::string outbox() const { return parse_postgres_address(*outbox_).outbox; }

private:
  const char* const allowed_;
  std::optional<std::string> outbox_;
};

// The same for one entry.
class EntryCommand : public EntriesCommand {
public:
  EntryCommand(CLI::App& calendar, const char* name, const char* description, const char* footer)
    : EntriesCommand(calendar, name, description, footer) {
    add_value("NAME", name_, "the name of an entry");
  }

  void check(Problems& problems) override {
    EntriesCommand::check(problems);
    if (name().empty())
      problems.add("NAME", "nothing", "the name of an entry");
  }

protected:
  std::string name() const { return name_.value_or(""); }

  // Complains if there is no such entry.
  void need(bool is_there) const {
    if (!is_there)
      throw std::runtime_error("there is no entry '" + name() + "' in the calendar of " + outbox());
  }

private:
  std::optional<std::string> name_;
};

// -- list ---------------------------------------------------------------------------------------

constexpr auto list_entry_description = R"(Shows the entries of the calendar of an outbox.

Of each entry it prints when it is due next, and what keeps it from running: it is paused, or there
is a problem. The outbox is on a server, or a file of a program that sends Repeat.
)";

constexpr auto list_entry_footer = R"(
Times are UTC. next is - if the entry is paused, has a problem, or is never due again. On a server
it is - until an owner has looked at the entry, too; the role backoff_reader is enough there.

Examples:
  backoffctl calendar list 'postgres://reader@db1/shop#orders'
      all entries, in order of their names
  backoffctl calendar list 'postgres://reader@db1/shop#orders' --json
      the same for programs, one object a line
  backoffctl calendar list outbox.db
      the entries of a program that keeps its outbox in a file

Keys of each line:
  name         the name of the entry
  schedule     when it is due, as next reads it
  missed       what becomes of missed times: run_once, run_all or skip
  grace_s      with skip: how late a time may run, in seconds
  paused       whether its times pass without a run
  next         when it is due next, ISO 8601 in UTC, or null
  decided_until
               no time before this comes again, ISO 8601 in UTC
  type, key    of the messages
  problem      why it does not run, or null
)";

std::string entries_table(const std::vector<PostgresCalendarEntry>& entries) {
  auto result = counted(entries.size(), "entry", "entries") + "\n";
  if (entries.empty())
    return result;
  Table table{{"name", "schedule", "missed", "next", "paused", "type", "key", "problem"}};
  for (const auto& x : entries)
    table.add({or_dash(x.name), or_dash(x.schedule), std::string{to_string(x.missed)},
               x.next ? to_string(*x.next) : "-", x.is_paused ? "yes" : "no", or_dash(x.type),
               or_dash(x.key), or_dash(x.problem)});
  return result + table.text();
}

std::string entries_json_lines(const std::vector<PostgresCalendarEntry>& entries) {
  constexpr auto digits = 6; // of a second
  std::string result;
  for (const auto& x : entries) {
    const Json json{{"name", x.name},
                    {"schedule", x.schedule},
                    {"missed", std::string{to_string(x.missed)}},
                    {"grace_s", std::chrono::duration<double>(x.grace).count()},
                    {"paused", x.is_paused},
                    {"next", x.next ? Json(iso_time(*x.next, digits)) : Json()},
                    {"decided_until", iso_time(x.decided_until, digits)},
                    {"type", x.type},
                    {"key", x.key.empty() ? Json() : Json(x.key)},
                    {"problem", x.problem.empty() ? Json() : Json(x.problem)}};
    result += json_text(json);
  }
  return result;
}

PostgresCalendarEntry shown(const KeptCalendarEntry& kept, const StoredDelivery& delivery) {
  PostgresCalendarEntry result;
  result.name = kept.name;
  result.schedule = kept.schedule;
  for (const auto missed : {Missed::run_once, Missed::run_all, Missed::skip})
    if (to_string(missed) == kept.missed)
      result.missed = missed;
  result.grace = kept.grace;
  result.is_paused = kept.is_paused;
  result.type = delivery.message.types;
  result.key = delivery.key;
  result.decided_until = kept.decided_until;
  result.problem = kept.problem;
  return result;
}

// The entries that the program of a file has sent to its sender, in order of their names.
std::vector<PostgresCalendarEntry> entries_in_file(const std::string& file) {
  const auto store = open_outbox_file_to_read(file);
  std::map<std::uint64_t, PostgresCalendarEntry> found; // by delivery
  store->for_each_owed([&](const StoredDelivery& x) {
    if (const auto kept = kept_calendar_entry(x.idempotency_key, x.context))
      found.emplace(x.id, shown(*kept, x));
  });
  std::vector<PostgresCalendarEntry> result;
  for (auto& [id, one] : found) {
    one.next = store->find_message({}, id).not_before;
    result.push_back(std::move(one));
  }
  std::ranges::sort(result, {}, &PostgresCalendarEntry::name);
  return result;
}

class ListEntryCommand final : public EntriesCommand {
public:
  explicit ListEntryCommand(CLI::App& calendar)
    : EntriesCommand(calendar, "list", list_entry_description, list_entry_footer, allowed_in_list) {
    add_switch("--json", as_json_, "print JSON lines instead of text");
  }

  std::string run() override {
    const auto found = is_on_server(address()) ? entries().list() : entries_in_file(address());
    return as_json_ ? entries_json_lines(found) : entries_table(found);
  }

private:
  void check_file(Problems&) override {}

  bool as_json_ = false;
};

// -- add ----------------------------------------------------------------------------------------

constexpr auto add_entry_description = R"(Adds an entry to the calendar of an outbox, or changes it.

At each of its times, the owner of the outbox submits a message, with an idempotency key made of the
name and the time. The user needs the role backoff_worker.
)";

constexpr auto add_entry_footer = R"(
The payload is what other programs write into the column payload of the table incoming: the owner
reads it by the decoder of its type. backoffctl calendar next --help explains schedules.

A new entry is due from now on. If there is one of this name, it is changed: one that gets another
schedule is due by it from now on, and one that is paused stays so.

Examples:
  backoffctl calendar add 'postgres://worker@db1/shop#orders' tick 'every(5min)' --type tick.v1
      each five minutes, with an empty payload
  backoffctl calendar add 'postgres://worker@db1/shop#orders' a @daily --type a.v1 --missed run_all
      each midnight in UTC; all that were missed run when the outbox has an owner again
)";

class AddEntryCommand final : public EntryCommand {
public:
  explicit AddEntryCommand(CLI::App& calendar)
    : EntryCommand(calendar, "add", add_entry_description, add_entry_footer) {
    add_value("SCHEDULE", schedule_text_, "when it is due, such as 'at(02:30, Europe/Berlin)'");
    add_flag("--type", text(type_), "TYPE", "which decoder of the owner reads the payload");
    add_flag("--payload", text(payload_), "TEXT", "what is submitted; default nothing");
    add_flag("--key", text(key_), "KEY", "its messages are done in order with others of this key");
    add_flag("--zone", zone_flag(zone_), "ZONE",
             "the zone if the schedule names none; default UTC");
    add_flag("--missed",
             choice(missed_, {{"run_once", Missed::run_once},
                              {"run_all", Missed::run_all},
                              {"skip", Missed::skip}}),
             "RULE",
             "what becomes of times that were missed: run_once (default),\nrun_all or skip");
    add_flag("--grace", span(grace_, std::chrono::seconds{1}, std::chrono::hours{8760}), "SPAN",
             "with --missed skip: how late a time may run, 1s..8760h;\ndefault 1min");
    add_flag("--time-to-live",
             span(time_to_live_, std::chrono::milliseconds{1}, std::chrono::hours{8760}), "SPAN",
             "how long a message may wait, 1ms..8760h; default as\nthe sender says");
  }

  void check(Problems& problems) override {
    EntryCommand::check(problems);
    schedule_ = read_schedule(schedule_text_, zone_, problems);
    if (type_.empty())
      problems.add("--type", "nothing", "the type of the payload, as in the column type");
    const auto is_wrong = [](const Problem& x) { return x.field == "--missed"; };
    if (is_given("--grace") && missed_ != Missed::skip
        && std::ranges::none_of(problems.list(), is_wrong))
      problems.add("--grace", "needs --missed skip", "");
    if (name().empty())
      return;
    const auto found =
      backoff_actor::check(CalendarEntry{.name = name(), .schedule = every(std::chrono::hours{1})});
    for (const auto& problem : found.list())
      problems.add("NAME", problem.given, problem.allowed);
  }

  std::string run() override {
    const CalendarEntry entry{
      .name = name(), .schedule = *schedule_, .missed = missed_, .grace = grace_};
    IncomingMessage message;
    message.type = type_;
    message.key = key_;
    message.time_to_live = time_to_live_;
    for (const auto one : payload_)
      message.payload.push_back(static_cast<std::byte>(one));
    switch (entries().put(entry, message)) {
    case CalendarChange::added:
      return "added " + name() + "\n";
    case CalendarChange::changed:
      return "changed " + name() + "\n";
    case CalendarChange::unchanged:
      break;
    }
    return "nothing was done: there is the same entry " + name() + "\n";
  }

private:
  std::optional<std::string> schedule_text_;
  std::string type_;
  std::string payload_;
  std::string key_;
  Zone zone_;
  Missed missed_ = Missed::run_once;
  Duration grace_ = std::chrono::minutes{1};
  std::optional<Duration> time_to_live_;
  std::optional<Schedule> schedule_;
};

// -- what is done to one entry ------------------------------------------------------------------

// A command that does one thing to an entry which is there.
struct EntryChange {
  const char* name;
  const char* description;
  const char* footer;
  const char* done; // what it says then
  bool (PostgresCalendar::*change)(const std::string& name) const;
};

template <const EntryChange& it>
class ChangeEntryCommand final : public EntryCommand {
public:
  explicit ChangeEntryCommand(CLI::App& calendar)
    : EntryCommand(calendar, it.name, it.description, it.footer) {}

  std::string run() override {
    need((entries().*it.change)(name()));
    return std::string{it.done} + " " + name() + "\n";
  }
};

constexpr auto pause_entry_description = R"(Lets the times of an entry pass without a run.

The user needs the role backoff_worker.
)";

constexpr auto pause_entry_footer = R"(
Examples:
  backoffctl calendar pause 'postgres://worker@db1/shop#orders' report
      no run until it is resumed
  backoffctl calendar pause 'postgres://worker@db1/shop#mails' 'weekly letter'
      the same for a name of two words
)";

constexpr EntryChange pause_entry{"pause", pause_entry_description, pause_entry_footer, "paused",
                                  &PostgresCalendar::pause};

constexpr auto resume_entry_description = R"(Lets an entry that was paused run again.

Times that have passed meanwhile do not count as missed. The user needs the role backoff_worker.
)";

constexpr auto resume_entry_footer = R"(
Examples:
  backoffctl calendar resume 'postgres://worker@db1/shop#orders' report
      its next time is one to come
  backoffctl calendar resume 'postgres://worker@db1/shop#mails' 'weekly letter'
      the same for a name of two words
)";

constexpr EntryChange resume_entry{"resume", resume_entry_description, resume_entry_footer,
                                   "resumed", &PostgresCalendar::resume};

constexpr auto remove_entry_description = R"(Removes an entry from the calendar of an outbox.

Messages that are submitted already stay. The user needs the role backoff_worker.
)";

constexpr auto remove_entry_footer = R"(
Examples:
  backoffctl calendar remove 'postgres://worker@db1/shop#orders' report
      no time of it comes any more
  backoffctl calendar remove 'postgres://worker@db1/shop#mails' 'weekly letter'
      the same for a name of two words
)";

constexpr EntryChange remove_entry{"remove", remove_entry_description, remove_entry_footer,
                                   "removed", &PostgresCalendar::remove};

constexpr auto run_now_entry_description =
  R"(Submits a run of an entry now, also of one that is paused.

The times of the entry stay as they are. The user needs the role backoff_worker.
)";

constexpr auto run_now_entry_footer = R"(
It prints the idempotency key of the run, which no time of the entry has.

Examples:
  backoffctl calendar run-now 'postgres://worker@db1/shop#orders' report
      as if it were due
  backoffctl calendar run-now 'postgres://worker@db1/shop#mails' 'weekly letter'
      the same for a name of two words
)";

class RunNowEntryCommand final : public EntryCommand {
public:
  explicit RunNowEntryCommand(CLI::App& calendar)
    : EntryCommand(calendar, "run-now", run_now_entry_description, run_now_entry_footer) {}

  std::string run() override {
    const auto key = entries().run_now(name());
    need(key.has_value());
    return "handed over to the owner of " + outbox() + ": " + *key + "\n";
  }
};

} // namespace

void add_calendar_server_commands(CLI::App& calendar, Commands& commands) {
  add_command<AddEntryCommand>(calendar, commands);
  add_command<ListEntryCommand>(calendar, commands);
  add_command<ChangeEntryCommand<pause_entry>>(calendar, commands);
  add_command<ChangeEntryCommand<resume_entry>>(calendar, commands);
  add_command<ChangeEntryCommand<remove_entry>>(calendar, commands);
  add_command<RunNowEntryCommand>(calendar, commands);
}

} // namespace backoffctl
