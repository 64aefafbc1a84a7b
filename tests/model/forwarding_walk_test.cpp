// Random walks of inputs through an engine that delivers at most once and, beside it, through the
// reference. After every step both must have asked for the same and be in the same state, and what
// is accepted must end once.
//
// common/random_walk.hpp says how a failing walk is shrunk, printed and repeated.

#include "backoff_actor/engine/sender/sender_engine.hpp"
#include "drawn.hpp"
#include "glance.hpp"
#include "reference_forwarder.hpp"
#include "side_by_side.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>

namespace backoff_actor::model_test::forwarding_walk {

using namespace std::chrono_literals;

namespace {

enum class Action : std::uint8_t {
  start,
  submit,
  last,
  unusable,
  started,
  start_failed,
  down,
  stale, // news of a child that is not the present one
  wake,
  pass_time,
  retry_now,
  reset,
  pause,
  resume,
  drain,
  stop,
  finish,
};

constexpr Choice<Action> actions[] = {
  {3, Action::start, "start"},         {40, Action::submit, "submit"},
  {2, Action::last, "last"},           {1, Action::unusable, "unusable"},
  {25, Action::started, "started"},    {3, Action::start_failed, "start_failed"},
  {16, Action::down, "down"},          {2, Action::stale, "stale"},
  {20, Action::wake, "wake"},          {10, Action::pass_time, "pass_time"},
  {2, Action::retry_now, "retry_now"}, {2, Action::reset, "reset"},
  {3, Action::pause, "pause"},         {5, Action::resume, "resume"},
  {2, Action::drain, "drain"},         {1, Action::stop, "stop"},
  {1, Action::finish, "finish"}};

using Step = test::DrawnStep<Action, actions>;

EngineOptions arbitrary_options() {
  EngineOptions options;
  options.guarantee = Guarantee::at_most_once;
  options.backoff = BackOff{{}, 72451, 0}; // 10, 30, 70, 150 ms
  options.when_down = *rc::gen::element(WhenDown::buffer, WhenDown::divert, WhenDown::refuse);
  options.child_start = *rc::gen::element(FirstStart::at_once, FirstStart::on_first_use);
  options.restart = *rc::gen::element(RestartTiming::at_once, RestartTiming::at_tick);
  options.healthy_after = *rc::gen::element<Duration>(5ms, 25ms, Duration::max());
  options.after_normal_stop =
    *rc::gen::element(AfterNormalStop::rest, AfterNormalStop::restart, AfterNormalStop::end);
  options.capacity = *rc::gen::element<std::size_t>(1, 2, 1000);
  options.overflow =
    *rc::gen::element(Overflow::refuse, Overflow::drop_oldest, Overflow::drop_newest);
  if (*rc::gen::inRange(0, 3) == 0)
    options.restart_limit = RestartLimit{*rc::gen::inRange<std::uint32_t>(0, 4), 60ms};
  if (*rc::gen::inRange(0, 3) == 0)
    options.max_elapsed = 60ms;
  if (*rc::gen::inRange(0, 8) == 7)
    options.on_event = throw_at<Event>;
  return options;
}

// Effects as the reference words them; the wake-up is kept, and the slots are checked.
class Words {
public:
  explicit Words(const EngineOptions&) {}

  void before(Instant, const Input& input) {
    if (std::holds_alternative<input::Wake>(input))
      wake_up = Instant::never();
  }

  static std::string line(const Event&) { return {}; }

  std::string line(const Effect& effect) {
    return std::visit([this](const auto& x) { return word(x); }, effect);
  }

  Instant wake_up = Instant::never();
  std::map<std::uint32_t, std::uint64_t> in_slot;

private:
  std::string ended(std::uint32_t slot) {
    const auto id = in_slot.at(slot);
    in_slot.erase(slot);
    require(ended_.insert(id).second, "a message ends once");
    return number(id);
  }

  template <class T>
  std::string word(const T&) {
    throw std::logic_error("nothing is tracked, so nothing of the kind is asked for");
  }
  std::string word(const effect::Accept& x) {
    require(in_slot.try_emplace(x.slot, x.delivery).second, "a slot holds one");
    return "accept " + number(x.delivery);
  }
  std::string word(const effect::Refuse& x) { return "refuse " + std::string{to_string(x.reason)}; }
  std::string word(const effect::StartChild& x) { return "start " + number(x.incarnation); }
  std::string word(const effect::AskToEnd& x) { return "ask " + number(x.incarnation); }
  std::string word(const effect::TellToEnd& x) { return "tell " + number(x.incarnation); }
  std::string word(const effect::Abandon& x) { return "abandon " + number(x.incarnation); }
  std::string word(const effect::StopChild& x) { return "stop " + number(x.incarnation); }
  std::string word(const effect::Forward& x) {
    if (in_slot.count(x.slot) == 1)
      require(ended(x.slot) == number(x.delivery), "what waited is what is forwarded");
    else
      require(ended_.insert(x.delivery).second, "a message is forwarded once");
    return "forward " + number(x.delivery) + " to " + number(x.incarnation)
           + (x.is_final_stop ? " last" : "");
  }
  std::string word(const effect::Divert&) { return "divert"; }
  std::string word(const effect::Finished&) { return "finished"; }
  std::string word(const effect::HookFailed&) { return {}; } // see SideBySide
  std::string word(const effect::DeadLetter& x) {
    return "dead letter " + ended(x.slot) + " " + std::string{to_string(x.reason)};
  }
  std::string word(const effect::Drained& x) {
    return "drained " + number(x.ticket) + " " + number(x.left);
  }
  std::string word(const effect::WakeAt& x) {
    wake_up = x.at;
    return {};
  }
  std::string word(const effect::Quit& x) {
    return x.escalates ? "escalate" : x.cause ? "give up" : "end normally";
  }

