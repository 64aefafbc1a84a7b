#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/store/postgres/internal/pg_connection.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace backoff_actor::detail {

// What an outbox holds, read in parts of some megabytes.
//
// The functions read in order of the numbers, and begin with `from`. They visit what they have read
// between two statements.
//
// @param to the highest number that is read
// @param name of the store, for errors
// @param schema the version of the tables
// @errors throws `StoreError` with `damaged` if a store cannot have written a value. As
//         `PgConnection::run`. Those of `visit` are passed on.
void read_pg_owed(PgConnection& connection, std::int32_t outbox, std::uint64_t from,
                  std::uint64_t to, const std::string& name,
                  const std::function<void(StoredDelivery)>& visit);
void read_pg_dead_letters(PgConnection& connection, std::int32_t outbox, int schema,
                          std::uint64_t to, const std::string& name,
                          const std::function<void(StoredDeadLetter)>& visit);
// The highest number first.
void read_newest_pg_dead_letters(PgConnection& connection, std::int32_t outbox, int schema,
                                 std::uint64_t below, std::size_t at_most, const std::string& name,
                                 const std::function<void(StoredDeadLetter)>& visit);
DeadLetterTally count_pg_dead_letters(PgConnection& connection, std::int32_t outbox);
void read_pg_keys(PgConnection& connection, std::int32_t outbox, std::int64_t since,
                  const std::function<void(AcknowledgedKey)>& visit);

// As `DeliveryStore::find_message`. A row of `incoming` is waiting, and has no number. An answer
// that is kept is found at once, and all else in time in proportion to the rows.
//
// @param schema the version of the tables
// @param since older acknowledged keys are forgotten
FoundMessage find_pg_message(PgConnection& connection, std::int32_t outbox, int schema,
                             std::int64_t since, const std::string& idempotency_key,
                             std::uint64_t delivery, const std::string& name);

} // namespace backoff_actor::detail
