#include "outbox.hpp"

#include "backoffctl/text/number_text.hpp"

#include "backoff_actor/core/text/internal/secrets.hpp"
#include "backoff_actor/store/sqlite_store.hpp"

#include <filesystem>
#include <optional>

namespace backoffctl {

namespace {

using namespace backoff_actor;

std::uintmax_t size_of(const std::string& file) {
  std::error_code error;
  const auto result = std::filesystem::file_size(file, error);
  return error ? 0 : result;
}

// What all commands for files alone take: the file first.
class FileCommand : public Command {
public:
  FileCommand(CLI::App& outbox, const char* name, const char* description, const char* footer)
    : Command(outbox, name, description, footer) {
    add_value("FILE", file_, "the file of the outbox");
  }

  void check(Problems& problems) override {
    if (file_.value_or("").empty())
      problems.add("FILE", "nothing", "the file of a durable outbox");
    else if (backoff_actor::detail::is_connection_string(*file_))
      problems.add("FILE", "the address of a server",
                   "the file of a durable outbox; a server has tools of its own for that");
  }

protected:
  const std::string& file() const { return *file_; }

private:
  std::optional<std::string> file_;
};

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
)";

class BackupCommand final : public FileCommand {
public:
  explicit BackupCommand(CLI::App& outbox)
    : FileCommand(outbox, "backup", backup_description, backup_footer) {
    add_value("COPY", copy_, "the file to create");
  }

  void check(Problems& problems) override {
    FileCommand::check(problems);
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
)";

class CompactCommand final : public FileCommand {
public:
  explicit CompactCommand(CLI::App& outbox)
    : FileCommand(outbox, "compact", compact_description, compact_footer) {}

  std::string run() override {
    open_outbox_file_to_read(file()); // which says what is wrong with a file that is no store
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
)";

class AcceptLossCommand final : public FileCommand {
public:
  explicit AcceptLossCommand(CLI::App& outbox)
    : FileCommand(outbox, "accept-loss", accept_loss_description, accept_loss_footer) {}

  std::string run() override {
    const auto loss = accept_loss_of_sqlite_store(file());
    if (!loss)
      return "nothing is missing, nothing was done\n";
    auto result =
      "at least " + counted(loss->commits, "commit", "commits") + " missing; the loss is accepted";
    if (loss->first_delivery > 0)
      result += "; deliveries " + std::to_string(loss->first_delivery) + " to "
                + std::to_string(loss->last_delivery) + " may be lost, unless they were done";
    return result + "\n";
  }
};

} // namespace

std::shared_ptr<DeliveryStore> open_outbox_file(const std::string& file) {
  return open_sqlite_store(file);
}

std::shared_ptr<DeliveryStore> open_outbox_file_to_read(const std::string& file) {
  return open_sqlite_store_to_read(file);
}

void add_outbox_file_commands(CLI::App& outbox, Commands& commands) {
  add_command<BackupCommand>(outbox, commands);
  add_command<CompactCommand>(outbox, commands);
  add_command<AcceptLossCommand>(outbox, commands);
}

} // namespace backoffctl
