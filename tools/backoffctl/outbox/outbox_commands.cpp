#include "outbox.hpp"

#include "backoffctl/common/commands.hpp"
#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/text/number_text.hpp"

#include "backoff_actor/core/text/internal/secrets.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace backoffctl {

namespace {

using namespace backoff_actor;

constexpr auto outbox_description = R"(Shows and changes durable outboxes, in files and on servers.

A sender with a durable outbox keeps its deliveries in a file of SQLite, or on a server of
PostgreSQL, until they are acknowledged. Deliveries that it gave up stay there as dead letters.

OUTBOX is the file, or the address of an outbox on a server: postgres://USER@HOST/DATABASE#NAME.
Write it in quotes. Do not put a password into it: other users may see the arguments of a program.
Use the variable PGPASSWORD, or a file of passwords: ~/.pgpass, or the one that PGPASSFILE names.

You can use list, count, export, backup, owners, find, cancel and replace while the sender runs. All
but the last two see the outbox as it was at one moment. Stop the sender, on all nodes, before you
use the other commands. None but cancel removes an owed delivery; set-aside makes it a dead letter.
)";

constexpr auto outbox_footer = R"(
Examples:
  backoffctl outbox count outbox.db
      count the owed deliveries and the dead letters
  backoffctl outbox list outbox.db --dead
      list what the sender gave up, and why
  backoffctl outbox resubmit outbox.db 2
      try a dead letter again, once the service is repaired
  backoffctl outbox backup outbox.db copy.db
      copy the file as it is at this moment
  backoffctl outbox list 'postgres://worker@db1/shop#orders'
      list an outbox on a server
  backoffctl outbox owners 'postgres://worker@db1/shop'
      show which process owns which outbox of a database

backoffctl outbox COMMAND --help explains a command, with examples.
)";

constexpr auto allowed_outbox = "the file of a durable outbox, or postgres://HOST/DATABASE#NAME";

// What all commands for any outbox take: the file or the address first.
class OutboxCommand : public Command {
public:
  OutboxCommand(CLI::App& outbox, const char* name, const char* description, const char* footer)
    : Command(outbox, name, description, footer) {
    add_value("OUTBOX", outbox_, allowed_outbox);
  }

protected:
  void check(Problems& problems) override {
    if (outbox_.value_or("").empty())
      problems.add("OUTBOX", "nothing", allowed_outbox);
    else if (is_on_server(*outbox_))
      check_outbox_on_server(*outbox_, problems);
    else if (backoff_actor::detail::is_connection_string(*outbox_))
      problems.add("OUTBOX", "a connection string that is no URL", allowed_outbox);
  }

  std::shared_ptr<DeliveryStore> open_to_read() const {
    return is_on_server(*outbox_) ? open_outbox_on_server_to_read(*outbox_)
                                  : open_outbox_file_to_read(*outbox_);
  }

  // Opens it to change it. Makes none where there is none.
  std::shared_ptr<DeliveryStore> open() const {
    open_to_read();
    return is_on_server(*outbox_) ? open_outbox_on_server(*outbox_) : open_outbox_file(*outbox_);
  }

  // Renders where it is, for a complaint.
  std::string place_of(const DeliveryStore& store) const {
    return is_on_server(*outbox_) ? store.name() : *outbox_;
  }

private:
  std::optional<std::string> outbox_;
};

constexpr auto list_description = R"(Lists the owed deliveries and the dead letters.
)";

constexpr auto list_footer = R"(
Times are UTC. bytes is the length of the message. With --payload, the message of a dead letter is
shown in words if the program that gave it up has kept them. Otherwise a message that is a text is
shown as text, and any other one as hexadecimal bytes. All are cut off after 60 characters.

Examples:
  backoffctl outbox list outbox.db
      everything, in order of submission
  backoffctl outbox list outbox.db --dead --limit 20
      the first twenty dead letters
  backoffctl outbox list outbox.db --dead --payload
      all dead letters, with their messages
  backoffctl outbox list outbox.db --json
      the same for programs, one object a line, with the keys of backoffctl outbox export --help;
      without --payload, there is no payload
  backoffctl outbox list 'postgres://worker@db1/shop#orders' --dead
      the dead letters of an outbox on a server
)";

class ListCommand final : public OutboxCommand {
public:
  explicit ListCommand(CLI::App& outbox)
    : OutboxCommand(outbox, "list", list_description, list_footer) {
    add_switch("--owed", owed_, "list only owed deliveries");
    add_switch("--dead", dead_, "list only dead letters");
    add_flag("--limit", whole(selection_.limit, 0, INT64_MAX), "N",
             "list at most N of each kind, 0 or more; default all");
    add_switch("--payload", selection_.payload, "also show the messages");
    add_switch("--json", as_json_, "print JSON lines instead of text");
  }

