#pragma once

#include "backoff_actor/store/postgres/internal/pg_connection.hpp"

#include <span>

// The statements of an owner, to be prepared once in each session.
namespace backoff_actor::detail::pg {

extern const PgStatement fence;
extern const PgStatement fence_1;
extern const PgStatement insert;
extern const PgStatement insert_left;
extern const PgStatement acknowledge;
extern const PgStatement acknowledge_keys;
extern const PgStatement bury;
extern const PgStatement bury_with_text;
extern const PgStatement insert_dead;
extern const PgStatement insert_dead_with_text;
extern const PgStatement count;
extern const PgStatement set_contexts;
extern const PgStatement set_messages;
extern const PgStatement drop_keys;
extern const PgStatement drop_keys_1;
extern const PgStatement keep_answers;
extern const PgStatement drop_answers;
extern const PgStatement set_answers_back;
extern const PgStatement set_keys_back;
extern const PgStatement set_keys_back_1;
extern const PgStatement find_oldest;
extern const PgStatement read_epoch;
extern const PgStatement read_owed;
extern const PgStatement read_dead;
extern const PgStatement read_dead_with_text;
extern const PgStatement read_newest_dead;
extern const PgStatement read_newest_dead_with_text;
extern const PgStatement count_dead;
extern const PgStatement read_keys;
extern const PgStatement remove_dead;
extern const PgStatement find_dead;
extern const PgStatement resubmit_dead;
extern const PgStatement set_format;
extern const PgStatement delete_incoming;
extern const PgStatement delete_cancelled;
extern const PgStatement replace_incoming;
extern const PgStatement resubmit_incoming;

// Of everybody who reads, and not prepared.
extern const PgStatement find_key;
extern const PgStatement find_number;
extern const PgStatement find_answer;
extern const PgStatement has_answers;

// All that the tables of a version can take. Those for a version are among those for the next: a
// commit that was made for an earlier session may have them.
std::span<const PgStatement* const> all(int schema);

} // namespace backoff_actor::detail::pg
