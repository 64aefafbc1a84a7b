#pragma once

#include "reference_parts.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor::model_test {

/// What the reference sender owes and whom it has for it. Deliveries are spoken of by their ids,
/// because pointers do not outlive an ending; `taken` and `told` collect what one input leads to.
class ReferenceState {
public:
  explicit ReferenceState(const EngineOptions& given)
    : options(given), primary{.is_fallback = false,
                              .backoff = given.backoff,
                              .epoch = 0,
                              .max_window = given.max_in_flight,
                              .window = given.max_in_flight} {}

  enum class Mode { normal, on_fallback, returning };

  /// It was told to end, or has given up, and waits for its children.
  struct Ending {
    DeadLetterReason reason;
    std::optional<Cause> cause;
    Instant patience_until = Instant::never();
    bool is_pressing = false; // the children's time was over once
  };

  /// It was told to finish what is in flight, and to end then or to wait until it is told.
  struct Finishing {
    bool ends;
    bool is_told; // that it has finished
  };

  EngineOptions options;
  Lines taken; // effects
  Lines told;  // events
  Instant now;

  std::vector<Delivery> deliveries; // ghosts, too; in order of submission
  Lane primary;
  std::optional<Lane> fallback;
  Service service_of_worker;
  Service service_of_fallback;
  std::optional<std::uint64_t> heeded_answers; // of others that share the guard
  std::vector<std::uint64_t> to_pause;         // in this step, in the order in which they failed
  bool has_own_limits = false; // something came with a limit of its own, and something is owed
  Mode mode = Mode::normal;
  std::uint32_t incarnation = 0;
  bool is_paused = false;
  bool is_store_behind = false;
  Instant sure_until = Instant::never();
  bool is_store_lag_told = false;
  bool is_draining = false;
  bool is_stopped = false;
  std::optional<Finishing> finishing;
  std::optional<Ending> ending;
  Instant finish_by = Instant::never();
  bool has_begun = false; // it was told to
  std::vector<Drain> drains;
  std::vector<std::uint32_t> abandoned;
  std::optional<Instant> wake_up; // that was asked for and has not come
  SenderCounters counters;
  std::uint64_t restarts = 0;

  // -- what there is ---------------------------------------------------------------------

  std::vector<Lane*> lanes() {
    std::vector<Lane*> result{&primary};
    if (fallback)
      result.push_back(&*fallback);
    return result;
  }

  Lane* lane_with(std::uint32_t which) {
    for (auto* lane : lanes())
      if (lane->incarnation == which && lane->child != Child::none)
        return lane;
    return nullptr;
  }

  /// The lane whose child has the delivery.
  Lane* lane_of(const Delivery& x) {
    return x.is_in_flight ? lane_with(x.hand_overs.back().incarnation) : nullptr;
  }

  Delivery* find(std::uint64_t id) {
    for (auto& x : deliveries)
      if (x.id == id)
        return &x;
    return nullptr;
  }

  const Delivery* find(std::uint64_t id) const {
    for (const auto& x : deliveries)
      if (x.id == id)
        return &x;
    return nullptr;
  }

  Delivery* find(HandOverId name) {
    for (auto& x : deliveries)
      for (const auto& hand_over : x.hand_overs)
        if (hand_over.name == name)
          return &x;
    return nullptr;
  }

  static bool is_latest(const Delivery& x, HandOverId name) {
    return x.hand_overs.back().name == name;
  }

  /// What the lane's child has, ghosts too; first the one whose acknowledgement is waited for.
  std::vector<Delivery*> in_flight(const Lane& lane) {
    std::vector<Delivery*> result;
    for (auto& x : deliveries)
      if (x.is_in_flight && x.hand_overs.back().incarnation == lane.incarnation)
        result.push_back(&x);
    std::sort(result.begin(), result.end(),
              [](const Delivery* x, const Delivery* y) { return x->turn < y->turn; });
    return result;
  }

  /// Only strict order keeps a place for a delivery whose time has not come.
  bool is_put_off(const Delivery& x) const {
    return x.scheduled_for && options.ordering != Ordering::strict;
  }

