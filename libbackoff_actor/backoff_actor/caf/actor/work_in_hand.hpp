#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/messages/tracked.hpp"
#include "backoff_actor/core/export.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/local_actor.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace backoff_actor {

namespace compat {
struct OpenRequest;
} // namespace compat

/// What a child with `Acknowledgement::by_reply` has in hand. By it the child tells the sender that
/// it still works, and how far it is, as others do by `Working`. Make it in the handler of the
/// message, from the actor that handles it:
///
///     [this](const Import& job) {
///       const WorkInHand work{*this};
///       auto answer = make_response_promise();
///       work.with_note(*this, [=](const std::string& note) mutable { ... });
///       return answer;
///     }
///
/// If the message comes from somebody else than a sender, nobody is told, and there is no note. The
/// same holds for an actor to which the child has passed the message on. It keeps no sender alive.
///
/// @thread the actor's own
class BACKOFF_ACTOR_EXPORT WorkInHand {
public:
  /// What `self` handles now.
  ///
  /// @errors throws `std::logic_error` if a promise was made for the message before: it has taken
  ///         the sender along.
  explicit WorkInHand(caf::local_actor& self);

  /// For actors of the library, which answer without promises.
  WorkInHand(caf::local_actor& self, const compat::OpenRequest& request);

  /// Tells the sender that the child still works: `SenderOptions::ack_timeout` starts over.
  ///
  /// @param note as `Working::note`
  /// @errors as `Working`: a note that is too large is not kept, and the sender gives a hint.
  void still_working(std::string note = {}) const;

  /// Calls `f` with the last note of the children that had the message before, as
  /// `TrackedMsg::note`; empty if there is none. It asks the sender, so `f` is called later; at
  /// once if nobody can be asked.
  ///
  /// @param self the actor of the constructor
  /// @param f called as `f(const std::string&)`, in the actor
  template <class Self, class F>
  void with_note(Self& self, F f) const {
    const auto sender = sender_.lock();
    if (!sender)
      return f(std::string{});
    compat::request(self, caf::actor_cast<caf::actor>(sender), detail::AskNote{request_})
      .then([f](const std::string& note) mutable { f(note); },
            [f](const caf::error&) mutable { f(std::string{}); });
  }

private:
  caf::local_actor* self_;
  caf::weak_actor_ptr sender_{}; // none: nobody
  std::uint64_t request_ = 0;
};

} // namespace backoff_actor
