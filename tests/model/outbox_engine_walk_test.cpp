// The engine of an outbox beside a sender and a store that do anything at any time. What must hold
// is told by the words of the guarantees, not by the engine's code:
//
// - Each insertion has one outcome: stored, and the store has it; or failed, and the store does not
//   have it, unless nobody can know.
// - While a sender has not heard that an insertion was refused, none is stored: the refused one is
//   to come again first.
// - What a sender made of rows and has left behind is in the store at the end.
// - What a sender put about a delivery that is stored is in the store at the end, once the store
//   works.
// - Nobody is told to be sure for longer than four fifths of the lease. They count from the
//   beginning of the last call that was answered. A call without an answer ends them.
// - There is one call at a time, none once the store is lost, and each has at most one batch.
// - Who awaits a context is told of it once the store has it, or a later one.
// - While something waits, or the lease runs out, the engine does not rest.
//
//     RC_PARAMS="max_success=100000" ./build/dev/tests/model_tests --gtest_filter="outbox_engine*"

#include "outbox_engine_walk.hpp"

#include <gtest/gtest.h>

namespace backoff_actor::model_test {

namespace {

using Line = WalkedStore::Line;
using Mood = WalkedStore::Mood;

enum class OutboxAction {
  insert,
  insert_row,
  hear,
  end,
  count_attempts,
  count_hand_over,
  bury_unstored,
  drop_unstored,
  set_context,
  set_message,
  set_message_of_unstored,
  keep_note,
  go,
  answer,
  answer_badly,
  work, // all of the above, in order
  pass_time,
  pass_sleep,
  change_sender,
  halt,
  take_away,
};

constexpr test::Choice<OutboxAction> outbox_actions[] = {
  {60, OutboxAction::insert, "insert"},
  {15, OutboxAction::insert_row, "insert what was a row"},
  {60, OutboxAction::hear, "the sender takes what it is told"},
  {40, OutboxAction::end, "end a delivery"},
  {15, OutboxAction::count_attempts, "count attempts"},
  {15, OutboxAction::count_hand_over, "count a hand-over"},
  {5, OutboxAction::bury_unstored, "bury one that is not stored"},
  {5, OutboxAction::drop_unstored, "drop one that is not stored"},
  {10, OutboxAction::set_context, "set a context"},
  {15, OutboxAction::set_message, "set a message"},
  {5, OutboxAction::set_message_of_unstored, "set the message of one that is not stored"},
  {20, OutboxAction::keep_note, "keep a note in the context"},
  {60, OutboxAction::go, "go"},
  {50, OutboxAction::answer, "answer"},
  {25, OutboxAction::answer_badly, "answer badly"},
  {50, OutboxAction::work, "work"},
  {20, OutboxAction::pass_time, "pass time"},
  {40, OutboxAction::pass_sleep, "pass the sleep"},
  {4, OutboxAction::change_sender, "change the sender"},
  {2, OutboxAction::halt, "halt"},
  {1, OutboxAction::take_away, "another process owns it"}};

using OutboxStep = test::DrawnStep<OutboxAction, outbox_actions>;

constexpr Duration lease = std::chrono::seconds{5};

class OutboxWalk {
public:
  OutboxWalk(bool is_limited, std::size_t max_batch, Duration max_wait)
    : is_limited_(is_limited), max_batch_(max_batch),
      engine_({max_batch, max_wait, is_limited ? lease : Duration::zero()}) {
    attach();
  }

  void take(const OutboxStep& x) {
    story_ += "  " + to_string(now_.since_origin) + ": " + test::name_of(x.action, outbox_actions)
              + " " + std::to_string(x.number) + "\n";
    carry_out(x);
    require(has_rest_reason(), "the engine rests only when nothing waits");
  }

