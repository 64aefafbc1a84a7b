#pragma once

// CAF 1.x. Include compat.hpp instead.

#include "backoff_actor/caf/compat/compat_common.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/sender_error.hpp"
#include "backoff_actor/core/supervisor_error.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/anon_mail.hpp>
#include <caf/behavior.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/default_enum_inspect.hpp>
#include <caf/disposable.hpp>
#include <caf/error.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/fwd.hpp>
#include <caf/init_global_meta_objects.hpp>
#include <caf/is_error_code_enum.hpp>
#include <caf/message.hpp>
#include <caf/response_promise.hpp>
#include <caf/result.hpp>
#include <caf/save_inspector_base.hpp>
#include <caf/send.hpp>
#include <caf/span.hpp>
#include <caf/system_messages.hpp>
#include <caf/type_id.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace backoff_actor::compat {

struct Response;
struct Down;
struct Exit;

} // namespace backoff_actor::compat

CAF_BEGIN_TYPE_ID_BLOCK(backoff_actor_errors, caf::first_custom_type_id + 7490)
  CAF_ADD_TYPE_ID(backoff_actor_errors, (backoff_actor::SenderError))
  CAF_ADD_TYPE_ID(backoff_actor_errors, (backoff_actor::SupervisorError))
CAF_END_TYPE_ID_BLOCK(backoff_actor_errors)

// These types never leave the process, so other nodes need not use the same numbers.
CAF_BEGIN_TYPE_ID_BLOCK(backoff_actor_private, caf::first_custom_type_id + 7495)
  CAF_ADD_TYPE_ID(backoff_actor_private, (backoff_actor::compat::Response))
  CAF_ADD_TYPE_ID(backoff_actor_private, (backoff_actor::compat::Down))
  CAF_ADD_TYPE_ID(backoff_actor_private, (backoff_actor::compat::Exit))
CAF_END_TYPE_ID_BLOCK(backoff_actor_private)

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(backoff_actor::compat::Response)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(backoff_actor::compat::Down)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(backoff_actor::compat::Exit)

CAF_ERROR_CODE_ENUM(backoff_actor::SenderError)
CAF_ERROR_CODE_ENUM(backoff_actor::SupervisorError)

namespace backoff_actor {

/// Sets the error that the text names; false if it names none.
BACKOFF_ACTOR_EXPORT bool from_string(std::string_view text, SenderError& error);
/// Sets the error that has the number; false if none has.
BACKOFF_ACTOR_EXPORT bool from_integer(std::uint8_t number, SenderError& error);

/// Sets the error that the text names; false if it names none.
BACKOFF_ACTOR_EXPORT bool from_string(std::string_view text, SupervisorError& error);
/// Sets the error that has the number; false if none has.
BACKOFF_ACTOR_EXPORT bool from_integer(std::uint8_t number, SupervisorError& error);

/// Shows CAF the error as a number, and as text in formats for people.
template <class Inspector>
bool inspect(Inspector& f, SupervisorError& x) {
  return caf::default_enum_inspect(f, x);
}

/// Shows CAF the error as a number, and as text in formats for people.
template <class Inspector>
bool inspect(Inspector& f, SenderError& x) {
  return caf::default_enum_inspect(f, x);
}

} // namespace backoff_actor

namespace backoff_actor::compat {

// -- inspection ---------------------------------------------------------------

/// A part of a message type, as `inspect` functions name it.
template <class T>
struct Field {
  const char* name; ///< in the source of the message type
  T& value;         ///< read or written by the inspector

  /// Returns what the inspector calls a field.
  template <class Inspector>
  auto of(Inspector& inspector) const {
    return inspector.field(name, value);
  }
};

/// An enumeration's value as a part of a message type.
template <class Enum>
struct EnumField {
  const char* name; ///< in the source of the message type
  Enum& value;      ///< read or written by the inspector

  /// Returns what the inspector calls a field.
  template <class Inspector>
  auto of(Inspector& inspector) const {
    using Number = std::underlying_type_t<Enum>;
    return inspector.field(
      name, [&enumerator = value] { return static_cast<Number>(enumerator); },
      [&enumerator = value](Number number) {
        enumerator = static_cast<Enum>(number);
        return true;
      });
  }
};

/// Returns a part of a message type, for `object`; the reference must outlive the inspection.
template <class T>
Field<T> field(const char* name, T& value) {
  return {name, value};
}

/// Returns an enumeration's value as a part of a message type. Over the network it is a number. The
/// reference must outlive the inspection.
template <class Enum>
EnumField<Enum> enum_field(const char* name, Enum& value) {
  return {name, value};
}

/// An optional enumeration's value as a part of a message type.
template <class Enum>
struct OptionalEnumField {
  const char* name;           ///< in the source of the message type
  std::optional<Enum>& value; ///< read or written by the inspector

