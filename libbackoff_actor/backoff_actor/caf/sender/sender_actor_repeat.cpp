// How a sender keeps the entries of its calendar, and submits what is due.
//
//     Repeat ── Insert ── stored: in the calendar, in place of the entry before; the answer
//                    └─── refused: the calendar is as it was
//
//     a time ── its runs are submitted ── all are stored: SetContext, decided until then
//                                    └─── one is refused: it is submitted again a second later
//
// For the engine an entry is nothing but a number. The store keeps it as a delivery, whose context
// says what it is. So a process that dies at any moment leaves out no run: one that is submitted
// again has the same key.

#include "backoff_actor/caf/calendar/internal/sender_calendar.hpp"
#include "backoff_actor/caf/calendar/repeat.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/sender/internal/idempotency_keys.hpp"
#include "backoff_actor/caf/sender/internal/sender_actor.hpp"
#include "backoff_actor/delivery/internal/delivery_slots.hpp"
#include "backoff_actor/delivery/internal/not_before.hpp"

#include <caf/sec.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace backoff_actor {

namespace {

// Other messages have a turn after so many.
constexpr std::size_t most_runs_at_once = 1000;

// Returns the entry that the message makes, and adds what is wrong with it.
detail::KeptEntry entry_of(const Repeat& x, const ZoneFinder& find_zone, Problems& problems) {
  detail::KeptEntry result;
  result.row.name = x.name;
  result.row.missed = to_string(x.missed);
  result.row.grace = x.grace;
  result.is_paused = x.is_paused;
  if (x.time_to_live != Duration::max())
    result.time_to_live = x.time_to_live;
  result.row.schedule = x.schedule;
  const auto step = detail::calendar_step(
    {"entry", x.schedule, "run_once", Duration{1'000'000'000}, {}}, find_zone, {}, 1);
  if (step.problem.empty())
    result.row.schedule = to_string(parse_schedule(x.schedule, find_zone));
  else
    problems.add("schedule", std::string{"'"}.append(x.schedule).append("'"),
                 std::string{"one that can be read: "}.append(step.problem));
  return result;
}

} // namespace

SenderCalendar& BackOffSender::calendar() {
  auto& result = rare().calendar;
  if (!result)
    result = std::make_unique<SenderCalendar>(options().rare.find_zone,
                                              store_ ? store_->wall_clock() : nullptr, now());
  return *result;
}

SenderCalendar* BackOffSender::calendar_if_any() const {
  const auto* const rare = rare_if_any();
  return rare ? rare->calendar.get() : nullptr;
}

// -- entries ----------------------------------------------------------------------------------

void BackOffSender::repeat(const Repeat& x, compat::OpenRequest client) {
  auto problems = check(x);
  auto entry = entry_of(x, detail::with_utc(options().rare.find_zone), problems);
  if (!problems.empty())
    return refuse(client, caf::make_error(caf::sec::invalid_argument, to_string(problems)));
  const auto phase = engine_.phase();
  if (phase >= Phase::draining)
    return refuse(client, make_error(SenderError::draining));
  auto& known = calendar();
  const auto is_new = !known.find(entry_key(x.name), 0);
  if (is_new && known.book.size() + known.unstored.size() >= options().capacity)
    return refuse(client, make_error(SenderError::outbox_full));
  SenderCalendar::Unstored put;
  put.entry = std::move(entry);
  put.content = {x.message, x.key, known.wall(now())};
  put.client = std::move(client);
  put_entry(std::move(put));
}

// Stores it, unless the same entry is there.
void BackOffSender::put_entry(SenderCalendar::Unstored put) {
  const auto& message = put.content.message;
  if (compat::is_system_message(message))
    return refuse(put.client, compat::system_message_refused());
  if (auto error = needs_bytes() ? compat::unknown_type(system(), message) : caf::error{})
    return refuse(put.client, std::move(error));
  try {
    if (const auto& most = options().rare.capacity_bytes; most && weight_of(message) > *most) {
      Problems problems{put.is_replacement ? "Replace" : "Repeat"};
      problems.add(put.is_replacement ? "payload" : "message",
                   std::string{"one that weighs "}.append(std::to_string(weight_of(message))),
                   std::string{"0.."}
                     .append(std::to_string(*most))
                     .append(", see RareSenderOptions::capacity_bytes"));
      return refuse(put.client, caf::make_error(caf::sec::invalid_argument, to_string(problems)));
    }
    if (store_ && store_->ownership())
      detail::require_text_keys(put.content.key, put.entry.row.name);
    if (store_)
      store_->prepare(system(), message, Instant::never());
    if (is_in_calendar(put))
      return answer_put(put, CalendarChange::unchanged);
  } catch (const NotStorable& exception) {
    return refuse(put.client, make_error(SenderError::not_storable, exception.what()));
  } catch (...) {
    return refuse(put.client, compat::error_of(std::current_exception()));
  }
  const auto delivery = engine_.take_number();
  if (!store_)
    return keep_entry(delivery, std::move(put));
  const auto& book = calendar().book;
  put.context = context_with_time(book.as_put(put.entry, put.content.submitted_at));
  store_->insert(DeliverySlots::none, delivery, now(), put.content.key,
                 entry_key(put.entry.row.name), put.context);
  calendar().unstored.emplace(delivery, std::move(put));
  flush_changes();
}

// In memory it says nothing of the message, which then takes the place of the one before. Throws
// `NotStorable`.
bool BackOffSender::is_in_calendar(const SenderCalendar::Unstored& put) {
  auto& known = calendar();
  const auto& name = put.entry.row.name;
  if (known.last_unstored(name) || !known.book.has(put.entry))
    return false;
  auto& before = known.contents.at(name);
  if (before.key != put.content.key || (store_ && !store_->is_prepared(system(), before.message)))
    return false;
  before.message = put.content.message;
  return true;
}

// The context has the time of the next run, too: for people, and for whoever asks for the entry.
std::string BackOffSender::context_with_time(const detail::KeptEntry& entry) {
  auto result = context_of(entry);
  if (const auto next = calendar().book.next_of(entry))
    detail::add_not_before(result, *next);
  return result;
}

// It is stored, or need not be.
void BackOffSender::keep_entry(std::uint64_t delivery, SenderCalendar::Unstored put) {
  auto& known = calendar();
  const auto name = put.entry.row.name;
  const auto* const before = known.book.find(name);
  const auto former = before ? before->delivery : 0;
  known.book.put(put.entry, delivery, put.content.submitted_at);
  known.contents[name] = std::move(put.content);
  const auto& entry = *known.book.find(name);
  if (store_ && former != 0)
    store_->drop(former, now());
  if (store_ && context_with_time(entry.kept) != put.context)
    store_context(entry);
  using What = event::CalendarEntryChanged::What;
  if (options().on_event)
    tell(
      event::CalendarEntryChanged{now(), name, before ? What::changed : What::added, entry.next});
  answer_put(put, before ? CalendarChange::changed : CalendarChange::added);
  set_calendar_alarm();
}

void BackOffSender::answer_put(SenderCalendar::Unstored& put, CalendarChange change) {
  if (put.is_replacement)
    return answer_cancel(put.client, CancelFound::waiting);
  const auto* const entry = calendar().book.find(put.entry.row.name);
  answer_request(put.client,
                 caf::make_message(RepeatAnswer{change, entry->next.value_or(WallTime{})}));
}

// What the store says of an entry that was inserted.
void BackOffSender::settle_entry(std::uint64_t delivery,
                                 const std::shared_ptr<const Cause>& failure) {
  auto* const known = calendar_if_any();
  if (!known || known->unstored.count(delivery) == 0)
    return; // it was removed meanwhile
  auto put = std::move(known->unstored.extract(delivery).mapped());
  if (failure)
    return refuse(put.client, make_error(SenderError::not_stored, failure->text));
  keep_entry(delivery, std::move(put));
  flush_changes();
}

// Nobody awaits it: the key of a run covers a process that dies before it is stored.
void BackOffSender::store_context(const detail::CalendarBook::Entry& entry) {
  if (store_)
    store_->set_context(entry.delivery, context_with_time(entry.kept));
}

void BackOffSender::flush_changes() {
  if (store_ && store_->flush())
    tell_store_state();
}

// -- orders about an entry -----------------------------------------------------------------------

const std::string* BackOffSender::entry_named(const std::string& key,
                                              std::uint64_t delivery) const {
  const auto* const known = calendar_if_any();
  return known ? known->find(key, delivery) : nullptr;
}

// Its runs stay. What is to take its place and is not stored yet goes, too.
void BackOffSender::cancel_entry(const std::string& named, compat::OpenRequest client) {
  const auto name = named;
  auto& known = calendar();
  const auto* const entry = known.book.find(name);
  auto last = entry ? entry->delivery : 0;
  if (store_ && last != 0)
    store_->drop(last, now());
  while (known.last_unstored(name)) {
    const auto one = std::find_if(known.unstored.begin(), known.unstored.end(),
                                  [&](const auto& x) { return x.second.entry.row.name == name; });
    last = one->first;
    store_->drop(last, now());
    refuse(one->second.client, make_error(SenderError::cancelled));
    known.unstored.erase(one);
  }
  known.book.remove(name);
  known.contents.erase(name);
  if (options().on_event)
    tell(event::CalendarEntryChanged{now(), name, event::CalendarEntryChanged::What::removed,
                                     std::nullopt});
  if (!store_)
    return answer_cancel(client, CancelFound::waiting);
  rare().awaited[last].cancels.push_back({CancelFound::waiting, std::move(client)});
  flush_changes();
}

void BackOffSender::replace_in_entry(const std::string& named, const Replace& x,
                                     compat::OpenRequest client) {
  auto& known = calendar();
  SenderCalendar::Unstored put;
  if (const auto* const last = known.last_unstored(named)) {
    put.entry = last->entry;
    put.content.key = last->content.key;
  } else {
    put.entry = known.book.find(named)->kept;
    put.content.key = known.contents.at(named).key;
  }
  if (put.entry.row.schedule.empty()) {
    Problems problems{"Replace"};
    problems.add("idempotency_key", x.idempotency_key,
                 "that of an entry that can be read: put it anew by Repeat");
    return refuse(client, caf::make_error(caf::sec::invalid_argument, to_string(problems)));
  }
  put.content.message = x.payload;
  put.content.submitted_at = known.wall(now());
  put.is_replacement = true;
  put.client = std::move(client);
  put_entry(std::move(put));
}

AskAnswer BackOffSender::look_at_entry(const std::string& name) {
  auto& known = calendar();
  const auto wall = known.wall(now());
  const auto span = [](WallTime from, WallTime to) {
    return std::max(Duration::zero(),
                    Instant{Duration{to.since_epoch}} - Instant{Duration{from.since_epoch}});
  };
  AskAnswer result;
  result.state = MessageState::waiting;
  const auto* const entry = known.book.find(name);
  if (!entry) { // it is not stored yet
    result.age = span(known.last_unstored(name)->content.submitted_at, wall);
    return result;
  }
  result.delivery = entry->delivery;
  result.age = span(known.contents.at(name).submitted_at, wall);
  if (entry->next)
    result.next_try_in = span(wall, *entry->next);
  return result;
}

// -- what is due ---------------------------------------------------------------------------------

void BackOffSender::set_calendar_alarm() {
  if (auto* const known = calendar_if_any())
    known->set_alarm(system(), address(), now());
}

// What is due may have waited for rows.
void BackOffSender::look_at_calendar_if_caught_up() {
  if (calendar_if_any() && store_ && !store_->is_behind())
    set_calendar_alarm();
}

void BackOffSender::on_calendar_look() {
  auto* known = calendar_if_any();
  if (!known)
    return;
  known->note_alarm();
  if (store_ && store_->is_behind()) // rows that were committed before come first
    return known->set_alarm(system(), address(), now(), detail::CalendarBook::pause);
  const auto wall = known->wall(now());
  for (std::size_t runs = 0; known && runs < most_runs_at_once; known = calendar_if_any()) {
    const auto due = known->book.begin(wall);
    if (!due)
      break;
    runs += std::max<std::size_t>(1, due->runs.size());
    submit_runs(*due, wall);
    if (engine_.has_ended())
      return;
  }
  set_calendar_alarm();
  flush_changes();
}

// What comes behind a run that is refused waits with it.
void BackOffSender::submit_runs(const detail::CalendarBook::Due& due, WallTime wall) {
  if (due.runs.empty())
    return store_context(*calendar().book.find(due.name));
  std::uint64_t submitted = 0;
  WallTime last;
  auto is_refused = false;
  for (const auto time : due.runs) {
    const auto outcome = is_refused ? RunOutcome::refused : submit_run(due.name, time);
    if (engine_.has_ended())
      return;
    is_refused = outcome == RunOutcome::refused;
    if (outcome == RunOutcome::submitted) {
      ++submitted;
      last = time;
    }
    if (outcome == RunOutcome::refused || outcome == RunOutcome::known || !store_)
      settle_run(due.name, time, !is_refused, wall);
  }
  if (submitted > 0 && options().on_event)
    tell(event::CalendarEntryDue{now(), due.name, submitted, last});
}

BackOffSender::RunOutcome BackOffSender::submit_run(const std::string& name, WallTime time) {
  auto& known = calendar();
  auto key = run_key(name, time);
  std::uint32_t slot = 0;
  if (keys().state(key, forget_old_keys(), slot) != IdempotencyKeys::State::unknown)
    return RunOutcome::known; // an earlier process has submitted it
  const auto at = now();
  const auto& content = known.contents.at(name);
  const auto life = known.book.find(name)->kept.time_to_live;
  incoming_ = {content.message, {}, nullptr};
  auto& extra = incoming_.more();
  extra.idempotency_key = std::move(key);
  input::Submit news{deadline(at, life.value_or(Duration::max()))};
  news.has_source = store_ != nullptr;
  const auto number = engine_.last_delivery() + 1;
  try {
    extra.key = content.key.empty() && options().rare.key_of
                  ? options().rare.key_of(content.message)
                  : content.key;
    news.key = number_of(extra.key);
    news.weight = weight_of(content.message);
    if (store_)
      store_->prepare(system(), content.message, news.deadline);
  } catch (...) {
    news.refused = Refusal::unusable;
    take(news, compat::error_of(std::current_exception()));
    return RunOutcome::refused;
  }
  if (store_) {
    extra.is_run = true;
    known.open_runs[number] = {name, time};
  }
  take(at, news);
  if (engine_.has_ended())
    return RunOutcome::refused;
  if (engine_.last_delivery() >= number)
    return RunOutcome::submitted;
  if (auto* const still = calendar_if_any())
    still->open_runs.erase(number);
  return RunOutcome::refused;
}

void BackOffSender::settle_run(const std::string& name, WallTime time, bool is_done,
                               WallTime wall) {
  if (const auto* const entry = calendar().book.settle(name, time, is_done, wall))
    store_context(*entry);
}

// The run is stored, has ended before that, or could not be stored.
void BackOffSender::end_run(std::uint64_t delivery, bool is_done) {
  auto* const known = calendar_if_any();
  if (!known)
    return;
  const auto run = known->open_runs.extract(delivery);
  if (!run)
    return;
  settle_run(run.mapped().name, run.mapped().time, is_done, known->wall(now()));
  set_calendar_alarm();
}

// -- beyond the life of the sender -------------------------------------------------------------

// Of two with the same name the later has taken the place of the earlier.
bool BackOffSender::restore_entry(SuspendedDelivery& x) {
  const auto named = detail::name_in_key(x.idempotency_key);
  if (!named)
    return false;
  const auto& name = *named;
  auto entry = std::optional<detail::KeptEntry>{};
  std::string problem;
  try {
    entry = detail::entry_in(x.context);
    if (!entry)
      return false;
    entry->row.name = name;
  } catch (const std::invalid_argument& exception) {
    problem = exception.what();
  }
  auto& known = calendar();
  if (const auto* const earlier = known.book.find(name))
    store_->drop(earlier->delivery, now());
  known.contents[name] = {std::move(x.message), std::move(x.key), x.submitted_at,
                          entry ? std::string{} : std::move(x.context)};
  const auto& kept = entry ? known.book.restore(std::move(*entry), x.id)
                           : known.book.restore(name, x.id, std::move(problem));
  if (!kept.problem.empty()) {
    std::string text{"the calendar entry "};
    text.append(name).append(" waits: ").append(kept.problem);
    take(input::StoreNotice{std::move(text)});
  }
  return true;
}

// It is not stored yet. The next sender submits it again.
void BackOffSender::leave_run(std::uint64_t delivery, Parcel& parcel) {
  store_->drop(delivery, now());
  for_each_client(parcel, [this](compat::OpenRequest& client) {
    refuse(client, make_error(SenderError::suspended));
  });
}

// The next sender finds them. What is not stored yet was never answered, and goes.
void BackOffSender::leave_entries() {
  auto* const known = calendar_if_any();
  if (!known)
    return;
  for (auto& [delivery, put] : known->unstored) {
    store_->drop(delivery, now());
    refuse(put.client, make_error(SenderError::stopped));
  }
  for (const auto& [name, entry] : known->book.entries()) {
    auto& content = known->contents.at(name);
    SuspendedDelivery rest{entry.delivery, 0, 0, content.submitted_at};
    rest.key = std::move(content.key);
    rest.idempotency_key = entry_key(name);
    rest.context = content.unreadable.empty() ? context_with_time(entry.kept) : content.unreadable;
    rest.message = std::move(content.message);
    store_->suspend_entry(std::move(rest));
  }
}

} // namespace backoff_actor