  // Once the store works, all is written.
  void finish() {
    if (is_lost_)
      return;
    hear();
    insert(); // wakes an engine whose driver has halted
    for (auto i = 0; i < 300; ++i) {
      pass(engine_.sleeps_for(now_));
      wake();
      go();
      answer(Mood::works);
    }
    require(engine_.waiting() == 0, "at the end nothing waits");
    require(open_insertions_.empty(), "each insertion has an outcome");
    require(awaited_.empty(), "the sender is told what became of each cancelled delivery");
    for (const auto& [id, versions] : untold_)
      require(versions.empty(), "the sender is told what became of each message");
    for (const auto& [id, x] : known_) {
      if (!x.is_stored)
        continue;
      const auto found = store_.owed.find(id);
      if (x.end == 'a')
        require(store_.acknowledged.count(id) == 1, "what was acknowledged is so in the store");
      else if (x.end == 'd')
        require(store_.dropped.count(id) == 1 && found == store_.owed.end(),
                "what was cancelled is gone from the store");
      else if (x.end != ' ')
        require(store_.buried.count(id) == 1, "what was buried is a dead letter in the store");
      else
        require(found != store_.owed.end() && found->second == x.delivery,
                "what is owed is so in the store, with the last counts");
      if (found != store_.owed.end() && doubtful_.count(id) == 0)
        require(store_.versions[id] == stored_[id], "the last message that was stored is there");
    }
    for (const auto id : letters_)
      require(is_ended_unasked(id),
              "an end that was told of is written, though its delivery was not");
  }

  std::string story() const { return "the story:\n" + story_; }

private:
  struct Known {
    WalkedStore::Delivery delivery{};
    bool is_stored = false;
    char end = ' '; // acknowledged, buried
  };

  void carry_out(const OutboxStep& x) {
    switch (x.action) {
    case OutboxAction::insert:
      for (auto i = x.number % 4; i > 0; --i)
        insert();
      return;
    case OutboxAction::insert_row:
      return insert(last_id_ + 1);
    case OutboxAction::hear:
      return hear();
    case OutboxAction::end:
      if (auto* const one = any_stored(x.number)) {
        one->second.end = "baadc"[x.number % 5];
        const auto id = one->first;
        if (one->second.end == 'a')
          put(change::Acknowledge{id, {}});
        else if (one->second.end == 'd')
          put_awaited(id, change::Acknowledge{id, {}, /*is_dropped=*/true});
        else if (one->second.end == 'c')
          put_awaited(id, change::Bury{id, DeadLetterReason::cancelled, 0, "", {}});
        else
          put(change::Bury{id, DeadLetterReason::expired, 0, "", {}});
      }
      return;
    case OutboxAction::count_attempts:
      if (auto* const one = any_stored(x.number))
        put(change::CountAttempts{one->first, ++one->second.delivery.attempts});
      return;
    case OutboxAction::count_hand_over:
      if (auto* const one = any_stored(x.number)) {
        one->second.delivery.hand_overs ^= 1U;
        put(change::CountHandOvers{one->first, one->second.delivery.hand_overs});
      }
      return;
    case OutboxAction::bury_unstored:
      if (is_attached_ && !open_insertions_.empty() && letters_.size() < max_batch_) {
        const auto id = *open_insertions_.rbegin();
        if (letters_.insert(id).second)
          put(change::Bury{id, DeadLetterReason::expired, 0, "", {}});
      }
      return;
    case OutboxAction::drop_unstored:
      if (is_attached_ && !open_insertions_.empty() && letters_.size() < max_batch_) {
        const auto id = *open_insertions_.rbegin();
        if (letters_.insert(id).second && dropped_.insert(id).second)
          put_awaited(id, change::Acknowledge{id, {}, /*is_dropped=*/true});
      }
      return;
    case OutboxAction::set_context:
      if (auto* const one = any_stored(x.number)) {
        one->second.delivery.context = ++last_context_;
        awaited_[one->first].push_back(last_context_);
        put(change::SetContext{one->first, std::to_string(last_context_), true});
      }
      return;
    case OutboxAction::keep_note:
      if (auto* const one = any_stored(x.number)) {
        one->second.delivery.context = ++last_context_;
        put(change::SetContext{one->first, std::to_string(last_context_)});
      }
      return;
    case OutboxAction::set_message:
      if (auto* const one = any_stored(x.number))
        set_message(one->first);
      return;
    case OutboxAction::set_message_of_unstored:
      if (is_attached_ && !open_insertions_.empty())
        set_message(*open_insertions_.rbegin());
      return;
    case OutboxAction::go:
      return go();
    case OutboxAction::answer:
      return answer(Mood::works);
    case OutboxAction::answer_badly:
      return answer(static_cast<Mood>(1 + x.number % 5));
    case OutboxAction::work:
      insert();
      wake();
      go();
      return answer(Mood::works);
    case OutboxAction::pass_time:
      pass(std::chrono::milliseconds{1} * (x.number % 3000));
      return wake();
    case OutboxAction::pass_sleep:
      pass(engine_.sleeps_for(now_));
      return wake();
    case OutboxAction::change_sender:
      step(outbox_input::Detach{});
      is_attached_ = false;
      is_unheard_ = false;
      for (const auto id : open_insertions_)
        if (rows_.count(id) == 1 && letters_.count(id) == 0)
          known_[id].is_stored = true; // the next sender restores it
      open_insertions_.clear();        // nobody is told of these any more
      for (const auto& [id, contexts] : std::exchange(awaited_, {}))
        others_await_[id].insert(others_await_[id].end(), contexts.begin(), contexts.end());
      for (const auto& [id, versions] : std::exchange(untold_, {}))
        doubtful_.insert(id);
      ++sender_;
      if (!is_lost_)
        attach();
      return;
    case OutboxAction::halt:
      call_.reset();
      goes_on_ = false;
      is_halted_ = true;
      return step(outbox_input::Halt{});
    case OutboxAction::take_away:
      if (is_limited_)
        answer(Mood::disowned);
    }
  }

