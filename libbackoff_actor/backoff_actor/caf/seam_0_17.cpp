#include "backoff_actor/caf/messages.hpp"
#include "backoff_actor/caf/seam_scheduler.hpp"
#include "backoff_actor/caf/supervisor_error.hpp"
#include "backoff_actor/core/unit_random.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/atom.hpp>
#include <caf/detail/serialized_size.hpp>
#include <caf/expected.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>
#include <caf/monitorable_actor.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

#include <exception>
#include <stdexcept>
#include <string>

namespace backoff_actor {

namespace {

const caf::atom_value error_category = caf::atom("backoff");
const caf::atom_value supervisor_category = caf::atom("supervisor");

} // namespace

caf::error make_error(SenderError code) {
  return {static_cast<std::uint8_t>(code), error_category};
}

caf::error make_error(SupervisorError code) {
  return {static_cast<std::uint8_t>(code), supervisor_category};
}

namespace seam {

// -- errors -------------------------------------------------------------------

void register_errors(caf::actor_system_config& config) {
  config.add_error_category(error_category,
                            [](std::uint8_t code, caf::atom_value, const caf::message& context) {
                              return render_own(static_cast<SenderError>(code), context);
                            });
  config.add_error_category(supervisor_category,
                            [](std::uint8_t code, caf::atom_value, const caf::message& context) {
                              return render_own(static_cast<SupervisorError>(code), context);
                            });
}

std::string render(const caf::actor_system& system, const caf::error& error) {
  return system.render(error);
}

namespace {

// What `keep_cause` kept, bare; anything else as CAF renders it.
std::string text_of(const caf::actor_system& system, const caf::error& error) {
  const auto& context = error.context();
  if (error == caf::sec::runtime_error && context.match_elements<std::string>())
    return context.get_as<std::string>(0);
  return render(system, error);
}

} // namespace

Cause cause_of(const caf::actor_system& system, const caf::error& error, bool with_text) {
  if (!error)
    return {};
  const auto category = static_cast<std::uint64_t>(error.category());
  const auto hash = detail::mix(category ^ (std::uint64_t{error.code()} << 56));
  return {hash == 0 ? 1 : hash, with_text ? text_of(system, error) : std::string{}};
}

bool is_bounce(const caf::error& error) { return error == caf::sec::request_receiver_down; }

// -- messages -----------------------------------------------------------------

std::size_t serialized_size(caf::actor_system& system, const caf::message& message) {
  caf::detail::serialized_size_inspector sink{system};
  auto content = message; // is only read, but inspectors of 0.17 take what they could write to
  if (const auto error = sink(content))
    throw std::runtime_error("the message cannot be serialized: " + render(system, error));
  return sink.result();
}

std::string type_name(caf::actor_system& system, const caf::message& message, std::size_t part) {
  const auto type = message.type(part);
  const auto& name = system.types().portable_name(type);
  return type.first == 0 && name == system.types().default_type_name() ? type.second->name() : name;
}

std::string binary_format() { return "CAF 0.17"; }

// -- sending ------------------------------------------------------------------

void send_exit_now(const caf::actor& receiver, const caf::actor_addr& source,
                   caf::exit_reason reason) {
  receiver->enqueue(caf::make_mailbox_element(nullptr,
                                              caf::make_message_id(caf::message_priority::high), {},
                                              caf::exit_msg{source, reason}),
                    nullptr);
}

void answer(caf::response_promise& client, caf::message answer) {
  if (!client.pending() || (client.async() && answer.empty()))
    return;
  client.deliver(std::move(answer));
}

void answer_request(caf::response_promise& client, caf::message answer) {
  if (client.pending() && !client.async())
    client.deliver(std::move(answer));
}

void respond(const OpenRequest& request, caf::message answer, const caf::strong_actor_ptr& from) {
  request.client->enqueue(
    caf::make_mailbox_element(from, request.id.response_id(), {}, std::move(answer)), nullptr);
}

// -- addresses ----------------------------------------------------------------

namespace {

class Forwarder final : public caf::monitorable_actor {
public:
  Forwarder(caf::actor_config& config, std::shared_ptr<Forwarding> forwarding)
    : caf::monitorable_actor(config), forwarding_(std::move(forwarding)) {}

  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* context) override {
    if (const auto target = forwarding_->target()) {
      target->enqueue(std::move(element), context);
      return;
    }
    const auto is_request = element->mid.is_request();
    auto error = forwarding_->on_nobody(is_request);
    if (is_request && element->sender)
      element->sender->enqueue(
        caf::make_mailbox_element(nullptr, element->mid.response_id(), {}, std::move(error)),
        context);
  }

private:
  std::shared_ptr<Forwarding> forwarding_;
};

} // namespace

caf::actor make_forwarder(caf::actor_system& system, std::shared_ptr<Forwarding> forwarding) {
  caf::actor_config config;
  return caf::make_actor<Forwarder, caf::actor>(system.next_actor_id(), system.node(), &system,
                                                config, std::move(forwarding));
}

// -- the alarm ----------------------------------------------------------------

namespace {

const caf::atom_value wake_up = caf::atom("wakeup");

// CAF 0.17.6's clock keeps the receiver of a pending timeout alive until the timeout is due. So the
// timeout is set on this small stand-in, which knows its owner weakly: a sender that nobody needs
// any more can go while its delay runs. A timeout of the same type takes the place of the one
// before.
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

// Moving a user's values into a message may throw, which must cost one message and not the actor.
caf::expected<caf::message> content_of(caf::message_view& view) {
  try {
    return view.move_content_to_message();
  } catch (...) {
    return error_of(std::current_exception());
  }
}

// Request ids of 0.17.6 have 60 bits. CAF counts its own up from 1; ours have the topmost bit set,
// so that the two cannot meet.
constexpr std::uint64_t ours = std::uint64_t{1} << 59;
static_assert(caf::message_id::request_id_mask == 2 * ours - 1);

} // namespace

// -- the actor ----------------------------------------------------------------

RequestingActor::RequestingActor(caf::actor_config& config) : RequestingActorBase(config) {}

void RequestingActor::complete_handlers() {
  set_down_handler([this](caf::down_msg& down) { on_down(down.source, down.reason); });
  set_error_handler([](caf::error&) {
    // An error that nobody asked for. CAF's default would end this actor.
  });
  set_default_handler(
    [this](caf::scheduled_actor*, caf::message_view& view) -> caf::result<caf::message> {
      if (auto payload = content_of(view)) {
        on_message(std::move(*payload));
      } else {
        auto client = make_response_promise();
        refuse(client, std::move(payload.error()));
      }
      return caf::delegated<caf::message>{};
    });
}

caf::invoke_message_result RequestingActor::consume(caf::mailbox_element& element) {
  const auto id = element.mid.request_id().integer_value();
  if (!element.mid.is_response() || (id & ours) == 0)
    return caf::event_based_actor::consume(element);
  auto content = content_of(element);
  on_response(id & ~ours, content ? std::move(*content) : caf::make_message(content.error()),
              element.sender);
  return caf::invoke_message_result::consumed;
}

void RequestingActor::on_exit() {
  cancel_wake();
  alarm_ = nullptr;
}

void RequestingActor::make_request(std::uint64_t name, const caf::actor& receiver,
                                   caf::message content, Priority priority) {
  const auto id = caf::message_id{ours | name};
  receiver->enqueue(
    caf::make_mailbox_element(
      ctrl(), priority == Priority::high ? id.with_high_priority() : id.with_normal_priority(), {},
      std::move(content)),
    context());
}

void RequestingActor::forward_current(caf::message payload, const caf::actor& receiver) {
  auto& element = *current_mailbox_element();
  receiver->enqueue(caf::make_mailbox_element(element.sender, element.mid,
                                              std::move(element.stages), std::move(payload)),
                    context());
}

void RequestingActor::watch(const caf::actor& whom, Priority news) {
  if (news == Priority::high)
    monitor<caf::message_priority::high>(whom);
  else
    monitor(whom);
}

void RequestingActor::unwatch(const caf::actor& whom) { demonitor(whom); }

void RequestingActor::wake_at(Instant at) {
  if (at <= now()) {
    // An ordinary message: a timer would cost a turn of the clock's thread, an inline call could
    // recurse.
    enqueue(caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, WakeUp{}), context());
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

void RequestingActor::cancel_wake() {
  if (alarm_)
    clock().cancel_ordinary_timeout(alarm_->get(), wake_up);
}

// -- threads -----------------------------------------------------------------

void share_work(caf::actor_system_config& config) {
  config.set("scheduler.policy", caf::atom("sharing"));
}

} // namespace seam

} // namespace backoff_actor
