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

constexpr auto backup_description = R"(Copies an outbox, as it is at one moment.

It can be used while the sender is running. The copy is one file, whole without a log. To put it
back, stop the sender, remove FILE-wal, copy it to FILE, and run backoffctl outbox accept-loss FILE.
)";

constexpr auto backup_footer = R"(
Examples:
  backoffctl outbox backup outbox.db monday.db
      the copy must not exist yet
  backoffctl outbox count monday.db
      it is an outbox as any other
)";

class BackupCommand final : public OutboxCommand {
public:
  explicit BackupCommand(CLI::App& parser) : OutboxCommand(parser, backup_footer) {
    parser.add_option("COPY", copy_, "the file to be made")->type_name("")->expected(1);
  }

  void check(Problems& problems) override {
    OutboxCommand::check(problems);
    if (copy_.value_or("").empty())
      problems.add("COPY", "nothing", "the file to be made");
  }

  std::string run() override {
    back_up_sqlite_store(file(), *copy_);
    return "copied to " + *copy_ + ", " + std::to_string(size_of(*copy_)) + " bytes\n";
  }

private:
  std::optional<std::string> copy_;
};

constexpr auto compact_description = R"(Makes the file of an outbox as small as it can be.

A file does not become smaller when its messages are done: what they leave is used again. A sender
that has nothing to do makes its file smaller by itself if most of it is empty and what is left is
small. The sender must not be running.
)";

constexpr auto compact_footer = R"(
Needs as much room again as the file has then, for a moment.

Examples:
  backoffctl outbox compact outbox.db
      tells how large the file was, and is now
  backoffctl outbox count outbox.db
      nothing in it has changed
)";

class CompactCommand final : public OutboxCommand {
public:
  explicit CompactCommand(CLI::App& parser) : OutboxCommand(parser, compact_footer) {}

  std::string run() override {
    const auto before = size_of(file());
    compact_sqlite_store(file());
    return std::to_string(before) + " bytes before, " + std::to_string(size_of(file())) + " now\n";
  }
};

constexpr auto accept_loss_description = R"(Goes on with an outbox whose log is missing or cut.

An outbox without all that was committed is not opened: its log, FILE-wal, may be somewhere. If it is
gone for good, this makes the file one that can be opened, with what is there, and names what is not.
)";

constexpr auto accept_loss_footer = R"(
What was acknowledged in the commits that are missing is owed again, and is done once more.

Examples:
  backoffctl outbox accept-loss outbox.db
      does nothing if nothing is missing
  backoffctl outbox count outbox.db
      what there is
)";

class AcceptLossCommand final : public OutboxCommand {
public:
  explicit AcceptLossCommand(CLI::App& parser) : OutboxCommand(parser, accept_loss_footer) {}

  std::string run() override {
    const auto loss = accept_loss_of_sqlite_store(file());
    if (!loss)
      return "nothing is missing, nothing was done\n";
    auto result = "at least " + counted(loss->commits, "commit") + " missing, accepted";
    if (loss->first_delivery > 0)
      result += "; deliveries " + std::to_string(loss->first_delivery) + " to "
                + std::to_string(loss->last_delivery) + " may be lost, those that are not done";
    return result + "\n";
  }
};

constexpr auto set_aside_description = R"(Makes messages that are owed dead letters.

For messages that stand in the way: a program does not open an outbox with messages of types that it
does not know. resubmit makes them owed again. The sender must not be running.
)";

constexpr auto set_aside_footer = R"(
Examples:
  backoffctl outbox set-aside outbox.db 3 5
      these two
  backoffctl outbox set-aside outbox.db --type old_order
      all messages with a part of this type
)";

class SetAsideCommand final : public OutboxCommand {
public:
  explicit SetAsideCommand(CLI::App& parser) : OutboxCommand(parser, set_aside_footer) {
    parser.add_option("ID", given_, "the messages' numbers, see backoffctl outbox list")
      ->type_name("");
    add_flag("--type", type_, "NAME", "all messages with a part of this type");
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