  bool is_ended_unasked(std::uint64_t id) const {
    return store_.buried.count(id) == 1 || store_.dropped.count(id) == 1;
  }

  void attach() {
    is_attached_ = true;
    is_halted_ = false;
    told_sure_until_ = Instant{Duration::min()};
    step(outbox_input::Attach{});
  }

  // `row`: 0, if it is made of none
  void insert(std::uint64_t row = 0) {
    if (!is_attached_)
      return;
    const auto id = ++last_id_;
    if (row != 0)
      rows_.insert(id);
    open_insertions_.insert(id);
    known_[id] = {};
    put(change::Insert{{.id = id}, row});
  }

  void hear() {
    step(outbox_input::Heard{});
    is_unheard_ = false;
  }

  std::pair<const std::uint64_t, Known>* any_stored(std::uint32_t number) {
    if (!is_attached_)
      return nullptr;
    std::vector<std::pair<const std::uint64_t, Known>*> result;
    for (auto& one : known_)
      if (one.second.is_stored && one.second.end == ' ')
        result.push_back(&one);
    return result.empty() ? nullptr : result[number % result.size()];
  }

  void put(StoreChange change) {
    std::vector<StoreChange> changes;
    changes.push_back(std::move(change));
    is_halted_ = false;
    step(outbox_input::Put{std::move(changes)});
  }

  // The sender is to be told once the change is stored.
  void put_awaited(std::uint64_t id, StoreChange change) {
    awaited_[id].push_back(std::numeric_limits<std::uint32_t>::max());
    put(std::move(change));
  }

  // The number of its bytes tells a message from those before.
  void set_message(std::uint64_t id) {
    const std::vector<std::byte> bytes(++messages_[id]);
    untold_[id].push_back(messages_[id]);
    put(change::SetMessage{id, {"", bytes}, 0, sender_});
  }

  void pass(Duration span) { now_ = now_ + span; }
  void wake() { step(outbox_input::Wake{}); }

  void go() {
    if (std::exchange(goes_on_, false))
      step(outbox_input::Go{});
  }