  std::set<std::uint64_t> ended_;
};

class Walk {
public:
  explicit Walk(const EngineOptions& options) : sides_(options) {}

  void take(const Step& step) {
    switch (step.action) {
    case Action::start:
      return take(input::Start{});
    case Action::submit:
      return take(submission(step.number));
    case Action::last: {
      auto x = submission(step.number);
      x.is_final_stop = true;
      return take(x);
    }
    case Action::unusable: {
      auto x = submission(step.number);
      x.is_unusable = true;
      return take(x);
    }
    case Action::started:
      return take(input::ChildStarted{reference_.incarnation});
    case Action::start_failed:
      return take(input::StartFailed{reference_.incarnation, {1, "no"}, verdict(step.number)});
    case Action::down:
      return take(down(reference_.incarnation, step.number));
    case Action::stale:
      return reference_.incarnation == 0 ? void()
                                         : take(down(reference_.incarnation - 1, step.number));
    case Action::wake:
      now_ = std::max(now_, std::min(words_.wake_up, now_ + 1h));
      return take(input::Wake{});
    case Action::pass_time:
      now_ = now_ + std::chrono::milliseconds{step.number % 30};
      return;
    case Action::retry_now:
      return take(input::RetryNow{});
    case Action::reset:
      return take(input::Reset{});
    case Action::pause:
      return take(input::Pause{});
    case Action::resume:
      return take(input::Resume{});
    case Action::drain:
      return take(input::Drain{++ticket_, step.number % 2 == 0
                                            ? Instant::never()
                                            : now_ + std::chrono::milliseconds{step.number % 40}});
    case Action::stop:
      if (step.number % 4 == 0)
        return take(input::Kill{});
      return take(input::Stop{step.number % 4 != 1});
    case Action::finish:
      return take(input::Finish{step.number % 5 == 0
                                  ? Instant::never()
                                  : now_ + std::chrono::milliseconds{step.number % 40},
                                step.number % 2 == 0});
    }
  }

  void finish() {
    take(input::Stop{});
    for (int round = 0; round < 1000 && !reference_.is_stopped; ++round)
      take(Step{Action::wake, 0}); // as if the child clung to life
    require(reference_.is_stopped, "a sender that is told to end ends in time");
    require(words_.in_slot.empty(), "nothing is owed after the end");
  }

private:
  input::Submit submission(std::uint32_t how) const {
    if (how % 3 != 0)
      return {};
    return {now_ + std::chrono::milliseconds{how % 40}};
  }

  static Verdict verdict(std::uint32_t how) {
    return how < 20   ? Verdict::give_up
           : how < 40 ? Verdict::escalate
           : how < 60 ? Verdict::reject
                      : Verdict::retry;
  }

  static input::ChildDown down(std::uint32_t incarnation, std::uint32_t how) {
    if (how % 4 == 0)
      return {incarnation, {}};
    return {incarnation, {7, "crash"}, verdict(how)};
  }

  void take(const Input& input) {
    sides_.step(now_, input);
    RC_LOG(describe(reference_.taken));
    compare();
  }

  void compare() const {
    const auto status = engine_.status(now_);
    require(is_glance_right(engine_, now_), "a glance shows what the status shows");
    require(engine_.owed() == reference_.kept.size(), "both keep the same");
    require(status.counters == reference_.counters, "both have counted the same");
    const auto backoff = reference_.is_well() ? reference_.backoff.reset() : reference_.backoff;
    require(status.retries
              == (reference_.is_closing() || reference_.is_stopped ? reference_.backoff : backoff)
                   .retries(),
            "both have the same backoff");
    require(status.in_flight == 0 && status.ghosts == 0, "nothing is with a child");
    if (reference_.is_stopped)
      return require(status.phase == Phase::stopped, "both have ended");
    if (reference_.ending)
      return require(status.phase == Phase::stopping, "both are to end");
    require((status.phase == Phase::finishing) == reference_.finishing.has_value(),
            "both wait until they are told to end");
    require(engine_.living_child() == (reference_.is_alive ? reference_.incarnation : 0),
            "both have the same child");
    require(status.is_delayed == reference_.delay_end.has_value(), "both are delayed or not");
    require(!reference_.delay_end || engine_.due() == *reference_.delay_end,
            "both delays end together");
    require(words_.wake_up <= reference_.next_due(), "a wake-up comes when something is due");
  }

  static std::string describe(const Lines& lines) {
    std::string result;
    for (const auto& line : lines)
      result.append(result.empty() ? "" : ", ").append(line);
    return result;
  }

  SideBySide<SenderEngine, ReferenceForwarder, Words, Input, Effects, Event> sides_;
  const SenderEngine& engine_ = sides_.engine();
  const ReferenceForwarder& reference_ = sides_.reference;
  const Words& words_ = sides_.account;
  Instant now_{};
  std::uint32_t ticket_ = 0;
};

} // namespace

TEST(forwarding_walk, agrees_with_the_reference) {
  const auto make_walk = [] { return Walk{arbitrary_options()}; };
  EXPECT_TRUE(
    test::walks_hold(make_walk, 6.0, Step::any(rc::gen::inRange<std::uint32_t>(0, 1000))));
}

} // namespace backoff_actor::model_test::forwarding_walk
