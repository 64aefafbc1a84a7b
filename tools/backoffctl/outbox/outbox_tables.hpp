#pragma once

#include "backoff_actor/store/postgres/internal/postgres_messages.hpp"
#include "backoff_actor/store/postgres/postgres_store.hpp"

#include <string>
#include <vector>

namespace backoffctl {

/// Renders what the server knows of some messages: a table for people, and one JSON object a line
/// for programs.
std::string messages_table(const std::vector<backoff_actor::PostgresMessage>& messages);
std::string messages_json_lines(const std::vector<backoff_actor::PostgresMessage>& messages);

/// Renders who owns which outbox: a table for people, and one JSON object a line for programs.
std::string owners_table(const std::vector<backoff_actor::PostgresOutbox>& outboxes);
std::string owners_json_lines(const std::vector<backoff_actor::PostgresOutbox>& outboxes);

} // namespace backoffctl