  void check(Problems& problems) override {
    OutboxCommand::check(problems);
    if (owed_ && dead_)
      problems.add("--owed", "it together with --dead",
                   "one of them; without both, list prints all");
    selection_.owed = !dead_;
    selection_.dead = !owed_;
  }

  std::string run() override {
    const auto store = open_to_read();
    return as_json_ ? outbox_json_lines(*store, selection_) : outbox_tables(*store, selection_);
  }

private:
  bool owed_ = false;
  bool dead_ = false;
  bool as_json_ = false;
  OutboxSelection selection_;
};

constexpr auto count_description = R"(Counts the owed deliveries and the dead letters.
)";

constexpr auto count_footer = R"(
Examples:
  backoffctl outbox count outbox.db
      print text
  backoffctl outbox count outbox.db --json
      print JSON for programs
  backoffctl outbox count 'postgres://worker@db1/shop#orders'
      count those of an outbox on a server

Keys of the JSON:
  owed, dead_letters       number of owed deliveries, and of deliveries that were given up
  acknowledged_keys        number of idempotency keys that the outbox remembers
  last_id                  the highest number that a delivery has had
  message_format           the program format that wrote the messages; empty if there were none yet
)";

class CountCommand final : public OutboxCommand {
public:
  explicit CountCommand(CLI::App& outbox)
    : OutboxCommand(outbox, "count", count_description, count_footer) {
    add_switch("--json", as_json_, "print JSON instead of text");
  }

  std::string run() override {
    const auto counts = count_outbox(*open_to_read());
    return as_json_ ? counts_json(counts) : counts_text(counts);
  }

private:
  bool as_json_ = false;
};

constexpr auto export_description =
  R"(Prints the owed deliveries and the dead letters as JSON lines.
)";

constexpr auto export_footer = R"(
Examples:
  backoffctl outbox export outbox.db
      everything, with the messages: for a backup, or for another program
  backoffctl outbox export --dead outbox.db
      only the dead letters
  backoffctl outbox export 'postgres://worker@db1/shop#orders'
      the same of an outbox on a server

Keys of each line:
  kind                     owed or dead_letter
  id                       its number
  submitted_at, deadline   ISO 8601 in UTC, to the nanosecond; deadline may be null
  attempts                 number of failed attempts
  key, idempotency_key     as submitted, or empty; bytes that are not UTF-8 become U+FFFD
  types                    the types of the message's parts
  bytes, payload           the length of the message, and the message itself in base64
  reason, cause, at        of a dead letter: why it was given up, the last error, and the time
  text                     of a dead letter: the message in words, cut off after 4096 bytes, or null
)";

class ExportCommand final : public OutboxCommand {
public:
  explicit ExportCommand(CLI::App& outbox)
    : OutboxCommand(outbox, "export", export_description, export_footer) {
    add_switch("--dead", only_dead_, "print only dead letters");
  }

  // Line by line, for all together may be larger than memory.
  std::string run() override {
    const auto store = open_to_read();
    const auto write = [](const auto& x) { std::cout << json_line(x, true); };
    if (!only_dead_)
      store->for_each_owed(write);
    store->for_each_dead_letter(write);
    return {};
  }

private:
  bool only_dead_ = false;
};

constexpr auto find_description = R"(Shows what became of a message: where it is, and since when.

It finds every message with this key or this idempotency key: what waits in the table incoming, what
the owner owes, what is done, and what it gave up. In a file it finds the message with this
idempotency key.
)";

constexpr auto find_footer = R"(
Times are UTC: when the message was inserted into incoming (waiting), submitted (owed), acknowledged
(done), or given up (dead). What is owed may be in flight. What is done is found by its idempotency
key alone, as long as the sender keeps that. Of what is not waiting, bytes of keys that are not
ASCII are shown as escapes, such as \303\244. It reads every row, which takes a while in a large
outbox. A user with the role backoff_reader may do it. Of a file it also shows how large the last
note of the message and the answer that was kept are.

Examples:
  backoffctl outbox find 'postgres://reader@db1/shop#orders' order-4711
      where the message with this key is
  backoffctl outbox find 'postgres://reader@db1/shop' customer-17 --json
      in all outboxes of the database, for programs, one object a line
  backoffctl outbox find outbox.db order-4711
      the same in a file of SQLite

Keys of each line:
  outbox                   its name, or that of the file
  state                    waiting, owed, done or dead
  id                       number of the row in incoming, or of the delivery; null: it is done
  at                       when it came into this state, or was submitted, ISO 8601 in UTC
  attempts                 number of failed attempts
  key, idempotency_key     or null
  types                    of its parts, or what the other program called its type; null: it is done
  cause                    why it is dead, or null
  note                     in a file: the last note of its child, or null
  answer_bytes             in a file: the length of the answer that was kept, or null
  answer_types, answer     in a file: its types, and itself in base64; null: none, or too large
)";

