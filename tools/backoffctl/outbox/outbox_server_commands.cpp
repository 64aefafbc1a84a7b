#include "backoffctl/common/flag_values.hpp"
#include "outbox.hpp"

#include "backoff_actor/store/postgres/internal/postgres_messages.hpp"
#include "backoff_actor/store/postgres/postgres_store.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <unistd.h>
#include <utility>

namespace backoffctl {

namespace {

using namespace backoff_actor;

constexpr std::chrono::seconds patience_with_owner{2};

constexpr auto allowed_url = "the address of a database: postgres://USER@HOST/DATABASE";

// How this program calls itself while it owns an outbox.
PostgresOptions own_options() {
  char host[65] = {};
  gethostname(host, sizeof host - 1);
  PostgresOptions result;
  result.node = "backoffctl on " + std::string{host};
  return result;
}

// The address without the outbox.
std::string connection_in(const std::string& url) { return url.substr(0, url.find('#')); }

// The outbox that the address names; empty: none.
std::string outbox_in(const std::string& url) {
  const auto hash = url.find('#');
  return hash == url.npos ? "" : url.substr(hash + 1);
}

// What all commands for servers alone take: the address first.
class ServerCommand : public Command {
public:
  ServerCommand(CLI::App& outbox, const char* name, const char* description, const char* footer)
    : Command(outbox, name, description, footer) {
    add_value("URL", url_, allowed_url);
  }

protected:
  bool has_url() const { return !url_.value_or("").empty(); }

  void check_url(Problems& problems) {
    if (!has_url())
      problems.add("URL", "nothing", allowed_url);
    else if (!is_on_server(*url_))
      problems.add("URL", "something else", allowed_url);
    else
      check_database_on_server("URL", *url_, problems);
  }

  std::string connection() const { return connection_in(*url_); }
  std::string outbox() const { return outbox_in(*url_); }

private:
  std::optional<std::string> url_;
};

constexpr auto owners_description = R"(Shows which process owns which outbox of a database.

Of each outbox it prints the node that owns it, or owned it last, since when, and what the outbox
holds. An outbox whose owner is not alive has no owner now.
)";

constexpr auto owners_footer = R"(
Times are UTC. since is by the server's clock. It counts every row, which takes a while in a large
outbox.

Examples:
  backoffctl outbox owners 'postgres://worker@db1/shop'
      all outboxes of the database, in order of their names
  backoffctl outbox owners 'postgres://worker@db1/shop#orders'
      this outbox alone
  backoffctl outbox owners 'postgres://worker@db1/shop' --json
      the same for programs, one object a line

Keys of each line:
  outbox                   its name
  node                     what its owner calls itself; null: it never had one
  epoch                    how many owners there were; each has a higher one than all before it
  since                    when the owner began to own it, ISO 8601 in UTC, or null
  alive                    whether the owner holds the lock; if not, there is no owner now
  held_by                  which process holds the lock without being the owner; only if one does
  owed, oldest             number of owed deliveries, and when the oldest was submitted, or null
  dead                     number of dead letters
)";

class OwnersCommand final : public ServerCommand {
public:
  explicit OwnersCommand(CLI::App& outbox)
    : ServerCommand(outbox, "owners", owners_description, owners_footer) {
    add_switch("--json", as_json_, "print JSON lines instead of text");
  }

  void check(Problems& problems) override { check_url(problems); }

  std::string run() override {
    auto outboxes = postgres_outboxes(connection());
    if (const auto wanted = outbox(); !wanted.empty()) {
      std::erase_if(outboxes, [&](const PostgresOutbox& x) { return x.name != wanted; });
      if (outboxes.empty())
        throw std::runtime_error("there is no outbox '" + wanted + "' in this database");
    }
    return as_json_ ? owners_json_lines(outboxes) : owners_table(outboxes);
  }

private:
  bool as_json_ = false;
};

constexpr auto cancel_description = R"(Cancels a message, whether it waits or a worker has it.

It hands the cancellation over to the owner of the outbox, in a row of the table incoming, and does
not wait for the owner. Every message with this idempotency key that was handed over before is
cancelled. The user needs the role backoff_worker.
)";

constexpr auto cancel_footer = R"(
Examples:
  backoffctl outbox cancel 'postgres://worker@db1/shop#orders' order-4711
      the message is gone, or ends as soon as its worker has answered
  backoffctl outbox cancel 'postgres://worker@db1/shop#orders' order-4711 --letter
      it becomes a dead letter, cancelled
)";

