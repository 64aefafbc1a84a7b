// Makes the file of a durable outbox: three deliveries that are owed, two dead letters, a key.
//
// usage: outbox_sample FILE

#include "backoff_actor/store/sqlite_store.hpp"

#include <cstdio>
#include <span>
#include <string_view>

namespace {

using namespace backoff_actor;

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t first = 1'700'000'000 * second; // 2023-11-14T22:13:20Z

StoredMessage message(std::string_view text) {
  const auto bytes = std::as_bytes(std::span{text});
  return {"order,int32_t", {bytes.begin(), bytes.end()}};
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2)
    return 2;
  try {
    const auto store = open_sqlite_store(argv[1]);
    store->set_message_format("caf 0.17");
    const std::vector<StoreChange> changes{
      change::Insert{{.id = 1,
                      .submitted_at = {first},
                      .idempotency_key = "order 1",
                      .message = message("one")}},
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
      change::Bury{4, DeadLetterReason::rejected, 1, "no such customer", {first + 9 * second}}};
    store->commit(changes);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "outbox_sample: %s\n", error.what());
    return 1;
  }
}
