// The test kit with doctest: virtual time, faults and the log of events need no GoogleTest.

// [includes]
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/testing/testing.hpp>
// [includes]

#include <chrono>
#include <string>
#include <utility>

using namespace backoff_actor;
using namespace backoff_actor::testing;
using namespace std::chrono_literals;

namespace {

class Printer : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[](const std::string& page) { return page + " printed"; }};
  }
};

// [fixture]
// What a test needs. doctest makes a new one for each test case.
struct Print {
  EventLog log;
  VirtualTime time;

  caf::actor start_sender(ChildFactory make_child, SenderOptions options = {}) {
    options.seed = 1;   // the same delays in every run,
    options.stream = 0; // and with every version of CAF
    options.on_event = log.hook();
    auto sender = time.keep(spawn_back_off_sender(time.system(), std::move(make_child), options));
    time.run();
    return sender;
  }

  auto ask(const caf::actor& sender, const std::string& page) {
    auto answer = time.ask<std::string>(sender, page);
    time.run();
    return answer;
  }
};

void check(const Finding& finding) { CHECK_MESSAGE(finding.holds, finding.text()); }
// [fixture]

// [test]
TEST_CASE_FIXTURE(Print, "a page is printed although the printer crashes twice") {
  SenderOptions options;
  options.backoff = Fixed{.delay = 1s}; // a test that says when names the delay
  const auto sender =
    start_sender(faulty_children(child_of<Printer>(), "crash(\"no paper\")*2"), options);
  const auto answer = ask(sender, "page 1");
  CHECK_FALSE(answer->is_ready());

  time.advance(1min);

  CHECK(answer->get() == "page 1 printed");
  check(saw_in_order(log, {child_down(1, "no paper"), child_down(2), acknowledged(1)}));
}
// [test]

TEST_CASE_FIXTURE(Print, "a printer that hangs is replaced") {
  SenderOptions options;
  options.ack_timeout = 5s;
  options.backoff = Fixed{.delay = 1s};
  const auto sender = start_sender(faulty_children(child_of<Printer>(), "hang"), options);
  const auto answer = ask(sender, "page 1");

  time.advance(5s);
  check(saw(log, ack_timed_out(1)));
  check(saw_times(log, 0, acknowledged));

  time.advance(1min);
  CHECK(answer->get() == "page 1 printed");
}

} // namespace
