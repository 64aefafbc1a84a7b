// Cases that random walks found.

#include "backoff_actor/engine/supervisor/supervisor_engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto start = Instant{1s};

ChildOptions child_options() {
  ChildOptions options;
  options.backoff = Fixed{20ms};
  options.shutdown = Shutdown::within(30ms);
  return options;
}

// A supervisor whose first children are all up; they are named 1, 2, 3 ... .
class Supervised {
public:
  explicit Supervised(std::vector<ChildOptions> children, SupervisorEngineOptions options = {}) {
    options.on_event = [this](const SupervisorEvent& event) { events.push_back(to_string(event)); };
    std::vector<ChildEntry> entries;
    for (auto& child : children)
      entries.push_back(
        {id_of(entries.size()), std::make_shared<const ChildOptions>(std::move(child))});
    const auto count = static_cast<std::uint32_t>(entries.size());
    engine_ = std::make_unique<SupervisorEngine>(
      std::make_shared<const SupervisorEngineOptions>(std::move(options)), std::move(entries));
    step(start, supervisor_input::Start{});
    for (std::uint32_t child = 1; child <= count; ++child) {
      while (engine_->status(name(child), start)->state == ChildState::waiting)
        step(start, supervisor_input::Wake{});
      step(start, supervisor_input::ChildMade{actor(child)});
    }
  }

  // Keeps the effects and events of this step alone.
  void step(Instant now, const SupervisorInput& input) {
    effects.clear();
    events.clear();
    engine_->step(now, input, effects);
  }

  static ChildName name(std::uint32_t child) { return {child - 1, child}; }
  static ChildActor actor(std::uint32_t child, std::uint32_t incarnation = 1) {
    return {name(child), incarnation};
  }

  void down(Instant now, std::uint32_t child, Ending ending) {
    step(now, supervisor_input::ChildDown{actor(child), ending,
                                          is_clean(ending) ? Cause{} : Cause{1, "broken"},
                                          Directive::restart});
  }

  template <class Effect>
  std::vector<Effect> all() const {
    std::vector<Effect> result;
    for (const auto& effect : effects)
      if (const auto* const x = std::get_if<Effect>(&effect))
        result.push_back(*x);
    return result;
  }

  SupervisorPhase phase() const { return engine_->phase(); }

  SupervisorEffects effects;
  std::vector<std::string> events;

private:
  static std::string id_of(std::size_t child) {
    return child < 26 ? std::string(1, "abcdefghijklmnopqrstuvwxyz"[child]) : std::to_string(child);
  }

  std::unique_ptr<SupervisorEngine> engine_;
};

} // namespace

TEST(supervisor_engine, does_not_say_of_an_abandoned_child_that_it_has_ended) {
  Supervised supervisor{{child_options()}};
  supervisor.step(start, supervisor_input::TerminateChild{7, "a"});
  supervisor.step(start + 30ms, supervisor_input::Wake{});
  supervisor.step(start + 5030ms, supervisor_input::Wake{});
  EXPECT_THAT(supervisor.events, ElementsAre("child a 1 has not ended in time and is abandoned",
                                             "child a stays down"));
  supervisor.down(start + 6s, 1, Ending::killed);
  EXPECT_THAT(supervisor.events, ElementsAre("an abandoned child ended after all"));
}

TEST(supervisor_engine, tells_nothing_after_its_end) {
  Supervised supervisor{{child_options()}};
  supervisor.step(start, supervisor_input::Stop{});
  supervisor.step(start + 30ms, supervisor_input::Wake{});
  supervisor.step(start + 5030ms, supervisor_input::Wake{});
  ASSERT_EQ(supervisor.phase(), SupervisorPhase::stopped);
  supervisor.down(start + 6s, 1, Ending::killed); // it was abandoned
  EXPECT_THAT(supervisor.events, IsEmpty());
}

TEST(supervisor_engine, answers_who_wants_a_restart_at_its_end_that_it_is_stopping) {
  Supervised supervisor{{child_options(), child_options()}};
  supervisor.step(start, supervisor_input::Stop{}); // the second is ending, the first still runs
  for (const auto* const id : {"a", "b"}) {
    supervisor.step(start, supervisor_input::RestartChild{7, id});
    const auto answers = supervisor.all<supervisor_effect::Answer>();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].error, SupervisorError::stopping);
  }
}