  void answer(Mood mood) {
    if (!call_)
      return;
    const auto lines = *std::exchange(call_, std::nullopt);
    std::optional<StoreFailure> failure;
    if (!lines.empty())
      failure = store_.commit(lines, mood);
    else if (mood == Mood::disowned)
      failure = StoreFailure::disowned;
    else if (mood == Mood::refuses)
      failure = StoreFailure::refused;
    else if (mood != Mood::works)
      failure = StoreFailure::unreachable;
    if (failure == StoreFailure::too_large && lines.size() == 1 && lines[0].kind == 'i') {
      letters_.erase(lines[0].id); // it can be in no store
      known_.erase(lines[0].id);
    }
    pass(std::chrono::milliseconds{1} * (last_id_ % 700));
    if (!failure) {
      may_be_sure_until_ = call_began_ + lease / 5 * 4;
      return step(outbox_input::Done{});
    }
    is_lost_ |= *failure == StoreFailure::disowned;
    const auto is_doubtful =
      is_lost_ || *failure == StoreFailure::unreachable || *failure == StoreFailure::refused;
    if (is_doubtful)
      may_be_sure_until_ = Instant{Duration::min()};
    is_reported_ = false;
    has_refused_ = false;
    step(outbox_input::Failed{*failure, "told to"});
    is_unheard_ |= has_refused_ && *failure != StoreFailure::too_large;
    require(is_reported_ || (*failure == StoreFailure::too_large && lines.size() > 1),
            "a failure that no smaller commit mends is reported");
    require(!is_limited_ || !is_attached_ || !is_doubtful || told_sure_until_ <= may_be_sure_until_,
            "nobody stays sure after a call without an answer");
  }

  void step(OutboxInput&& input) {
    OutboxEffects effects;
    engine_.step(now_, std::move(input), effects);
    for (const auto& x : effects)
      std::visit([this](const auto& one) { on(one); }, x);
  }

  void begin(std::vector<Line> lines) {
    require(!call_, "one call at a time");
    require(!is_lost_, "no call once the store is lost");
    call_ = std::move(lines);
    call_began_ = now_;
  }

  void on(const outbox_effect::GoOn& /*x*/) {
    require(!std::exchange(goes_on_, true), "the engine asks once");
  }
  void on(const outbox_effect::Sleep& x) {
    require(x.span > Duration::zero() && x.span <= std::chrono::seconds{10}, "a sleep is bounded");
  }
  void on(const outbox_effect::Commit& x) {
    require(x.changes.size() <= max_batch_ && !x.changes.empty(), "a commit has at most a batch");
    std::vector<Line> lines;
    for (const auto& one : x.changes)
      lines.push_back(WalkedStore::line_of(one));
    begin(std::move(lines));
  }
  void on(const outbox_effect::Renew& /*x*/) { begin({}); }
  void on(const outbox_effect::TidyUp& /*x*/) { require(false, "the store is tidy"); }

  void on(const outbox_effect::TellInsertions& x) {
    require(is_attached_, "an insertion is told of to its sender");
    while (!open_insertions_.empty() && *open_insertions_.begin() <= x.last_id) {
      const auto id = *open_insertions_.begin();
      open_insertions_.erase(open_insertions_.begin());
      const auto is_there = store_.owed.count(id) == 1 || is_ended_unasked(id);
      has_refused_ |= x.failure.has_value();
      if (x.failure) {
        require(is_lost_ || !is_there || letters_.count(id) == 1,
                "what could not be stored is not there");
        known_.erase(id);
      } else {
        require(is_there, "what is told to be stored is there");
        require(!is_unheard_, "nothing is stored before the sender has heard of a refusal");
        known_[id].is_stored = true;
        if (letters_.count(id) == 1)
          known_[id].end = dropped_.count(id) == 1 ? 'd' : 'b';
      }
    }
  }
  void on(const outbox_effect::TellHandOver& x) {
    require(is_attached_, "a count is told of to its sender");
    require(store_.owed.count(x.count.delivery) == 0
              || store_.owed.at(x.count.delivery).hand_overs <= 1,
            "a count that is told of was written");
  }
  void on(const outbox_effect::TellCancelled& x) {
    require(is_attached_, "the end of a cancelled one is told of to its sender");
    const auto found = awaited_.find(x.delivery);
    if (found == awaited_.end())
      return; // an earlier sender's, or it was told of with the one before
    const auto owed = store_.owed.find(x.delivery);
    const auto is_written = [&](std::uint32_t context) {
      return owed == store_.owed.end() || context <= owed->second.context;
    };
    const auto own = std::erase_if(found->second, is_written);
    require(own + std::erase_if(others_await_[x.delivery], is_written) > 0,
            "what is told of a cancelled one was written");
    if (found->second.empty())
      awaited_.erase(found);
  }
  void on(const outbox_effect::TellReplaced& x) {
    require(is_attached_, "what became of a message is told to its sender");
    if (x.sender != sender_)
      return;
    auto& untold = untold_[x.delivery];
    require(!untold.empty(), "each message is told of once");
    const auto version = untold.front();
    untold.pop_front();
    const auto is_there =
      store_.owed.count(x.delivery) == 0 || store_.versions[x.delivery] >= version;
    if (x.failure)
      require(is_lost_ || store_.versions[x.delivery] != version, "what is refused is not there");
    else
      require(is_there, "a message that is told to be stored is there");
    if (!x.failure)
      stored_[x.delivery] = version;
  }
  void on(const outbox_effect::ReportFailure& /*x*/) { is_reported_ = true; }
  void on(const outbox_effect::TellBehind& /*x*/) {
    require(is_attached_, "the sender is told of a change");
  }
  void on(const outbox_effect::TellSure& x) {
    require(is_limited_, "only a lease makes doubtful");
    require(x.is_lost == is_lost_, "lost is what another process owns");
    require(x.until <= may_be_sure_until_,
            "four fifths of the lease after the beginning of a call");
    told_sure_until_ = x.until;
  }