  /// Returns what the inspector calls a field.
  template <class Inspector>
  auto of(Inspector& inspector) const {
    return inspector.field(
      name, [&optional = value] { return number_of(optional); },
      [&optional = value](std::uint16_t number) {
        optional = enumerator_of<Enum>(number);
        return true;
      });
  }
};

/// Returns an optional enumeration's value as a part of a message type; the reference must outlive
/// the inspection.
template <class Enum>
OptionalEnumField<Enum> optional_enum_field(const char* name, std::optional<Enum>& value) {
  return {name, value};
}

/// Inspects a message type: its name, which goes over the network, and its parts, in order.
template <class Inspector, class Object, class... Fields>
auto object(Inspector& inspector, Object& object, const char* name, Fields... fields) {
  return inspector.object(object).pretty_name(name).fields(fields.of(inspector)...);
}

// -- values as bytes ------------------------------------------------------------

/// Whether a type has a name that holds in other programs too, and can be serialized.
template <class T>
concept StorableType =
  caf::detail::is_complete<caf::type_name<T>> && !caf::is_allowed_unsafe_message_type_v<T>;

/// Returns the name under which a type is registered.
template <class T>
std::string registered_name() {
  return std::string{caf::type_name_v<T>};
}

/// Writes the same bytes as CAF's binary serializer, but stops at actor handles. CAF's own
/// serializer would register the actor for later readers, and there may never be one.
class HandleRefusingSerializer : public caf::save_inspector_base<HandleRefusingSerializer> {
public:
  /// Appends to the buffer.
  explicit HandleRefusingSerializer(caf::byte_buffer& buffer) : sink_(buffer) {}

  /// Whether it has met an actor handle.
  bool has_met_handle() const { return has_met_handle_; }

  /// Is called by CAF, as are all members below.
  template <class T>
  auto object(T& x) noexcept {
    has_met_handle_ = has_met_handle_ || std::is_same_v<T, caf::strong_actor_ptr>;
    return caf::save_inspector_base<HandleRefusingSerializer>::object(x);
  }

  /// Begins an object. Returns whether to continue.
  bool begin_object(caf::type_id_t type, std::string_view name) {
    return !has_met_handle_ && sink_.begin_object(type, name);
  }

