#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/retry/retry.hpp>
#include <backoff_actor/testing/gmock.hpp>
#include <backoff_actor/testing/gtest.hpp>
#include <backoff_actor/testing/testing.hpp>

#include <string>

namespace {

using namespace backoff_actor;
using namespace backoff_actor::testing;
using namespace std::chrono_literals;

class Printer : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const std::string& page) { return page + " printed"; }};
  }
};

class PrinterTest : public VirtualTimeTest {};

TEST_F(PrinterTest, prints_in_the_end) {
  const auto sender =
    start_sender(faulty_children(child_of<Printer>(), "crash, error(503, retry_after 2s), ok..."));
  const auto answer = ask<std::string>(sender, std::string{"page 1"});

  time.advance(1h);

  EXPECT_THAT(answer, Answered("page 1 printed"));
  EXPECT_THAT(log, SawInOrder(child_down(1), refused(1), acknowledged(1)));
}

TEST_F(PrinterTest, loses_no_page) {
  const RandomSeed seed;
  const DangerousActor printer{FaultPlan{"random(crash 30%, silence 5%)"}.with_seed(seed)};
  SenderOptions options;
  options.ack_timeout = 10s;
  const auto sender = start_sender(printer.factory(), options);
  const Ledger ledger;
  for (int i = 0; i != 100; ++i)
    time.keep(
      request_and_note(time.system(), ledger, std::to_string(i), sender, std::to_string(i)));

  time.advance(24h);

  EXPECT_THAT(ledger, LostNothing());
}

TEST(RetriedCall, waits_as_long_as_it_is_told) {
  VirtualClock clock;
  auto call = faulty_function([] { return 7; }, "error(503)*2, ok", {.sleep = clock.sleeper()});

  const auto result = retry(
    Fixed{100ms}, {}, [](const std::exception&) { return true; }, call, clock);

  EXPECT_EQ(result.value, 7);
  EXPECT_EQ(clock.sleeps, (std::vector<Duration>{100ms, 100ms}));
}

} // namespace
