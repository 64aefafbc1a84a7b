#pragma once

// What each sort of actor publishes: the numbers, and who keeps them by name.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/incoming.hpp"
#include "backoff_actor/guard/guard_status.hpp"
#include "backoff_actor/observe/sender_numbers.hpp"
#include "backoff_actor/sinks/internal/cause_cell.hpp"
#include "backoff_actor/sinks/internal/cell.hpp"
#include "backoff_actor/sinks/internal/families.hpp"
#include "backoff_actor/sinks/internal/letter_book.hpp"
#include "backoff_actor/sinks/internal/operable.hpp"
#include "backoff_actor/sinks/internal/time_buckets.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace backoff_actor::detail {

// -- senders ------------------------------------------------------------------------

// The rows of observe/sender_numbers.hpp, in their order.
struct SenderWords {
  enum : std::size_t {
    restarts = sender_counters.size(),
    counters,
    gauges = counters,
    oldest_since = gauges + sender_gauges.size() - 1, // the moments
    last_turn, // `silent_since`, but also of one that owes nothing
    failing_since,
    dues,
    state = dues + sender_dues.size(), // the phase, a bit for each flag, and the last gauge
    number, // of the actor
    size,
  };
};
static_assert(SenderWords::dues == SenderWords::oldest_since + sender_moments.size()
              && sender_moments[1].member == &SenderGlance::silent_since);
// Most senders have no entries of a calendar. So their number has no word of its own.
static_assert(sender_gauges.back().member == &SenderNumbers::calendar_entries);

BACKOFF_ACTOR_EXPORT void publish(Cell<SenderWords::size>& cell, const SenderGlance& glance,
                                  Instant now);
BACKOFF_ACTOR_EXPORT SenderGlance glance_of(const Cell<SenderWords::size>& cell);

// How long messages took; only a sender that had one acknowledged has these.
struct TimeWords {
  static constexpr std::size_t each = TimeBuckets::count + 1; // buckets, then the sum in ns
  enum : std::size_t {
    delivery_times,
    attempt_times = delivery_times + each,
    counters = attempt_times + each,
  };
};

// A cell of these words in half the room: counts of buckets have 32 bits here. A full one is to be
// retired before it is added to; a sender in a hurry fills one in an hour.
class TimesCell {
public:
  static constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();

  // Counts a span in the histogram of this number. Returns false if its bucket is full.
  bool add(std::size_t histogram, std::size_t bucket, std::uint64_t nanoseconds) {
    auto& count = buckets_[histogram * TimeBuckets::count + bucket];
    const auto before = count.load(std::memory_order_relaxed);
    if (before == most)
      return false;
    auto& sum = sums_[histogram];
    count.store(before + 1, std::memory_order_relaxed);
    sum.store(sum.load(std::memory_order_relaxed) + nanoseconds, std::memory_order_relaxed);
    return true;
  }

  std::uint64_t get(std::size_t word) const {
    const auto histogram = word / TimeWords::each;
    return is_sum(word) ? sums_[histogram].load(std::memory_order_relaxed)
                        : buckets_[word - histogram].load(std::memory_order_relaxed);
  }

  void set(std::size_t word, std::uint64_t value) {
    const auto histogram = word / TimeWords::each;
    if (is_sum(word))
      sums_[histogram].store(value, std::memory_order_relaxed);
    else
      buckets_[word - histogram].store(static_cast<std::uint32_t>(value),
                                       std::memory_order_relaxed);
  }

private:
  static constexpr bool is_sum(std::size_t word) {
    return word % TimeWords::each == TimeBuckets::count;
  }

  std::array<std::atomic<std::uint32_t>, 2 * TimeBuckets::count> buckets_{};
  std::array<std::atomic<std::uint64_t>, 2> sums_{};
  // So that no cache line has what two senders count.
  [[maybe_unused]] std::array<std::uint64_t, 4> room_{};
};
using TimeKind = Kind<TimeWords, TimesCell, alignof(std::uint64_t)>;

