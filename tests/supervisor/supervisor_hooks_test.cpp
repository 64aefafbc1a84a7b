// What becomes of the hook of a supervisor that throws.

#include "supervisor_fixture.hpp"

#include <stdexcept>

namespace backoff_actor::actor_test {
namespace {

class SupervisorHooks : public SupervisorTest {
protected:
  // Returns what is said on the error stream meanwhile, with N in place of the supervisors'
  // numbers.
  template <class Work>
  std::string error_stream_of(Work work) {
    ::testing::internal::CaptureStderr();
    work();
    auto text = ::testing::internal::GetCapturedStderr();
    const std::string mark = "backoff_actor: supervisor#";
    for (auto i = text.find(mark); i != std::string::npos; i = text.find(mark, i + 1))
      text.replace(i + mark.size(), text.find(':', i + mark.size()) - i - mark.size(), "N");
    return text;
  }

  void start_with_hook(SupervisorEventHook hook) {
    SupervisorOptions options;
    options.on_event = std::move(hook);
    supervisor = time.keep(spawn_supervisor(time.system(), specs("ab"), std::move(options)));
    watch(supervisor);
    time.run();
  }

  static constexpr const char* line =
    "backoff_actor: supervisor#N: on_event threw: the disk\\nis full; its next exceptions are not "
    "reported\n";
};

TEST_F(SupervisorHooks, that_throw_cost_nothing_and_are_reported_once) {
  const auto said = error_stream_of([&] {
    start_with_hook([](const SupervisorEvent&) { throw std::runtime_error("the disk\nis full"); });
    tell("a", "crash");
    time.advance(1s);
    EXPECT_EQ(states(), "a running, b running");
    EXPECT_EQ(ask_for<ChildCounts>(Stop{})->value->restarts, 1u);
  });

  EXPECT_EQ(said, line);
  EXPECT_THAT(news(), ElementsAre("a1 up", "b1 up", "a1 ended", "a2 up", "b1 ended", "a2 ended"));
}

TEST_F(SupervisorHooks, that_throw_at_an_event_of_the_actor_alone_are_reported_too) {
  const auto said = error_stream_of([&] {
    start_with_hook([](const SupervisorEvent& event) {
      if (std::holds_alternative<supervisor_event::ControlRefused>(event))
        throw std::runtime_error("the disk\nis full");
    });
    for (int i = 0; i < 2; ++i) // by plain sends of somebody: such a refusal is an event
      time.spawn<Caller>(
        [to = supervisor](caf::event_based_actor* self) { self->send(to, GetSpec{"nobody"}); });
    time.run();
  });

  EXPECT_EQ(said, line);
}

TEST_F(SupervisorHooks, give_their_events_to_a_queue) {
  const SharedQueue<SupervisorEvent> events;
  start_with_hook(events.hook());

  std::vector<std::string> texts;
  for (const auto& event : events.take())
    texts.push_back(text_of(event));
  EXPECT_THAT(texts, ElementsAre("child a 1 started", "child b 1 started", "supervisor started"));
}

} // namespace
} // namespace backoff_actor::actor_test
