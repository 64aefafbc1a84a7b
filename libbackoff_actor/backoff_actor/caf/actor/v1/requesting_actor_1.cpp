// `RequestingActor` for CAF 1.x.

#include "backoff_actor/caf/actor/internal/v1/requesting_actor_1.hpp"

#include "backoff_actor/caf/messages/internal/own_words.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/action.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/attachable.hpp>
#include <caf/detail/sync_request_bouncer.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/system_messages.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace backoff_actor::compat {

// -- watching -----------------------------------------------------------------

namespace {

// CAF's own monitor with a callback stays attached to the watched actor until that actor ends, even
// after it was disposed. And its report would not wait in the batch beside the mailbox, so later
// messages would overtake it.
class Watch final : public caf::attachable {
public:
  struct Token {
    static constexpr std::size_t token_type = 7450; // CAF's own are 0, 1 and 2
    const void* watcher;
  };

  Watch(const void* watcher, caf::weak_actor_ptr mailbox, caf::actor_addr whom)
    : watcher_(watcher), mailbox_(std::move(mailbox)), whom_(std::move(whom)) {}

  void actor_exited(const caf::error& reason, caf::scheduler*) override {
    if (const auto mailbox = mailbox_.lock())
      mailbox->enqueue(caf::make_mailbox_element(caf::actor_cast<caf::strong_actor_ptr>(whom_),
                                                 caf::make_message_id(), Down{whom_, reason}),
                       nullptr);
  }

  bool matches(const token& what) override {
    return what.subtype == Token::token_type
           && static_cast<const Token*>(what.ptr)->watcher == watcher_;
  }

private:
  const void* watcher_;
  caf::weak_actor_ptr mailbox_;
  caf::actor_addr whom_;
};

} // namespace

// -- the actor ----------------------------------------------------------------

namespace {

constexpr auto ours = own_request_bit;
static_assert(caf::message_id::request_id_mask == 2 * ours - 1);

// The numbers of CAF's own types begin with that of `caf::action`. CAF itself acts on some of these
// types.
constexpr bool is_of_caf(caf::type_id_t type) {
  return type >= caf::type_id_v<caf::action> && type < caf::first_custom_type_id;
}

template <class... Ts>
constexpr bool are_of_caf = (is_of_caf(caf::type_id_v<Ts>) && ...);

// The types on which CAF acts.
static_assert(are_of_caf<caf::action, caf::down_msg, caf::error, caf::exit_msg, caf::node_down_msg,
                         caf::stream_abort_msg, caf::stream_ack_msg, caf::stream_batch_msg,
                         caf::stream_cancel_msg, caf::stream_close_msg, caf::stream_demand_msg,
                         caf::stream_open_msg, caf::sys_atom, caf::timeout_msg>);

// Whether CAF is sure to give the message to the handlers: it does not begin with a value of a CAF
// type.
bool is_left_to_handlers(const caf::message& content) {
  return content.empty() || !is_of_caf(content.type_at(0));
}

// Turns a response into a request that was already answered. CAF gives such a message to the
// handlers, and sends no answer to it. No other message has such an id.
caf::message_id as_answered_request(caf::message_id response) {
  caf::message_id result{response.integer_value() & ~caf::message_id::response_flag_mask};
  result.mark_as_answered();
  return result;
}

bool is_response_of_ours(caf::message_id id) {
  return id.is_response() && (id.integer_value() & ours) != 0;
}

// Whether CAF is sure to give the element to the actor's own code.
bool is_for_handlers(const caf::mailbox_element& element) {
  return element.mid.is_response() ? is_response_of_ours(element.mid)
                                   : is_left_to_handlers(element.payload);
}

// Whether the element may wait in a batch. Urgent messages overtake others, so they always go into
// the mailbox. So do answers to requests that were made in CAF's own way.
bool may_wait(const caf::mailbox_element& element) {
  return element.mid.is_normal_message()
         && (!element.mid.is_response() || is_response_of_ours(element.mid));
}

// Whether a batch may wait for the element. An `Exit` replaces an exit message of CAF, and no batch
// waits for one.
bool is_first(const caf::mailbox_element& element) {
  return may_wait(element) && is_for_handlers(element) && !element.payload.match_elements<Exit>();
}

bool is_answered_request_of_ours(const caf::mailbox_element& element) {
  return !element.sender && element.mid.is_answered() && (element.mid.integer_value() & ours) != 0;
}

} // namespace