// What is written into the table incoming for the owner of an outbox to do.
class OrderCommand : public ServerCommand {
public:
  OrderCommand(CLI::App& outbox, const char* name, const char* description, const char* footer)
    : ServerCommand(outbox, name, description, footer) {
    add_value("KEY", key_, allowed_key);
  }

  void check(Problems& problems) override {
    check_url(problems);
    if (key().empty())
      problems.add("KEY", "nothing", allowed_key);
    if (problems.empty() && outbox().empty())
      problems.add("URL", "no outbox", "the address of an outbox: postgres://HOST/DATABASE#NAME");
  }

  std::string run() override {
    const PostgresAddress address{connection(), outbox()};
    const auto format = open_postgres_store_to_read(address, own_options())->message_format();
    const auto order = row();
    postgres_store(address, own_options())->open_writer()->write({&order, 1}, format);
    return "handed over to the owner of " + outbox() + "\n";
  }

protected:
  std::string key() const { return key_.value_or(""); }

private:
  static constexpr auto allowed_key = "the idempotency key of a message";

  virtual IncomingMessage row() const = 0;

  std::optional<std::string> key_;
};

class CancelCommand final : public OrderCommand {
public:
  explicit CancelCommand(CLI::App& outbox)
    : OrderCommand(outbox, "cancel", cancel_description, cancel_footer) {
    add_switch("--letter", wants_letter_, "let it become a dead letter");
  }

private:
  IncomingMessage row() const override { return row_that_cancels(key(), wants_letter_); }

  bool wants_letter_ = false;
};

constexpr auto replace_description = R"(Replaces the payload of a message that waits.

It hands the new payload over to the owner of the outbox, in a row of the table incoming, and does
not wait for the owner. The message with this idempotency key that was handed over before keeps its
place and its time. If a worker has it, or it is done, nothing changes, and the owner says so in an
event. The user needs the role backoff_worker.
)";

constexpr auto replace_footer = R"(
The payload is what other programs write into the column payload: the owner reads it by the decoder
of its type.

Examples:
  backoffctl outbox replace 'postgres://worker@db1/shop#orders' o-4711 --type order --payload '{}'
      a worker gets this in place of the payload before
  backoffctl outbox replace 'postgres://worker@db1/shop#orders' o-4712 --type note --payload soon
      the same for a payload of plain text
)";

class ReplaceCommand final : public OrderCommand {
public:
  explicit ReplaceCommand(CLI::App& outbox)
    : OrderCommand(outbox, "replace", replace_description, replace_footer) {
    add_flag("--type", text(type_), "TYPE", "which decoder of the owner reads the payload");
    add_flag("--payload", text(payload_), "TEXT", "the new payload");
  }

  void check(Problems& problems) override {
    OrderCommand::check(problems);
    if (type_.value_or("").empty())
      problems.add("--type", "nothing", "the type of the payload, as in the column type");
    if (!payload_)
      problems.add("--payload", "nothing", "the new payload");
  }

private:
  IncomingMessage row() const override {
    std::vector<std::byte> bytes;
    for (const auto one : payload_.value_or(""))
      bytes.push_back(static_cast<std::byte>(one));
    return row_that_replaces(key(), type_.value_or(""), std::move(bytes));
  }

  std::optional<std::string> type_;
  std::optional<std::string> payload_;
};

constexpr auto create_description = R"(Makes an outbox that has no owner yet.

The first owner of an outbox makes it, too. Programs that hand work over can be deployed before that
owner if you make it. The schema must be there, see migrate. The user needs the role backoff_worker.
)";

constexpr auto create_footer = R"(
Examples:
  backoffctl outbox create 'postgres://worker@db1/shop#orders'
      make the outbox orders; do nothing if it is there
  backoffctl outbox create 'postgres://worker@db1/shop#invoices'
      make a second outbox in the same database
)";

class CreateCommand final : public Command {
public:
  explicit CreateCommand(CLI::App& outbox)
    : Command(outbox, "create", create_description, create_footer) {
    add_value("OUTBOX", outbox_, allowed_outbox);
  }

  void check(Problems& problems) override {
    if (outbox_.value_or("").empty())
      problems.add("OUTBOX", "nothing", allowed_outbox);
    else if (!is_on_server(*outbox_))
      problems.add("OUTBOX", "something else", allowed_outbox);
    else
      check_outbox_on_server(*outbox_, problems);
  }