TEST(supervisor_engine, asks_once_for_the_wake_up_that_starts_wait_for) {
  auto options = child_options();
  options.backoff = Fixed{0ms};
  constexpr auto count = SupervisorEngine::batch + 2;
  Supervised supervisor{std::vector<ChildOptions>(count, options)};
  for (std::uint32_t child = 1; child <= count; ++child)
    supervisor.down(start, child, Ending::failed);
  supervisor.step(start, supervisor_input::Wake{});
  EXPECT_EQ(supervisor.all<supervisor_effect::StartChild>().size(), 256U);
  const auto wake_ups = supervisor.all<supervisor_effect::WakeAt>();
  ASSERT_EQ(wake_ups.size(), 1U);
  EXPECT_EQ(wake_ups[0].at, start);
  supervisor.step(start + 1ms, supervisor_input::ChildMade{Supervised::actor(1, 2)});
  EXPECT_THAT(supervisor.all<supervisor_effect::WakeAt>(), IsEmpty());
  supervisor.step(start + 2ms, supervisor_input::Wake{});
  EXPECT_EQ(supervisor.all<supervisor_effect::StartChild>().size(), 2U);
  EXPECT_THAT(supervisor.all<supervisor_effect::WakeAt>(), IsEmpty());
}

TEST(supervisor_engine, is_not_ended_by_a_significant_child_that_it_told_to_end) {
  SupervisorEngineOptions options;
  options.strategy = Strategy::one_for_all;
  options.auto_shutdown = AutoShutdown::any_significant;
  auto significant = child_options();
  significant.restart = RestartType::temporary;
  significant.is_significant = true;
  Supervised supervisor{{child_options(), significant}, options};
  supervisor.down(start, 1, Ending::failed);
  EXPECT_EQ(supervisor.all<supervisor_effect::TellToEnd>().size(), 1U);
  supervisor.down(start, 2, Ending::failed);
  EXPECT_THAT(supervisor.events,
              ElementsAre("child b 1 ended", "child b stays down", "child b removed"));
  EXPECT_EQ(supervisor.phase(), SupervisorPhase::running);
}

TEST(supervisor_engine, answers_who_waits_for_a_temporary_child_that_goes_with_its_row) {
  SupervisorEngineOptions options;
  options.strategy = Strategy::one_for_all;
  auto temporary = child_options();
  temporary.restart = RestartType::temporary;
  Supervised supervisor{{child_options()}, options};
  supervisor.step(
    start, supervisor_input::StartChild{7, {"b", std::make_shared<const ChildOptions>(temporary)}});
  supervisor.down(start, 1, Ending::failed); // before the second is up
  supervisor.down(start, 2, Ending::shutdown);
  const auto answers = supervisor.all<supervisor_effect::Answer>();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].ticket, 7U);
  EXPECT_EQ(answers[0].error, SupervisorError::terminated);
  EXPECT_EQ(supervisor.all<supervisor_effect::ForgetChild>().size(), 1U);
}

// It is made anew, and stands behind the one that has waited since.
TEST(supervisor_engine, gives_the_place_of_a_child_that_was_taken_away_while_it_waited_to_nobody) {
  auto options = child_options();
  options.backoff = Fixed{0ms};
  constexpr auto count = SupervisorEngine::batch + 2;
  Supervised supervisor{std::vector<ChildOptions>(count, options)};
  for (std::uint32_t child = 1; child <= count; ++child)
    supervisor.down(start, child, Ending::failed);
  supervisor.step(start, supervisor_input::Wake{}); // the last two are held up
  supervisor.step(start, supervisor_input::TerminateChild{1, "256"});
  supervisor.step(start, supervisor_input::RestartChild{2, "256"});
  supervisor.step(start, supervisor_input::ChildMade{Supervised::actor(257, 2)});
  supervisor.step(start,
                  supervisor_input::ChildDown{
                    Supervised::actor(257, 2), Ending::failed, {1, "broken"}, Directive::restart});
  supervisor.step(start, supervisor_input::Wake{});
  const auto starts = supervisor.all<supervisor_effect::StartChild>();
  ASSERT_EQ(starts.size(), 2U);
  EXPECT_EQ(starts[0].actor, Supervised::actor(258, 2));
  EXPECT_EQ(starts[1].actor, Supervised::actor(257, 3));
}

} // namespace backoff_actor
