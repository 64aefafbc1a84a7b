#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace backoff_actor {

/// Why a store could not do what it was asked.
enum class StoreFailure : std::uint8_t {
  cannot_open,  ///< there is no such folder, or it may not be read
  in_use,       ///< another process, or another part of this process, has it open
  foreign,      ///< this library did not write it
  newer,        ///< it was written by a later version of this library
  damaged,      ///< this library wrote it, but it can no longer be read
  incompatible, ///< its messages are in another format, or of unknown types
  read_only,    ///< it may not be written
  full,         ///< there is no room on the disk
  too_large,    ///< a message is larger than the store can take
  input_output, ///< the disk failed to read, to write, or to say that it had written
  refused,      ///< the server refused the user, the password, or what the user may do
  unreachable,  ///< the server does not answer, and may have done what it was asked
  disowned,     ///< another process owns it now; for good
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(StoreFailure failure);

/// A store could not do what it was asked.
class BACKOFF_ACTOR_EXPORT StoreError : public std::runtime_error {
public:
  /// The text is for people: it names the store, says what is wrong, and what to do about it.
  StoreError(StoreFailure failure, const std::string& text);

  /// Why, for programs.
  StoreFailure failure() const { return failure_; }

private:
  StoreFailure failure_;
};

} // namespace backoff_actor
