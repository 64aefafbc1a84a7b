#pragma once

/// @namespace backoff_actor::seam
/// What differs between the versions of CAF: the same names with the same meaning for each.
///
/// Of interest to programs is `render`, which is `backoff_actor::render` too; the rest is for this
/// library itself.

// The seam between this library and the version of CAF. This header and caf/actor/internal/requesting_actor.hpp
// are the only places that ask which one it is. Each version's header defines the same names with the
// same meaning, so that nothing else needs to know.
//
//   object, field, ...     inspection of message types
//   Signature              a message and its answer, in the interface of a typed actor
//   register_types         type registration
//   error_with             a caf::error with a context
//   has_code               whether a caf::error has a code
//   is_bounce              whether an error is CAF's word that nobody answered
//   serialized_size        what a message weighs
//   save, load             values as bytes, and back
//   StorableType           whether a type can be both
//   type_name, ...         what types are called, in messages and in bytes
//   enqueue, send_later    sending without a sender, and to oneself after a delay
//   request                a request of any actor's, in CAF's own way
//   send_exit_now          an exit message ahead of all that waits in a mailbox
//   on_exit_message        deciding about exit messages oneself
//   make_forwarder         an address that stays while actors come and go
//   answer, refuse, ...    giving a client what it waits for
//   OpenRequest, respond   the same without CAF's promise
//   VirtualSystem          an actor system whose clock stands still (virtual_system.hpp)
//   share_work             how actors come to their threads (compat_scheduler.hpp)
//
// The same for actors, in caf/actor/internal/requesting_actor.hpp:
//
//   RequestingActor        an actor that makes requests of any type and is told what comes back
//   Word                   a message of one value of a type of this library's
//
// And for errors, in caf/messages/errors.hpp:
//
//   make_error             this library's errors as a caf::error
//   register_errors        texts of this library's errors
//   render                 a caf::error as text
//   cause_of               a caf::error as a Cause
//   keep_cause             makes an actor's exception its exit reason, text included
//   error_of               an exception as such an exit reason
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