class FindCommand final : public Command {
public:
  explicit FindCommand(CLI::App& outbox) : Command(outbox, "find", find_description, find_footer) {
    add_value("OUTBOX", outbox_, allowed_place);
    add_value("KEY", key_, "the key or the idempotency key of a message");
    add_switch("--json", as_json_, "print JSON lines instead of text");
  }

  void check(Problems& problems) override {
    if (outbox_.value_or("").empty())
      problems.add("OUTBOX", "nothing", allowed_place);
    else if (is_on_server(*outbox_))
      check_database_on_server("OUTBOX", *outbox_, problems);
    else if (backoff_actor::detail::is_connection_string(*outbox_))
      problems.add("OUTBOX", "a connection string that is no URL", allowed_place);
    if (key_.value_or("").empty())
      problems.add("KEY", "nothing", "the key or the idempotency key of a message");
  }

  std::string run() override {
    const auto found = is_on_server(*outbox_) ? find_on_server(*outbox_, *key_) : find_in_file();
    return as_json_ ? messages_json_lines(found) : messages_table(found);
  }

private:
  static constexpr auto allowed_place =
    "the file of a durable outbox, or postgres://HOST/DATABASE, with #NAME for one outbox";

  std::vector<MessageFound> find_in_file() const {
    auto x = open_outbox_file_to_read(*outbox_)->find_message(*key_, 0);
    std::vector<MessageFound> result;
    if (x.state == MessageState::unknown)
      return result;
    auto& found = result.emplace_back();
    found.outbox = *outbox_;
    found.state = to_string(x.state);
    found.id = x.delivery;
    found.idempotency_key = *key_;
    found.at = x.since;
    found.attempts = x.attempts;
    found.cause = std::move(x.why);
    found.note = std::move(x.note);
    found.answer = std::move(x.answer);
    return result;
  }

  std::optional<std::string> outbox_;
  std::optional<std::string> key_;
  bool as_json_ = false;
};

// What is done to some dead letters, or to all.
class DeadLetterCommand : public OutboxCommand {
public:
  DeadLetterCommand(CLI::App& outbox, const char* name, const char* description,
                    const char* footer_text)
    : OutboxCommand(outbox, name, description, footer_text) {
    add_values("ID", given_, "numbers of dead letters, as backoffctl outbox list shows them",
               false);
    add_switch("--all", all_, "all dead letters");
  }

  void check(Problems& problems) override {
    OutboxCommand::check(problems);
    if (all_ == !given_.empty())
      problems.add("ID", all_ ? "numbers with --all" : "nothing",
                   "the numbers of dead letters, or --all");
    for (const auto& one : given_)
      if (const auto id = read_whole("ID", one, 1, INT64_MAX, problems))
        ids_.push_back(*id);
  }

  std::string run() override {
    const auto store = open();
    std::set<std::uint64_t> dead;
    store->for_each_dead_letter([&](const StoredDeadLetter& x) { dead.insert(x.delivery.id); });
    if (all_)
      ids_.assign(dead.begin(), dead.end());
    require(dead, place_of(*store));
    return act(*store, ids_);
  }

private:
  virtual std::string act(DeliveryStore& store, const std::vector<std::uint64_t>& ids) = 0;

  void require(const std::set<std::uint64_t>& dead, const std::string& place) const {
    std::string unknown;
    for (const auto id : ids_)
      if (!dead.contains(id))
        unknown += (unknown.empty() ? "" : ", ") + std::to_string(id);
    if (!unknown.empty())
      throw std::runtime_error(place + ": has no dead letter " + unknown + "; nothing was done");
  }

  std::vector<std::string> given_;
  bool all_ = false;
  std::vector<std::uint64_t> ids_;
};

std::string dead_letters(std::size_t count) {
  return counted(count, "dead letter", "dead letters");
}

constexpr auto resubmit_description = R"(Turns dead letters into owed deliveries again.

They get new numbers after all owed deliveries, no deadline, and no failed attempts; they keep their
keys. The sender must not be running. It hands them over when it starts again. Those with the same
idempotency key are one delivery then: the others join the first.
)";

constexpr auto resubmit_footer = R"(
Examples:
  backoffctl outbox resubmit outbox.db 2
      resubmit the dead letter with number 2
  backoffctl outbox resubmit outbox.db --all
      resubmit all dead letters, in order of their numbers
  backoffctl outbox resubmit 'postgres://worker@db1/shop#orders' --all
      the same in an outbox on a server
)";

