// How a sender turns messages and events of CAF into inputs of the engine.

#include "backoff_actor/caf/sender/internal/sender_actor.hpp"

#include "backoff_actor/caf/actor/internal/sender_registry.hpp"
#include "backoff_actor/caf/child/internal/pending_start.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/held_back.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/messages/retry_after.hpp"
#include "backoff_actor/caf/offered/internal/offer_messages.hpp"
#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/sender/internal/idempotency_keys.hpp"
#include "backoff_actor/core/internal/text_hash.hpp"
#include "backoff_actor/core/text/internal/note_in_context.hpp"
#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/delivery/internal/hand_over_cipher.hpp"
#include "backoff_actor/retry/default_draws.hpp"
#include "backoff_actor/retry/internal/guard_parts.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace backoff_actor {

namespace {

// Returns the error that a child gave, or a substitute if it gave none.
caf::error given(const caf::error& error) {
  return error ? error
               : caf::make_error(caf::sec::runtime_error,
                                 std::string{"the child refused without a reason"});
}

// Blocking actors answer nothing when they crash.
bool blocks(const caf::actor& child) {
  return caf::actor_cast<caf::abstract_actor*>(child)->getf(caf::abstract_actor::is_blocking_flag);
}

// Returns the origin of a sender; 0: its child gets none. Without a name the origin is random, so
// that no other sender in any process has it. CAF's node and actor ids would not do: without a
// middleman, CAF 0.17.6 has no node id.
std::uint64_t origin_of(const SenderOptions& options) {
  if (options.acknowledgement == Acknowledgement::by_reply)
    return 0;
  if (!options.rare.origin.empty())
    return detail::hash_of_text(options.rare.origin);
  return std::max<std::uint64_t>(
    1, detail::mix(seed_of_this_process() ^ next_stream_of_this_process()));
}

} // namespace

const HandOverCipher& cipher_of_this_process() {
  static const HandOverCipher cipher = [] {
    const std::uint64_t bits[] = {random_bits(), random_bits()};
    return HandOverCipher{
      {static_cast<std::uint32_t>(bits[0]), static_cast<std::uint32_t>(bits[0] >> 32),
       static_cast<std::uint32_t>(bits[1]), static_cast<std::uint32_t>(bits[1] >> 32)}};
  }();
  return cipher;
}

// Keeps senders small: a program may have a million idle ones.
static_assert(sizeof(BackOffSender) - sizeof(caf::event_based_actor) <= 256);

// -- birth and death --------------------------------------------------------------

BackOffSender::BackOffSender(caf::actor_config& config, const SenderBlueprint& blueprint)
  : BackOffSender(config, blueprint.settings_) {}

BackOffSender::BackOffSender(caf::actor_config& config,
                             std::shared_ptr<const detail::SenderSettings> settings)
  : RequestingActor(config, compat::TakesWords{}), settings_(std::move(settings)),
    engine_({settings_, &settings_->engine_options}, detail::stream_of_draws(options(), id())),
    is_observed_(settings_->is_observed),
    acknowledges_by_reply_(options().acknowledgement == Acknowledgement::by_reply),
    looks_into_messages_(options().rare.key_of || options().rare.capacity_bytes
                         || options().outbox),
    is_timed_(options().ack_timeout || options().time_to_live || options().guard
              || options().on_event),
    publishes_(settings_->kind != nullptr), origin_(origin_of(options())) {
  compat::keep_cause(*this);
  if (options().guard)
    watch_guard();
  if (options().outbox)
    store_ = std::make_unique<SenderStore>(options().outbox.queue_, address(), now());
  if (store_ && store_->ownership()) // a process that thaws must not go by an old look at the clock
    is_timed_ = true;
  if (detail::SenderRegistry::is_any())
    register_this();
  if (publishes_)
    show_this();
}

caf::behavior BackOffSender::make_behavior() {
  auto result = complete_with_words();
  // This may end the sender. CAF then ignores the behavior that this function returns.
  take(input::Start{store_ ? restore() : 0});
  on_batch_end();
  return result;
}

void BackOffSender::on_exit() {
  if (!engine_.has_ended())
    end_now();
  on_batch_end();
  if (const auto ties = std::exchange(ties_, nullptr); ties && ties->rare)
    end_rare(*ties->rare);
  keep_alive_ = nullptr;
  // The settings may hold handles that refer back to this actor.
  settings_ = nullptr;
  children_ = {};
  RequestingActor::on_exit();
}

void BackOffSender::end_rare(Rare& rare) {
  for (const auto& start : rare.starts)
    start->call_off();
  if (rare.offered)
    for (const auto& maker : rare.offered->makers())
      unwatch_actor(maker);
}

