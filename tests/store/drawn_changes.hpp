#pragma once

// What the random walks of the stores draw: changes, and the deliveries that they concern.

#include "deliveries.hpp"

#include <backoff_actor/delivery/delivery_store.hpp>

#include <rapidcheck.h>

#include <cstdint>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

namespace backoff_actor::store_test {

/// One drawn change.
struct Draw {
  std::uint32_t what;  ///< which kind of change
  std::uint32_t which; ///< of the deliveries
};

inline void showValue(const Draw& draw, std::ostream& out) {
  out << draw.what << '/' << draw.which;
}

/// A few of them.
inline rc::Gen<std::vector<Draw>> arbitrary_draws() {
  const auto number = rc::gen::inRange<std::uint32_t>(0, 1000);
  return rc::gen::scale(0.25,
                        rc::gen::container<std::vector<Draw>>(rc::gen::build<Draw>(
                          rc::gen::set(&Draw::what, number), rc::gen::set(&Draw::which, number))));
}

/// The drawn one of all deliveries that there were, 1 to `last_id`, and of a few that were not.
inline std::uint64_t number(std::uint32_t which, std::uint64_t last_id) {
  return which % (last_id + 3);
}

inline std::vector<std::uint64_t> numbers(const std::vector<Draw>& draws, std::uint64_t last_id) {
  std::vector<std::uint64_t> result;
  for (const auto& draw : draws)
    result.push_back(number(draw.which, last_id));
  return result;
}

/// How far the wall clock was set ahead, in nanoseconds: not, by an hour, by ten years.
constexpr std::int64_t steps[] = {0, 0, 3'600'000'000'000, 315'360'000'000'000'000};

/// The changes of one commit. Inserted deliveries come after `last_id`.
inline std::vector<StoreChange> changes(const std::vector<Draw>& draws, std::uint64_t last_id) {
  std::vector<StoreChange> result;
  auto last = last_id;
  for (const auto& draw : draws) {
    const auto id = number(draw.which, last_id);
    const WallTime at{draw.which + steps[draw.what / 11 % std::size(steps)]};
    switch (draw.what % 13) {
    case 0:
    case 1:
    case 2:
    case 3: {
      last += 1 + draw.which % 2;
      auto one = delivery(last, std::string(draw.which % 7 == 0 ? 5'000 : 20, 'x'));
      if (draw.which % 3 == 0)
        one.idempotency_key.clear();
      if (draw.which % 5 != 0)
        one.context.clear();
      result.emplace_back(change::Insert{std::move(one)});
      break;
    }
    case 4:
    case 5:
      result.emplace_back(change::Acknowledge{id, at});
      break;
    case 6:
      result.emplace_back(change::Acknowledge{id, at, /*is_dropped=*/true});
      break;
    case 7:
      result.emplace_back(change::CountAttempts{id, draw.which});
      break;
    case 8:
      result.emplace_back(
        change::Bury{id, static_cast<DeadLetterReason>(draw.which % 8), draw.which, "cause", at,
                     draw.which % 3 == 0 ? "" : "text " + std::to_string(draw.which)});
      break;
    case 9:
      result.emplace_back(change::CountHandOvers{id, draw.which});
      break;
    case 10:
      result.emplace_back(change::SetContext{id, draw.which % 4 == 0 ? "" : "cancelled: 1\n"});
      break;
    case 11:
      result.emplace_back(
        change::SetMessage{id, {"new", std::vector<std::byte>(draw.which % 5, std::byte{7})}});
      break;
    default:
      result.emplace_back(change::ForgetKeys{at});
    }
  }
  return result;
}

} // namespace backoff_actor::store_test
