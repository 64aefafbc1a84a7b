#pragma once

#include "backoff_actor/delivery/incoming.hpp"
#include "backoff_actor/store/postgres/internal/pg_session.hpp"

#include <memory>

namespace backoff_actor::detail {

// Reads the table `incoming` for the owner of an outbox, in a session of its own.
std::unique_ptr<Intake> open_pg_intake(std::shared_ptr<const PgWish> wish);

} // namespace backoff_actor::detail
