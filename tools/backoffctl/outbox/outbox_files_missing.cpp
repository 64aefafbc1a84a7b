#include "outbox_kinds.hpp"

#include <CLI/App.hpp>

#include <stdexcept>

namespace backoffctl {

namespace {

[[noreturn]] void refuse_file() {
  throw std::runtime_error("outbox: this backoffctl was built without SQLite, so it opens no file; "
                           "install libsqlitecpp-dev and build it again");
}

class MissingFileCommand final : public Command {
public:
  using Command::Command;

  void check(backoff_actor::Problems&) override { refuse_file(); }
  std::string run() override { refuse_file(); }
};

} // namespace

std::shared_ptr<backoff_actor::DeliveryStore> open_outbox_file(const std::string&) {
  refuse_file();
}

std::shared_ptr<backoff_actor::DeliveryStore> open_outbox_file_to_read(const std::string&) {
  refuse_file();
}

void add_outbox_file_commands(CLI::App& outbox, Commands& commands) {
  for (const auto* name : {"backup", "compact", "accept-loss"}) {
    auto& parser = *outbox.add_subcommand(name);
    parser.group(""); // which the help does not show
    parser.prefix_command();
    commands.push_back(std::make_unique<MissingFileCommand>(parser));
  }
}

} // namespace backoffctl