  // Whether it is told to go on, calls, sleeps, or has nothing to do.
  bool has_rest_reason() const {
    if (goes_on_ || call_ || engine_.sleeps_for(now_) > Duration::zero() || is_lost_)
      return true;
    return !is_attached_ || is_halted_ || (engine_.waiting() == 0 && !is_limited_);
  }

  const bool is_limited_;
  const std::size_t max_batch_;
  OutboxEngine engine_;
  WalkedStore store_;
  Instant now_{std::chrono::hours{1}};
  Instant call_began_{};
  Instant may_be_sure_until_{Duration::min()};
  Instant told_sure_until_{Duration::min()};
  std::optional<std::vector<Line>> call_; // empty: a renewal
  std::map<std::uint64_t, Known> known_;
  std::set<std::uint64_t> open_insertions_; // without an outcome
  std::set<std::uint64_t> letters_;         // that were buried before they were stored
  std::uint64_t last_id_ = 0;
  std::string story_;
  bool goes_on_ = false;
  bool is_halted_ = false;
  bool is_reported_ = false;
  bool has_refused_ = false;        // the last call
  bool is_unheard_ = false;         // a refusal
  std::set<std::uint64_t> rows_;    // what was made of rows
  std::set<std::uint64_t> dropped_; // of `letters_`: those that were cancelled
  std::map<std::uint64_t, std::vector<std::uint32_t>> awaited_; // by delivery: contexts, or its end
  std::map<std::uint64_t, std::vector<std::uint32_t>> others_await_; // the same of earlier senders
  std::uint32_t last_context_ = 0;
  std::map<std::uint64_t, std::uint32_t> messages_;           // how many each was given
  std::map<std::uint64_t, std::deque<std::uint32_t>> untold_; // of which nothing is known yet
  std::map<std::uint64_t, std::uint32_t> stored_;             // the last that is told to be stored
  std::set<std::uint64_t> doubtful_; // an earlier sender was not told of all of their messages
  std::uint64_t sender_ = 1;
  bool is_attached_ = false;
  bool is_lost_ = false;
};

} // namespace

TEST(outbox_engine_walk, loses_nothing_and_promises_nothing_that_does_not_hold) {
  EXPECT_TRUE(test::walks_hold(
    [] {
      const auto batch = *test::below<std::size_t>(6);
      const auto wait = *test::below<int>(3);
      return OutboxWalk{*rc::gen::arbitrary<bool>(), batch == 5 ? 40 : batch + 1,
                        std::chrono::milliseconds{20} * wait};
    },
    3, OutboxStep::any(test::below<std::uint32_t>(6000)), 20'000));
}

} // namespace backoff_actor::model_test
