#pragma once

/// @namespace backoff_actor::compat
/// What differs between the versions of CAF: the same names with the same meaning for each.
///
/// Programs use what is shown here: `object`, `field` and `enum_field` in the `inspect` of a
/// message type, `render`, `keep_cause` and `share_work`.

// What stands between this library and the version of CAF. Only this header and
// caf/actor/internal/requesting_actor.hpp check the version. Each version's header defines the same
// names with the same meaning, so that all other code is independent of the version.
//
//   object, field, ...     inspection of message types
//   Signature              a message and its answer, in the interface of a typed actor
//   register_types         type registration
//   error_with             a caf::error with a context
//   code_in, has_code      the code of a caf::error, if it is of an enumeration
//   save, load             values as bytes, and back
//   StorableType           whether a type can be saved and loaded
//   is_registered, ...     whether CAF knows a type
//   enqueue, send          sending without a sender, and in an actor's name
//   send_later             sending to oneself after a delay
//   request, ...           a request of any actor, in CAF's own way
//   on_exit_message        an actor's own handler for exit messages
//   share_work             how threads share the runnable actors (compat_scheduler.hpp)
//
// What only the library itself needs, in caf/compat/internal/caf_parts.hpp:
//
//   caf_text_of            a caf::error as text, as CAF writes it
//   is_bounce              whether CAF itself made an error, because nobody answered
//   serialized_size        the size of a message in bytes
//   type_name              the name of a type in a message
//   send_exit_now          an exit message that overtakes all messages in the mailbox
//   make_forwarder         an address that stays while actors come and go
//   answer, refuse, ...    answering a client
//   OpenRequest, respond   answering a client without CAF's promise
//
// And in caf/compat/internal/virtual_system.hpp:
//
//   VirtualSystem          an actor system whose clock is moved by hand
//
// The same for actors, in caf/actor/internal/requesting_actor.hpp:
//
//   RequestingActor        an actor that makes requests of any type and gets their answers
//   Word                   a message of one value of a library type
//
// And for errors, in caf/messages/errors.hpp:
//
//   make_error             this library's errors as a caf::error
//   render                 a caf::error as text
//   keep_cause             makes an actor's exception its exit reason, text included
//
// with caf/messages/internal/error_parts.hpp for the library:
//
//   register_errors        texts of this library's errors
//   cause_of               a caf::error as a Cause
//   error_of               an exception as an exit reason
//   receiver_down          the error that a receiver is gone

#include <caf/config.hpp>

// CAF_VERSION itself must not be tested on 1.x: in 1.1.0 it is an octal literal.
#if defined(CAF_VERSION_MAJOR) && CAF_VERSION_MAJOR == 1
#include "backoff_actor/caf/compat/v1/compat_1.hpp"
#elif !defined(CAF_VERSION_MAJOR) && CAF_VERSION >= 1706 && CAF_VERSION < 1800
#include "backoff_actor/caf/compat/v0_17/compat_0_17.hpp"
#else
#error "backoff_actor needs CAF 0.17.6 or 1.x"
#endif
