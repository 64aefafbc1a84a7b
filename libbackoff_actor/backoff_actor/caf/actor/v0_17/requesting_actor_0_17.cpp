// `RequestingActor` for CAF 0.17.6.

#include "backoff_actor/caf/actor/internal/v0_17/requesting_actor_0_17.hpp"

#include "backoff_actor/caf/actor/internal/v0_17/mailbox_elements_0_17.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"

#include <caf/actor_clock.hpp>
#include <caf/atom.hpp>
#include <caf/detail/sync_request_bouncer.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>
#include <caf/monitorable_actor.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>
#include <caf/type_nr.hpp>

#include <cstddef>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace backoff_actor::compat {

// -- the alarm ----------------------------------------------------------------

namespace {

const caf::atom_value wake_up = caf::atom("wakeup");

// The clock of CAF 0.17.6 keeps the receiver of a pending timeout alive until the timeout is due.
// So the receiver is this small actor with a weak reference to its owner: a sender that nobody
// needs can end while its delay runs. A timeout replaces an earlier one of the same type.
class Alarm final : public caf::monitorable_actor {
public:
  Alarm(caf::actor_config& config, caf::weak_actor_ptr owner)
    : caf::monitorable_actor(config), owner_(std::move(owner)) {}

  void enqueue(caf::mailbox_element_ptr, caf::execution_unit* context) override {
    if (auto owner = owner_.lock())
      owner->enqueue(nullptr, caf::make_message_id(), caf::make_message(WakeUp{}), context);
  }

private:
  caf::weak_actor_ptr owner_;
};

// The remaining stages of a request to a composition of actors (`f * g`). Sends the answer of one
// stage on to the next stage, as that stage's request.
class Stages final : public caf::monitorable_actor {
public:
  Stages(caf::actor_config& config, caf::mailbox_element& request)
    : caf::monitorable_actor(config), client_(request.sender), id_(request.mid),
      stages_(std::move(request.stages)) {}

  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* context) override {
    if (stages_.empty())
      return; // it was answered
    const auto next = std::move(stages_.back());
    stages_.pop_back();
    next->enqueue(caf::make_mailbox_element(std::move(client_), id_, std::exchange(stages_, {}),
                                            element->move_content_to_message()),
                  context);
  }

private:
  caf::strong_actor_ptr client_;
  caf::message_id id_;
  caf::mailbox_element::forwarding_stack stages_;
};

// Whether CAF gives the message to the actor's handlers. Otherwise CAF acts on it itself.
bool is_left_to_handlers(const caf::type_erased_tuple& content) {
  const auto type = content.type_token();
  if (type == caf::make_type_token<caf::atom_value, caf::atom_value, std::string>())
    return content.get_as<caf::atom_value>(0) != caf::sys_atom::value
           || content.get_as<caf::atom_value>(1) != caf::get_atom::value;
  return !is_order(type) && type != caf::make_type_token<caf::open_stream_msg>();
}

// Whether the scheduler runs jobs in place of actors. CAF's test scheduler looks for the actors.
bool takes_jobs(caf::actor_system& system) { return system.scheduler().detaches_utility_actors(); }

constexpr auto ours = own_request_bit;
static_assert(caf::message_id::request_id_mask == 2 * ours - 1);

} // namespace

// -- the actor ----------------------------------------------------------------

// All types without a CAF number share one token. The mangled names of library types (Itanium C++
// ABI) begin with the name of the namespace.
bool Word::is_one(const caf::type_erased_tuple& content) {
  constexpr std::string_view own = "N13backoff_actor";
  return content.type_token() == caf::make_type_token<WakeUp>()
         && std::strncmp(content.type(0).second->name(), own.data(), own.size()) == 0;
}

void JobQueue::exec_later(caf::resumable*) {
  if (context_ != nullptr)
    context_->exec_later(&job_);
  else
    job_.actor().home_system().scheduler().enqueue(&job_);
}

RequestingActor::RequestingActor(caf::actor_config& config)
  : RequestingActorBase(config), takes_words_(false), is_job_taken_(takes_jobs(home_system())) {}

RequestingActor::RequestingActor(caf::actor_config& config, TakesWords)
  : RequestingActorBase(config), takes_words_(true), is_job_taken_(takes_jobs(home_system())) {}

void RequestingActor::complete_handlers() {
  set_down_handler([this](caf::down_msg& down) {
    if (tells_of_own_end(current_mailbox_element()->sender, down.source))
      on_down(down.source, down.reason);
  });
  set_default_handler(
    [this](caf::scheduled_actor*, caf::message_view& view) -> caf::result<caf::message> {
      take_message(view);
      return caf::delegated<caf::message>{};
    });
}