bool Word::is_one(const caf::message& content) {
  using Block = caf::id_block::backoff_actor;
  return content.size() == 1 && content.type_at(0) >= Block::begin
         && content.type_at(0) < Block::end;
}

RequestingActor::RequestingActor(caf::actor_config& config) : RequestingActorBase(config) {}

RequestingActor::RequestingActor(caf::actor_config& config, TakesWords)
  : RequestingActorBase(config), takes_words_(true) {}

// CAF looks up the handler of a response in a table, and ours are not there. So this turns a
// response into an ordinary message, which takes the same turn in the mailbox. For an actor that
// takes words, a changed id is usually enough.
bool RequestingActor::enqueue(caf::mailbox_element_ptr element, caf::scheduler* context) {
  if (takes_words_ && may_wait(*element) && !getf(collects_metrics_flag)
      && batch_.put(element, is_for_handlers(*element)))
    return true;
  if (!is_left_to_handlers(element->payload))
    take_in_place_of_caf(*element);
  if (is_response_of_ours(element->mid)) {
    const auto id = element->mid;
    if (takes_words_ && is_left_to_handlers(element->payload)) {
      element->sender = nullptr;
      element->mid = as_answered_request(id);
    } else {
      element->payload =
        caf::make_message(Response{name_of_request(id), std::move(element->payload)});
      element->mid = caf::make_message_id(id.priority());
    }
  }
  return RequestingActorBase::enqueue(std::move(element), context);
}

caf::behavior RequestingActor::complete_with_words() {
  return {[this](caf::message& content) {
            auto& element = *current_mailbox_element();
            // For a wrapped answer, `is_first` gives the same result as before.
            const auto is_waited_for = is_first(element);
            take(content);
            if (is_waited_for)
              take_batch(element);
            on_batch_end();
            return caf::delegated<caf::message>{};
          },
          [this](const caf::exit_msg& x) {
            end_or_ignore(x.source, x.reason);
            on_batch_end();
          },
          [this](const caf::error& error) {
            on_system_message(caf::make_message(error));
            on_batch_end();
            return caf::delegated<caf::message>{};
          }};
}

// CAF acts on some messages before any handler sees them. This function, which runs in any thread,
// replaces three kinds of them by messages that handlers see: exit messages with the reason `kill`,
// which may be about a child that was killed; timeouts that other actors sent; and requests that
// are a `down_msg`, which need an answer.
void RequestingActor::take_in_place_of_caf(caf::mailbox_element& element) const {
  auto& content = element.payload;
  if (content.match_elements<caf::exit_msg>()) {
    const auto& exit = content.get_as<caf::exit_msg>(0);
    if (exit.source && exit.reason == caf::exit_reason::kill)
      content = caf::make_message(Exit{exit.source, exit.reason});
  } else if ((takes_words_ && content.match_elements<caf::timeout_msg>())
             || (element.mid.is_request() && content.match_elements<caf::down_msg>())) {
    content = caf::make_message(system_message_refused());
  }
}

bool RequestingActor::take_news(caf::message& content) {
  if (content.match_elements<Response>()) {
    auto& response = content.get_mutable_as<Response>(0);
    on_response(response.name, std::move(response.content), current_mailbox_element()->sender);
  } else if (content.match_elements<Exit>()) {
    const auto& exit = content.get_as<Exit>(0);
    end_or_ignore(exit.source, exit.reason);
  } else if (content.match_elements<Down>()) {
    const auto& down = content.get_as<Down>(0);
    if (tells_of_own_end(current_mailbox_element()->sender, down.who))
      on_down(down.who, down.reason);
  } else {
    return false;
  }
  return true;
}

void RequestingActor::end_or_ignore(const caf::actor_addr& source, const caf::error& reason) {
  if (source && is_told_of_end(source) && has_ended(source))
    unlink_from(source);
  else if (takes_words_ && reason && reason != caf::exit_reason::kill)
    on_told_to_end(source, reason);
  else if (reason)
    quit(reason);
}

void RequestingActor::take(caf::message& content) {
  if (const auto& element = *current_mailbox_element(); is_answered_request_of_ours(element))
    on_response(name_of_request(element.mid), std::move(content), nullptr);
  else if (take_news(content))
    return;
  else if (!Word::is_one(content) || !on_word(Word{content})) {
    on_message(std::move(content));
  } else if (auto& id = current_mailbox_element()->mid; id.is_request() && !id.is_answered()) {
    auto client = open_request();
    answer_request(client, {});
  }
}

