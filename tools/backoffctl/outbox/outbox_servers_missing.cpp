#include "outbox_kinds.hpp"

#include <CLI/App.hpp>

#include <stdexcept>

namespace backoffctl {

namespace {

[[noreturn]] void refuse_server() {
  throw std::runtime_error("outbox: this backoffctl was built without PostgreSQL, so it reaches no "
                           "server; install libpq-dev and build it again");
}

class MissingServerCommand final : public Command {
public:
  using Command::Command;

  void check(backoff_actor::Problems&) override { refuse_server(); }
  std::string run() override { refuse_server(); }
};

} // namespace

void check_outbox_on_server(const std::string&, backoff_actor::Problems&) {}

std::shared_ptr<backoff_actor::DeliveryStore> open_outbox_on_server(const std::string&) {
  refuse_server();
}

std::shared_ptr<backoff_actor::DeliveryStore> open_outbox_on_server_to_read(const std::string&) {
  refuse_server();
}

void add_outbox_server_commands(CLI::App& outbox, Commands& commands) {
  for (const auto* name : {"owners", "find", "create", "migrate"}) {
    auto& parser = *outbox.add_subcommand(name);
    parser.group(""); // which the help does not show
    parser.prefix_command();
    commands.push_back(std::make_unique<MissingServerCommand>(parser));
  }
}

} // namespace backoffctl
