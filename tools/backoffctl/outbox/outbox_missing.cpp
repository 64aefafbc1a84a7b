#include "outbox_commands.hpp"

#include <CLI/App.hpp>

#include <stdexcept>

namespace backoffctl {

namespace {

class MissingOutbox final : public Command {
public:
  using Command::Command;

  std::string run() override { return {}; }

  void check(backoff_actor::Problems&) override {
    throw std::runtime_error(
      "outbox: this backoffctl was built without SQLite and PostgreSQL; to use outbox, install "
      "libsqlitecpp-dev or libpq-dev and build it again");
  }
};

} // namespace

void add_outbox_commands(CLI::App& backoffctl, Commands& commands) {
  auto& parser = *backoffctl.add_subcommand(
    "outbox",
    "Shows and changes a durable outbox; missing here: built without SQLite and PostgreSQL.");
  parser.prefix_command();
  commands.push_back(std::make_unique<MissingOutbox>(parser));
}

} // namespace backoffctl