class ResubmitCommand final : public DeadLetterCommand {
public:
  explicit ResubmitCommand(CLI::App& outbox)
    : DeadLetterCommand(outbox, "resubmit", resubmit_description, resubmit_footer) {}

private:
  std::string act(DeliveryStore& store, const std::vector<std::uint64_t>& ids) override {
    const auto count = store.resubmit_dead_letters(ids);
    auto result = "resubmitted " + dead_letters(count);
    if (count == 1)
      result += ", now owed as " + std::to_string(store.last_id());
    else if (count > 1)
      result += ", now owed as " + std::to_string(store.last_id() - count + 1) + " to "
                + std::to_string(store.last_id());
    return result + "\n";
  }
};

constexpr auto remove_description = R"(Removes dead letters for good.

Export them first if you may still need them. The sender must not be running.
)";

constexpr auto remove_footer = R"(
Examples:
  backoffctl outbox remove outbox.db 2
      remove the dead letter with number 2
  backoffctl outbox remove outbox.db --all
      remove all dead letters
  backoffctl outbox remove 'postgres://worker@db1/shop#orders' --all
      the same in an outbox on a server
)";

class RemoveCommand final : public DeadLetterCommand {
public:
  explicit RemoveCommand(CLI::App& outbox)
    : DeadLetterCommand(outbox, "remove", remove_description, remove_footer) {}

private:
  std::string act(DeliveryStore& store, const std::vector<std::uint64_t>& ids) override {
    return "removed " + dead_letters(store.remove_dead_letters(ids)) + "\n";
  }
};

constexpr auto set_aside_description = R"(Turns owed deliveries into dead letters.

Use it for messages that block the outbox: a program does not open an outbox that holds messages of
types it does not know. resubmit reverses it. The sender must not be running.
)";

constexpr auto set_aside_footer = R"(
Examples:
  backoffctl outbox set-aside outbox.db 3 5
      set two messages aside
  backoffctl outbox set-aside outbox.db --type old_order
      set all messages with a part of this type aside
  backoffctl outbox set-aside 'postgres://worker@db1/shop#orders' --type old_order
      the same in an outbox on a server
)";

class SetAsideCommand final : public OutboxCommand {
public:
  explicit SetAsideCommand(CLI::App& outbox)
    : OutboxCommand(outbox, "set-aside", set_aside_description, set_aside_footer) {
    add_values("ID", given_, "numbers of owed messages, as backoffctl outbox list shows them",
               false);
    add_flag("--type", text(type_), "NAME", "set all messages with a part of this type aside");
  }

  void check(Problems& problems) override {
    OutboxCommand::check(problems);
    if (type_.has_value() == !given_.empty())
      problems.add("ID", type_ ? "numbers with --type" : "nothing",
                   "the numbers of messages that are owed, or --type");
    for (const auto& one : given_)
      if (const auto id = read_whole("ID", one, 1, INT64_MAX, problems))
        ids_.insert(*id);
  }

  std::string run() override {
    const auto store = open();
    const auto at = now();
    std::vector<StoreChange> changes;
    store->for_each_owed([&](const StoredDelivery& x) {
      if (type_ ? has_part(x.message, *type_) : ids_.erase(x.id) == 1)
        changes.emplace_back(change::Bury{x.id, DeadLetterReason::set_aside, x.attempts, "", at});
    });
    if (!ids_.empty())
      throw std::runtime_error(place_of(*store) + ": does not owe " + list(ids_)
                               + "; nothing was done");
    store->commit(changes);
    return "set aside " + counted(changes.size(), "message", "messages") + "\n";
  }

private:
  static WallTime now() {
    using namespace std::chrono;
    return {duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count()};
  }

  // The types of a message are separated by `;`.
  static bool has_part(const StoredMessage& message, const std::string& type) {
    return (";" + message.types + ";").find(";" + type + ";") != std::string::npos;
  }

  static std::string list(const std::set<std::uint64_t>& ids) {
    std::string result;
    for (const auto id : ids)
      result += (result.empty() ? "" : ", ") + std::to_string(id);
    return result;
  }

  std::vector<std::string> given_;
  std::optional<std::string> type_;
  std::set<std::uint64_t> ids_;
};

} // namespace

void add_outbox_commands(CLI::App& program, Commands& commands) {
  auto& outbox = add_subcommand(program, "outbox", outbox_description, outbox_footer);
  add_command<ListCommand>(outbox, commands);
  add_command<CountCommand>(outbox, commands);
  add_command<ExportCommand>(outbox, commands);
  add_command<FindCommand>(outbox, commands);
  add_command<ResubmitCommand>(outbox, commands);
  add_command<RemoveCommand>(outbox, commands);
  add_command<SetAsideCommand>(outbox, commands);
  add_outbox_file_commands(outbox, commands);
  add_outbox_server_commands(outbox, commands);
}

} // namespace backoffctl
