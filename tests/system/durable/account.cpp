#include "account.hpp"

#include <backoff_actor/store/sqlite_store.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace backoff_actor::system_test {

namespace {

// A number is also its delivery's idempotency key.
std::uint64_t number_of(const StoredDelivery& delivery) {
  const auto number = std::stoull(delivery.idempotency_key);
  EXPECT_EQ(delivery.id, number) << "the file has it under another number";
  return number;
}

} // namespace

OnDisk look_into(const std::filesystem::path& file) {
  OnDisk result;
  std::shared_ptr<DeliveryStore> store;
  try {
    store = open_sqlite_store_to_read(file);
  } catch (const StoreError& error) {
    // There is no file, or an empty one, or one whose maker was killed before it had made it.
    EXPECT_EQ(error.failure(), StoreFailure::cannot_open) << error.what();
    return result;
  }
  result.last_id = store->last_id();
  store->for_each_owed(
    [&](const StoredDelivery& x) { result.owed.emplace(number_of(x), x.attempts); });
  store->for_each_acknowledged_key(
    [&](const AcknowledgedKey& x) { result.acknowledged.insert(std::stoull(x.idempotency_key)); });
  store->for_each_dead_letter([&](const StoredDeadLetter& x) {
    EXPECT_EQ(x.reason, DeadLetterReason::attempts_exhausted);
    EXPECT_TRUE(result.dead.emplace(number_of(x.delivery), x.delivery.attempts).second);
  });
  return result;
}

void LivesAccount::add(const Life& life) {
  const auto after = look_into(file_);
  in_life_.clear();
  last_in_life_ = 0;
  kills_ += life.was_killed() ? 1u : 0u;
  for (const auto& note : life.notes) {
    EXPECT_NE(note.word, "failed") << note.number << ": " << note.rest;
    if (note.word == "accepted" || note.word == "known")
      take_acceptance(note, after);
    else if (note.word == "executed")
      take_execution(note, after);
  }
  compare_with(after);
  if (!life.was_killed())
    expect_all_is_written(after);
  on_disk_ = after;
}

// Nobody was killed, so the file has heard of all that happened.
void LivesAccount::expect_all_is_written(const OnDisk& after) const {
  for (const auto& [number, times] : in_life_) {
    if (!is_poison(number)) {
      EXPECT_FALSE(after.is_owed(number)) << number << " was executed, and is still owed";
      continue;
    }
    const auto owed = after.owed.find(number);
    EXPECT_EQ(owed == after.owed.end() ? 2 : owed->second, attempts_before(number) + times)
      << number << " was executed so often";
  }
}

void LivesAccount::take_acceptance(const Note& note, const OnDisk& after) {
  if (note.word == "accepted") {
    EXPECT_EQ(std::to_string(note.number), note.rest) << "its delivery has another number";
  } else {
    // In this life, perhaps: then a kill may still come before the file has heard of it.
    EXPECT_TRUE(on_disk_.acknowledged.count(note.number) != 0 || in_life_.count(note.number) != 0)
      << note.number << " was never acknowledged";
  }
  EXPECT_LE(note.number, after.last_id) << "it was accepted, and is not stored";
  last_accepted_ = std::max(last_accepted_, note.number);
}

void LivesAccount::take_execution(const Note& note, const OnDisk& after) {
  const auto number = note.number;
  EXPECT_LE(number, after.last_id) << "it was executed before it was stored";
  EXPECT_GE(number, last_in_life_) << "it was executed after a later one";
  last_in_life_ = number;
  EXPECT_FALSE(on_disk_.has_ended(number)) << number << " is executed though it had ended on disk";
  const auto times = ++in_life_[number];
  if (number > last_executed_first_) {
    EXPECT_EQ(number, last_executed_first_ + 1) << "those between were passed over";
    last_executed_first_ = number;
  } else if (times == 1) {
    // It was executed in an earlier life: a kill must have come before its end was on disk.
    EXPECT_TRUE(on_disk_.is_owed(number)) << number;
    duplicates_ += is_poison(number) ? 0u : 1u;
  }
  if (!is_poison(number)) {
    EXPECT_EQ(times, 1u) << number << " was executed again, and nobody was killed";
    return;
  }
  EXPECT_LE(attempts_before(number) + times, 2u) << number << " was executed too often";
}

std::uint32_t LivesAccount::attempts_before(std::uint64_t number) const {
  const auto owed = on_disk_.owed.find(number);
  return owed == on_disk_.owed.end() ? 0 : owed->second;
}

void LivesAccount::compare_with(const OnDisk& after) const {
  EXPECT_LE(last_accepted_, after.last_id);
  EXPECT_EQ(after.owed.size() + after.acknowledged.size() + after.dead.size(), after.last_id)
    << "not all that were stored are either owed or have ended, once";
  for (std::uint64_t number = 1; number <= after.last_id; ++number)
    EXPECT_TRUE(after.is_owed(number) || after.has_ended(number)) << number << " has disappeared";
  for (const auto number : after.acknowledged)
    EXPECT_LE(number, last_executed_first_) << "it was acknowledged, and never executed";
  for (const auto& [number, attempts] : after.dead) {
    EXPECT_TRUE(is_poison(number)) << number;
    EXPECT_EQ(attempts, 2u) << number;
  }
}

void LivesAccount::close() const {
  EXPECT_TRUE(on_disk_.owed.empty());
  EXPECT_EQ(last_executed_first_, on_disk_.last_id) << "not all were executed";
  for (std::uint64_t number = 1; number <= on_disk_.last_id; ++number)
    EXPECT_EQ(on_disk_.dead.count(number), is_poison(number) ? 1u : 0u) << number;
}

} // namespace backoff_actor::system_test
