// Dead letters that a sender takes long to accept: none of them is submitted twice.

#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/operated/internal/operator_desk.hpp"

#include "common/becomes_true.hpp"
#include "system/system.hpp"

#include <backoff_actor/store/sqlite_store.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>
#include <vector>

namespace backoff_actor::operator_desk_test {

namespace {

using namespace std::chrono_literals;
using detail::OperatorDesk;
using ::testing::HasSubstr;
using Result = OperatorOutcome::Result;
using Ids = std::vector<std::uint64_t>;

// What a sender does that the test makes slow.
struct Slow {
  std::shared_ptr<OperatorDesk> desk;
  std::atomic<bool> is_busy = false; // it has no turn for operators
  std::atomic<int> submitted = 0;
};

// Answers what was submitted only when it is told `accept` or `refuse`.
caf::behavior slow_sender(caf::event_based_actor* self, const std::shared_ptr<Slow>& slow) {
  using Promise = caf::typed_response_promise<Accepted>;
  const auto open = std::make_shared<std::vector<Promise>>();
  return {[self, slow](const OperatorNews&) {
            if (!slow->is_busy)
              slow->desk->answer(*self, "running");
          },
          [self, slow, open](const Submit&) {
            open->push_back(self->make_response_promise<Accepted>());
            ++slow->submitted;
            return open->back();
          },
          [open](const std::string& what) {
            for (auto& promise : *open) {
              if (what == "accept")
                promise.deliver(Accepted{});
              else
                promise.deliver(make_error(SenderError::draining, "draining"));
            }
            open->clear();
          }};
}

class OperatorDeskTest : public system_test::System {
protected:
  OperatorDeskTest() {
    sender_ = system->spawn(
      [slow = slow_](caf::event_based_actor* self) { return slow_sender(self, slow); });
    slow_->desk = std::make_shared<OperatorDesk>(caf::actor_cast<caf::actor_addr>(sender_),
                                                 DurableOutbox{}, 50ms);
    for (std::uint64_t id = 1; id <= 3; ++id) {
      DeadLetter letter;
      letter.id = id;
      letter.message = caf::make_message("order " + std::to_string(id));
      desk().keep(letter, {});
    }
  }
  ~OperatorDeskTest() override {
    caf::anon_send_exit(sender_, caf::exit_reason::kill);
    slow_->desk->end();
  }

  OperatorDesk& desk() { return *slow_->desk; }
  void tell(const std::string& what) { compat::enqueue(sender_, what); }

  // Submits letters again, as often as it needs until the sender has had a turn in time. Returns
  // what an operator is told then.
  OperatorOutcome resubmit(const Ids& ids) {
    OperatorOutcome result;
    EXPECT_TRUE(test::becomes_true([&] {
      result = desk().resubmit(ids);
      return result.text.find("nothing was submitted") == std::string::npos;
    }));
    return result;
  }

  // The numbers of the letters that are left, with a mark for each that is under way.
  std::string left() {
    std::string result;
    auto letters = desk().letters(detail::Operable::above_all, 1000).letters;
    std::ranges::reverse(letters);
    for (const auto& letter : letters)
      result += std::to_string(letter.id) + (letter.is_under_way ? "! " : " ");
    return result;
  }

