#pragma once

#include "backoff_actor/store/postgres/internal/pg_connection.hpp"

#include <span>

// The statements of an owner, to be prepared once in each session.
namespace backoff_actor::detail::pg {

extern const PgStatement fence;
extern const PgStatement insert;
extern const PgStatement acknowledge;
extern const PgStatement acknowledge_keys;
extern const PgStatement bury;
extern const PgStatement insert_dead;
extern const PgStatement count;
extern const PgStatement drop_keys;
extern const PgStatement find_oldest;
extern const PgStatement read_epoch;
extern const PgStatement read_owed;
extern const PgStatement read_dead;
extern const PgStatement count_dead;
extern const PgStatement read_keys;
extern const PgStatement remove_dead;
extern const PgStatement find_dead;
extern const PgStatement resubmit_dead;
extern const PgStatement set_format;
extern const PgStatement delete_incoming;
extern const PgStatement resubmit_incoming;

// All of them.
std::span<const PgStatement* const> all();

} // namespace backoff_actor::detail::pg
