// [includes]
#include "mailer.hpp"

#include <backoff_actor/testing/gmock.hpp>   // matchers
#include <backoff_actor/testing/gtest.hpp>   // the fixture
#include <backoff_actor/testing/testing.hpp> // all the rest
// [includes]

#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace {

// [fixture]
using namespace backoff_actor;
using namespace backoff_actor::testing;
using namespace std::chrono_literals;
using mail::Mailer;
using mail::supervision;

class MailTest : public VirtualTimeTest {};
// [fixture]

// [crash]
TEST_F(MailTest, goes_out_although_the_mailer_crashes_twice) {
  const Faults faults{"crash(\"connection lost\")*2"};
  faults.note_in(log);
  const auto sender = start_sender(faulty_children(child_of<Mailer>(), faults), supervision());

  const auto answer = ask<std::string>(sender, std::string{"ann@example.org"});
  EXPECT_THAT(answer, IsPending());
  time.advance(3s); // the delays of 1 s and 2 s

  EXPECT_THAT(answer, Answered("sent to ann@example.org"));
  EXPECT_THAT(log, SawInOrder(child_down(1, "connection lost"), retry_scheduled(1s),
                              child_down(2, "connection lost"), retry_scheduled(2s),
                              acknowledged(1, attempts(2))));
}
// [crash]

// [hang]
TEST_F(MailTest, goes_out_although_the_mailer_hangs) {
  const auto sender = start_sender(faulty_children(child_of<Mailer>(), "hang"), supervision());

  const auto first = ask<std::string>(sender, std::string{"ann@example.org"});
  const auto second = ask<std::string>(sender, std::string{"bob@example.org"});
  time.advance(30s - 1ns);
  EXPECT_THAT(log, SawNone(ack_timed_out));
  time.advance(1ns);
  EXPECT_THAT(log, Saw(ack_timed_out(1)));
  time.advance(1s); // the delay

  EXPECT_THAT(first, Answered("sent to ann@example.org"));
  EXPECT_THAT(second, Answered("sent to bob@example.org"));
  EXPECT_THAT(log, SawTimes(1, child_down));
}
// [hang]

// [poison]
TEST_F(MailTest, becomes_a_dead_letter_if_it_crashes_every_mailer) {
  const auto sender = start_sender(child_of<Mailer>(), supervision());
  const Ledger ledger;
  for (const auto* const address : {"ann@example.org", "nonsense", "bob@example.org"})
    time.keep(request_and_note(time.system(), ledger, address, sender, std::string{address}));

  time.advance(1min);

  EXPECT_THAT(log, SawTimes(3, child_down("no address: nonsense")));
  EXPECT_THAT(log, Saw(dead_lettered(2, DeadLetterReason::attempts_exhausted)));
  EXPECT_THAT(ledger, LostNothing());
  EXPECT_EQ(ledger.summary().acknowledged, 2u);
  EXPECT_EQ(ledger.summary().dead_lettered, 1u);
}
// [poison]

// [random]
TEST_F(MailTest, goes_out_whatever_happens_to_the_mailer) {
  const RandomSeed seed;
  const FaultPlan plan{"random(crash 20%, silence 10%, error(retry_after 5s) 10%)"};
  const Faults faults{plan.with_seed(seed)};
  auto options = supervision();
  options.max_attempts.reset(); // the sender gives up no mail
  const auto sender = start_sender(faulty_children(child_of<Mailer>(), faults), options);
  const Ledger ledger;
  for (int i = 0; i != 1000; ++i) {
    const auto address = std::to_string(i) + "@example.org";
    time.keep(request_and_note(time.system(), ledger, address, sender, address));
  }

  time.advance(48h);

  EXPECT_THAT(ledger, LostNothing());
  EXPECT_EQ(ledger.summary().acknowledged, 1000u);
}
// [random]

} // namespace

// [messages]
namespace shop {

struct Order {
  std::string item;
  std::uint32_t count = 0;
};

template <class Inspector>
auto inspect(Inspector& f, Order& x) {
  namespace compat = backoff_actor::compat; // or as your version of CAF has it
  return compat::object(f, x, "shop::Order", compat::field("item", x.item),
                        compat::field("count", x.count));
}

} // namespace shop

CAF_BEGIN_TYPE_ID_BLOCK(shop, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(shop, (shop::Order))
CAF_END_TYPE_ID_BLOCK(shop)
// [messages]

namespace {

// [typed]
// A typed actor; in CAF 1.x `caf::typed_actor<caf::result<std::string>(shop::Order)>`.
using Till = caf::typed_actor<compat::Signature<std::string, shop::Order>>;

class PaperTill : public Till::base {
public:
  explicit PaperTill(caf::actor_config& config) : Till::base(config) {}

  behavior_type make_behavior() override {
    return {
      [](const shop::Order& order) { return std::to_string(order.count) + " " + order.item; }};
  }
};

class ShopTest : public VirtualTimeTest {
protected:
  ShopTest() : VirtualTimeTest{init<caf::id_block::shop>} {}
};

TEST_F(ShopTest, sells_although_the_till_crashes) {
  const auto sender = start_sender(faulty_children(child_of<PaperTill>(), "crash"));
  const auto answer = ask<std::string>(sender, shop::Order{"apples", 3});
  time.advance(1h);
  EXPECT_THAT(answer, Answered("3 apples"));
}

TEST_F(ShopTest, sells_without_supervision_too) {
  const auto till = faulty_actor(time.keep(time.system().spawn<PaperTill>()), "error(503), ok");
  EXPECT_THAT(ask<std::string>(till, shop::Order{"apples", 3}), AnsweredError("503"));
  EXPECT_THAT(ask<std::string>(till, shop::Order{"apples", 3}), Answered("3 apples"));
}
// [typed]

} // namespace
