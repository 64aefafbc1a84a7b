// What the port promises of any store. Every claim is made of the store as it is after being opened
// anew. Each kind of store has a file that runs these tests.

#include "contract.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <stdexcept>

namespace backoff_actor::store_test {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::uint64_t> ids_of(const Contents& contents) {
  std::vector<std::uint64_t> result;
  for (const auto& one : contents.owed)
    result.push_back(one.id);
  return result;
}

std::vector<std::uint64_t> dead_ids_of(const Contents& contents) {
  std::vector<std::uint64_t> result;
  for (const auto& one : contents.dead)
    result.push_back(one.delivery.id);
  return result;
}

} // namespace

TEST_P(store_contract, a_new_store_holds_nothing) {
  const auto contents = reopened();
  EXPECT_EQ(contents, Contents{});
  EXPECT_EQ(store().message_format(), "");
  EXPECT_EQ(store().name(), place().name());
}

TEST_P(store_contract, a_delivery_comes_back_as_it_was_inserted) {
  commit(store(), {change::Insert{delivery(1)}});
  EXPECT_THAT(reopened().owed, ElementsAre(delivery(1)));
}

TEST_P(store_contract, a_delivery_without_deadline_keys_and_payload_comes_back_without_them) {
  const StoredDelivery bare{.id = 7};
  commit(store(), {change::Insert{bare}});
  const auto contents = reopened();
  EXPECT_THAT(contents.owed, ElementsAre(bare));
  EXPECT_EQ(contents.owed.at(0).deadline, std::nullopt);
}

TEST_P(store_contract, times_are_kept_to_the_nanosecond_before_1970_and_to_both_ends) {
  auto early = delivery(1);
  early.submitted_at = {-1};
  early.deadline = WallTime{INT64_MIN};
  auto late = delivery(2);
  late.submitted_at = {INT64_MAX};
  late.deadline = WallTime{0};
  late.attempts = UINT32_MAX;
  commit(store(), {change::Insert{early}, change::Insert{late}});
  EXPECT_THAT(reopened().owed, ElementsAre(early, late));
}