  /// Those that are put off come last, in order of their times; the others in order of their
  /// places.
  std::vector<std::uint64_t> owed() const {
    std::vector<const Delivery*> all;
    for (const auto& x : deliveries)
      if (x.is_owed)
        all.push_back(&x);
    std::stable_sort(all.begin(), all.end(), [&](const Delivery* x, const Delivery* y) {
      if (is_put_off(*x) != is_put_off(*y))
        return is_put_off(*y);
      return is_put_off(*x) ? *x->scheduled_for < *y->scheduled_for : x->place < y->place;
    });
    std::vector<std::uint64_t> result;
    for (const auto* x : all)
      result.push_back(x->id);
    return result;
  }

  bool is_anything_due() const {
    return std::any_of(deliveries.begin(), deliveries.end(),
                       [](const Delivery& x) { return x.is_owed && !x.scheduled_for; });
  }

  std::uint64_t next_place() { return ++places_; }

  /// The time of some has come.
  void begin_what_is_due() {
    std::vector<Delivery*> due;
    for (auto& x : deliveries)
      if (x.scheduled_for && *x.scheduled_for <= now)
        due.push_back(&x);
    std::stable_sort(due.begin(), due.end(), [](const Delivery* x, const Delivery* y) {
      return *x->scheduled_for < *y->scheduled_for;
    });
    for (auto* x : due) {
      if (is_put_off(*x))
        x->place = next_place();
      x->submitted_at = std::max(x->submitted_at, *x->scheduled_for);
      x->scheduled_for.reset();
    }
  }

  std::uint64_t owed_bytes() const {
    std::uint64_t result = 0;
    for (const auto& x : deliveries)
      if (x.is_owed)
        result += x.weight;
    return result;
  }

  /// One of a key at a time.
  bool is_behind_its_key(const Delivery& x) const {
    if (options.ordering != Ordering::per_key || x.key == 0)
      return false;
    return std::any_of(deliveries.begin(), deliveries.end(), [&](const Delivery& y) {
      return y.key == x.key && !is_put_off(y) && y.place < x.place;
    });
  }

  /// In strict order nothing behind it is handed over.
  bool holds_up_all(const Delivery& x) const {
    return x.is_kept && options.ordering == Ordering::strict;
  }

  bool is_closing() const { return finishing || ending; }

  /// Whether no child has anything that is owed, and the store has taken all.
  bool is_finished() const {
    return std::none_of(deliveries.begin(), deliveries.end(), [](const Delivery& x) {
      return x.is_owed && (x.is_in_flight || !x.is_stored);
    });
  }

  /// When the child of the lane is out of time.
  std::optional<Instant> ack_due(const Lane& lane) {
    const auto list = in_flight(lane);
    if (!options.ack_timeout || list.empty() || lane.child != Child::alive || ending)
      return std::nullopt;
    auto begin = list.front()->clock_start;
    if (options.works_on == WorksOn::one)
      begin = std::max(begin, lane.last_progress);
    return begin + *options.ack_timeout;
  }

  /// The earliest instant at which something is due.
  Instant earliest_due() {
    auto result = Instant::never();
    const auto consider = [&](std::optional<Instant> at) {
      if (at)
        result = std::min(result, *at);
    };
    if (is_stopped)
      return result;
    for (const auto* lane : lanes()) {
      consider(lane->due);
      consider(lane->grace_end);
      consider(ack_due(*lane));
    }
    for (const auto& x : deliveries) {
      consider(x.pauses_until);
      consider(x.scheduled_for);
      if (x.is_owed)
        consider(x.deadline);
    }
    for (const auto& drain : drains)
      consider(drain.deadline);
    if (ending)
      consider(ending->patience_until);
    if (finishing && finishing->ends)
      consider(finish_by);
    return result;
  }

  // -- how it stands ---------------------------------------------------------------------

  /// Whether the lane's child is the one that works, and so is started as soon as it may be.
  bool serves(const Lane& lane) const {
    return !is_closing() && lane.is_fallback == (mode == Mode::on_fallback);
  }

  const Lane& serving() const { return mode == Mode::on_fallback ? *fallback : primary; }

  Phase phase() const {
    if (is_stopped)
      return Phase::stopped;
    if (ending)
      return Phase::stopping;
    if (finishing)
      return Phase::finishing;
    if (is_draining)
      return Phase::draining;
    if (serving().due)
      return Phase::waiting;
    return serving().child == Child::alive ? Phase::running : Phase::starting;
  }