void BackOffSender::on_batch_end() {
  if (publishes_)
    publish();
}

// A guard does not keep its senders alive.
void BackOffSender::watch_guard() {
  ties().guard_watch =
    detail::GuardParts::watch(options().guard, [self = address()](Duration spread) {
      if (const auto alive = caf::actor_cast<caf::actor>(self))
        compat::enqueue(alive, GuardClosed{spread});
    });
}

// At the end of the constructor: a thread that finds this sender may make a handle to it.
void BackOffSender::register_this() {
  const detail::RegisteredSender entry{address(), to_string(own_name()), options().ack_timeout};
  if (auto registration = detail::SenderRegistry::enroll(home_system(), entry))
    ties().registration = std::move(registration);
}

// -- words --------------------------------------------------------------------------

bool BackOffSender::on_word(const compat::Word& word) {
  if (on_childs_word(word))
    return true;
  if (word.as<WakeUp>())
    take(News{input::Wake{}});
  else if (const auto* const submission = word.as<Submit>())
    submit(*submission);
  else if (const auto* const guard = word.as<GuardClosed>())
    take(input::GuardClosed{guard->spread});
  else if (word.as<StoreNews>())
    on_store_news();
  else if (word.as<IncomingNews>())
    on_incoming_news();
  else if (word.as<CatchUp>())
    on_catch_up();
  else if (word.as<OperatorNews>())
    on_operator_news();
  else if (const auto* const start = word.as<StartNews>())
    on_start_news(start->start);
  else if (word.as<Status>())
    tell_status(open_request());
  else if (word.as<CurrentChild>())
    tell_child(open_request());
  else if (word.as<RetryNow>())
    obey(input::RetryNow{});
  else if (word.as<Reset>())
    obey(input::Reset{});
  else if (word.as<Pause>())
    obey(input::Pause{});
  else if (word.as<Resume>())
    obey(input::Resume{});
  else if (const auto* const resize = word.as<Resize>())
    on_resize(*resize);
  else if (const auto* const retire = word.as<RetireWorker>())
    on_retire(*retire);
  else if (const auto* const cancel = word.as<Cancel>())
    on_cancel(*cancel);
  else if (const auto* const drain = word.as<Drain>())
    on_drain(*drain);
  else if (const auto* const stop = word.as<Stop>())
    on_stop(*stop);
  else if (const auto* const finish = word.as<FinishWork>())
    on_finish_work(*finish);
  else if (const auto* const replace = word.as<Replace>())
    on_replace(*replace);
  else if (const auto* const working = word.as<detail::WorkingOn>())
    on_working_on(*working);
  else if (const auto* const asked = word.as<detail::AskNote>())
    tell_note(*asked);
  else if (const auto* const ask = word.as<Ask>())
    on_ask(*ask);
  else if (const auto* const repeat = word.as<Repeat>())
    on_repeat(*repeat);
  else if (word.as<CalendarLook>())
    on_calendar_look();
  else if (const auto* const offer = word.as<OfferWorkers>())
    on_offer(*offer);
  else if (word.as<WithdrawWorkers>())
    on_withdrawal();
  else
    return false;
  return true;
}

// With `Acknowledgement::by_reply` these are ordinary messages.
bool BackOffSender::on_childs_word(const compat::Word& word) {
  if (acknowledges_by_reply_)
    return false;
  if (const auto* const sent = word.as<Sent>())
    on_sent(*sent);
  else if (const auto* const nack = word.as<Nack>())
    on_nack(*nack);
  else if (const auto* const reject = word.as<Reject>())
    on_reject(*reject);
  else if (const auto* const working = word.as<Working>())
    on_working(name_of(working->id), working->id, working->note);
  else
    return false;
  return true;
}

// -- children -----------------------------------------------------------------------

void BackOffSender::on_answer(HandOverId id, caf::message&& answer) {
  if (acknowledges_by_reply_)
    take(input::Acknowledged{id}, std::move(answer));
  else if (answer.match_elements<Sent>())
    on_sent(answer.get_as<Sent>(0));
  else if (answer.match_elements<Nack>())
    on_nack(answer.get_as<Nack>(0));
  else if (answer.match_elements<Reject>())
    on_reject(answer.get_as<Reject>(0));
  // A child that acknowledges with `Sent` may return other values, which mean nothing. Mostly it
  // returns none.
}

// Returns bits that no other sender of the process has.
std::uint64_t BackOffSender::own_bits() const {
  const auto system = reinterpret_cast<std::uintptr_t>(&home_system());
  return detail::mix(id() ^ detail::mix(system));
}

std::uint64_t BackOffSender::id_of(HandOverId name) const {
  return cipher_of_this_process().id_of({name.value ^ own_bits()});
}

