// The messages that wait beside a mailbox, by themselves.

#include "fixture.hpp"

#include <backoff_actor/caf/message_batch.hpp>

#include <caf/mailbox_element.hpp>

namespace backoff_actor::actor_test {

namespace {

// A message with a number for its id, as each version of CAF makes it.
template <class Element = caf::mailbox_element>
caf::mailbox_element_ptr numbered(std::uint64_t number) {
  const auto make = [number](auto... stages) {
    return caf::make_mailbox_element(nullptr, caf::make_message_id(number), stages..., WakeUp{});
  };
  if constexpr (requires { typename Element::forwarding_stack; })
    return make(typename Element::forwarding_stack{});
  else
    return make();
}

bool put(seam::MessageBatch& batch, std::uint64_t number, bool may_be_first = true) {
  auto message = numbered(number);
  return batch.put(message, may_be_first);
}

std::vector<std::uint64_t> numbers_in(seam::MessageBatch::List list) {
  std::vector<std::uint64_t> result;
  while (const auto message = list.pop())
    result.push_back(message->mid.request_id().integer_value());
  return result;
}

} // namespace

// CAF 1.x makes messages only when their types have been registered.
class MessageBatches : public SenderTest {};

TEST_F(MessageBatches, have_all_but_the_first_in_order) {
  seam::MessageBatch batch;

  EXPECT_FALSE(put(batch, 1)) << "it is for the mailbox";
  EXPECT_TRUE(put(batch, 2));
  EXPECT_TRUE(put(batch, 3));
  EXPECT_TRUE(put(batch, 4));

  EXPECT_THAT(numbers_in(batch.take()), ElementsAre(2, 3, 4));
}

TEST_F(MessageBatches, begin_anew_when_they_were_taken) {
  seam::MessageBatch batch;
  put(batch, 1);
  EXPECT_THAT(numbers_in(batch.take()), IsEmpty());

  EXPECT_FALSE(put(batch, 2));
  EXPECT_TRUE(put(batch, 3));

  EXPECT_THAT(numbers_in(batch.take()), ElementsAre(3));
}

TEST_F(MessageBatches, do_not_begin_with_one_that_is_no_first) {
  seam::MessageBatch batch;
  EXPECT_FALSE(put(batch, 1, false));
  EXPECT_FALSE(put(batch, 2)) << "it is the first";
  EXPECT_TRUE(put(batch, 3, false));

  EXPECT_THAT(numbers_in(batch.take()), ElementsAre(3));
}

TEST_F(MessageBatches, take_nothing_once_they_have_ended) {
  seam::MessageBatch batch;
  put(batch, 1);
  put(batch, 2);

  EXPECT_THAT(numbers_in(batch.end()), ElementsAre(2));

  EXPECT_FALSE(put(batch, 3));
  EXPECT_FALSE(put(batch, 4));
  EXPECT_THAT(numbers_in(batch.end()), IsEmpty());
}

} // namespace backoff_actor::actor_test
