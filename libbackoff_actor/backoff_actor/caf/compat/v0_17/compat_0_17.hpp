#pragma once

// CAF 0.17.6. Include compat.hpp instead.

#include "backoff_actor/caf/compat/compat_common.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/behavior.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/error.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/message.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/replies_to.hpp>
#include <caf/response_promise.hpp>
#include <caf/sec.hpp>
#include <caf/send.hpp>
#include <caf/serializer.hpp>
#include <caf/system_messages.hpp>
#include <caf/type_erased_tuple.hpp>
#include <caf/type_id.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace backoff_actor::compat {

// -- inspection ---------------------------------------------------------------

/// A part of a message type, as `inspect` functions name it.
template <class T>
struct Field {
  T& value; ///< read or written by the inspector
};

/// Returns a part of a message type, for `object`; the reference must outlive the inspection.
template <class T>
Field<T> field(const char*, T& value) {
  return {value};
}

/// Returns an enumeration's value as a part of a message type. Over the network it is a number. The
/// reference must outlive the inspection.
template <class Enum>
Field<Enum> enum_field(const char*, Enum& value) {
  return {value};
}

/// @cond

/// An optional enumeration's value as a number: 0 for none, else one more than the enumerator's.
template <class Enum>
struct OptionalNumber {
  std::optional<Enum>& value; ///< read or written by the inspector
};

/// Shows CAF the number.
template <class Inspector, class Enum>
auto inspect(Inspector& inspector, OptionalNumber<Enum>& x) {
  auto number = number_of(x.value);
  if constexpr (Inspector::writes_state) {
    auto result = inspector(number);
    x.value = enumerator_of<Enum>(number);
    return result;
  } else {
    return inspector(number);
  }
}

/// An optional span as a part of a message type. It goes over the network as a span; the longest
/// possible span stands for none.
struct OptionalSpan {
  std::optional<Duration>& value; ///< read or written by the inspector
};

/// Shows CAF the span.
template <class Inspector>
auto inspect(Inspector& inspector, OptionalSpan& x) {
  auto span = x.value.value_or(Duration::max());
  if constexpr (Inspector::writes_state) {
    auto result = inspector(span);
    x.value = span == Duration::max() ? std::nullopt : std::optional{span};
    return result;
  } else {
    return inspector(span);
  }
}

/// An optional span as a part of a message type.
struct OptionalSpanField {
  OptionalSpan value; ///< what the inspector sees
};

/// Returns an optional span as a part of a message type; the reference must outlive the inspection.
inline OptionalSpanField field(const char*, std::optional<Duration>& value) { return {{value}}; }

/// An optional enumeration's value as a part of a message type.
template <class Enum>
struct OptionalEnumField {
  OptionalNumber<Enum> value; ///< what the inspector sees
};

/// Returns an optional enumeration's value as a part of a message type; the reference must outlive
/// the inspection.
template <class Enum>
OptionalEnumField<Enum> optional_enum_field(const char*, std::optional<Enum>& value) {
  return {{value}};
}

/// @endcond

/// Inspects a message type: its name, which goes over the network, and its parts, in order.
template <class Inspector, class Object, class... Fields>
auto object(Inspector& inspector, Object&, const char* name, Fields... fields) {
  return inspector(caf::meta::type_name(name), fields.value...);
}

// -- values as bytes ------------------------------------------------------------

/// @cond

/// Whether a type has a name that holds in other programs too, and can be serialized.
template <class T>
concept StorableType =
  caf::detail::is_complete<caf::type_name<T>>::value && !caf::allowed_unsafe_message_type<T>::value;

/// Returns the name under which a type is registered.
template <class T>
std::string registered_name() {
  return caf::type_name<T>::value;
}

/// Calls `write` with a serializer that appends to `bytes`, in CAF's binary format.
///
/// @errors throws `std::runtime_error` if `write` returns an error.
BACKOFF_ACTOR_EXPORT void save_with(const std::function<caf::error(caf::serializer&)>& write,
                                    std::vector<std::byte>& bytes);

/// Appends a value in CAF's binary format.
///
/// @errors throws `std::runtime_error`, mainly if the value contains an actor handle.
template <class T>
void save(const T& value, std::vector<std::byte>& bytes) {
  save_with([&](caf::serializer& sink) { return sink(const_cast<T&>(value)); }, // only read
            bytes);
}