void RequestingActor::take_this(caf::mailbox_element_ptr& element) {
  current_mailbox_element(element.get());
  if (is_response_of_ours(element->mid)) {
    on_response(name_of_request(element->mid), std::move(element->payload), element->sender);
  } else if (is_left_to_handlers(element->payload)) {
    take(element->payload);
  } else {
    take_in_place_of_caf(*element);
    if (consume(*element) == caf::invoke_message_result::skipped) // a factory awaits an answer
      push_to_cache(std::move(element));
  }
}

// Takes the messages that wait for `first`, the message in the mailbox. An exception ends this
// actor: this function then refuses the open requests in the rest of the batch, and CAF handles
// `first`.
void RequestingActor::take_batch(caf::mailbox_element& first) {
  const auto bounce = [](caf::mailbox_element& element) {
    caf::detail::sync_request_bouncer{}(element); // answers with an error
  };
  auto batch = batch_.take();
  auto element = batch.pop();
  try {
    for (; element; element = batch.pop())
      if (getf(is_shutting_down_flag))
        bounce(*element);
      else
        take_this(element);
  } catch (...) {
    for (; element; element = batch.pop())
      if (!element->mid.is_answered())
        bounce(*element);
    current_mailbox_element(&first);
    throw;
  }
  current_mailbox_element(&first);
}

void RequestingActor::on_cleanup(const caf::error& reason) {
  auto batch = batch_.end();
  while (const auto element = batch.pop())
    caf::detail::sync_request_bouncer{}(*element);
  RequestingActorBase::on_cleanup(reason);
}

caf::resumable::resume_result RequestingActor::resume(caf::scheduler* context,
                                                      std::size_t max_throughput) {
  forget_recent_now();
  return caf::event_based_actor::resume(context, max_throughput);
}

void RequestingActor::on_exit() { alarm_.dispose(); }

void RequestingActor::make_request(std::uint64_t name, const caf::actor& receiver,
                                   const caf::message& content, Priority priority) {
  const auto id = caf::message_id{ours | name};
  receiver->enqueue(
    caf::make_mailbox_element(
      ctrl(), priority == Priority::high ? id.with_high_priority() : id.with_normal_priority(),
      content),
    context());
}

OpenRequest RequestingActor::open_request() {
  auto& element = *current_mailbox_element();
  const OpenRequest result{element.sender, element.mid};
  element.mid.mark_as_answered();
  return result;
}

void RequestingActor::pass_on(OpenRequest& client, caf::message payload,
                              const caf::actor& receiver) {
  const auto request = std::exchange(client, {});
  receiver->enqueue(caf::make_mailbox_element(request.client,
                                              request.client ? request.id : caf::make_message_id(),
                                              std::move(payload)),
                    context());
}

void RequestingActor::respond(const OpenRequest& request, caf::message&& answer) {
  request.client->enqueue(
    caf::make_mailbox_element(ctrl(), request.id.response_id(), std::move(answer)), context());
}

void RequestingActor::watch_actor(const caf::actor& whom) {
  whom->attach(std::make_unique<Watch>(this, caf::weak_actor_ptr{ctrl()}, whom.address()));
}

void RequestingActor::unwatch_actor(const caf::actor& whom) {
  caf::actor_cast<caf::abstract_actor*>(whom)->detach(Watch::Token{this});
}

void RequestingActor::wake_at(Instant at) {
  alarm_.dispose();
  if (at <= now()) {
    // An ordinary message: a timer would cost a turn of the clock's thread, an inline call could
    // recurse.
    enqueue(caf::make_mailbox_element(nullptr, caf::make_message_id(), WakeUp{}), context());
    return;
  }
  // A weak reference: a sender that nobody needs any more can end while its delay runs.
  alarm_ = clock().schedule_message(nullptr, caf::weak_actor_ptr{ctrl()},
                                    caf::actor_clock::time_point{at.since_origin},
                                    caf::make_message_id(), caf::make_message(WakeUp{}));
}

bool RequestingActor::is_unreachable() const {
  return fail_state() == caf::exit_reason::unreachable;
}

} // namespace backoff_actor::compat