TEST_P(store_contract, bytes_texts_and_keys_may_be_anything) {
  auto odd = delivery(1);
  odd.key = std::string{"a\0b'\"; DROP TABLE deliveries; --", 32};
  odd.idempotency_key = "\xff\xfe \xc3\xa4\xe2\x82\xac";
  odd.message.types = std::string{"\0", 1};
  odd.message.bytes.clear();
  for (int i = 0; i < 100'000; ++i)
    odd.message.bytes.push_back(static_cast<std::byte>(i % 256));
  commit(store(), {change::Insert{odd}});
  EXPECT_THAT(reopened().owed, ElementsAre(odd));
  commit(store(),
         {change::Bury{1, DeadLetterReason::rejected, 1, std::string{"\0 '\xff", 4}, WallTime{5}}});
  odd.attempts = 1;
  const StoredDeadLetter dead{odd, DeadLetterReason::rejected, std::string{"\0 '\xff", 4}, {5}};
  EXPECT_THAT(reopened().dead, ElementsAre(dead));
}

TEST_P(store_contract, a_dead_letter_has_the_text_of_its_message) {
  const auto odd = std::string{"(\"a\0\xff'\")", 9};
  commit(store(), {change::Insert{delivery(1)}, change::Insert{delivery(2)}});
  commit(store(),
         {change::Insert{delivery(3)}, change::Bury{1, DeadLetterReason::rejected, 1, "", {5}, odd},
          change::Bury{3, DeadLetterReason::rejected, 1, "", {5}, "(3)"}});
  commit(store(), {change::Bury{2, DeadLetterReason::rejected, 1, "", {5}}});
  const auto dead = reopened().dead;
  ASSERT_EQ(dead.size(), 3U);
  EXPECT_EQ(dead[0].text, odd);
  EXPECT_EQ(dead[1].text, "") << "nobody has said one";
  EXPECT_EQ(dead[2].text, "(3)") << "it came and ended in one commit";
  store().resubmit_dead_letters(std::vector<std::uint64_t>{1});
  commit(store(), {change::Bury{4, DeadLetterReason::rejected, 1, "", {5}}});
  EXPECT_EQ(reopened().dead.back().text, "") << "a later end says its own";
}

TEST_P(store_contract, deliveries_come_in_order_of_their_numbers) {
  commit(store(), {change::Insert{delivery(2)}, change::Insert{delivery(10)}});
  commit(store(), {change::Insert{delivery(11)}, change::Insert{delivery(100)}});
  EXPECT_THAT(ids_of(reopened()), ElementsAre(2, 10, 11, 100));
}

TEST_P(store_contract, many_deliveries_in_one_batch_come_back_as_they_were_inserted) {
  std::vector<StoreChange> batch;
  std::vector<StoredDelivery> inserted;
  for (std::uint64_t id = 1; id <= 50; ++id) {
    inserted.push_back(delivery(id));
    batch.emplace_back(change::Insert{inserted.back()});
    if (id != 20)
      continue;
    batch.emplace_back(change::CountAttempts{20, 3});
    batch.emplace_back(change::CountHandOvers{18, 1});
  }
  inserted[19].attempts = 3;
  inserted[17].hand_overs = 1;
  store().commit(batch);
  EXPECT_EQ(reopened().owed, inserted);
}

TEST_P(store_contract, what_is_acknowledged_is_gone_and_its_key_stays) {
  commit(store(), {change::Insert{delivery(1)}, change::Insert{delivery(2)}});
  commit(store(), {change::Acknowledge{1, {50}}});
  const auto contents = reopened();
  EXPECT_THAT(contents.owed, ElementsAre(delivery(2)));
  EXPECT_EQ(contents.keys, (std::map<std::string, WallTime>{{"order 1", WallTime{50}}}));
}

TEST_P(store_contract, without_an_idempotency_key_nothing_stays_of_what_is_acknowledged) {
  commit(store(), {change::Insert{{.id = 1}}, change::Acknowledge{1, {50}}});
  EXPECT_EQ(reopened(), (Contents{.last_id = 1}));
}

TEST_P(store_contract, what_has_joined_another_delivery_is_gone_and_leaves_no_key) {
  const auto again = [](std::uint64_t id) {
    auto result = delivery(id);
    result.idempotency_key = "order 1";
    return result;
  };
  commit(store(), {change::Insert{delivery(1)}, change::Insert{again(2)}});
  commit(store(), {change::Acknowledge{2, {50}, true}});
  commit(store(), {change::Insert{again(3)}, change::Acknowledge{3, {60}, true},
                   change::Insert{delivery(4)}, change::Acknowledge{4, {65}}});
  auto contents = reopened();
  EXPECT_THAT(contents.owed, ElementsAre(delivery(1)));
  EXPECT_EQ(contents.keys, (std::map<std::string, WallTime>{{"order 4", WallTime{65}}}));
  commit(store(), {change::Acknowledge{1, {70}}});
  contents = reopened();
  EXPECT_TRUE(contents.owed.empty());
  EXPECT_EQ(contents.keys, (std::map<std::string, WallTime>{{"order 1", WallTime{70}},
                                                            {"order 4", WallTime{65}}}));
}

TEST_P(store_contract, a_context_that_is_set_replaces_the_one_before) {
  commit(store(), {change::Insert{delivery(1)}, change::Insert{delivery(2)}});
  commit(store(), {change::SetContext{1, "a: 1"}, change::SetContext{1, "a: 2\nb: 1"},
                   change::SetContext{7, "of none"}, change::Insert{delivery(3)},
                   change::SetContext{3, "new"}, change::SetContext{2, "last"},
                   change::Bury{2, DeadLetterReason::cancelled, 0, "", {5}}});
  auto contents = reopened();
  ASSERT_EQ(contents.owed.size(), 2U);
  EXPECT_EQ(contents.owed[0].context, "a: 2\nb: 1");
  EXPECT_EQ(contents.owed[1].context, "new");
  ASSERT_EQ(contents.dead.size(), 1U);
  EXPECT_EQ(contents.dead[0].delivery.context, "last");
  EXPECT_EQ(contents.dead[0].reason, DeadLetterReason::cancelled);
  commit(store(), {change::SetContext{1, ""}});
  EXPECT_EQ(reopened().owed[0].context, "");
}

TEST_P(store_contract, a_message_that_is_set_replaces_the_one_before_and_has_not_failed) {
  const auto message = [](const char* types, int byte) {
    return StoredMessage{types, {std::byte{static_cast<unsigned char>(byte)}}};
  };
  const auto set = [&](std::uint64_t id, int byte) {
    return change::SetMessage{id, message("new", byte)};
  };
  commit(store(), {change::Insert{delivery(1)}, change::Insert{delivery(2)},
                   change::CountAttempts{1, 3}, change::CountHandOvers{1, 2}});
  commit(store(), {set(1, 5), set(1, 6), set(7, 1), set(0, 2), change::Insert{delivery(3)},
                   change::CountAttempts{3, 4}, set(3, 8), change::CountHandOvers{3, 1}, set(2, 9),
                   change::Bury{2, DeadLetterReason::expired, 1, "", {5}}});
  const auto contents = reopened();
  ASSERT_EQ(contents.owed.size(), 2U);
  EXPECT_EQ(contents.owed[0].message, message("new", 6));
  EXPECT_EQ(contents.owed[0].attempts, 0U);
  EXPECT_EQ(contents.owed[0].hand_overs, 0U);
  EXPECT_EQ(contents.owed[0].key, delivery(1).key);
  EXPECT_EQ(contents.owed[1].message, message("new", 8));
  EXPECT_EQ(contents.owed[1].attempts, 0U);
  EXPECT_EQ(contents.owed[1].hand_overs, 1U);
  ASSERT_EQ(contents.dead.size(), 1U);
  EXPECT_EQ(contents.dead[0].delivery.message, message("new", 9));
  EXPECT_EQ(contents.dead[0].delivery.attempts, 1U);
}

TEST_P(store_contract, the_newest_dead_letters_come_by_number_and_no_others) {
  std::vector<StoreChange> changes;
  for (std::uint64_t id = 1; id <= 250; ++id)
    changes.emplace_back(change::Insert{delivery(id, std::string(1000 + id, 'x'))});
  for (std::uint64_t id = 2; id <= 250; id += 2)
    changes.emplace_back(
      change::Bury{id, DeadLetterReason::rejected, 1, "no " + std::to_string(id), {5}, "words"});
  commit(store(), changes);
  reopen();
  const auto newest = [&](std::uint64_t below, std::size_t at_most) {
    std::vector<std::uint64_t> result;
    store().for_each_newest_dead_letter(below, at_most, [&](const StoredDeadLetter& x) {
      EXPECT_EQ(x.cause, "no " + std::to_string(x.delivery.id));
      EXPECT_EQ(x.delivery.message.bytes.size(), 1000 + x.delivery.id);
      result.push_back(x.delivery.id);
    });
    return result;
  };
  constexpr auto all = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(newest(all, 3), ElementsAre(250, 248, 246));
  EXPECT_THAT(newest(246, 2), ElementsAre(244, 242)) << "below, and not the one itself";
  EXPECT_THAT(newest(245, 1), ElementsAre(244));
  EXPECT_THAT(newest(5, 10), ElementsAre(4, 2));
  EXPECT_EQ(newest(all, 1000).size(), 125U);
  EXPECT_EQ(newest(all, 125).back(), 2U);
  EXPECT_THAT(newest(2, 10), ElementsAre());
  EXPECT_THAT(newest(all, 0), ElementsAre());

  EXPECT_EQ(store().dead_letter(248)->cause, "no 248");
  EXPECT_EQ(store().dead_letter(248)->text, "words");
  EXPECT_FALSE(store().dead_letter(247)) << "it is owed";
  EXPECT_FALSE(store().dead_letter(252));
  EXPECT_FALSE(store().dead_letter(0));
  EXPECT_FALSE(store().dead_letter(all));
}

TEST_P(store_contract, a_key_that_is_acknowledged_again_has_the_later_time) {
  auto again = delivery(2);
  again.idempotency_key = "order 1";
  commit(store(), {change::Insert{delivery(1)}, change::Acknowledge{1, {50}}});
  commit(store(), {change::Insert{again}, change::Acknowledge{2, {90}}});
  EXPECT_EQ(reopened().keys, (std::map<std::string, WallTime>{{"order 1", WallTime{90}}}));
}

TEST_P(store_contract, keys_come_in_order_of_time_and_those_before_an_instant_are_forgotten) {
  for (std::uint64_t id = 1; id <= 4; ++id)
    commit(store(), {change::Insert{delivery(id)}});
  commit(store(), {change::Acknowledge{4, {10}}, change::Acknowledge{1, {20}},
                   change::Acknowledge{3, {30}}, change::Acknowledge{2, {40}}});
  EXPECT_THAT(keys(),
              ElementsAre(AcknowledgedKey{"order 4", {10}}, AcknowledgedKey{"order 1", {20}},
                          AcknowledgedKey{"order 3", {30}}, AcknowledgedKey{"order 2", {40}}));
  commit(store(), {change::ForgetKeys{{30}}});
  EXPECT_THAT(keys(),
              ElementsAre(AcknowledgedKey{"order 3", {30}}, AcknowledgedKey{"order 2", {40}}));
}

TEST_P(store_contract, a_clock_that_was_set_back_makes_no_key_older_than_one_before_it) {
  for (std::uint64_t id = 1; id <= 3; ++id)
    commit(store(), {change::Insert{delivery(id)}});
  commit(store(), {change::Acknowledge{1, {40}}});
  reopen();
  commit(store(), {change::Acknowledge{2, {20}}});
  EXPECT_THAT(keys(),
              ElementsAre(AcknowledgedKey{"order 1", {40}}, AcknowledgedKey{"order 2", {40}}));
  commit(store(), {change::ForgetKeys{{50}}});
  reopen();
  commit(store(), {change::Acknowledge{3, {30}}});
  EXPECT_THAT(keys(), ElementsAre(AcknowledgedKey{"order 3", {50}})) << "and is not forgotten";
}

TEST_P(store_contract, keys_of_a_clock_that_was_ahead_get_the_time_of_the_next_one) {
  constexpr WallTime hour{3'600'000'000'000};
  constexpr WallTime minute{60'000'000'000};
  for (std::uint64_t id = 1; id <= 3; ++id)
    commit(store(), {change::Insert{delivery(id)}});
  commit(store(), {change::Acknowledge{1, {10}}, change::Acknowledge{2, hour}});
  reopen();
  commit(store(), {change::Acknowledge{3, minute}});
  EXPECT_THAT(keys(),
              ElementsAre(AcknowledgedKey{"order 1", {10}}, AcknowledgedKey{"order 2", minute},
                          AcknowledgedKey{"order 3", minute}));
  reopen();
  EXPECT_THAT(keys(),
              ElementsAre(AcknowledgedKey{"order 1", {10}}, AcknowledgedKey{"order 2", minute},
                          AcknowledgedKey{"order 3", minute}));
}

TEST_P(store_contract, dead_letters_are_counted_since_the_first_was_given_up) {
  EXPECT_EQ(store().count_dead_letters(), DeadLetterTally{});
  for (std::uint64_t id = 1; id <= 4; ++id)
    commit(store(), {change::Insert{delivery(id)}});
  const auto end = [](std::uint64_t id, std::int64_t at) {
    return change::Bury{id, DeadLetterReason::rejected, 1, "", {at}};
  };
  commit(store(), {end(3, 70), end(9, 1)});
  commit(store(), {end(1, 90), end(4, 80)});
  EXPECT_EQ(store().count_dead_letters(), (DeadLetterTally{3, {70}}));
  reopen();
  EXPECT_EQ(store().count_dead_letters(), (DeadLetterTally{3, {70}}));
  store().remove_dead_letters(std::vector<std::uint64_t>{3});
  EXPECT_EQ(store().count_dead_letters(), (DeadLetterTally{2, {80}}));
  store().resubmit_dead_letters(std::vector<std::uint64_t>{4});
  EXPECT_EQ(store().count_dead_letters(), (DeadLetterTally{1, {90}}));
}

TEST_P(store_contract, attempts_are_as_last_counted) {
  commit(store(), {change::Insert{delivery(1)}, change::CountAttempts{1, 1}});
  commit(store(), {change::CountAttempts{1, 2}, change::CountAttempts{1, 3}});
  EXPECT_EQ(reopened().owed.at(0).attempts, 3U);
}

TEST_P(store_contract, hand_overs_are_as_last_counted) {
  auto held = delivery(1);
  held.hand_overs = 2;
  commit(store(), {change::Insert{held}, change::Insert{delivery(2)}});
  EXPECT_EQ(reopened().owed.at(0), held);
  commit(store(), {change::CountHandOvers{1, 3}, change::CountHandOvers{2, 1}});
  EXPECT_EQ(reopened().owed.at(0).hand_overs, 3U);
  EXPECT_EQ(reopened().owed.at(1).hand_overs, 1U);
}

TEST_P(store_contract, what_is_given_up_is_a_dead_letter_with_its_reason_and_no_longer_owed) {
  commit(store(), {change::Insert{delivery(1)}, change::Insert{delivery(2)}, bury(1)});
  const auto contents = reopened();
  EXPECT_THAT(contents.owed, ElementsAre(delivery(2)));
  auto dead = delivery(1);
  dead.attempts = 5;
  EXPECT_THAT(contents.dead,
              ElementsAre(StoredDeadLetter{
                dead, DeadLetterReason::attempts_exhausted, "cannot parse it", {77}}));
  EXPECT_THAT(contents.keys, IsEmpty());
}

TEST_P(store_contract, every_reason_comes_back) {
  const std::vector<DeadLetterReason> reasons{DeadLetterReason::rejected,
                                              DeadLetterReason::stopped,
                                              DeadLetterReason::attempts_exhausted,
                                              DeadLetterReason::expired,
                                              DeadLetterReason::dropped,
                                              DeadLetterReason::retry_after_too_long,
                                              DeadLetterReason::gave_up,
                                              DeadLetterReason::not_stored,
                                              DeadLetterReason::hand_overs_exhausted,
                                              DeadLetterReason::set_aside};
  std::uint64_t id = 0;
  for (const auto reason : reasons) {
    ++id;
    commit(store(), {change::Insert{delivery(id)}, change::Bury{id, reason, 0, "", {1}}});
  }
  std::vector<DeadLetterReason> found;
  for (const auto& one : reopened().dead)
    found.push_back(one.reason);
  EXPECT_EQ(found, reasons);
}

TEST_P(store_contract, a_change_of_a_delivery_that_is_not_owed_changes_nothing) {
  commit(store(), {change::Insert{delivery(1)}, change::Insert{delivery(2)}, bury(2)});
  const auto before = reopened();
  for (const std::uint64_t unknown :
       {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{3}, UINT64_MAX})
    commit(store(),
           {change::Acknowledge{unknown, {1}}, change::CountAttempts{unknown, 9}, bury(unknown)});
  EXPECT_EQ(reopened(), before);
}

TEST_P(store_contract, a_batch_is_made_in_order) {
  commit(store(),
         {change::Insert{delivery(1)}, change::CountAttempts{1, 4}, change::Acknowledge{1, {60}},
          change::CountAttempts{1, 5}, bury(1), change::Insert{delivery(2)}, bury(2),
          change::Acknowledge{2, {61}}, change::ForgetKeys{{60}}});
  const auto contents = reopened();
  EXPECT_THAT(contents.owed, IsEmpty());
  EXPECT_THAT(dead_ids_of(contents), ElementsAre(2));
  EXPECT_EQ(contents.keys, (std::map<std::string, WallTime>{{"order 1", WallTime{60}}}));
}

// A store may delete what was acknowledged at the end of the batch, if no owed delivery has a key.
TEST_P(store_contract, a_batch_is_made_in_order_if_nothing_that_is_owed_has_an_idempotency_key) {
  for (std::uint64_t id = 1; id < 9; ++id)
    commit(store(), {change::Insert{{.id = id}}});
  ASSERT_EQ(reopened().owed.size(), 8U);
  commit(store(),
         {change::Acknowledge{9, {1}}, change::Insert{{.id = 9}}, change::Acknowledge{4, {1}},
          change::CountAttempts{4, 2}, change::Acknowledge{3, {1}}, change::Acknowledge{3, {1}},
          change::Acknowledge{1, {1}}, bury(1), bury(7), change::Acknowledge{7, {1}},
          change::Acknowledge{6, {1}}, change::Acknowledge{UINT64_MAX, {1}}});
  const auto contents = reopened();
  EXPECT_THAT(ids_of(contents), ElementsAre(2, 5, 8, 9));
  EXPECT_THAT(dead_ids_of(contents), ElementsAre(7));
}

TEST_P(store_contract, the_keys_of_what_is_owed_at_its_opening_and_of_what_comes_later_are_kept) {
  commit(store(), {change::Insert{{.id = 1}}, change::Insert{delivery(2)}});
  ASSERT_EQ(reopened().owed.size(), 2U);
  commit(store(), {change::Acknowledge{1, {10}}, change::Acknowledge{2, {20}}});
  ASSERT_EQ(reopened().owed.size(), 0U);
  commit(store(), {change::Insert{{.id = 3}}, change::Acknowledge{3, {30}},
                   change::Insert{delivery(4)}, change::Acknowledge{4, {40}}});
  commit(store(), {change::Insert{delivery(5)}, bury(5)});
  ASSERT_EQ(reopened().owed.size(), 0U);
  store().resubmit_dead_letters(std::vector<std::uint64_t>{5});
  commit(store(), {change::Acknowledge{6, {60}}});
  EXPECT_EQ(reopened().keys,
            (std::map<std::string, WallTime>{
              {"order 2", WallTime{20}}, {"order 4", WallTime{40}}, {"order 5", WallTime{60}}}));
}

TEST_P(store_contract, of_a_batch_that_cannot_be_made_as_a_whole_nothing_is_made) {
  commit(store(), {change::Insert{delivery(5)}});
  const auto before = reopened();
  EXPECT_THROW(commit(store(), {change::Insert{delivery(6)}, change::Acknowledge{5, {1}},
                                change::Insert{delivery(6)}}),
               std::logic_error);
  EXPECT_EQ(contents_of(store()), before);
  EXPECT_EQ(reopened(), before);
  commit(store(), {change::Insert{delivery(6)}});
  EXPECT_THAT(ids_of(reopened()), ElementsAre(5, 6));
}

TEST_P(store_contract, what_a_batch_that_was_not_made_has_changed_stays_as_it_was) {
  commit(store(), {change::Insert{{.id = 5}}});
  ASSERT_EQ(reopened().owed.size(), 1U);
  EXPECT_THROW(commit(store(), {change::Insert{{.id = 6}}, change::Acknowledge{5, {1}},
                                change::Insert{{.id = 6}}}),
               std::logic_error);
  commit(store(), {change::Insert{{.id = 7}}});
  EXPECT_THAT(ids_of(reopened()), ElementsAre(5, 7));
}

TEST_P(store_contract, a_number_that_is_not_above_all_before_it_is_refused) {
  commit(store(), {change::Insert{delivery(5)}, change::Acknowledge{5, {1}}});
  for (const std::uint64_t bad : {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{5}, UINT64_MAX})
    EXPECT_THROW(commit(reopen(), {change::Insert{delivery(bad)}}), std::logic_error) << bad;
}

TEST_P(store_contract, the_last_number_stays_when_all_deliveries_are_gone) {
  commit(store(), {change::Insert{delivery(41)}, change::Insert{delivery(42)}});
  EXPECT_EQ(store().last_id(), 42U);
  commit(store(), {change::Acknowledge{42, {1}}, bury(41)});
  const std::vector<std::uint64_t> dead{41};
  EXPECT_EQ(store().remove_dead_letters(dead), 1U);
  EXPECT_EQ(reopened().last_id, 42U);
}

TEST_P(store_contract, dead_letters_are_removed_once) {
  commit(store(), {change::Insert{delivery(1)}, change::Insert{delivery(2)},
                   change::Insert{delivery(3)}, bury(1), bury(2)});
  const std::vector<std::uint64_t> ids{1, 3, 1, 99, UINT64_MAX};
  EXPECT_EQ(store().remove_dead_letters(ids), 1U);
  const auto contents = reopened();
  EXPECT_THAT(dead_ids_of(contents), ElementsAre(2));
  EXPECT_THAT(ids_of(contents), ElementsAre(3));
  EXPECT_EQ(store().remove_dead_letters(ids), 0U);
  EXPECT_EQ(store().remove_dead_letters({}), 0U);
}

TEST_P(store_contract,
       dead_letters_are_owed_again_under_new_numbers_in_the_order_given_with_their_keys) {
  for (std::uint64_t id = 1; id <= 3; ++id)
    commit(store(), {change::Insert{delivery(id)}, bury(id)});
  const std::vector<std::uint64_t> ids{3, 1, 3, 99};
  EXPECT_EQ(store().resubmit_dead_letters(ids), 2U);
  EXPECT_EQ(store().last_id(), 5U);
  const auto contents = reopened();
  auto first = delivery(3);
  first.id = 4;
  first.deadline.reset();
  auto second = delivery(1);
  second.id = 5;
  second.deadline.reset();
  EXPECT_THAT(contents.owed, ElementsAre(first, second));
  EXPECT_EQ(contents.owed.at(0).idempotency_key, "order 3");
  EXPECT_THAT(dead_ids_of(contents), ElementsAre(2));
  EXPECT_EQ(contents.last_id, 5U);
  commit(store(), {change::Insert{delivery(6)}});
  EXPECT_THAT(ids_of(reopened()), ElementsAre(4, 5, 6));
}

TEST_P(store_contract, what_is_owed_is_found_by_its_key_and_by_its_number) {
  auto later = delivery(2);
  later.context = "retries: max_attempts 3\nnot_before: 1750000000000000000\nnote: row 17";
  commit(store(),
         {change::Insert{delivery(1)}, change::Insert{later}, change::CountAttempts{2, 5}});
  const FoundMessage first{MessageState::owed, 1, {1'700'000'000'000'000'001}};
  const FoundMessage second{MessageState::owed,
                            2,
                            {1'700'000'000'000'000'002},
                            5,
                            WallTime{1'750'000'000'000'000'000},
                            "row 17"};
  EXPECT_EQ(reopen().find_message("order 1", 0), first);
  EXPECT_EQ(store().find_message("", 1), first);
  EXPECT_EQ(store().find_message("order 2", 0), second);
  EXPECT_EQ(store().find_message("", 2), second);
}

TEST_P(store_contract, what_is_done_is_found_by_its_key_until_that_is_forgotten) {
  commit(store(), {change::Insert{delivery(1)}, change::Acknowledge{1, {1000}}});
  const FoundMessage done{MessageState::done, 0, {1000}};
  EXPECT_EQ(reopen().find_message("order 1", 0), done);
  EXPECT_EQ(store().find_message("", 1), FoundMessage{});
  commit(store(), {change::ForgetKeys{{1001}}});
  EXPECT_EQ(store().find_message("order 1", 0), FoundMessage{});
}

TEST_P(store_contract, what_is_dead_is_found_with_the_reason_and_the_cause) {
  commit(store(), {change::Insert{delivery(1)}, bury(1)});
  const FoundMessage dead{
    MessageState::dead, 1, {77}, 5, std::nullopt, "", "attempts_exhausted: cannot parse it"};
  EXPECT_EQ(reopen().find_message("order 1", 0), dead);
  EXPECT_EQ(store().find_message("", 1), dead);
}

TEST_P(store_contract, of_several_with_a_key_what_is_owed_is_found_first_and_then_what_is_done) {
  std::vector<StoreChange> changes;
  for (std::uint64_t id = 1; id <= 4; ++id) {
    auto one = delivery(id);
    one.idempotency_key = "once";
    changes.emplace_back(change::Insert{one});
  }
  commit(store(), changes);
  commit(store(), {bury(1), bury(2), change::Acknowledge{3, {1000}}});
  EXPECT_EQ(reopen().find_message("once", 0).delivery, 4U);
  commit(store(), {change::Acknowledge{4, {1000}, /*is_dropped=*/true}});
  EXPECT_EQ(store().find_message("once", 0).state, MessageState::done);
  commit(store(), {change::ForgetKeys{{1001}}});
  EXPECT_EQ(store().find_message("once", 0).delivery, 2U) << "the newest dead letter";
}

TEST_P(store_contract, an_answer_is_kept_with_its_key_and_forgotten_with_it) {
  const KeptAnswer small{{"std::string", bytes(std::string_view{"a\0\xff", 3})}, 3};
  const KeptAnswer too_large{{}, 70'000};
  commit(store(),
         {change::Insert{delivery(1)}, change::Insert{delivery(2)}, change::Insert{delivery(3)}});
  commit(store(), {change::KeepAnswer{"order 1", small, {1000}}, change::Acknowledge{1, {1000}},
                   change::KeepAnswer{"order 2", too_large, {2000}}, change::Acknowledge{2, {2000}},
                   change::Acknowledge{3, {2000}}});
  EXPECT_EQ(reopen().find_message("order 1", 0).answer, small);
  EXPECT_EQ(store().find_message("order 1", 0).since, WallTime{1000});
  EXPECT_EQ(store().find_message("order 2", 0).answer, too_large);
  EXPECT_EQ(store().find_message("order 3", 0).answer, std::nullopt);
  EXPECT_EQ(store().find_message("order 3", 0).state, MessageState::done);
  commit(store(), {change::ForgetKeys{{1001}}});
  EXPECT_EQ(reopen().find_message("order 1", 0), FoundMessage{});
  EXPECT_EQ(store().find_message("order 2", 0).answer, too_large);
}

TEST_P(store_contract, the_last_answer_of_a_key_counts) {
  const auto answer = [](std::string_view text) {
    return KeptAnswer{{"std::string", bytes(text)}, text.size()};
  };
  auto again = delivery(2);
  again.idempotency_key = "order 1";
  const std::string long_key(5000, 'k');
  auto odd = delivery(3);
  odd.idempotency_key = long_key;
  commit(store(), {change::Insert{delivery(1)}, change::Insert{again}, change::Insert{odd}});
  commit(store(),
         {change::KeepAnswer{"order 1", answer("a"), {1000}}, change::Acknowledge{1, {1000}},
          change::KeepAnswer{"order 1", answer("b"), {1001}}, change::Acknowledge{2, {1001}}});
  commit(store(),
         {change::KeepAnswer{long_key, answer("c"), {1002}}, change::Acknowledge{3, {1002}}});
  EXPECT_EQ(reopen().find_message("order 1", 0).answer, answer("b"));
  EXPECT_EQ(store().find_message(long_key, 0).answer, answer("c"));
}

TEST_P(store_contract, answers_go_with_their_keys_although_the_clock_was_set_back) {
  const std::int64_t hour = 3'600'000'000'000;
  const KeptAnswer answer{{"std::string", bytes("a")}, 1};
  for (std::uint64_t id = 1; id <= 2; ++id)
    commit(store(), {change::Insert{delivery(id)}});
  commit(store(),
         {change::KeepAnswer{"order 1", answer, {2 * hour}}, change::Acknowledge{1, {2 * hour}}});
  commit(store(), {change::KeepAnswer{"order 2", answer, {hour}}, change::Acknowledge{2, {hour}}});
  EXPECT_EQ(reopen().find_message("order 1", 0).since, WallTime{hour});
  commit(store(), {change::ForgetKeys{{hour + 1}}});
  EXPECT_EQ(reopen().find_message("order 1", 0), FoundMessage{});
  EXPECT_EQ(store().find_message("order 2", 0), FoundMessage{});
}

TEST_P(store_contract, what_is_not_there_is_not_found) {
  EXPECT_EQ(store().find_message("order 1", 0), FoundMessage{});
  commit(store(), {change::Insert{delivery(1)}});
  for (const auto* key : {"", "order", "order 1 ", "\xff'"})
    EXPECT_EQ(store().find_message(key, 0), FoundMessage{}) << key;
  EXPECT_EQ(store().find_message("", 2), FoundMessage{});
  EXPECT_EQ(store().find_message("", UINT64_MAX), FoundMessage{});
}

TEST_P(store_contract, the_message_format_is_set_once_and_for_good) {
  store().set_message_format("caf 0.17");
  EXPECT_EQ(reopen().message_format(), "caf 0.17");
  EXPECT_THROW(store().set_message_format("caf 1.1"), std::logic_error);
  EXPECT_EQ(reopen().message_format(), "caf 0.17");
}

TEST_P(store_contract, a_batch_of_ten_thousand_is_one) {
  std::vector<StoreChange> inserts;
  std::vector<StoreChange> ends;
  for (std::uint64_t id = 1; id <= 10'000; ++id) {
    inserts.emplace_back(change::Insert{delivery(id, std::string(1000, 'x'))});
    ends.emplace_back(change::Acknowledge{id, {static_cast<std::int64_t>(id)}});
  }
  commit(store(), inserts);
  EXPECT_EQ(reopened().owed.size(), 10'000U);
  commit(store(), ends);
  const auto contents = reopened();
  EXPECT_EQ(contents.owed.size(), 0U);
  EXPECT_EQ(contents.keys.size(), 10'000U);
  EXPECT_EQ(contents.last_id, 10'000U);
}

} // namespace backoff_actor::store_test
