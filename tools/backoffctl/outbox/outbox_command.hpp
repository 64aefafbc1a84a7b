#pragma once

#include "outbox_kinds.hpp"

#include "backoffctl/common/command.hpp"

#include "backoff_actor/core/text/internal/secrets.hpp"

#include <memory>
#include <optional>
#include <string>

namespace backoffctl {

/// What all commands for any outbox take: the file or the address first.
class OutboxCommand : public Command {
public:
  OutboxCommand(CLI::App& parser, const char* footer_text) : Command(parser, footer_text) {
    add_value("OUTBOX", outbox_, "the file of the outbox, or postgres://HOST/DATABASE#NAME");
  }

  void check(backoff_actor::Problems& problems) override {
    if (outbox_.value_or("").empty())
      problems.add("OUTBOX", "nothing",
                   "the file of a durable outbox, or postgres://HOST/DATABASE#NAME");
    else if (is_on_server(*outbox_))
      check_outbox_on_server(*outbox_, problems);
    else if (backoff_actor::detail::is_connection_string(*outbox_))
      problems.add("OUTBOX", "a connection string that is no URL",
                   "the file of a durable outbox, or postgres://HOST/DATABASE#NAME");
  }

protected:
  std::shared_ptr<backoff_actor::DeliveryStore> open_to_read() const {
    return is_on_server(*outbox_) ? open_outbox_on_server_to_read(*outbox_)
                                  : open_outbox_file_to_read(*outbox_);
  }

  /// Opens it to change it. Makes none where there is none.
  std::shared_ptr<backoff_actor::DeliveryStore> open() const {
    open_to_read();
    return is_on_server(*outbox_) ? open_outbox_on_server(*outbox_) : open_outbox_file(*outbox_);
  }

  /// Renders where it is, for a complaint.
  std::string place_of(const backoff_actor::DeliveryStore& store) const {
    return is_on_server(*outbox_) ? store.name() : *outbox_;
  }

private:
  std::optional<std::string> outbox_;
};

} // namespace backoffctl