HandOverId BackOffSender::name_of(std::uint64_t id) const {
  return {cipher_of_this_process().name_of(id).value ^ own_bits()};
}

void BackOffSender::on_sent(const Sent& sent) {
  auto answer = sent.answer;
  take(input::Acknowledged{name_of(sent.id), sent.id}, std::move(answer));
}

// The class of a failure that the child itself calls retryable.
FailureReason BackOffSender::reason_of_refusal(const caf::error& error) const {
  if (options().by_reason.empty())
    return {};
  return detail::decide(options().decider, FailureKind::error_answer, error).reason;
}

void BackOffSender::on_nack(const Nack& nack) {
  auto error = given(nack.error);
  const auto asked_for =
    nack.retry_after > Duration::zero() ? std::optional{nack.retry_after} : retry_after_of(error);
  const input::Nacked news{name_of(nack.id), cause_of(error, true),
                           asked_for,        detail::said_blame_of(error),
                           nack.id,          reason_of_refusal(error)};
  take(news, std::move(error));
}

void BackOffSender::on_reject(const Reject& reject) {
  auto error = given(reject.error);
  const input::Rejected news{name_of(reject.id), cause_of(error, is_observed_), reject.id};
  take(news, std::move(error));
}

// The child works, whatever is wrong with its note.
void BackOffSender::on_working(HandOverId name, std::uint64_t said, const std::string& note) {
  static_assert(Working::largest_note == input::Working::largest_note);
  Problems problems{"Working"};
  if (note.size() > Working::largest_note)
    problems.add("note", std::to_string(note.size()) + " bytes",
                 "0.." + std::to_string(Working::largest_note) + " bytes");
  if (!problems.empty())
    refuse_word(problems);
  take(input::Working{name, said, note});
}

// What the sender of the current message was given by this request. The name of a request is no
// secret: others have nothing in hand.
std::optional<SenderEngine::InHand> BackOffSender::in_hand_of_current(std::uint64_t request) {
  const auto result = engine_.in_hand({request});
  const auto* const child = result ? children_.find(result->incarnation) : nullptr;
  if (!child || child->handle != current_mailbox_element()->sender)
    return std::nullopt;
  return result;
}

void BackOffSender::on_working_on(const detail::WorkingOn& word) {
  const auto name = in_hand_of_current(word.request) ? HandOverId{word.request}
                                                     : name_of(word.request); // names none
  on_working(name, word.request, word.note);
}

void BackOffSender::tell_note(const detail::AskNote& word) {
  const auto found = in_hand_of_current(word.request);
  const auto* const extra = found ? parcels_[found->slot].extra.get() : nullptr;
  auto client = open_request();
  answer_request(client,
                 caf::make_message(extra ? detail::note_in(extra->context) : std::string{}));
}

void BackOffSender::on_error_answer(HandOverId id, const caf::error& error,
                                    const caf::strong_actor_ptr& from) {
  const auto decision = detail::decide(options().decider, FailureKind::error_answer, error);
  const auto with_text = is_observed_ || decision.verdict != Verdict::reject;
  const auto* const child = children_.find(from);
  // A child may pass the delivery on to another actor. If that one is gone, the child has not
  // crashed.
  const auto is_bounce = !from || (child && compat::is_bounce(error));
  const auto is_settled = from && (!child || blocks(child->handle));
  const auto is_service_failure =
    options().guard && detail::is_service_failure(decision.blame, error);
  const input::ErrorAnswer news{id,       cause_of(error, with_text), is_bounce, is_settled,
                                decision, is_service_failure};
  take(news, error);
}

void BackOffSender::on_child_down(std::uint32_t incarnation, const caf::error& reason) {
  const auto may_be_failure = reason || engine_.owed() > 0;
  const auto decision = may_be_failure
                          ? detail::decide(options().decider, FailureKind::child_down, reason)
                          : Decision{Verdict::retry};
  const auto end = end_of(incarnation, reason);
  take({input::ChildDown{incarnation, cause_of(reason, true), decision, end}, reason});
}

// Keeps the last text: to render an error of CAF takes longer than to decide about it, and in a
// storm of errors most are equal to the one before.
Cause BackOffSender::cause_of(const caf::error& error, bool with_text) {
  if (!with_text || !error || !error.context().empty())
    return compat::cause_of(home_system(), error, with_text);
  auto& last = rare().last_bare;
  if (last.code != compat::cause_of(home_system(), error, false).code)
    last = compat::cause_of(home_system(), error, true);
  return last;
}

// -- control --------------------------------------------------------------------------

void BackOffSender::obey(Input input) {
  auto client = open_request();
  take(std::move(input));
  tell_status(std::move(client));
}

