#include "backoff_actor/store/postgres/postgres_store.hpp"

namespace backoff_actor {} // namespace backoff_actor