  Instant due() const {
    return is_stopped ? Instant::never() : serving().due.value_or(Instant::never());
  }

  SenderStatus status(Instant at) const {
    SenderStatus result;
    result.phase = phase();
    result.is_paused = is_paused;
    result.is_on_fallback = mode != Mode::normal;
    result.incarnation = incarnation;
    result.restarts = restarts;
    result.abandoned = abandoned.size();
    result.is_delayed = due() != Instant::never();
    result.due_in = result.is_delayed ? std::max(due() - at, Duration::zero()) : Duration::zero();
    result.retries = primary.backoff.retries();
    result.total_retries = primary.backoff.total_retries();
    result.resets = primary.backoff.resets();
    result.last_delay = primary.backoff.wait_time();
    result.owed = owed().size();
    result.unstored = static_cast<std::uint64_t>(
      std::count_if(deliveries.begin(), deliveries.end(),
                    [](const Delivery& x) { return x.is_owed && !x.is_stored; }));
    result.is_store_behind = is_store_behind;
    result.owed_bytes = owed_bytes();
    result.in_flight = static_cast<std::uint64_t>(
      std::count_if(deliveries.begin(), deliveries.end(),
                    [](const Delivery& x) { return x.is_owed && x.is_in_flight; }));
    result.ghosts = is_stopped ? 0
                               : static_cast<std::uint64_t>(std::count_if(
                                 deliveries.begin(), deliveries.end(),
                                 [](const Delivery& x) { return !x.is_owed && !x.is_kept; }));
    result.scheduled = is_stopped ? 0
                                  : static_cast<std::uint64_t>(std::count_if(
                                    deliveries.begin(), deliveries.end(),
                                    [](const Delivery& x) { return x.scheduled_for.has_value(); }));
    result.with_note = static_cast<std::uint64_t>(
      std::count_if(deliveries.begin(), deliveries.end(),
                    [](const Delivery& x) { return x.is_owed && !x.note.empty(); }));
    if (const auto all = owed(); !all.empty() && !is_put_off(*find(all.front())))
      result.oldest_age = at - find(all.front())->submitted_at;
    result.counters = counters;
    if (const auto& failed_at = service_of_worker.failed_at; !is_stopped && !failed_at.empty()) {
      result.is_service_down = service_of_worker.is_down();
      result.nothing_succeeded_for = at - failed_at.front();
      result.unanswered_failures = static_cast<std::uint32_t>(failed_at.size());
    }
    return result;
  }

protected:
  template <class E>
  void tell(const E& event) {
    told.push_back(describe(Event{event}));
  }

  void hint(event::Hint::About about, std::uint64_t id, std::uint64_t waiting = 0) {
    if (hints_.insert(about).second)
      tell(event::Hint{now, about, id, waiting});
  }

  const Cause* last_failure_of(const Delivery& x) const {
    return last_failure_of(x, primary.last_failure ? &*primary.last_failure : nullptr);
  }

  /// Its own, if it was charged for one.
  static const Cause* last_failure_of(const Delivery& x, const Cause* otherwise) {
    return x.last_failure ? &*x.last_failure : otherwise;
  }

  // -- the ends of deliveries ------------------------------------------------------------

  void erase(std::uint64_t id) {
    forget_held(id);
    std::erase_if(deliveries, [&](const Delivery& x) { return x.id == id; });
  }

  static bool is_held(const Lane& lane, std::uint64_t id) {
    return std::any_of(lane.held.begin(), lane.held.end(),
                       [&](const Held& x) { return x.delivery == id; });
  }

  void forget_held(std::uint64_t id) {
    for (auto* lane : lanes())
      std::erase_if(lane->held, [&](const Held& x) { return x.delivery == id; });
  }

  void count_accepted(std::uint64_t id) {
    ++counters.accepted;
    tell(event::Accepted{now, id});
  }