caf::behavior RequestingActor::complete_with_words() {
  complete_handlers();
  set_exit_handler([this](caf::exit_msg& x) {
    if (x.reason)
      on_told_to_end(x.source, x.reason);
  });
  return {
    [](const WakeUp&) {}}; // CAF never calls it; but without any behavior, CAF would end the actor
}

// Moves the content out of its element, unless the element can be kept with it.
void RequestingActor::take_message(caf::message_view& view) {
  std::exception_ptr failure;
  auto payload = at_work_ != nullptr && passes_on_ && at_work_->element.get() == &view
                     && KeptContent::can_be_kept(*at_work_->element)
                   ? KeptContent::keep(at_work_->element)
                   : content_of(view, failure);
  if (!failure)
    return on_message(std::move(payload));
  refuse_current(error_of(failure));
}

void RequestingActor::take(caf::mailbox_element& element) {
  const auto& content = element.content();
  if (!Word::is_one(content) || !on_word(Word{content})) {
    take_message(element);
  } else if (element.mid.is_request() && !element.mid.is_answered()) {
    auto client = open_request();
    answer_request(client, {});
  }
}

// If `on_response` answers a client with this very content, `respond` sends the element on.
void RequestingActor::take_response(caf::mailbox_element& element) {
  const auto name = name_of_request(element.mid);
  if (auto* const message = message_in(element); message != nullptr && !message->empty())
    return on_response(name, std::move(*message), element.sender);
  std::exception_ptr failure;
  auto content = content_of(element, failure);
  if (failure)
    content = caf::make_message(error_of(failure));
  on_response(name, std::move(content), element.sender);
}

// Whether the element is for this class, and CAF need not see it.
bool RequestingActor::is_for_this(const caf::mailbox_element& element) const {
  if (element.mid.is_response())
    return (element.mid.integer_value() & ours) != 0;
  return takes_words_ && is_left_to_handlers(element.content());
}

caf::resumable::resume_result RequestingActor::resume(caf::execution_unit* context,
                                                      std::size_t max_throughput) {
  forget_recent_now();
  return caf::event_based_actor::resume(context, max_throughput);
}

// Urgent messages overtake others, so they always go into the mailbox. So do answers to requests
// that were made in CAF's own way.
bool RequestingActor::may_wait(const caf::mailbox_element& element) const {
  return takes_words_ && element.mid.is_normal_message()
         && (!element.mid.is_response() || is_for_this(element));
}

// A message for CAF itself may wait in a batch, too, so that no later message overtakes it. But it
// never begins a batch.
void RequestingActor::enqueue(caf::mailbox_element_ptr element, caf::execution_unit* context) {
  if (may_wait(*element) && batch_.put(element, is_for_this(*element)))
    return;
  JobQueue queue{context, job_};
  RequestingActorBase::enqueue(std::move(element), is_job_taken_ ? &queue : context);
}

caf::invoke_message_result RequestingActor::consume(caf::mailbox_element& element) {
  const auto is_first = may_wait(element) && is_for_this(element);
  const auto result = take_this(element);
  if (is_first)
    take_batch(element);
  on_batch_end();
  return result;
}

caf::invoke_message_result RequestingActor::take_this(caf::mailbox_element& element) {
  if (is_for_this(element))
    take_own(element);
  else if (element.mid.is_response() || !take_in_place_of_caf(element))
    return caf::event_based_actor::consume(element);
  return caf::invoke_message_result::consumed;
}

// Takes a message that CAF would not answer: CAF would end this actor, or ignore the message.
// Returns whether the element was such a message.
bool RequestingActor::take_in_place_of_caf(caf::mailbox_element& element) {
  const auto& content = element.content();
  switch (content.type_token()) {
  case caf::make_type_token<caf::exit_msg>():
    if (const auto& source = content.get_as<caf::exit_msg>(0).source;
        source && is_told_of_end(source) && has_ended(source)) {
      unlink_from(source);
      return true;
    }
    return false;
  case caf::make_type_token<caf::down_msg>():
    if (!element.mid.is_request())
      return false;
    break;
  case caf::make_type_token<caf::timeout_msg>():
    if (!takes_words_)
      return false; // the actor may have set it itself
    break;
  case caf::make_type_token<caf::error>():
    break;
  default:
    return false;
  }
  current_element_ = &element;
  on_system_message(element.move_content_to_message());
  return true;
}

void RequestingActor::take_own(caf::mailbox_element& element) {
  current_element_ = &element;
  if (element.mid.is_response())
    take_response(element);
  else
    take(element);
}

caf::strong_actor_ptr RequestingActor::own_reference() {
  return at_work_ != nullptr ? at_work_->reference() : caf::strong_actor_ptr{ctrl()};
}

