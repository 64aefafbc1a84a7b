#pragma once

#include "backoffctl/common/command.hpp"

#include "backoff_actor/delivery/delivery_store.hpp"

#include <memory>
#include <string>

// The two kinds of outboxes: a file of SQLite, and one on a server of PostgreSQL. Each may be
// missing in a build. Then its functions throw, and say what to install, and its commands do the
// same.

namespace backoffctl {

/// Whether a text is the address of an outbox on a server, `postgres://...`. Anything else is the
/// name of a file.
inline bool is_on_server(const std::string& outbox) {
  return outbox.starts_with("postgres://") || outbox.starts_with("postgresql://");
}

/// Opens a file that is there.
///
/// @errors throws `StoreError`.
std::shared_ptr<backoff_actor::DeliveryStore> open_outbox_file(const std::string& file);
std::shared_ptr<backoff_actor::DeliveryStore> open_outbox_file_to_read(const std::string& file);

/// Declares the commands for files alone.
void add_outbox_file_commands(CLI::App& outbox, Commands& commands);

/// Notes what is wrong with the address of an outbox on a server. Does not repeat the address.
void check_outbox_on_server(const std::string& url, backoff_actor::Problems& problems);

/// Opens an outbox that is there, after a check of its address.
///
/// @errors throws `StoreError`.
std::shared_ptr<backoff_actor::DeliveryStore> open_outbox_on_server(const std::string& url);
std::shared_ptr<backoff_actor::DeliveryStore> open_outbox_on_server_to_read(const std::string& url);

/// Declares the commands for servers alone.
void add_outbox_server_commands(CLI::App& outbox, Commands& commands);

} // namespace backoffctl
