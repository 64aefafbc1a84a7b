#pragma once

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/delivery_slots.hpp"
#include "backoff_actor/observe/actor_name.hpp"
#include "backoff_actor/supervision/restart_limit.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace backoff_actor::detail {

template <class Number>
void check_at_least_one(Problems& problems, const char* field, const std::optional<Number>& given) {
  if (given && *given < 1)
    problems.add(field, std::to_string(*given), "1 or more");
}

inline void check_positive(Problems& problems, const char* field,
                           const std::optional<Duration>& given) {
  if (given && *given <= Duration::zero())
    problems.add(field, to_string(*given), "more than 0ns");
}

inline void check_not_negative(Problems& problems, const char* field, Duration given) {
  if (given < Duration::zero())
    problems.add(field, to_string(given), "0ns or more");
}

inline void check_of_use(Problems& problems, const char* field, bool is_given, bool is_of_use,
                         const char* condition) {
  if (is_given && !is_of_use)
    problems.add(field, "a function", std::string{"nothing, unless "} + condition);
}

inline void check_capacity(Problems& problems, const char* field, std::size_t given) {
  if (given < 1 || given > DeliverySlots::max_size)
    problems.add(field, std::to_string(given), "1.." + std::to_string(DeliverySlots::max_size));
}

// Checks the options that senders and forwarders have in common.
template <class Options>
void check_restarts(Problems& problems, const Options& options) {
  if (options.restart_limit)
    problems.add_nested("restart_limit", check(*options.restart_limit));
  check_positive(problems, "max_elapsed", options.max_elapsed);
  check_not_negative(problems, "kill_grace", options.kill_grace);
}

} // namespace backoff_actor::detail