// Takes the messages that wait for `first`, the message in the mailbox. An exception ends this
// actor: this function then refuses the open requests in the rest of the batch, and CAF handles
// `first`. While a factory awaits an answer, CAF postpones the messages that it handles itself.
// This function puts them into CAF's cache directly: `push_to_cache` would count them twice, and
// later read beyond its queue.
void RequestingActor::take_batch(caf::mailbox_element& first) {
  const auto bounce = [](caf::mailbox_element& element) {
    caf::detail::sync_request_bouncer{caf::make_error(caf::sec::request_receiver_down)}(element);
  };
  auto batch = batch_.take();
  BatchAtWork at_work{ctrl(), at_work_, first};
  auto& element = at_work.element;
  try {
    for (element = batch.pop(); element; element = batch.pop())
      if (getf(is_shutting_down_flag))
        bounce(*element);
      else if (take_this(*element) == caf::invoke_message_result::skipped)
        get_normal_queue().cache().push_back(element.release());
  } catch (...) {
    if (!element)
      element = batch.pop();
    for (; element; element = batch.pop())
      if (!element->mid.is_answered())
        bounce(*element);
    current_element_ = &first;
    throw;
  }
  current_element_ = &first;
}

bool RequestingActor::cleanup(caf::error&& reason, caf::execution_unit* context) {
  auto batch = batch_.end();
  while (const auto element = batch.pop())
    caf::detail::sync_request_bouncer{reason}(*element);
  return RequestingActorBase::cleanup(std::move(reason), context);
}

void RequestingActor::on_exit() {
  cancel_wake();
  alarm_ = nullptr;
}

// What cannot be sent is answered by this actor itself: CAF would print a line and send nothing.
void RequestingActor::make_request(std::uint64_t name, const caf::actor& receiver,
                                   const caf::message& content, Priority priority) {
  const auto id = caf::message_id{ours | name};
  if (auto error = cannot_reach(receiver, content))
    return enqueue(
      make_element(own_reference(), id.response_id(), caf::make_message(std::move(error))),
      context());
  receiver->enqueue(
    make_element(own_reference(),
                 priority == Priority::high ? id.with_high_priority() : id.with_normal_priority(),
                 caf::message{content}),
    context());
}

OpenRequest RequestingActor::open_request() {
  auto& element = *current_mailbox_element();
  OpenRequest result{{}, element.mid};
  if (element.stages.empty()) {
    result.client = std::move(element.sender);
  } else {
    caf::actor_config config;
    result.client = caf::make_actor<Stages, caf::strong_actor_ptr>(
      system().next_actor_id(), system().node(), &system(), config, element);
  }
  element.mid.mark_as_answered();
  if (at_work_ != nullptr && !at_work_->element)
    current_element_ = &at_work_->first; // the last one was kept, and may be freed at any time
  return result;
}

void RequestingActor::pass_on(OpenRequest& client, caf::message payload,
                              const caf::actor& receiver) {
  if (auto error = cannot_reach(receiver, payload))
    return refuse(client, std::move(error));
  const auto request = std::exchange(client, {});
  receiver->enqueue(caf::make_mailbox_element(request.client,
                                              request.client ? request.id : caf::make_message_id(),
                                              {}, std::move(payload)),
                    context());
}

void RequestingActor::respond(const OpenRequest& request, caf::message&& answer) {
  if (at_work_ != nullptr && at_work_->element && message_in(*at_work_->element) == &answer) {
    auto element = std::move(at_work_->element);
    element->sender = own_reference();
    element->mid = request.id.response_id();
    element->stages.clear();
    current_element_ = &at_work_->first;
    request.client->enqueue(std::move(element), context());
    return;
  }
  request.client->enqueue(
    make_element(own_reference(), request.id.response_id(), std::move(answer)), context());
}

void RequestingActor::watch_actor(const caf::actor& whom) { monitor(whom); }

void RequestingActor::unwatch_actor(const caf::actor& whom) { demonitor(whom); }

void RequestingActor::wake_at(Instant at) {
  if (at <= now()) {
    // An ordinary message: a timer would cost a turn of the clock's thread, an inline call could
    // recurse.
    static const auto message = caf::make_message(WakeUp{});
    enqueue(make_element(nullptr, caf::make_message_id(), caf::message{message}), context());
    return;
  }
  if (!alarm_) {
    caf::actor_config config;
    alarm_ = caf::make_actor<Alarm, caf::strong_actor_ptr>(
      system().next_actor_id(), system().node(), &system(), config, caf::weak_actor_ptr{ctrl()});
  }
  clock().set_ordinary_timeout(caf::actor_clock::time_point{at.since_origin}, alarm_->get(),
                               wake_up, 0);
}

// CAF 0.17.6 stores the exit reason only after `on_exit`.
bool RequestingActor::is_unreachable() const { return !caf::weak_actor_ptr{ctrl()}.lock(); }

void RequestingActor::cancel_wake() {
  if (alarm_)
    clock().cancel_ordinary_timeout(alarm_->get(), wake_up);
}

} // namespace backoff_actor::compat