// What became of messages that were refused or given up; only a sender that had any has these.
struct ReasonWords {
  static constexpr std::size_t refusals = 6;
  static constexpr std::size_t dead_letter_reasons = 12;
  enum : std::size_t {
    refused,
    dead_lettered = refused + refusals,
    counters = dead_lettered + dead_letter_reasons,
    size = counters,
  };
};

// Counts a span in a histogram of a cell, which begins at the word `first`.
template <std::size_t Size>
void add_time(Cell<Size>& cell, std::size_t first, std::uint64_t nanoseconds) {
  cell.add(first + TimeBuckets::of(nanoseconds));
  cell.add(first + TimeBuckets::count, nanoseconds);
}

// A histogram that many threads write, but seldom.
class SharedTimes {
public:
  void add(Duration span) {
    const auto nanoseconds = TimeBuckets::nanoseconds(span);
    words_[TimeBuckets::of(nanoseconds)].fetch_add(1, std::memory_order_relaxed);
    words_[TimeBuckets::count].fetch_add(nanoseconds, std::memory_order_relaxed);
  }

  // The buckets, then the sum in ns.
  std::array<std::uint64_t, TimeBuckets::count + 1> read() const {
    std::array<std::uint64_t, TimeBuckets::count + 1> result{};
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = words_[i].load(std::memory_order_relaxed);
    return result;
  }

private:
  std::array<std::atomic<std::uint64_t>, TimeBuckets::count + 1> words_{};
};

// The pool of a sender; only a sender that has one has these.
struct PoolWords {
  static constexpr std::size_t states = 5; // of workers
  enum : std::size_t {
    counters = pool_held_back.size(), // in ns
    workers = counters,               // by state
    ready = workers + states,
    number, // of its sender's name
    size,
  };
};

BACKOFF_ACTOR_EXPORT void publish(Cell<PoolWords::size>& cell, const PoolGlance& pool);
PoolGlance glance_of(const Cell<PoolWords::size>& cell);

class SenderSeat;

// Of a seat, what is behind its words changes so seldom that no cache line has words of two.
using SeatKind = Kind<SenderWords, Cell<SenderWords::size>, alignof(std::uint64_t)>;

struct SenderKind : SeatKind {
  const std::shared_ptr<TimeKind> times = std::make_shared<TimeKind>();
  const std::shared_ptr<Kind<ReasonWords>> reasons = std::make_shared<Kind<ReasonWords>>();
  const std::shared_ptr<Kind<PoolWords>> pools = std::make_shared<Kind<PoolWords>>();
  const std::shared_ptr<Kind<CauseWords, CauseCell>> causes =
    std::make_shared<Kind<CauseWords, CauseCell>>();
  OperableBook operables;
  LetterBook letters;
  SharedTimes delays; // that were drawn after failures

  // The sender of this number, for an operator; null: there is none.
  BACKOFF_ACTOR_EXPORT std::shared_ptr<Operable> operable(std::uint64_t number);
};

// A sender in its kind. One thread at a time uses it. A program may have a million: what only some
// of them have is behind a pointer.
class SenderSeat : public SeatKind::Member {
  struct Rare {
    std::unique_ptr<Kind<ReasonWords>::Member> reasons{};         // none: nothing to count yet
    std::unique_ptr<Kind<PoolWords>::Member> pool{};              // none: it has no pool
    std::unique_ptr<Kind<CauseWords, CauseCell>::Member> cause{}; // none: it has not failed
  };

  SenderKind& kind() const { return static_cast<SenderKind&>(*Member::kind()); }
  std::uint64_t number() const { return cell.get(SenderWords::number); }

  Rare& rare() {
    if (!rare_)
      rare_ = std::make_unique<Rare>();
    return *rare_;
  }

