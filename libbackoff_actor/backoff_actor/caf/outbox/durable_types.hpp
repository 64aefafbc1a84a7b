#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"

#include <caf/message_builder.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor {

/// A message that cannot be stored; the text names the type and says why.
class BACKOFF_ACTOR_EXPORT NotStorable : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Makes a message of the bytes that another program has written. It may throw any exception; then
/// nobody can read the message.
using ForeignDecoder = std::function<caf::message(std::span<const std::byte>)>;

/// The types that the parts of a stored message may have, see `durable`.
///
/// @thread several at a time
class BACKOFF_ACTOR_EXPORT DurableTypes {
public:
  /// No types: only empty messages can be stored.
  DurableTypes() = default;

  /// Returns a message as bytes, made by the inspectors of its types.
  ///
  /// @errors throws `NotStorable` if a part of the message has another type, contains an actor
  ///         handle, or has an inspector that fails.
  StoredMessage save(caf::actor_system& system, const caf::message& message) const;

  /// Returns the message from the bytes that `save` made, even in another process.
  ///
  /// @errors throws `std::runtime_error` if the bytes are not those of the types.
  caf::message load(const StoredMessage& stored) const;

  /// Adds a type of message that other programs write, see `SharedOutbox::foreign`. The outbox
  /// keeps its bytes as they came.
  ///
  /// @param name not empty, without `;`
  /// @param decoder not empty; several threads may call it at the same time
  /// @errors throws `InvalidArgument` if the name or the decoder is not allowed, or if the name is
  ///         taken.
  void add_foreign(std::string name, ForeignDecoder decoder);

  /// Whether these types include all types of a stored message. If not, appends the names of the
  /// missing ones to `unknown`, each once.
  bool knows(const StoredMessage& stored, std::vector<std::string>& unknown) const;

private:
  struct Type {
    std::string name;
    bool (*is_part)(const caf::message&, std::size_t);
    void (*save)(const caf::message&, std::size_t, std::vector<std::byte>&);
    void (*load)(std::span<const std::byte>&, caf::message_builder&);
  };

  template <class... Ts>
  friend DurableTypes durable();

  template <class T>
  static Type type() {
    static_assert(compat::StorableType<T>,
                  "a type can be stored if it is in a type-id block (CAF_ADD_TYPE_ID) and has an "
                  "inspect function");
    return {
      compat::registered_name<T>(),
      [](const caf::message& message, std::size_t part) { return message.match_element<T>(part); },
      [](const caf::message& message, std::size_t part, std::vector<std::byte>& bytes) {
        compat::save(message.get_as<T>(part), bytes);
      },
      [](std::span<const std::byte>& bytes, caf::message_builder& builder) {
        builder.append(compat::load<T>(bytes));
      }};
  }

  struct Foreign {
    std::string name;
    ForeignDecoder decode;
  };

  const Type* find(std::string_view name) const;
  const Foreign* find_foreign(std::string_view name) const;

  std::vector<Type> types_;
  std::vector<Foreign> foreign_;
};

/// Returns the types that can be stored: `durable<Order, std::string>()`. Each is in a type-id
/// block, is default-constructible, and has an `inspect` function. A type that is renamed, or whose
/// fields change, is a different type: stored values of the old type cannot be read as the new one.
template <class... Ts>
DurableTypes durable() {
  DurableTypes result;
  (result.types_.push_back(DurableTypes::type<Ts>()), ...);
  return result;
}

namespace detail {

// Throws `NotStorable` unless an outbox that several processes share can hold the keys of a
// message, whichever of them it is submitted to: on the server they are texts.
void require_text_keys(const std::string& key, const std::string& idempotency_key);

} // namespace detail

} // namespace backoff_actor
