#include "backoff_actor/sinks/observatory.hpp"

#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/observe/supervisor_status.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"
#include "backoff_actor/sinks/internal/shown_senders.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <unordered_map>

namespace backoff_actor {

namespace {

Instant present() {
  return {
    std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

// After such a silence the threads of a scheduler count as blocked.
constexpr std::chrono::seconds longest_silence{5};

// After so long without a commit a store counts as broken, and not as slow.
constexpr std::chrono::seconds longest_failure{10};

void add_line(std::string& text, const std::string& line) {
  text.append(detail::one_line(line)).append("\n");
}

// How long until then; 0 if it has passed. `then` may be the beginning of time.
Duration time_left(Instant then, Instant now) { return then > now ? then - now : Duration::zero(); }

std::string whole(Duration span) {
  return to_string(std::chrono::floor<std::chrono::seconds>(span));
}

} // namespace

Problems check(const ObservatoryOptions& options) {
  Problems problems{"ObservatoryOptions"};
  detail::check_count(problems, "max_kinds", options.max_kinds, 1, 100'000);
  return problems;
}

namespace detail {

// -- those who publish ----------------------------------------------------------------

namespace {

constexpr std::size_t phase_bits = 8;
constexpr std::size_t entries_from_bit = 32;
constexpr std::uint64_t most_entries = 0xffff'ffff;
static_assert(phase_bits + sender_flags.size() <= entries_from_bit);

// Does something with each row of a table and its index. The rows are constants, so that this costs
// what it costs to write all of it out.
template <class Table, class Act>
void for_each_row(const Table& table, Act act) {
  std::apply(
    [&](const auto&... row) {
      std::size_t index = 0;
      (act(row, index++), ...);
    },
    table);
}

} // namespace

void publish(Cell<SenderWords::size>& cell, const SenderGlance& glance, Instant now) {
  using Words = SenderWords;
  for_each_row(sender_counters,
               [&](const auto& one, std::size_t i) { cell.set(i, glance.counters.*one.member); });
  cell.set(Words::restarts, glance.*sender_restarts.member);
  for_each_row(sender_gauges, [&](const auto& one, std::size_t i) {
    if (i + 1 < sender_gauges.size())
      cell.set(Words::gauges + i, glance.*one.member);
  });
  cell.set(Words::oldest_since, word_of(glance.oldest_since));
  cell.set(Words::last_turn, word_of(now));
  cell.set(Words::failing_since, word_of(glance.failing_since));
  for_each_row(sender_dues, [&](const auto& one, std::size_t i) {
    cell.set(Words::dues + i, word_of(glance.*one.member));
  });
  auto state = static_cast<std::uint64_t>(glance.phase);
  for_each_row(sender_flags, [&](const auto& one, std::size_t i) {
    state |= static_cast<std::uint64_t>(glance.*one.member) << (phase_bits + i);
  });
  state |= std::min(glance.calendar_entries, most_entries) << entries_from_bit;
  cell.set(Words::state, state);
}

SenderGlance glance_of(const Cell<SenderWords::size>& cell) {
  using Words = SenderWords;
  SenderGlance glance;
  for_each_row(sender_counters,
               [&](const auto& one, std::size_t i) { glance.counters.*one.member = cell.get(i); });
  glance.*sender_restarts.member = cell.get(Words::restarts);
  for_each_row(sender_gauges, [&](const auto& one, std::size_t i) {
    if (i + 1 < sender_gauges.size())
      glance.*one.member = cell.get(Words::gauges + i);
  });
  for_each_row(sender_moments, [&](const auto& one, std::size_t i) {
    glance.*one.member = instant_of(cell.get(Words::oldest_since + i));
  });
  if (glance.owed == glance.scheduled) // it has nothing to do
    glance.silent_since = Instant::never();
  for_each_row(sender_dues, [&](const auto& one, std::size_t i) {
    glance.*one.member = instant_of(cell.get(Words::dues + i));
  });
  const auto state = cell.get(Words::state);
  glance.phase = static_cast<Phase>(state & ((1U << phase_bits) - 1));
  for_each_row(sender_flags, [&](const auto& one, std::size_t i) {
    glance.*one.member = (state >> (phase_bits + i) & 1) != 0;
  });
  glance.calendar_entries = state >> entries_from_bit;
  return glance;
}

void publish(Cell<PoolWords::size>& cell, const PoolGlance& pool) {
  for_each_row(pool_held_back, [&](const auto& one, std::size_t i) {
    cell.set(i, static_cast<std::uint64_t>((pool.*one.member).count()));
  });
  for (std::size_t i = 0; i < PoolWords::states; ++i)
    cell.set(PoolWords::workers + i, pool.workers[i]);
  cell.set(PoolWords::ready, pool.ready);
}

PoolGlance glance_of(const Cell<PoolWords::size>& cell) {
  PoolGlance pool;
  for_each_row(pool_held_back, [&](const auto& one, std::size_t i) {
    pool.*one.member = Duration{static_cast<Duration::rep>(cell.get(i))};
  });
  for (std::size_t i = 0; i < PoolWords::states; ++i)
    pool.workers[i] = cell.get(PoolWords::workers + i);
  pool.ready = cell.get(PoolWords::ready);
  return pool;
}

std::shared_ptr<Operable> SenderKind::operable(std::uint64_t number) {
  const auto [lock, member] =
    find([number](const Member& one) { return one.cell.get(SenderWords::number) == number; });
  return member != nullptr ? static_cast<SenderSeat*>(member)->operable() : nullptr;
}

std::shared_ptr<SenderKind> ObservatoryState::senders(const std::string& name) {
  const std::lock_guard lock{mutex_};
  return senders_.of(name, options_.max_kinds);
}

std::shared_ptr<Kind<SupervisorWords>> ObservatoryState::supervisors(const std::string& name) {
  const std::lock_guard lock{mutex_};
  return supervisors_.of(name, options_.max_kinds);
}

std::shared_ptr<Kind<GuardWords>> ObservatoryState::guards(const std::string& name) {
  const std::lock_guard lock{mutex_};
  return guards_.of(name, options_.max_kinds);
}

std::shared_ptr<Kind<OutboxWords>> ObservatoryState::outboxes(const std::string& name) {
  const std::lock_guard lock{mutex_};
  return outboxes_.of(name, options_.max_kinds);
}

std::shared_ptr<Kind<OwnershipWords>> ObservatoryState::ownerships(const std::string& name) {
  const std::lock_guard lock{mutex_};
  return ownerships_.of(name, options_.max_kinds);
}

std::shared_ptr<Operable> ObservatoryState::operable(const ActorName& sender) const {
  const auto all = kinds();
  const auto kind =
    std::ranges::find(all.senders, sender.kind, [](const auto& x) { return x.first; });
  return kind == all.senders.end() ? nullptr : kind->second->operable(sender.number);
}

void ObservatoryState::add_closable_guard(const std::string& name,
                                          std::weak_ptr<ClosableGuard> guard) {
  const std::lock_guard lock{mutex_};
  std::erase_if(closable_guards_, [](const auto& one) { return one.second.expired(); });
  closable_guards_.emplace(name, std::move(guard));
}

std::vector<std::shared_ptr<ClosableGuard>>
ObservatoryState::closable_guards(const std::string& name) const {
  std::vector<std::shared_ptr<ClosableGuard>> result;
  const std::lock_guard lock{mutex_};
  const auto [begin, end] = closable_guards_.equal_range(name);
  for (auto one = begin; one != end; ++one)
    if (auto guard = one->second.lock())
      result.push_back(std::move(guard));
  return result;
}

std::shared_ptr<Heartbeat> ObservatoryState::add_heartbeat(Instant now) {
  auto result = std::make_shared<Heartbeat>();
  result->beat(now);
  const std::lock_guard lock{mutex_};
  std::erase_if(heartbeats_, [](const auto& one) { return one.expired(); });
  heartbeats_.push_back(result);
  return result;
}

void ObservatoryState::set_caf_version(std::string version) {
  const std::lock_guard lock{mutex_};
  caf_version_ = std::move(version);
}

// -- those who read -------------------------------------------------------------------

ObservatoryState::Kinds ObservatoryState::kinds() const {
  const std::lock_guard lock{mutex_};
  const auto copy = [](const auto& book, auto& to) {
    to.assign(book.all().begin(), book.all().end());
  };
  Kinds result;
  copy(senders_, result.senders);
  copy(supervisors_, result.supervisors);
  copy(guards_, result.guards);
  copy(outboxes_, result.outboxes);
  copy(ownerships_, result.ownerships);
  result.senders_left_out = senders_.left_out();
  result.others_left_out =
    supervisors_.left_out() + guards_.left_out() + outboxes_.left_out() + ownerships_.left_out();
  result.caf_version = caf_version_;
  return result;
}

std::vector<ObservedGuard> ObservatoryState::guards(const Kinds& all, Instant now) {
  using Words = GuardWords;
  std::vector<ObservedGuard> result;
  for (const auto& [name, kind] : all.guards)
    kind->for_each([&, &name = name](const auto& cell) {
      result.push_back(
        {name, cell.get(Words::has_breaker) != 0, static_cast<BreakerState>(cell.get(Words::state)),
         cell.get(Words::has_budget) != 0, std::bit_cast<double>(cell.get(Words::retries_left)),
         cell.get(Words::has_rate) != 0, cell.get(Words::calls_left),
         std::max(now - instant_of(cell.get(Words::state_since)), Duration::zero()),
         time_left(instant_of(cell.get(Words::open_until)), now)});
    });
  return result;
}

ObservedStatus ObservatoryState::status(std::size_t at_most, Instant now) const {
  auto result = status_of_others(at_most, now);
  for_each_sender([&](ObservedSender& sender) { result.senders.push_back(std::move(sender)); });
  result.senders_left_out = keep_shown(result.senders, at_most);
  return result;
}

void ObservatoryState::for_each_sender(const std::function<void(ObservedSender&)>& show) const {
  const FamilyBook::Reader families{*families_};
  for (const auto& [name, kind] : kinds().senders) {
    std::unordered_map<std::uint64_t, PoolGlance> pools; // by the number of their sender
    kind->pools->for_each(
      [&](const auto& cell) { pools.emplace(cell.get(PoolWords::number), glance_of(cell)); });
    std::unordered_map<std::uint64_t, CauseCell::Note> causes;
    kind->causes->for_each([&](const auto& cell) {
      if (auto note = cell.read(); note.at != Instant::never())
        causes.emplace(cell.get(CauseWords::number), std::move(note));
    });
    const auto letters = kind->letters.all();
    kind->for_each([&, &name = name](const auto& cell) {
      ObservedSender sender{{name, cell.get(SenderWords::number)}, glance_of(cell)};
      if (const auto pool = pools.find(sender.name.number); pool != pools.end()) {
        sender.has_pool = true;
        sender.pool = pool->second;
      }
      if (const auto cause = causes.find(sender.name.number); cause != causes.end()) {
        sender.last_cause = std::move(cause->second.text);
        sender.cause_at = cause->second.at;
      }
      if (const auto found = letters.find(sender.name.number); found != letters.end()) {
        sender.dead_letters = found->second.count->get();
        sender.has_outbox = found->second.is_in_outbox;
      }
      families.name_supervisor(sender);
      show(sender);
    });
  }
}

ObservedStatus ObservatoryState::status_of_others(std::size_t at_most, Instant now) const {
  const auto all = kinds();
  ObservedStatus result;
  result.at = now;
  const auto since = [&](Instant then) { return std::max(now - then, Duration::zero()); };
  for (const auto& [name, kind] : all.supervisors)
    kind->for_each([&, &name = name](const auto& cell) {
      if (result.supervisors.size() == at_most) {
        ++result.supervisors_left_out;
        return;
      }
      using Words = SupervisorWords;
      const auto children = [&](ChildState state) {
        return cell.get(Words::children + static_cast<std::size_t>(state));
      };
      result.supervisors.push_back({{name, cell.get(Words::number)},
                                    children(ChildState::running),
                                    children(ChildState::starting),
                                    children(ChildState::waiting),
                                    children(ChildState::ending),
                                    children(ChildState::stopped),
                                    cell.get(Words::restarts),
                                    cell.get(Words::escalations)});
    });
  const FamilyBook::Reader families{*families_};
  std::ranges::for_each(result.supervisors, [&](auto& x) { families.name_supervisor(x); });
  result.guards = guards(all, now);
  for (const auto& [name, kind] : all.outboxes)
    kind->for_each([&, &name = name](const auto& cell) {
      using Words = OutboxWords;
      ObservedOutbox outbox{name, 0, 0, cell.get(Words::waiting_changes), false, {}, {}};
      for (std::size_t i = 0; i < TimeBuckets::count; ++i)
        outbox.commits += cell.get(Words::commit_times + i);
      for (std::size_t i = 0; i < Words::failure_kinds; ++i)
        outbox.failures += cell.get(Words::failures + i);
      const auto failing_since = instant_of(cell.get(Words::failing_since));
      outbox.is_failing = failing_since != Instant::never();
      if (outbox.is_failing)
        outbox.failing_for = since(failing_since);
      outbox.dead_letters = {cell.get(Words::dead_letters),
                             {std::bit_cast<std::int64_t>(cell.get(Words::oldest_dead_letter))}};
      result.outboxes.push_back(std::move(outbox));
    });
  for (const auto& [name, kind] : all.ownerships)
    kind->for_each([&, &name = name](const auto& cell) {
      using Words = OwnershipWords;
      ObservedOwnership ownership{name, cell.get(Words::epoch), {}, cell.get(Words::takeovers), {}};
      if (ownership.epoch != 0)
        ownership.sure_for = time_left(instant_of(cell.get(Words::sure_until)), now);
      ownership.calendar = outlook_of(cell, now);
      result.ownerships.push_back(std::move(ownership));
    });
  return result;
}

// When a sender has last had a turn; the beginning of time if none has.
Instant ObservatoryState::last_turn() const {
  Instant result{};
  for (const auto& [name, kind] : kinds().senders)
    kind->for_each([&](const auto& cell) {
      result = std::max(result, instant_of(cell.get(SenderWords::last_turn)));
    });
  return result;
}

// CAF prefers actors that were just woken by others. So under full load the actor that beats may
// have no turn for long. Then a turn of a sender shows that the threads are not blocked.
ProbeAnswer ObservatoryState::liveness(Instant now) const {
  const auto is_late = [now](Instant last) { return now - last > longest_silence; };
  std::vector<Instant> late;
  {
    const std::lock_guard lock{mutex_};
    for (const auto& one : heartbeats_)
      if (const auto heartbeat = one.lock(); heartbeat && is_late(heartbeat->last()))
        late.push_back(heartbeat->last());
  }
  ProbeAnswer result;
  if (!late.empty() && is_late(last_turn()))
    for (const auto last : late)
      add_line(result.text,
               "the threads of the scheduler have been blocked for " + whole(now - last));
  result.is_ok = result.text.empty();
  if (result.is_ok)
    result.text = "ok\n";
  return result;
}

// A sender that waits for its service is ready: another process would have to wait, too.
ProbeAnswer ObservatoryState::readiness(Instant now) const {
  auto result = liveness(now);
  if (result.is_ok)
    result.text.clear();
  const auto all = kinds();
  for (const auto& [name, kind] : all.senders)
    kind->for_each([&, &name = name](const auto& cell) {
      const auto phase = glance_of(cell).phase;
      if (phase == Phase::draining || phase == Phase::finishing)
        add_line(result.text, to_string(ActorName{name, cell.get(SenderWords::number)}) + ": "
                                + std::string{to_string(phase)});
    });
  for (const auto& [name, kind] : all.outboxes)
    kind->for_each([&, &name = name](const auto& cell) {
      const auto since = instant_of(cell.get(OutboxWords::failing_since));
      if (since != Instant::never() && now - since > longest_failure)
        add_line(result.text,
                 "outbox " + name + ": nothing could be written for " + whole(now - since));
    });
  result.is_ok = result.text.empty();
  if (result.is_ok)
    result.text = "ok\n";
  return result;
}

} // namespace detail

// -- the handle -----------------------------------------------------------------------

Observatory::Observatory(const ObservatoryOptions& options) {
  check(options).raise_if_any();
  state_ = std::make_shared<detail::ObservatoryState>(options);
}

std::vector<MetricFamily> Observatory::metrics() const { return metrics(present()); }
std::vector<MetricFamily> Observatory::metrics(Instant now) const { return state_->metrics(now); }
ObservedStatus Observatory::status(std::size_t at_most) const { return status(at_most, present()); }

ObservedStatus Observatory::status(std::size_t at_most, Instant now) const {
  return state_->status(at_most, now);
}

ProbeAnswer Observatory::liveness() const { return liveness(present()); }
ProbeAnswer Observatory::liveness(Instant now) const { return state_->liveness(now); }
ProbeAnswer Observatory::readiness() const { return readiness(present()); }
ProbeAnswer Observatory::readiness(Instant now) const { return state_->readiness(now); }

} // namespace backoff_actor
