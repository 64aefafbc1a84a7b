#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <typeinfo>

namespace backoff_actor {

/// The name of a sender, a supervisor or a child: what it is, and which one of these.
struct ActorName {
  /// What all actors of one kind have in common, see `SenderOptions::name`. Empty: unknown.
  std::string kind{};

  /// The id that CAF gave the actor, as in CAF's own logs. No two actors of an actor system have
  /// the same. 0: unknown.
  std::uint64_t number = 0;

  /// Whether two are the same.
  friend bool operator==(const ActorName&, const ActorName&) = default;
};

/// Renders a name: `billing#17`. Without a number it is `billing`, and without a kind it is empty.
BACKOFF_ACTOR_EXPORT std::string to_string(const ActorName& name);

namespace detail {

/// The most characters of a kind.
inline constexpr std::size_t longest_kind = 64;

/// Puts a name in front of a text: `billing#17: drained`. Without a kind the text stays as it is.
BACKOFF_ACTOR_EXPORT std::string with_name(const ActorName& name, const std::string& text);

/// Adds a problem if the text is no kind: 1 to 64 characters of `a-z`, `0-9`, `_`, `.` and `-`. An
/// empty text is none either, but leaves the kind to the default.
BACKOFF_ACTOR_EXPORT void check_kind(Problems& problems, const std::string& field,
                                     const std::string& kind);

/// Says whose options they are, for `Problems`: `SenderOptions of billing`. The kind is left out if
/// `check_kind` refuses it.
BACKOFF_ACTOR_EXPORT std::string options_of(const char* type, const std::string& kind);

/// Returns the kind for a type, from its name in C++: the last part of the name in snake_case,
/// without namespaces, enclosing classes and template arguments. `a::HttpWorker<int>` gives
/// `http_worker`. A name without any letter or digit gives `worker`.
BACKOFF_ACTOR_EXPORT std::string kind_of_type(std::string_view name);

/// The same for a type. GCC and Clang give the same.
BACKOFF_ACTOR_EXPORT std::string kind_of_type(const std::type_info& type);

} // namespace detail

} // namespace backoff_actor