  // The cell of a member, which is made if it is not there.
  template <class OneMember, class OneKind>
  static auto& of(std::unique_ptr<OneMember>& member, const std::shared_ptr<OneKind>& kind) {
    if (!member)
      member = std::make_unique<OneMember>(kind);
    return member->cell;
  }

  // Counts a span in the histogram of this number.
  void add_time(std::size_t histogram, std::uint64_t nanoseconds) {
    auto& times = of(times_, kind().times);
    const auto bucket = TimeBuckets::of(nanoseconds);
    if (times.add(histogram, bucket, nanoseconds)) [[likely]]
      return;
    kind().times->retire(times, histogram * TimeWords::each + bucket);
    times.add(histogram, bucket, nanoseconds);
  }

  // The same as `of`, for words that have the number of the sender.
  template <class OneMember, class OneKind>
  auto& numbered(std::unique_ptr<OneMember> Rare::*member, const std::shared_ptr<OneKind>& kind) {
    auto& result = of(rare().*member, kind);
    result.set(number_word(*kind), number());
    return result;
  }
  static constexpr std::size_t number_word(const Kind<PoolWords>&) { return PoolWords::number; }
  static constexpr std::size_t number_word(const Kind<CauseWords, CauseCell>&) {
    return CauseWords::number;
  }

public:
  // The maker may be called from any thread until this ends.
  SenderSeat(std::shared_ptr<SenderKind> kind, std::uint64_t number, OperableMaker maker = {})
    : Member(std::move(kind)), maker_(maker) {
    cell.set(SenderWords::number, number);
  }

  SenderSeat(const SenderSeat&) = delete;
  SenderSeat& operator=(const SenderSeat&) = delete;
  ~SenderSeat() {
    if (has_letters_)
      kind().letters.remove(number());
    kind().operables.end(maker_);
  }

  // What operators see; null: nobody can act on the sender.
  std::shared_ptr<Operable> operable() { return kind().operables.of(maker_); }

  // Shows how many dead letters of the sender are kept, as long as it is seen.
  void show_letters(SenderLetters letters) {
    has_letters_ = true;
    kind().letters.add(number(), std::move(letters));
  }
  bool shows_letters() const { return has_letters_; }

  void publish(const SenderGlance& glance, Instant now) { detail::publish(cell, glance, now); }

  void publish(const PoolGlance& pool) {
    detail::publish(numbered(&Rare::pool, kind().pools), pool);
  }

  // Keeps the beginning of the text.
  void note_cause(std::string_view text, Instant now) {
    numbered(&Rare::cause, kind().causes).write(text, now);
  }

  void note_refused(std::size_t reason) {
    of(rare().reasons, kind().reasons).add(ReasonWords::refused + reason);
  }

  void note_dead_letter(std::size_t reason) {
    of(rare().reasons, kind().reasons).add(ReasonWords::dead_lettered + reason);
  }

  void note_acknowledged(Instant at, Instant submitted_at, Instant handed_over_at) {
    add_time(0, TimeBuckets::between(submitted_at, at));
    add_time(1, TimeBuckets::between(handed_over_at, at));
  }

private:
  bool has_letters_ = false;                  // they are in the book
  std::unique_ptr<TimeKind::Member> times_{}; // none: nothing was acknowledged yet
  std::unique_ptr<Rare> rare_{};              // none: it has none of that
  OperableMaker maker_;                       // the book's lock protects it
};

// -- supervisors ----------------------------------------------------------------------

struct SupervisorWords {
  static constexpr std::size_t states = 5; // of children
  enum : std::size_t {
    restarts,
    escalations,
    counters,
    children = counters, // by state
    number = children + states,
    size,
  };
};

// A supervisor in its kind. One thread at a time uses it.
class SupervisorSeat {
public:
  SupervisorSeat(std::shared_ptr<Kind<SupervisorWords>> kind, std::shared_ptr<FamilyBook> book,
                 ActorName name)
    : member_(std::move(kind)), family_(std::move(book), std::move(name)) {
    member_.cell.set(SupervisorWords::number, family_.number());
  }

