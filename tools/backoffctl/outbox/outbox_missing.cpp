// In place of the kinds of outboxes that this build has not.

#include "outbox.hpp"

#include "backoffctl/calendar/calendar.hpp"
#include "backoffctl/common/commands.hpp"

#include <CLI/App.hpp>

#include <initializer_list>
#include <stdexcept>
#include <utility>

namespace backoffctl {

namespace {

class MissingCommand final : public Command {
public:
  MissingCommand(CLI::App& parser, std::string complaint)
    : Command(parser), complaint_(std::move(complaint)) {
    parser.prefix_command();
  }

  std::string run() override { return {}; }

private:
  void check(Problems&) override { throw std::runtime_error{complaint_}; }

  std::string complaint_;
};

#if defined(BACKOFFCTL_HAS_NO_FILES) || defined(BACKOFFCTL_HAS_NO_SERVERS)
using StorePtr = std::shared_ptr<backoff_actor::DeliveryStore>;

// The help does not show them.
void add_missing(CLI::App& outbox, Commands& commands, std::initializer_list<const char*> names,
                 const char* complaint) {
  for (const auto* const name : names) {
    auto& parser = *outbox.add_subcommand(name);
    parser.group("");
    commands.push_back(std::make_unique<MissingCommand>(parser, complaint));
  }
}
#endif

} // namespace

#ifdef BACKOFFCTL_HAS_NO_SERVERS
void add_calendar_server_commands(CLI::App& calendar, Commands& commands) {
  add_missing(calendar, commands, {"add", "list", "pause", "resume", "remove", "run-now"},
              "calendar: this backoffctl was built without PostgreSQL, so it reaches no server; "
              "install libpq-dev and build it again");
}
#endif

#if defined(BACKOFFCTL_HAS_NO_FILES) && defined(BACKOFFCTL_HAS_NO_SERVERS)
void add_outbox_commands(CLI::App& program, Commands& commands) {
  commands.push_back(std::make_unique<MissingCommand>(
    *program.add_subcommand(
      "outbox",
      "Shows and changes a durable outbox; missing here: built without SQLite and PostgreSQL."),
    "outbox: this backoffctl was built without SQLite and PostgreSQL; to use outbox, install "
    "libsqlitecpp-dev or libpq-dev and build it again"));
}
#elif defined(BACKOFFCTL_HAS_NO_FILES)
constexpr auto no_files = "outbox: this backoffctl was built without SQLite, so it opens no file; "
                          "install libsqlitecpp-dev and build it again";

StorePtr open_outbox_file(const std::string&) { throw std::runtime_error{no_files}; }
StorePtr open_outbox_file_to_read(const std::string&) { throw std::runtime_error{no_files}; }

void add_outbox_file_commands(CLI::App& outbox, Commands& commands) {
  add_missing(outbox, commands, {"backup", "compact", "accept-loss"}, no_files);
}
#elif defined(BACKOFFCTL_HAS_NO_SERVERS)
constexpr auto no_servers =
  "outbox: this backoffctl was built without PostgreSQL, so it reaches no "
  "server; install libpq-dev and build it again";

void check_outbox_on_server(const std::string&, Problems&) {}
void check_database_on_server(const std::string&, const std::string&, Problems&) {}
std::vector<MessageFound> find_on_server(const std::string&, const std::string&) {
  throw std::runtime_error{no_servers};
}
StorePtr open_outbox_on_server(const std::string&) { throw std::runtime_error{no_servers}; }
StorePtr open_outbox_on_server_to_read(const std::string&) { throw std::runtime_error{no_servers}; }

void add_outbox_server_commands(CLI::App& outbox, Commands& commands) {
  add_missing(outbox, commands, {"owners", "cancel", "replace", "create", "migrate"}, no_servers);
}
#endif

} // namespace backoffctl
