#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace backoff_actor {

/// What the server knows of a message, as the view `backoff.message` shows it.
struct PostgresMessage {
  std::string outbox{}; ///< see `PostgresAddress::outbox`

  /// `waiting` in the table `incoming`; `owed` by the owner, in flight or not; `dead`: the sender
  /// gave it up; or `done`, which is known of messages with an idempotency key alone.
  std::string state{};

  std::uint64_t id = 0; ///< of its row in `incoming`, or of the delivery; 0: done

  /// As `Submit::key`. Of what is not waiting, bytes beyond ASCII are octal escapes: `\303`.
  std::string key{};
  std::string idempotency_key{}; ///< as `Submit::idempotency_key`, with the same escapes
  std::string types{};           ///< of its parts, or of its payload; empty if it is done

  /// When it was inserted, submitted, given up, or acknowledged.
  WallTime at{};

  std::uint64_t attempts = 0; ///< failed ones
  std::string cause{};        ///< why it is dead; otherwise empty
};

/// Finds all messages with this key or this idempotency key, the oldest first. Reads every row. The
/// role `backoff_reader` is enough.
///
/// @param connection as `PostgresAddress::connection`
/// @param outbox where to look; empty: in all outboxes of the database
/// @param key not empty
/// @errors throws `InvalidArgument`, `StoreError`
BACKOFF_ACTOR_EXPORT std::vector<PostgresMessage>
find_postgres_messages(const std::string& connection, const std::string& outbox,
                       const std::string& key);

} // namespace backoff_actor