/// Reads a value from the front of `bytes`, and removes its bytes there.
///
/// @errors throws `std::runtime_error` if the bytes are not a value of that type.
template <class T>
T load(std::span<const std::byte>& bytes) {
  T value{};
  caf::binary_deserializer source{static_cast<caf::execution_unit*>(nullptr),
                                  reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  if (const auto error = source(value))
    throw std::runtime_error(caf::to_string(error));
  bytes = bytes.last(source.remaining());
  return value;
}

// -- typed actors ---------------------------------------------------------------

/// The signature of a typed actor's handler: it answers a message of `Arguments` with a `Result`.
template <class Result, class... Arguments>
using Signature = typename caf::replies_to<Arguments...>::template with<Result>;

// -- types --------------------------------------------------------------------

/// Registers the message types of a type-id block; before the actor system is made.
template <class IdBlock>
void register_types(caf::actor_system_config& config) {
  config.add_message_types<IdBlock>();
}

template <class T>
bool is_registered(const caf::actor_system& system) {
  const auto& types = system.types();
  return types.portable_name(0, &typeid(T)) != types.default_type_name();
}

// -- errors -------------------------------------------------------------------

/// Returns the error of an enumeration's code, with a context.
template <class Enum>
caf::error error_with(Enum code, caf::message context) {
  const caf::error bare{code};
  return {bare.code(), bare.category(), std::move(context)};
}

template <class Enum>
std::optional<Enum> code_in(const caf::error& error) {
  static const auto category = caf::error{static_cast<Enum>(1)}.category();
  return error && error.category() == category ? std::optional{static_cast<Enum>(error.code())}
                                               : std::nullopt;
}

/// Returns the error in a message that consists of one error alone; otherwise null.
BACKOFF_ACTOR_EXPORT const caf::error* error_in(const caf::message& message);

// -- messages -----------------------------------------------------------------

/// Whether messages of the type with this token are orders of CAF, see `is_system_message`.
BACKOFF_ACTOR_EXPORT bool is_order(std::uint32_t type_token);

// -- sending ------------------------------------------------------------------

/// Sends an anonymous message.
template <class... Ts>
void enqueue(const caf::actor& receiver, Ts&&... values) {
  caf::anon_send(receiver, std::forward<Ts>(values)...);
}

/// Sends in the name of `self`.
template <class... Ts>
void send(caf::event_based_actor& self, const caf::actor& receiver, Ts&&... values) {
  self.send(receiver, std::forward<Ts>(values)...);
}

/// Sends to `self` after a delay. The timer may keep `self` alive until then.
template <class... Ts>
void send_later(caf::event_based_actor& self, Duration delay, Ts&&... values) {
  self.delayed_send(&self, delay, std::forward<Ts>(values)...);
}

/// Makes a request without a timeout, and returns CAF's handle to its answer.
template <class Self, class Receiver, class... Ts>
auto request(Self& self, const Receiver& receiver, Ts... values) {
  return self.request(receiver, caf::infinite, std::move(values)...);
}

/// Makes a request, and returns CAF's handle to its answer. After `timeout` the answer is the error
/// `caf::sec::request_timeout`.
template <class Self, class Receiver, class... Ts>
auto request_within(Self& self, Duration timeout, const Receiver& receiver, Ts... values) {
  return self.request(receiver, caf::timespan{timeout}, std::move(values)...);
}

/// The same, without a limit.
template <class Self, class Receiver, class... Ts>
auto request_without_limit(Self& self, const Receiver& receiver, Ts... values) {
  return self.request(receiver, caf::infinite, std::move(values)...);
}

/// Returns a handler, for `RequestingActor::complete`, that lets `self` decide what to do about a
/// `caf::exit_msg`. `exit_reason::kill` always ends the actor.
template <class OnExitMessage>
auto on_exit_message(caf::scheduled_actor& self, OnExitMessage on_exit_message) {
  self.set_exit_handler([on_exit_message](caf::exit_msg& x) { on_exit_message(std::as_const(x)); });
  return [](const caf::exit_msg&) {}; // never called
}

/// @endcond

} // namespace backoff_actor::compat