  // An actor becomes a child, or is one no longer.
  void add_child(std::uint64_t number) { family_.add(number); }
  void remove_child(std::uint64_t number) { family_.remove(number); }

  void set_children(std::size_t state, std::uint64_t count) {
    member_.cell.set(SupervisorWords::children + state, count);
  }

  void set_restarts(std::uint64_t count) { member_.cell.set(SupervisorWords::restarts, count); }

  void note_escalation() { member_.cell.add(SupervisorWords::escalations); }

private:
  Kind<SupervisorWords>::Member member_;
  Family family_;
};

// -- guards ---------------------------------------------------------------------------

struct GuardWords {
  static constexpr std::size_t states = 4; // of a breaker
  enum : std::size_t {
    held_back_by_breaker,
    held_back_by_budget,
    held_back_by_rate,
    changes, // by the state that the breaker changed to
    counters = changes + states,
    has_breaker = counters,
    state,
    has_budget,
    retries_left, // a double
    has_rate,
    calls_left,
    state_since, // an instant
    open_until,  // an instant; never: the breaker is not open
    size,
  };
};

// A guard in its kind. It counts from its construction on, because an earlier seat of the guard may
// have left its counts with the same kind. The guard's lock protects it.
class GuardSeat {
public:
  GuardSeat(std::shared_ptr<Kind<GuardWords>> kind, const GuardStatus& status, Instant now)
    : member_(std::move(kind)), before_(status.counters) {
    member_.cell.set(GuardWords::state, static_cast<std::size_t>(status.breaker));
    member_.cell.set(GuardWords::state_since, word_of(now));
    publish(status, now);
  }

  void publish(const GuardStatus& status, Instant now) {
    auto& cell = member_.cell;
    cell.set(GuardWords::held_back_by_breaker,
             status.counters.held_back_by_breaker - before_.held_back_by_breaker);
    cell.set(GuardWords::held_back_by_budget,
             status.counters.held_back_by_budget - before_.held_back_by_budget);
    cell.set(GuardWords::held_back_by_rate,
             status.counters.held_back_by_rate - before_.held_back_by_rate);
    const auto state = static_cast<std::size_t>(status.breaker);
    if (cell.get(GuardWords::state) != state) {
      cell.add(GuardWords::changes + state);
      cell.set(GuardWords::state_since, word_of(now));
    }
    const auto is_open = status.breaker == BreakerState::open;
    cell.set(GuardWords::open_until, word_of(is_open ? now + status.open_for : Instant::never()));
    cell.set(GuardWords::has_breaker, status.has_breaker ? 1 : 0);
    cell.set(GuardWords::state, state);
    cell.set(GuardWords::has_budget, status.has_budget ? 1 : 0);
    cell.set(GuardWords::retries_left, std::bit_cast<std::uint64_t>(status.retries_left));
    cell.set(GuardWords::has_rate, status.has_rate ? 1 : 0);
    cell.set(GuardWords::calls_left, status.calls_left);
  }

private:
  Kind<GuardWords>::Member member_;
  GuardCounters before_;
};

// -- shared outboxes ------------------------------------------------------------------

// An outbox that several processes want, in a process that stands by or owns it.
struct OwnershipWords {
  enum : std::size_t {
    takeovers,
    counters,
    epoch = counters, // 0: it stands by
    sure_until,       // an instant; only with an epoch
    has_calendar,     // only with an epoch
    next_entry,       // an instant; never: no entry will be due; only with a calendar
    entry_problems,   // entries that cannot run; only with a calendar
    size,
  };
};

