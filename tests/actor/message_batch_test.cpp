// The messages that wait beside a mailbox, by themselves.

#include "fixture.hpp"

#include <backoff_actor/caf/actor/internal/message_batch.hpp>
#include <backoff_actor/caf/messages/internal/own_words.hpp>

#include <caf/mailbox_element.hpp>

#include <atomic>
#include <deque>
#include <mutex>
#include <thread>

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

bool put(compat::MessageBatch& batch, std::uint64_t number, bool may_be_first = true) {
  auto message = numbered(number);
  return batch.put(message, may_be_first);
}

std::vector<std::uint64_t> numbers_in(compat::MessageBatch::List list) {
  std::vector<std::uint64_t> result;
  while (const auto message = list.pop())
    result.push_back(message->mid.request_id().integer_value());
  return result;
}

// Stands in for the mailbox, and for the actor that takes what is in it.
class MailboxOfNumbers {
public:
  void push(caf::mailbox_element_ptr message) {
    const std::lock_guard guard{mutex_};
    messages_.push_back(std::move(message));
  }

  // Null: it is empty.
  caf::mailbox_element_ptr pop() {
    const std::lock_guard guard{mutex_};
    if (messages_.empty())
      return nullptr;
    auto result = std::move(messages_.front());
    messages_.pop_front();
    return result;
  }

private:
  std::mutex mutex_;
  std::deque<caf::mailbox_element_ptr> messages_;
};

} // namespace

// CAF 1.x makes messages only when their types have been registered.
class MessageBatches : public SenderTest {};

TEST_F(MessageBatches, have_all_but_the_first_in_order) {
  compat::MessageBatch batch;

  EXPECT_FALSE(put(batch, 1)) << "it is for the mailbox";
  EXPECT_TRUE(put(batch, 2));
  EXPECT_TRUE(put(batch, 3));
  EXPECT_TRUE(put(batch, 4));

  EXPECT_THAT(numbers_in(batch.take()), ElementsAre(2, 3, 4));
}

TEST_F(MessageBatches, begin_anew_when_they_were_taken) {
  compat::MessageBatch batch;
  put(batch, 1);
  EXPECT_THAT(numbers_in(batch.take()), IsEmpty());

  EXPECT_FALSE(put(batch, 2));
  EXPECT_TRUE(put(batch, 3));

  EXPECT_THAT(numbers_in(batch.take()), ElementsAre(3));
}

TEST_F(MessageBatches, do_not_begin_with_one_that_is_no_first) {
  compat::MessageBatch batch;
  EXPECT_FALSE(put(batch, 1, false));
  EXPECT_FALSE(put(batch, 2)) << "it is the first";
  EXPECT_TRUE(put(batch, 3, false));

  EXPECT_THAT(numbers_in(batch.take()), ElementsAre(3));
}

TEST_F(MessageBatches, take_nothing_once_they_have_ended) {
  compat::MessageBatch batch;
  put(batch, 1);
  put(batch, 2);

  EXPECT_THAT(numbers_in(batch.end()), ElementsAre(2));

  EXPECT_FALSE(put(batch, 3));
  EXPECT_FALSE(put(batch, 4));
  EXPECT_THAT(numbers_in(batch.end()), IsEmpty());
}

TEST_F(MessageBatches, keep_the_order_of_each_of_four_threads_that_put_at_once) {
  constexpr std::uint64_t threads = 4;
  constexpr std::uint64_t messages = 20'000; // of each thread
  compat::MessageBatch batch;
  MailboxOfNumbers mailbox;
  std::atomic<std::uint64_t> at_work = threads;
  std::vector<std::thread> writers;
  for (std::uint64_t thread = 0; thread < threads; ++thread)
    writers.emplace_back([&, thread] {
      for (std::uint64_t i = 1; i <= messages; ++i)
        if (auto message = numbered(i * threads + thread); !batch.put(message, true))
          mailbox.push(std::move(message));
      --at_work;
    });

  std::uint64_t taken = 0;
  std::uint64_t out_of_order = 0;
  std::vector<std::uint64_t> last(threads);
  const auto take = [&](std::uint64_t number) {
    ++taken;
    if (number / threads != ++last[number % threads])
      ++out_of_order;
  };
  for (;;) {
    const auto is_last_look = at_work == 0;
    if (const auto first = mailbox.pop()) {
      take(first->mid.request_id().integer_value());
      for (const auto number : numbers_in(batch.take()))
        take(number);
    } else if (is_last_look) {
      break;
    } else {
      std::this_thread::yield();
    }
  }
  for (auto& writer : writers)
    writer.join();

  EXPECT_EQ(taken, threads * messages);
  EXPECT_EQ(out_of_order, 0u);
  EXPECT_THAT(numbers_in(batch.end()), IsEmpty());
}

} // namespace backoff_actor::actor_test