  std::shared_ptr<Slow> slow_ = std::make_shared<Slow>();
  caf::actor sender_;
};

TEST_F(OperatorDeskTest, submits_no_letter_twice_when_the_sender_takes_longer_than_the_operator) {
  const auto first = resubmit(Ids{1});
  EXPECT_EQ(first.result, Result::no_answer);
  EXPECT_THAT(first.text, HasSubstr("letters go when the sender has accepted them"));
  EXPECT_EQ(left(), "1! 2 3 ");
  const auto second = desk().resubmit(Ids{1});
  EXPECT_EQ(second.result, Result::refused);
  EXPECT_EQ(second.text, "it is being submitted again already");
  EXPECT_EQ(desk().remove(Ids{1}).result, Result::refused);
  EXPECT_EQ(slow_->submitted, 1);
  tell("accept");
  EXPECT_TRUE(test::becomes_true([&] { return left() == "2 3 "; })) << left();
  EXPECT_EQ(slow_->submitted, 1);
}

TEST_F(OperatorDeskTest, submits_the_others_while_some_are_under_way) {
  resubmit(Ids{1, 2});
  resubmit(Ids{1, 2, 3});
  EXPECT_EQ(slow_->submitted, 3);
  EXPECT_EQ(left(), "1! 2! 3! ");
  tell("accept");
  EXPECT_TRUE(test::becomes_true([&] { return left().empty(); })) << left();
}

TEST_F(OperatorDeskTest, submits_a_letter_again_that_was_refused_late) {
  resubmit(Ids{1});
  tell("refuse");
  EXPECT_TRUE(test::becomes_true([&] { return left() == "1 2 3 "; })) << left();
  resubmit(Ids{1});
  EXPECT_EQ(slow_->submitted, 2);
}

TEST_F(OperatorDeskTest, submits_nothing_after_it_said_so) {
  slow_->is_busy = true;
  const auto first = desk().resubmit(Ids{1});
  EXPECT_EQ(first.result, Result::no_answer);
  EXPECT_THAT(first.text, HasSubstr("nothing was submitted"));
  EXPECT_EQ(left(), "1 2 3 ");
  slow_->is_busy = false;
  compat::enqueue(sender_, OperatorNews{}); // the sender has a turn at last
  resubmit(Ids{2});
  EXPECT_EQ(slow_->submitted, 1) << "only the second letter";
  EXPECT_EQ(left(), "1 2! 3 ");
}

TEST_F(OperatorDeskTest, lets_go_of_letters_whose_sender_ends) {
  resubmit(Ids{1});
  EXPECT_EQ(left(), "1! 2 3 ");
  caf::anon_send_exit(sender_, caf::exit_reason::kill);
  desk().end();
  EXPECT_TRUE(test::becomes_true([&] { return left() == "1 2 3 "; })) << left();
  EXPECT_EQ(desk().resubmit(Ids{1}).result, Result::nobody);
  EXPECT_EQ(left(), "1 2 3 ");
}

TEST_F(OperatorDeskTest, submits_each_letter_once_for_many_operators) {
  std::vector<std::thread> operators;
  for (int i = 0; i != 8; ++i)
    operators.emplace_back([this] { resubmit(Ids{1, 2, 3}); });
  for (auto& one : operators)
    one.join();
  EXPECT_EQ(slow_->submitted, 3);
  tell("accept");
  EXPECT_TRUE(test::becomes_true([&] { return left().empty(); })) << left();
}

// The letter is one of a real sender. The desk is that of the slow one, which shares the outbox.
TEST_F(OperatorDeskTest, removes_a_letter_from_a_durable_outbox_that_is_accepted_late) {
  const auto file = std::filesystem::temp_directory_path()
                    / ("operator_desk_test_" + std::to_string(getpid()) + ".db");
  std::filesystem::remove(file);
  {
    SenderOptions options;
    options.max_attempts = 1;
    options.charging = Charging::every_failure();
    options.outbox = DurableOutbox{open_sqlite_store(file), durable<std::string>()};
    const auto failing = spawn_back_off_sender(
      *system,
      [](caf::event_based_actor*) -> caf::behavior {
        return {[](const std::string&) { throw std::runtime_error("poison"); }};
      },
      options);
    compat::enqueue(failing, std::string{"order"});
    ASSERT_TRUE(test::becomes_true([&] { return options.outbox.dead_letters().size() == 1; }));
    const auto in_memory = slow_->desk;
    slow_->desk = std::make_shared<OperatorDesk>(caf::actor_cast<caf::actor_addr>(sender_),
                                                 options.outbox, 50ms);
    EXPECT_EQ(resubmit(Ids{1}).result, Result::no_answer);
    EXPECT_EQ(desk().resubmit(Ids{1}).result, Result::refused);
    EXPECT_EQ(left(), "1! ");
    tell("accept");
    EXPECT_TRUE(test::becomes_true([&] { return options.outbox.dead_letters().empty(); }));
    EXPECT_EQ(slow_->submitted, 1);
    caf::anon_send_exit(failing, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(sender_, caf::exit_reason::kill);
    slow_->desk->end();
    slow_->desk = in_memory;
  }
  system->await_all_actors_done();
  std::filesystem::remove(file);
}

} // namespace

} // namespace backoff_actor::operator_desk_test
