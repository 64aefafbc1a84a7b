// What a dead letter says it ended of.

#include "fixture.hpp"

#include <stdexcept>

namespace backoff_actor::actor_test {

// What a text says goes wrong with it; others are echoed.
caf::behavior touchy(caf::event_based_actor*) {
  return {[](const std::string& text) {
    if (text.starts_with("crash "))
      throw std::runtime_error(text.substr(6));
    return text;
  }};
}

class CausesOfDeadLetters : public SenderTest {
protected:
  // Submits one that crashes the child, and waits until `times` children have crashed.
  void crash_with(const std::string& text, std::uint32_t times, Submit how) {
    submit("crash " + text, std::move(how));
    for (int i = 0; i < 1000 && log.count<event::ChildDown>() < times; ++i)
      time.advance(1ms);
  }

  SenderOptions kept(SenderOptions options) {
    options.on_dead_letter = [list = causes_](const DeadLetter& letter) {
      list->push_back(std::to_string(letter.id) + ": " + letter.cause + ", "
                      + std::to_string(letter.attempts));
    };
    return options;
  }

  // One that failed waits for twice as long as the others.
  static SenderOptions per_key() {
    auto options = default_options();
    options.backoff = Fixed{10ms};
    options.ordering = Ordering::per_key;
    return options;
  }

  // Of all dead letters: number, cause, failed attempts.
  const Strings& causes() const { return *causes_; }

private:
  std::shared_ptr<Strings> causes_ = std::make_shared<Strings>(); // senders may outlive the test
};

TEST_F(CausesOfDeadLetters, are_those_of_their_own_last_failures_after_others_were_acknowledged) {
  start_with(touchy, kept(per_key()));
  crash_with("short circuit", 5, {.key = "a"});
  const auto answer = submit("well", {.key = "b"});
  for (int i = 0; i < 1000 && !answer->is_ready(); ++i)
    time.advance(1ms);
  EXPECT_EQ(answer->value, "well");
  time.tell(sender, Stop{});
  time.run();

  EXPECT_EQ(causes(), Strings{"1: short circuit, 5"});
}

TEST_F(CausesOfDeadLetters, are_their_own_also_when_they_expire_or_are_dropped_for_others) {
  auto options = kept(per_key());
  options.capacity = 2;
  options.rare.overflow = Overflow::drop_oldest;
  start_with(touchy, options);
  crash_with("short circuit", 1, {.key = "a"});
  crash_with("no voltage", 2, {.time_to_live = 1h, .key = "b"});
  tell(Pause{});
  submit("c");
  time.advance(1h);

  EXPECT_EQ(causes(), (Strings{"1: short circuit, 1", "2: no voltage, 1"}));
}

TEST_F(CausesOfDeadLetters, are_their_own_when_the_sender_gives_up_over_another) {
  auto options = kept(per_key());
  options.restart_limit = RestartLimit{2, 1min};
  start_with(touchy, options);
  crash_with("short circuit", 2, {.key = "a"});
  crash_with("no voltage", 3, {.key = "b"});

  EXPECT_EQ(causes(), (Strings{"1: short circuit, 2", "2: no voltage, 1"}));
}

TEST_F(CausesOfDeadLetters, are_the_childs_last_failure_if_they_have_none_of_their_own) {
  start_with(touchy, kept(default_options()));
  crash_with("short circuit", 1, {});
  submit("behind it");
  time.tell(sender, Stop{});
  time.run();

  EXPECT_EQ(causes(), (Strings{"1: short circuit, 1", "2: short circuit, 0"}));
}

} // namespace backoff_actor::actor_test