// What its calendar says; none: it has none, or stands by.
inline std::optional<CalendarOutlook> outlook_of(const Cell<OwnershipWords::size>& cell,
                                                 Instant now) {
  using Words = OwnershipWords;
  if (cell.get(Words::epoch) == 0 || cell.get(Words::has_calendar) == 0)
    return std::nullopt;
  CalendarOutlook result{.problems = cell.get(Words::entry_problems)};
  if (const auto next = instant_of(cell.get(Words::next_entry)); next != Instant::never())
    result.next_in = next - now;
  return result;
}

// The ownership of a shared outbox in its kind, or a process that waits for it. Has one writer at a
// time.
class OwnershipSeat {
public:
  explicit OwnershipSeat(std::shared_ptr<Kind<OwnershipWords>> kind) : member_(std::move(kind)) {}

  void own(std::uint64_t epoch) {
    member_.cell.add(OwnershipWords::takeovers);
    set_sure_until({Duration::min()});
    member_.cell.set(OwnershipWords::epoch, epoch);
  }
  void lose() { member_.cell.set(OwnershipWords::epoch, 0); }
  void set_sure_until(Instant at) { member_.cell.set(OwnershipWords::sure_until, word_of(at)); }

  // One thread at a time writes these words, which need not be that of the others.
  void set_calendar(Instant next, std::uint64_t problems) {
    member_.cell.set(OwnershipWords::next_entry, word_of(next));
    member_.cell.set(OwnershipWords::entry_problems, problems);
    member_.cell.set(OwnershipWords::has_calendar, 1);
  }

private:
  Kind<OwnershipWords>::Member member_;
};

// -- outboxes -------------------------------------------------------------------------

struct OutboxWords {
  static constexpr std::size_t failure_kinds = 13;
  static constexpr std::array<double, 4> batch_bounds{1, 10, 100, 1000};
  enum : std::size_t {
    failures,                                        // by kind
    commit_times = failures + failure_kinds,         // buckets, then the sum in ns
    batches = commit_times + TimeBuckets::count + 1, // buckets, then the sum
    counters = batches + batch_bounds.size() + 2,
    waiting_changes = counters,
    failing_since,      // an instant; never: the last commit succeeded
    dead_letters,       // that are there
    oldest_dead_letter, // a wall time; only with `dead_letters`
    size,
  };
};

// A durable outbox in its kind. The outbox's lock protects it.
class OutboxSeat {
public:
  explicit OutboxSeat(std::shared_ptr<Kind<OutboxWords>> kind) : member_(std::move(kind)) {
    set_failing_since(Instant::never());
  }

  void set_waiting(std::size_t changes) { cell().set(OutboxWords::waiting_changes, changes); }

  void note_commit(Duration took, std::size_t changes) {
    add_time(cell(), OutboxWords::commit_times, TimeBuckets::nanoseconds(took));
    std::size_t bucket = 0;
    while (bucket < OutboxWords::batch_bounds.size()
           && static_cast<double>(changes) > OutboxWords::batch_bounds[bucket])
      ++bucket;
    cell().add(OutboxWords::batches + bucket);
    cell().add(OutboxWords::batches + OutboxWords::batch_bounds.size() + 1, changes);
    set_failing_since(Instant::never());
  }

  // The lock of the store protects these two words.
  void set_letters(const DeadLetterTally& tally) {
    cell().set(OutboxWords::dead_letters, tally.count);
    cell().set(OutboxWords::oldest_dead_letter,
               std::bit_cast<std::uint64_t>(tally.oldest.since_epoch));
  }

  void note_failure(std::size_t failure, Instant now) {
    cell().add(OutboxWords::failures + failure);
    if (instant_of(cell().get(OutboxWords::failing_since)) == Instant::never())
      set_failing_since(now);
  }

private:
  Cell<OutboxWords::size>& cell() { return member_.cell; }
  void set_failing_since(Instant at) { cell().set(OutboxWords::failing_since, word_of(at)); }

  Kind<OutboxWords>::Member member_;
};

} // namespace backoff_actor::detail