  void bury(std::uint64_t id, DeadLetterReason reason, const Cause* cause) {
    auto& x = *find(id);
    taken.push_back(dead_letter_line(id, reason, x.attempts, x.submitted_at, cause));
    if (reason == DeadLetterReason::not_stored) {
      tell(event::NotAccepted{now, Refusal::not_stored});
      ++counters.refused;
    } else {
      if (!x.is_stored)
        count_accepted(id); // as a dead letter
      tell(event::DeadLettered{now, id, reason, x.attempts, cause != nullptr ? *cause : Cause{}});
      ++counters.dead_lettered;
    }
    x.is_stored = true;
    if (reason == DeadLetterReason::expired && x.is_in_flight)
      x.is_owed = false; // an error that is held for it still tells whose the crash was
    else if (reason == DeadLetterReason::cancelled)
      leave(id);
    else
      erase(id);
  }

  /// What was cancelled is gone once that is stored. Until then nothing overtakes it.
  void leave(std::uint64_t id) {
    auto& x = *find(id);
    const auto has_place =
      options.ordering == Ordering::strict || (options.ordering == Ordering::per_key && x.key != 0);
    if (!options.persist || x.is_end_stored || !has_place || is_put_off(x))
      return erase(id);
    forget_held(id);
    x.is_owed = x.is_in_flight = false;
    x.is_kept = x.is_stored = true;
    x.hand_overs.clear();
    x.pauses_until.reset();
    x.scheduled_for.reset();
    x.pause_asked.reset();
  }

  void end_cancelled(std::uint64_t id) {
    auto& x = *find(id);
    if (x.wants_letter)
      return bury(id, DeadLetterReason::cancelled, last_failure_of(x, nullptr));
    taken.push_back(cancelled_line(id));
    if (!x.is_stored)
      count_accepted(id);
    tell(event::Cancelled{now, id, x.attempts});
    ++counters.cancelled;
    leave(id);
  }

  /// What has failed is gone.
  void begin_anew(Delivery& x) {
    tell(event::Replaced{now, x.id, x.attempts});
    x.attempts = 0;
    x.has_failed = false;
    x.is_suspect = false;
    x.last_failure.reset();
    x.uncharged_since.reset();
    x.reason = {};
    x.own_backoff = BackOff{x.own_backoff.policy(), x.own_backoff.seed(), x.own_backoff.stream()};
  }

  /// Nothing that happens to such a child is anybody's failure.
  bool holds_cancelled(const Lane& lane) {
    const auto list = in_flight(lane);
    return std::any_of(list.begin(), list.end(),
                       [](const Delivery* x) { return x->is_owed && x->is_cancelled; });
  }

  void end_child_of_cancelled(Lane& lane) {
    if (lane.child != Child::alive || ending)
      return;
    taken.push_back(tell_to_end_line(lane.incarnation));
    lane.child = Child::leaving;
    lane.grace_end = now + options.kill_grace;
  }

  /// What was charged outlives the sender, if what was charged does.
  void note_failure(Delivery& x, const Cause& cause) {
    x.last_failure = cause;
    if (options.persist)
      taken.push_back(count_line(x.id, x.attempts));
  }

  // -- whose fault a failure is ----------------------------------------------------------

  bool is_by_evidence() const {
    return (options.max_attempts || has_own_limits || options.by_reason.has_max_attempts())
           && options.charging.rule == Charging::Rule::by_evidence;
  }

  void forget_evidence() {
    has_own_limits = false;
    service_of_worker = service_of_fallback = {};
    heeded_answers.reset();
  }

  Service& service_of(const Lane& lane) {
    return lane.is_fallback ? service_of_fallback : service_of_worker;
  }

  /// It may have been charged with its last attempt while a child had it again.
  void charge(Delivery& x) const { x.attempts += is_exhausted(x) ? 0U : 1U; }

  void count_attempts(const Delivery& x) {
    if (options.persist)
      taken.push_back(count_line(x.id, x.attempts));
  }

  /// Nobody is to blame for what failed while the service was down.
  void take_charges_back(const Service& service) {
    std::vector<std::uint64_t> ids;
    for (const auto& x : service.failures)
      if (x.is_charged && std::find(ids.begin(), ids.end(), x.delivery) == ids.end())
        ids.push_back(x.delivery);
    for (const auto id : ids) {
      auto* found = find(id);
      if (found == nullptr || !found->is_owed)
        continue;
      for (const auto& x : service.failures)
        if (x.delivery == id && x.is_charged)
          --found->attempts;
      count_attempts(*found);
    }
  }