  std::string run() override {
    const auto address = parse_postgres_address(*outbox_);
    const auto is_new = create_postgres_outbox(address);
    return (is_new ? "made the outbox " : "nothing was done: there is an outbox ") + address.outbox
           + "\n";
  }

private:
  static constexpr auto allowed_outbox =
    "the address of an outbox: postgres://USER@HOST/DATABASE#NAME";

  std::optional<std::string> outbox_;
};

constexpr auto migrate_description = R"(Makes the schema of the outboxes in a database.

It also brings a schema that an earlier version made to the present one. It only adds, in one
transaction, and never removes a row. Nothing else does that: a program whose database has no schema
says so, and ends. The user needs the right to make schemas and roles.
)";

constexpr auto migrate_footer = R"(
Examples:
  backoffctl outbox migrate 'postgres://admin@db1/shop'
      make the schema, or bring it up to date
  backoffctl outbox migrate --print
      print the statements that make the schema, and do nothing
  backoffctl outbox migrate --print --from 1
      print the statements for a schema of version 1; nothing if that is the present one
)";

class MigrateCommand final : public ServerCommand {
public:
  explicit MigrateCommand(CLI::App& outbox)
    : ServerCommand(outbox, "migrate", migrate_description, migrate_footer) {
    add_switch("--print", only_prints_, "print the statements for psql; ask no server");
    add_flag("--from", whole(from_version_, 0, postgres_schema_version), "N",
             "with --print: the version that is there; default 0, none");
  }

  void check(Problems& problems) override {
    if (has_url() || !only_prints_)
      check_url(problems);
    if (has_url() && !outbox().empty())
      problems.add("URL", "an outbox", "a database: the schema holds all its outboxes");
    if (is_given("--from") && !only_prints_)
      problems.add("--from", "needs --print", "");
  }

  std::string run() override {
    if (only_prints_)
      return postgres_migration(from_version_);
    const auto found = migrate_postgres(connection());
    const auto now = std::to_string(postgres_schema_version);
    if (found == postgres_schema_version)
      return "the schema has version " + now + " already; nothing was done\n";
    if (found == 0)
      return "made the schema, version " + now + "\n";
    return "brought the schema from version " + std::to_string(found) + " to " + now + "\n";
  }

private:
  bool only_prints_ = false;
  int from_version_ = 0;
};

} // namespace

void check_outbox_on_server(const std::string& url, Problems& problems) {
  try {
    parse_postgres_address(url);
  } catch (const InvalidArgument& error) {
    for (const auto& problem : error.problems().list())
      problems.add("OUTBOX", problem.given, problem.allowed);
  }
}

void check_database_on_server(const std::string& field, const std::string& url,
                              Problems& problems) {
  const auto found = backoff_actor::check(PostgresAddress{connection_in(url), "any"});
  for (const auto& problem : found.list())
    problems.add(field, problem.given, problem.allowed);
}

std::vector<MessageFound> find_on_server(const std::string& url, const std::string& key) {
  std::vector<MessageFound> result;
  for (auto& x : find_postgres_messages(connection_in(url), outbox_in(url), key))
    result.push_back({.outbox = std::move(x.outbox),
                      .state = std::move(x.state),
                      .id = x.id,
                      .key = std::move(x.key),
                      .idempotency_key = std::move(x.idempotency_key),
                      .types = std::move(x.types),
                      .at = x.at,
                      .attempts = x.attempts,
                      .cause = std::move(x.cause)});
  return result;
}

std::shared_ptr<DeliveryStore> open_outbox_on_server(const std::string& url) {
  const auto address = parse_postgres_address(url);
  // A process that has just ended may still be the owner for a moment.
  if (auto store = postgres_store(address, own_options())->own(patience_with_owner))
    return store;
  return open_postgres_store(address, own_options()); // or says whose it is
}

std::shared_ptr<DeliveryStore> open_outbox_on_server_to_read(const std::string& url) {
  return open_postgres_store_to_read(parse_postgres_address(url), own_options());
}

void add_outbox_server_commands(CLI::App& outbox, Commands& commands) {
  add_command<OwnersCommand>(outbox, commands);
  add_command<CancelCommand>(outbox, commands);
  add_command<ReplaceCommand>(outbox, commands);
  add_command<CreateCommand>(outbox, commands);
  add_command<MigrateCommand>(outbox, commands);
}

} // namespace backoffctl
