// Every word that a sender can be told, in every phase.

#include "fixture.hpp"

#include <caf/sec.hpp>

#include <array>
#include <functional>
#include <tuple>

namespace backoff_actor::actor_test {

// Answers once.
caf::behavior mayfly(caf::event_based_actor* self) {
  return {[self](const std::string& text) {
    self->quit();
    return text;
  }};
}

struct PhaseRow {
  const char* name;
  Phase phase;
  // Status, RetryNow, Reset, Pause, Resume, Drain, Stop, CurrentChild
  std::array<Phase, 8> after;
};

constexpr auto starting = Phase::starting;
constexpr auto running = Phase::running;
constexpr auto waiting = Phase::waiting;
constexpr auto draining = Phase::draining;
constexpr auto finishing = Phase::finishing;
constexpr auto stopped = Phase::stopped;

constexpr std::array<const char*, 8> words{"Status", "RetryNow", "Reset", "Pause",
                                           "Resume", "Drain",    "Stop",  "CurrentChild"};

constexpr std::array<PhaseRow, 8> rows{{
  {"starting",
   starting,
   {starting, starting, starting, starting, starting, draining, stopped, starting}},
  {"running", running, {running, running, running, running, running, draining, stopped, running}},
  {"waiting", waiting, {waiting, running, waiting, waiting, waiting, draining, stopped, waiting}},
  {"draining",
   draining,
   {draining, draining, draining, draining, running, draining, stopped, draining}},
  {"paused", running, {running, running, running, running, running, draining, stopped, running}},
  {"on_fallback",
   running,
   {running, running, running, running, running, draining, stopped, running}},
  {"finishing",
   finishing,
   {finishing, finishing, finishing, finishing, finishing, finishing, stopped, finishing}},
  {"stopped", stopped, {stopped, stopped, stopped, stopped, stopped, stopped, stopped, stopped}},
}};

class ControlInEveryPhase
  : public SenderTest,
    public ::testing::WithParamInterface<std::tuple<std::size_t, std::size_t>> {
protected:
  // What came back for one word.
  struct Reply {
    std::function<bool()> is_answered;
    std::function<bool()> is_bounced;
  };

  template <class Value, class Word>
  Reply say(Word word) {
    auto answer = time.ask<Value>(sender, std::move(word));
    time.run();
    return {
      [answer] { return answer->value.has_value(); },
      [answer] { return answer->error && *answer->error == caf::sec::request_receiver_down; }};
  }

  void reach(const std::string& name) {
    auto options = default_options();
    if (name == "starting") { // the last child stopped normally, with nothing owed
      start_with(mayfly);
      ask("a");
    } else if (name == "running") {
      start({});
    } else if (name == "waiting") {
      start({{testing::crash(), testing::silence()}});
      ask("a");
    } else if (name == "draining") {
      start({{testing::silence()}});
      ask("a");
      tell(Drain{});
    } else if (name == "paused") {
      start({});
      tell(Pause{});
    } else if (name == "on_fallback") {
      options.restart_limit = RestartLimit{0, 1h};
      options.rare.fallback = fallback.factory();
      start({{testing::crash()}}, options);
      ask("a");
    } else if (name == "finishing") {
      start({{testing::silence()}});
      ask("a");
      tell(Stop{1h});
    } else if (name == "stopped") {
      start({});
      tell(Stop{});
    }
  }

  Reply say(const std::string& word) {
    if (word == "Status")
      return say<SenderStatus>(Status{});
    if (word == "RetryNow")
      return say<SenderStatus>(RetryNow{});
    if (word == "Reset")
      return say<SenderStatus>(Reset{});
    if (word == "Pause")
      return say<SenderStatus>(Pause{});
    if (word == "Resume")
      return say<SenderStatus>(Resume{});
    if (word == "Drain")
      return say<Drained>(Drain{1s});
    if (word == "CurrentChild")
      return say<ChildHandle>(CurrentChild{});
    return say<SenderStatus>(Stop{});
  }

  // That of a sender that answers nothing any more is known by that.
  Phase phase() {
    const auto answer = time.ask<SenderStatus>(sender, Status{});
    time.run();
    return answer->value ? answer->value->phase : stopped;
  }

  DangerousActor fallback;
};

TEST_P(ControlInEveryPhase, each_word_is_obeyed_and_answered) {
  const auto& row = rows[std::get<0>(GetParam())];
  const auto column = std::get<1>(GetParam());
  reach(row.name);
  ASSERT_EQ(phase(), row.phase);

  const auto reply = say(words[column]);

  EXPECT_EQ(phase(), row.after[column]);
  time.advance(1s); // in which a drain comes to its end
  EXPECT_TRUE(row.phase == stopped ? reply.is_bounced() : reply.is_answered());
}

INSTANTIATE_TEST_SUITE_P(table, ControlInEveryPhase,
                         ::testing::Combine(::testing::Range(std::size_t{0}, rows.size()),
                                            ::testing::Range(std::size_t{0}, words.size())),
                         [](const auto& row) {
                           return std::string{rows[std::get<0>(row.param)].name} + "_"
                                  + words[std::get<1>(row.param)];
                         });

} // namespace backoff_actor::actor_test
