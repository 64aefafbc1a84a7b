#pragma once

// What an error of the server means, and how to say it without a secret.

#include "backoff_actor/delivery/store_error.hpp"
#include "backoff_actor/store/postgres/internal/pg_connection.hpp"
#include "backoff_actor/store/postgres/postgres_store.hpp"

#include <string>
#include <string_view>

namespace backoff_actor::detail {

// The SQLSTATE of an epoch that is over; `backoff.fence` raises it.
inline constexpr std::string_view pg_epoch_is_over = "BA001";

// Returns the error for an answer of a living server.
//
// @param name of the store, with which the text begins
StoreError pg_store_error(const std::string& name, const PgRefusal& refusal);

// Returns the error for a session that is over.
StoreError pg_store_error(const std::string& name, const PgLost& lost);

// Returns the error for an attempt to connect that failed.
//
// @param said libpq's text, with SQLSTATEs in place of the server's texts
// @param password is not repeated
StoreError pg_connect_error(const std::string& name, std::string_view said,
                            std::string_view password);

// Whether the same call may succeed if it is made once more at once.
bool is_worth_a_retry(const PgRefusal& refusal);

// Whether the server has ended the session with this error.
bool ends_session(std::string_view sqlstate);

// What to do if there is no schema.
StoreError pg_schema_is_missing(const std::string& name);

// Connects for one task. `f` gets the connection.
//
// @errors throws `StoreError`
template <class F>
auto with_pg_connection(const PgTarget& target, bool is_to_write, const F& f) {
  try {
    PgConnection connection{
      target, {PostgresOptions{}.connect_timeout, "backoff_actor", {}, is_to_write}, nullptr};
    return f(connection);
  } catch (const PgRefusal& refusal) {
    throw pg_store_error(target.name, refusal);
  } catch (const PgLost& lost) {
    throw pg_store_error(target.name, lost);
  }
}

} // namespace backoff_actor::detail
