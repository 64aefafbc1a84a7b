#pragma once

#include "command.hpp"

#include "backoff_actor/store/sqlite_store.hpp"

#include <memory>
#include <optional>
#include <string>

namespace backoffctl {

/// What all commands of `outbox` take: the file first.
class OutboxCommand : public Command {
public:
  OutboxCommand(CLI::App& parser, const char* footer_text) : Command(parser) {
    parser.footer(footer_text);
    parser.allow_extras();
    parser.add_option("FILE", file_, "the file of the outbox")->type_name("")->expected(1);
  }

  void check(backoff_actor::Problems& problems) override {
    if (file_.value_or("").empty())
      problems.add("FILE", "nothing", "the file of a durable outbox");
  }

protected:
  const std::string& file() const { return *file_; }
  std::shared_ptr<backoff_actor::DeliveryStore> open_to_read() const {
    return backoff_actor::open_sqlite_store_to_read(file());
  }

private:
  std::optional<std::string> file_;
};

} // namespace backoffctl
