#include "outbox_file_commands.hpp"

#include "flag_values.hpp"
#include "outbox_command.hpp"

#include <chrono>
#include <filesystem>
#include <set>
#include <stdexcept>

namespace backoffctl {

namespace {

using namespace backoff_actor;

std::string counted(std::uint64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::uintmax_t size_of(const std::string& file) {
  std::error_code error;
  const auto result = std::filesystem::file_size(file, error);
  return error ? 0 : result;
}

constexpr auto backup_description = R"(Copies an outbox as it is at one moment.

You can use it while the sender runs. The copy is one file and needs no log. To put the copy back,
stop the sender, remove FILE-wal, copy COPY to FILE, and run backoffctl outbox accept-loss FILE.
)";

constexpr auto backup_footer = R"(
Examples:
  backoffctl outbox backup outbox.db monday.db
      copy the outbox; monday.db must not exist yet
  backoffctl outbox count monday.db
      look into the copy, which is an outbox like any other

Exit codes: 0 done, 1 failed, 2 bad input and nothing was done.
)";

class BackupCommand final : public OutboxCommand {
public:
  explicit BackupCommand(CLI::App& parser) : OutboxCommand(parser, backup_footer) {
    parser.add_option("COPY", copy_, "the file to create")->type_name("")->expected(1);
  }

  void check(Problems& problems) override {
    OutboxCommand::check(problems);
    if (copy_.value_or("").empty())
      problems.add("COPY", "nothing", "the file to create");
  }

  std::string run() override {
    back_up_sqlite_store(file(), *copy_);
    return "copied to " + *copy_ + ", " + std::to_string(size_of(*copy_)) + " bytes\n";
  }

private:
  std::optional<std::string> copy_;
};

constexpr auto compact_description = R"(Makes the file of an outbox as small as possible.

A file does not shrink when its messages are done: later messages use the free space. An idle sender
shrinks its file itself if most of it is free and the rest is small. The sender must not be running.
)";

constexpr auto compact_footer = R"(
For a moment, this needs free space on the disk of the same size as the compacted file.

Examples:
  backoffctl outbox compact outbox.db
      compact the file, and print its size before and after
  backoffctl outbox count outbox.db
      check that the content has not changed

Exit codes: 0 done, 1 failed, 2 bad input and nothing was done.
)";

class CompactCommand final : public OutboxCommand {
public:
  explicit CompactCommand(CLI::App& parser) : OutboxCommand(parser, compact_footer) {}

  std::string run() override {
    open_to_read(); // which says what is wrong with a file that is no store
    const auto before = size_of(file());
    compact_sqlite_store(file());
    return std::to_string(before) + " bytes before, " + std::to_string(size_of(file())) + " now\n";
  }
};

constexpr auto accept_loss_description = R"(Repairs an outbox whose log is missing or cut off.

A sender does not open an outbox from which commits are missing: its log, FILE-wal, may still be
somewhere. If the log is gone for good, this command makes the file usable again with what is left,
and prints what is missing.
)";

constexpr auto accept_loss_footer = R"(
Deliveries that were acknowledged in a missing commit are owed again, and are executed once more.

Examples:
  backoffctl outbox accept-loss outbox.db
      accept the loss; does nothing if nothing is missing
  backoffctl outbox count outbox.db
      see what is left

Exit codes: 0 done, 1 failed, 2 bad input and nothing was done.
)";

class AcceptLossCommand final : public OutboxCommand {
public:
  explicit AcceptLossCommand(CLI::App& parser) : OutboxCommand(parser, accept_loss_footer) {}

  std::string run() override {
    const auto loss = accept_loss_of_sqlite_store(file());
    if (!loss)
      return "nothing is missing, nothing was done\n";
    auto result = "at least " + counted(loss->commits, "commit") + " missing; the loss is accepted";
    if (loss->first_delivery > 0)
      result += "; deliveries " + std::to_string(loss->first_delivery) + " to "
                + std::to_string(loss->last_delivery) + " may be lost, unless they were done";
    return result + "\n";
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

Exit codes: 0 done, 1 failed, 2 bad input and nothing was done.
)";

class SetAsideCommand final : public OutboxCommand {
public:
  explicit SetAsideCommand(CLI::App& parser) : OutboxCommand(parser, set_aside_footer) {
    parser
      .add_option("ID", given_, "numbers of owed messages, as backoffctl outbox list shows them")
      ->type_name("");
    add_flag("--type", type_, "NAME", "set all messages with a part of this type aside");
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
    open_to_read(); // which makes no store where there is none
    const auto store = open_sqlite_store(file());
    const auto at = now();
    std::vector<StoreChange> changes;
    store->for_each_owed([&](const StoredDelivery& x) {
      if (type_ ? has_part(x.message, *type_) : ids_.erase(x.id) == 1)
        changes.emplace_back(change::Bury{x.id, DeadLetterReason::set_aside, x.attempts, "", at});
    });
    if (!ids_.empty())
      throw std::runtime_error(file() + ": does not owe " + list(ids_) + "; nothing was done");
    store->commit(changes);
    return "set aside " + counted(changes.size(), "message") + "\n";
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

void add_outbox_file_commands(CLI::App& outbox, Commands& commands) {
  const auto add = [&]<class C>(const char* name, const char* about) {
    commands.push_back(std::make_unique<C>(*outbox.add_subcommand(name, about)));
  };
  add.operator()<SetAsideCommand>("set-aside", set_aside_description);
  add.operator()<BackupCommand>("backup", backup_description);
  add.operator()<CompactCommand>("compact", compact_description);
  add.operator()<AcceptLossCommand>("accept-loss", accept_loss_description);
}

} // namespace backoffctl