  std::uint64_t answers_of_others() const {
    return options.guard ? static_cast<const OpenGuard&>(*options.guard).others : 0;
  }

  /// What the service did for others is known before the next failure is judged.
  void heed_others(const Lane& lane) {
    if (!heeded_answers)
      heeded_answers = answers_of_others();
    if (lane.is_fallback || *heeded_answers == answers_of_others())
      return;
    heeded_answers = answers_of_others();
    note_answer(lane, 0);
  }

  void tell_if_nothing_succeeds(const Lane& lane) {
    auto& service = service_of(lane);
    const auto count = service.failed_at.size();
    if (service.is_told || !(service.is_down() || count >= 10))
      return;
    service.is_told = true;
    const auto suspected = service.is_down() ? 0 : service.failures.back().delivery;
    tell(event::NothingSucceeds{now, service.failed_at.front(), static_cast<std::uint32_t>(count),
                                suspected, lane.is_fallback});
  }

  /// The delivery failed; 0: it is not known which. Returns whose fault it is, as far as is known.
  Blame blame_of(const Lane& lane, std::uint64_t id, Blame said) {
    const auto* x = find(id);
    if (!is_by_evidence())
      return said == Blame::unknown ? Blame::message : said;
    const auto is_evidence = said == Blame::unknown && x != nullptr && x->is_owed;
    if (said == Blame::service || is_evidence)
      heed_others(lane);
    x = find(id);
    auto& service = service_of(lane);
    const auto was_down = service.is_down();
    if (said == Blame::service) {
      service.is_said_down = true;
      service.failed_at.push_back(now);
      if (!was_down)
        take_charges_back(service);
      tell_if_nothing_succeeds(lane);
    }
    if (!is_evidence)
      return said;
    if (service.back_at && x->clock_start < *service.back_at)
      return Blame::service;
    const auto was_charged = x->attempts > 0;
    const auto is_new = std::none_of(service.failures.begin(), service.failures.end(),
                                     [&](const auto& y) { return y.delivery == id; });
    service.failures.push_back({id, was_charged, false});
    service.failed_at.push_back(now);
    if (service.is_down() && !was_down)
      take_charges_back(service);
    tell_if_nothing_succeeds(lane);
    if (service.is_down())
      return Blame::service;
    const auto is_at_once = was_charged || (x->has_failed && is_new);
    service.failures.back().is_charged = is_at_once;
    return is_at_once ? Blame::message : Blame::unknown;
  }

  /// The service did what the delivery asked, or refused it for good.
  void note_answer(const Lane& lane, std::uint64_t id) {
    if (!is_by_evidence())
      return;
    auto& service = service_of(lane);
    const auto was_down = service.is_down();
    if (std::exchange(service.is_told, false))
      tell(event::SucceedsAgain{now, service.failed_at.front(),
                                static_cast<std::uint32_t>(service.failed_at.size()),
                                lane.is_fallback});
    const auto before = std::exchange(service.failures, {});
    service.failed_at.clear();
    service.is_said_down = false;
    if (was_down) {
      service.back_at = now;
      return;
    }
    const auto open =
      std::find_if(before.begin(), before.end(), [](const auto& x) { return !x.was_charged; });
    const auto is_charged = std::any_of(before.begin(), before.end(), [&](const auto& x) {
      return x.is_charged && x.delivery == open->delivery;
    });
    if (open == before.end() || is_charged)
      return;
    auto* x = open != before.end() && open->delivery != id ? find(open->delivery) : nullptr;
    if (x == nullptr || !x->is_owed || x->is_cancelled)
      return;
    charge(*x);
    x->uncharged_since.reset();
    if (is_exhausted(*x) && !x->is_in_flight) {
      const auto cause = x->last_failure;
      return bury(x->id, DeadLetterReason::attempts_exhausted, cause ? &*cause : nullptr);
    }
    count_attempts(*x);
  }

