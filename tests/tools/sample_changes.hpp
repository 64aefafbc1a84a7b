#pragma once

// What the samples of outboxes hold: three deliveries that are owed, two dead letters, a key.

#include "backoff_actor/delivery/delivery_store.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace backoffctl {

inline backoff_actor::StoredMessage sample_message(std::string_view text) {
  const auto bytes = std::as_bytes(std::span{text});
  return {"order,int32_t", {bytes.begin(), bytes.end()}};
}

/// Fills a new outbox.
inline void fill_with_sample(backoff_actor::DeliveryStore& store) {
  using namespace backoff_actor;
  constexpr std::int64_t second = 1'000'000'000;
  constexpr std::int64_t first = 1'700'000'000 * second; // 2023-11-14T22:13:20Z
  const auto message = sample_message;
  store.set_message_format("caf 0.17");
  const std::vector<StoreChange> changes{
    change::Insert{
      {.id = 1, .submitted_at = {first}, .idempotency_key = "order 1", .message = message("one")}},
    change::Insert{{.id = 2, .submitted_at = {first + 1}, .message = message("two")}},
    change::Insert{{.id = 3,
                    .submitted_at = {first + 2 * second + 345'678'901},
                    .deadline = WallTime{first + 3600 * second},
                    .key = "customer \"M\xc3\xbcller\"",
                    .idempotency_key = "order 3",
                    .message = message("three")}},
    change::Insert{{.id = 4, .submitted_at = {first + 4 * second}, .message = message("")}},
    change::Insert{{.id = 5, .submitted_at = {first + 5 * second}, .message = message("five\n")}},
    change::Insert{{.id = 6,
                    .submitted_at = {first + 6 * second},
                    .key = "customer 6",
                    .message = message({"\0\xff", 2})}},
    change::CountAttempts{3, 2},
    change::Acknowledge{1, {first + 7 * second}},
    change::Bury{
      2, DeadLetterReason::attempts_exhausted, 5, "cannot parse it", {first + 8 * second}},
    change::Bury{4,
                 DeadLetterReason::rejected,
                 1,
                 "no such customer",
                 {first + 9 * second},
                 "(Order(4, \"M\xc3\xbcller\"))"}};
  store.commit(changes);
}

/// Adds a note to a delivery of the sample, and an answer to its key.
inline void add_parts_to_sample(backoff_actor::DeliveryStore& store) {
  using namespace backoff_actor;
  constexpr WallTime acknowledged{1'700'000'007'000'000'000};
  const std::vector<StoreChange> changes{
    change::SetContext{.delivery = 3, .context = "note: row 700"},
    change::KeepAnswer{"order 1", {sample_message("ok"), 2}, acknowledged}};
  store.commit(changes);
}

} // namespace backoffctl
