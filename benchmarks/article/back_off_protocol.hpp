#pragma once

// The article's `object BackOffProtocol`.

#include "backoff_actor/caf/compat/compat.hpp"

#include <cstdint>
#include <string>

namespace transcription {

/// What clients send, and what they get back.
struct Msg {
  std::uint64_t id = 0; ///< chosen by the client; `Sent` names no more than this
  std::string data;
};

/// What the dangerous actor gets. The sender of the message is the `BackOffSender`, the article's
/// `context.parent`.
struct TrackedMsg {
  Msg msg;
  caf::actor sender; ///< of `msg`
};

/// The dangerous actor's word to the `BackOffSender` that a message is done.
struct Sent {
  std::uint64_t id = 0;
};

/// A `BackOffSender`'s word to itself; in the article the string "tick".
struct Tick {};

template <class Inspector>
auto inspect(Inspector& f, Msg& x) {
  namespace compat = backoff_actor::compat;
  return compat::object(f, x, "transcription::Msg", compat::field("id", x.id),
                        compat::field("data", x.data));
}

template <class Inspector>
auto inspect(Inspector& f, TrackedMsg& x) {
  namespace compat = backoff_actor::compat;
  return compat::object(f, x, "transcription::TrackedMsg", compat::field("msg", x.msg),
                        compat::field("sender", x.sender));
}

template <class Inspector>
auto inspect(Inspector& f, Sent& x) {
  namespace compat = backoff_actor::compat;
  return compat::object(f, x, "transcription::Sent", compat::field("id", x.id));
}

template <class Inspector>
auto inspect(Inspector& f, Tick& x) {
  return backoff_actor::compat::object(f, x, "transcription::Tick");
}

} // namespace transcription

CAF_BEGIN_TYPE_ID_BLOCK(transcription, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(transcription, (transcription::Msg))
  CAF_ADD_TYPE_ID(transcription, (transcription::TrackedMsg))
  CAF_ADD_TYPE_ID(transcription, (transcription::Sent))
  CAF_ADD_TYPE_ID(transcription, (transcription::Tick))
CAF_END_TYPE_ID_BLOCK(transcription)