  /// The delivery failed, and stays owed unless this was too much. Returns whether it is owed.
  bool charge_with(std::uint64_t id, const Cause& cause, Blame blame, FailureReason reason) {
    auto& x = *find(id);
    x.has_failed = true;
    if (blame == Blame::message)
      charge(x);
    x.reason = reason;
    if (is_exhausted(x)) {
      bury(id, DeadLetterReason::attempts_exhausted, &cause);
      return false;
    }
    x.last_failure = cause;
    if (blame == Blame::message) {
      count_attempts(x);
      x.uncharged_since.reset();
      return true;
    }
    if (!is_by_evidence() || !limit_of(x))
      return true;
    x.uncharged_since = x.uncharged_since.value_or(now);
    const auto bound = options.charging.give_up_after;
    if (!bound || now - *x.uncharged_since < *bound)
      return true;
    const Cause because{cause.code, cause.text + "; not charged for "
                                      + to_string(now - *x.uncharged_since)
                                      + ", as the service may have been down"};
    bury(id, DeadLetterReason::expired, &because);
    return false;
  }

  /// A later sender goes on with it.
  void leave_to_the_store(std::uint64_t id) {
    const auto& x = *find(id);
    if (!x.is_stored)
      count_accepted(id); // where it came from has it still
    taken.push_back(suspend_line(id, x.attempts, x.submitted_at, x.deadline));
    tell(event::Suspended{now, id, x.attempts});
    ++counters.suspended;
    erase(id);
  }

  void keep_own(Delivery& x, const input::OwnTerms& own) {
    if (own.retries)
      keep_own_retries(x, *own.retries);
    if (own.has_note)
      x.note = restored_note;
    if (own.not_before <= now)
      return;
    x.scheduled_for = own.not_before;
    tell(event::Scheduled{now, x.id, own.not_before});
  }

  void keep_own_retries(Delivery& x, const OwnRetries& retries) {
    x.own_retries = retries;
    has_own_limits = has_own_limits || retries.max_attempts;
    if (retries.backoff)
      x.own_backoff = BackOff{*retries.backoff, x.own_backoff.seed(), x.own_backoff.stream()};
  }

  /// Takes the next step of its own backoff. An event has the resets of that step alone.
  BackOff step_own_backoff(Delivery& x, FailureReason reason) const {
    const auto before = std::exchange(x.own_backoff, x.own_backoff.next());
    if (const auto* own = x.own_retries.backoff ? nullptr : options.by_reason.find(reason);
        own != nullptr && own->backoff)
      return as_far(*own->backoff, before, before.total_retries() + 1);
    auto state = x.own_backoff.state();
    state.resets -= before.resets();
    return {x.own_backoff.policy(), x.own_backoff.seed(), x.own_backoff.stream(), state};
  }

  std::optional<std::uint32_t> limit_of(const Delivery& x) const {
    if (x.own_retries.max_attempts)
      return x.own_retries.max_attempts;
    const auto* own = options.by_reason.find(x.reason);
    return own != nullptr && own->max_attempts ? own->max_attempts : options.max_attempts;
  }

  bool waits_alone(const Delivery& x) const {
    return options.backoff_by == BackoffBy::message || x.own_retries.backoff;
  }

  bool is_exhausted(const Delivery& x) const {
    const auto limit = limit_of(x);
    return limit && x.attempts >= *limit;
  }

  /// How much of the wish counts beside a backoff's own wait.
  Duration obeyed(Duration wish, Duration own) const {
    const auto bound = options.retry_after.bound;
    switch (options.retry_after.rule) {
    case RetryAfterReading::Rule::give_up:
    case RetryAfterReading::Rule::cut:
      return std::min(wish, bound);
    case RetryAfterReading::Rule::cut_to_backoff_plus:
      return std::min(wish, own + bound);
    case RetryAfterReading::Rule::ignore:
      break;
    }
    return Duration::zero();
  }

  bool takes_the_place(std::optional<Duration> wish) const {
    return wish && *wish > Duration::zero() && options.retry_after.replaces_backoff
           && options.retry_after.rule != RetryAfterReading::Rule::ignore;
  }

  Duration with_wish(Duration own, std::optional<Duration> wish) const {
    const auto asked = obeyed(wish.value_or(Duration::zero()), own);
    return takes_the_place(wish) ? asked : std::max(own, asked);
  }

private:
  std::set<event::Hint::About> hints_;
  std::uint64_t places_ = 0;
};

} // namespace backoff_actor::model_test