void BackOffSender::tell_status(compat::OpenRequest client) {
  auto status = engine_.status(now());
  status.name = own_name();
  if (store_)
    status.store_notices = store_->notices();
  if (const auto* const known = calendar_if_any())
    status.calendar_entries = known->book.size();
  answer_request(client, caf::make_message(std::move(status)));
}

void BackOffSender::tell_child(compat::OpenRequest client) {
  const auto incarnation = engine_.living_child();
  answer_request(client,
                 caf::make_message(ChildHandle{children_.handle(incarnation), incarnation}));
}

// Refuses what cannot be: the client is told the field, the value and the range.
void BackOffSender::on_resize(const Resize& resize) {
  auto pool = settings_->engine_options.pool;
  Problems problems{"Resize"};
  const auto kinds = engine_.status(now()).pool.kinds; // earlier ones may have changed them
  for (std::size_t i = 0; i < kinds.size(); ++i)
    pool.kinds[i].workers = kinds[i].workers;
  if (options().pool.offered.most > 0)
    pool.kinds.pop_back(); // the processes that offer workers say how many there are
  if (resize.kind >= pool.kinds.size())
    problems.add("kind", std::to_string(resize.kind),
                 pool.kinds.empty() ? "none, for this sender has no pool"
                                    : "0.." + std::to_string(pool.kinds.size() - 1));
  else
    pool.kinds[resize.kind].workers = resize.workers;
  if (options().pool.offered.most > 0 && pool.kinds.front().workers == WorkerCount{0, 0})
    pool.kinds.front().workers = {0, 1}; // is allowed then, see `check(SenderOptions)`
  problems.add_nested("pool", check(pool));
  if (!problems.empty())
    return refuse_word(problems);
  obey(input::Resize{static_cast<std::uint16_t>(resize.kind), resize.workers});
}

void BackOffSender::on_retire(const RetireWorker& x) {
  Problems problems{"RetireWorker"};
  const auto workers = engine_.status(now()).pool.workers;
  const auto found = std::ranges::find(workers, x.worker, &WorkerStatus::number);
  if (found == workers.end())
    problems.add("worker", std::to_string(x.worker), "the number of a worker of this pool");
  else if (offered_if_any() && found->kind == detail::kind_of_offered(options().pool))
    problems.add("worker", std::to_string(x.worker), "one that no other process offers");
  if (!problems.empty())
    return refuse_word(problems);
  obey(input::RetireWorker{static_cast<std::uint16_t>(x.worker)});
}

void BackOffSender::refuse_word(const Problems& problems) {
  auto client = open_request();
  refuse(client, caf::make_error(caf::sec::invalid_argument, to_string(problems)));
}

void BackOffSender::on_drain(const Drain& drain) {
  const auto ticket = ++rare().last_ticket;
  rare().drains.emplace(ticket, open_request());
  take(input::Drain{ticket, now() + drain.within});
}

void BackOffSender::on_stop(const Stop& stop) {
  if (stop.grace > Duration::zero()) {
    closing().clients.push_back(open_request());
    take(input::Finish{now() + stop.grace, true});
  } else {
    rare().stops.push_back(open_request());
    take(input::Stop{});
  }
}

// The supervisor ends its other children in order, and says when the turn of this sender has come.
void BackOffSender::on_finish_work(const FinishWork& x) {
  auto request = open_request();
  const auto* const supervisor = own_kind(request.client);
  if (supervisor == nullptr || !supervisor->limits_ends())
    return refuse(request, caf::make_error(caf::sec::unexpected_message));
  closing().supervisor = request.client;
  closing().clients.push_back(std::move(request));
  if (x.ends && !rare().exit_reason)
    rare().exit_reason = caf::exit_reason::user_shutdown;
  take(input::Finish{x.until, false});
  if (x.ends)
    take(input::Stop{false});
}

BackOffSender::Closing& BackOffSender::closing() {
  auto& result = rare().closing;
  if (!result) {
    const auto status = engine_.status(now());
    result = std::make_unique<Closing>(
      Closing{status.counters, static_cast<std::uint32_t>(status.abandoned), {}, {}});
  }
  return *result;
}

// A supervisor limits the time by itself, and kills a sender that takes longer. Without such a
// parent the sender limits the time.
void BackOffSender::on_told_to_end(const caf::actor_addr& source, const caf::error& reason) {
  if (!rare().exit_reason)
    rare().exit_reason = reason;
  const auto who = caf::actor_cast<caf::strong_actor_ptr>(source);
  const auto* const parent = own_kind(who);
  take(input::Stop{parent == nullptr || !parent->limits_ends()});
}

} // namespace backoff_actor