  static constexpr bool has_human_readable_format() noexcept { return false; }
  bool end_object() { return sink_.end_object(); }
  bool begin_field(std::string_view name) { return sink_.begin_field(name); }
  bool begin_field(std::string_view name, bool is_present) {
    return sink_.begin_field(name, is_present);
  }
  bool begin_field(std::string_view name, caf::span<const caf::type_id_t> types,
                   std::size_t index) {
    return sink_.begin_field(name, types, index);
  }
  bool begin_field(std::string_view name, bool is_present, caf::span<const caf::type_id_t> types,
                   std::size_t index) {
    return sink_.begin_field(name, is_present, types, index);
  }
  bool end_field() { return sink_.end_field(); }
  bool begin_tuple(std::size_t size) { return sink_.begin_tuple(size); }
  bool end_tuple() { return sink_.end_tuple(); }
  bool begin_key_value_pair() { return sink_.begin_key_value_pair(); }
  bool end_key_value_pair() { return sink_.end_key_value_pair(); }
  bool begin_sequence(std::size_t size) { return sink_.begin_sequence(size); }
  bool end_sequence() { return sink_.end_sequence(); }
  bool begin_associative_array(std::size_t size) { return sink_.begin_associative_array(size); }
  bool end_associative_array() { return sink_.end_associative_array(); }
  template <class T>
  auto value(const T& x) -> decltype(std::declval<caf::binary_serializer&>().value(x)) {
    return sink_.value(x);
  }

private:
  caf::binary_serializer sink_;
  bool has_met_handle_ = false;
};

/// Appends a value in CAF's binary format.
///
/// @errors throws `std::runtime_error`, mainly if the value contains an actor handle.
template <class T>
void save(const T& value, caf::byte_buffer& bytes) {
  HandleRefusingSerializer sink{bytes};
  if (!sink.apply(value))
    throw std::runtime_error(sink.has_met_handle() ? "it holds an actor handle"
                                                   : caf::to_string(sink.get_error()));
}

/// Reads a value from the front of `bytes`, and removes its bytes there.
///
/// @errors throws `std::runtime_error` if the bytes are not a value of that type.
template <class T>
T load(std::span<const std::byte>& bytes) {
  T value{};
  caf::binary_deserializer source{bytes.data(), bytes.size()};
  if (!source.apply(value))
    throw std::runtime_error(caf::to_string(source.get_error()));
  bytes = bytes.last(source.remaining());
  return value;
}

// -- typed actors ---------------------------------------------------------------

/// The signature of a typed actor's handler: it answers a message of `Arguments` with a `Result`.
template <class Result, class... Arguments>
using Signature = caf::result<Result>(Arguments...);

// -- workers ------------------------------------------------------------------

template <class State>
struct ActorFromState<caf::actor_from_state_t<State>> {
  using type = caf::stateful_actor<State, typename caf::actor_from_state_t<State>::base_type>;
};

// -- types --------------------------------------------------------------------

/// Registers the message types of a type-id block; before the actor system is made.
template <class IdBlock>
void register_types(caf::actor_system_config&) {
  caf::init_global_meta_objects<IdBlock>();
}

template <class T>
bool is_registered(const caf::actor_system&) {
  return !caf::query_type_name(caf::type_id_v<T>).empty();
}

/// The answer to a request of a `RequestingActor`, as a message to itself. It stays in one mailbox,
/// and CAF refuses to serialize it.
struct Response {
  std::uint64_t name = 0; ///< of the request
  caf::message content{}; ///< an answer, or a `caf::error`
};

/// The end of an actor that a `RequestingActor` watches, as a message to the watching actor. It
/// stays in one mailbox, and CAF refuses to serialize it.
struct Down {
  caf::actor_addr who{};
  caf::error reason{}; ///< as in CAF's own message
};

/// An exit message to a `RequestingActor`, which decides itself whether to end. It stays in one
/// mailbox, and CAF refuses to serialize it.
struct Exit {
  caf::actor_addr source{};
  caf::error reason{}; ///< as in CAF's own message
};

// -- errors -------------------------------------------------------------------

/// Returns the error of an enumeration's code, with a context.
template <class Enum>
caf::error error_with(Enum code, caf::message context) {
  return caf::error{code, std::move(context)};
}

template <class Enum>
std::optional<Enum> code_in(const caf::error& error) {
  return error && error.category() == caf::type_id_v<Enum>
           ? std::optional{static_cast<Enum>(error.code())}
           : std::nullopt;
}

/// Returns the error in a message that consists of one error alone; otherwise null.
BACKOFF_ACTOR_EXPORT const caf::error* error_in(const caf::message& message);

// -- sending ------------------------------------------------------------------

/// Sends an anonymous message.
template <class... Ts>
void enqueue(const caf::actor& receiver, Ts&&... values) {
  caf::anon_mail(std::forward<Ts>(values)...).send(receiver);
}

/// Sends in the name of `self`.
template <class... Ts>
void send(caf::event_based_actor& self, const caf::actor& receiver, Ts&&... values) {
  self.mail(std::forward<Ts>(values)...).send(receiver);
}

/// Sends to `self` after a delay. The timer may keep `self` alive until then.
template <class... Ts>
void send_later(caf::event_based_actor& self, Duration delay, Ts&&... values) {
  self.mail(std::forward<Ts>(values)...).delay(delay).send(caf::actor{&self});
}

/// Makes a request without a timeout, and returns CAF's handle to its answer.
template <class Self, class Receiver, class... Ts>
auto request(Self& self, const Receiver& receiver, Ts... values) {
  return self.mail(std::move(values)...).request(receiver, caf::infinite);
}

/// Makes a request, and returns CAF's handle to its answer. After `timeout` the answer is the error
/// `caf::sec::request_timeout`.
template <class Self, class Receiver, class... Ts>
auto request_within(Self& self, Duration timeout, const Receiver& receiver, Ts... values) {
  return self.mail(std::move(values)...).request(receiver, timeout);
}

/// The same, without a limit.
template <class Self, class Receiver, class... Ts>
auto request_without_limit(Self& self, const Receiver& receiver, Ts... values) {
  return self.mail(std::move(values)...).request(receiver, caf::infinite);
}

/// Returns a handler, for `RequestingActor::complete`, that lets `self` decide what to do about a
/// `caf::exit_msg`. `exit_reason::kill` always ends the actor.
template <class OnExitMessage>
auto on_exit_message(caf::scheduled_actor&, OnExitMessage on_exit_message) {
  return [on_exit_message](const caf::exit_msg& x) { on_exit_message(x); };
}

} // namespace backoff_actor::compat
