#pragma once

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/child/child_promise.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/delivery/hand_over_id.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace backoff_actor {

/// An error that came back for a hand-over, with its origin as far as CAF tells it.
struct ErrorInfo {
  caf::error error; ///< unchanged
  bool is_bounce;   ///< CAF answered in place of an actor that was gone
  bool is_settled;  ///< the error cannot come from a crash of a child
};

/// An actor with up to two children. It hands messages of any type over to them, and learns of
/// their end. The derived class numbers each child: this incarnation names the child.
///
/// @range all members but `adopt` accept an incarnation that names no child, and then do nothing.
/// @thread all members run in the actor's own thread.
class BACKOFF_ACTOR_EXPORT SupervisingActor : public seam::RequestingActor {
public:
  using seam::RequestingActor::RequestingActor;

  /// Lets go of the children.
  void on_exit() override;

protected:
  /// Is called with the answer to a hand-over, from a present or a former child.
  virtual void on_answer(HandOverId id, caf::message&& answer) = 0;
  /// Is called with an error that came back for a hand-over, from a child or from CAF in its place.
  virtual void on_error_answer(HandOverId id, ErrorInfo info) = 0;
  /// Is called when a child has answered this probe: the child is alive.
  virtual void on_probe_answer(std::uint32_t incarnation, std::uint32_t probe) = 0;
  /// Is called when a child has ended, also an abandoned one. This actor no longer knows it then.
  virtual void on_child_down(std::uint32_t incarnation, const caf::error& reason) = 0;

  /// Makes an actor a child, and monitors it. A shared child is never told to end.
  ///
  /// @range at most two children at a time; abandoned and ended ones do not count
  void adopt(std::uint32_t incarnation, const caf::actor& child,
             Ownership ownership = Ownership::sole);
  /// Calls `on_child_down` at once for each child that has ended, without waiting for the message
  /// in the mailbox. The next message is then not passed on to a dead child.
  void see_who_has_ended();
  /// Returns a child; an invalid handle if no child has this incarnation.
  caf::actor child(std::uint32_t incarnation) const;
  /// Sends a child a message as a request. Its answer comes back with `id`.
  void hand_over(std::uint32_t incarnation, HandOverId id, const caf::message& payload);
  /// Asks a child whether it is alive, with priority over the messages in its mailbox. A blocking
  /// actor is not asked: it would take the probe for work.
  void send_probe(std::uint32_t incarnation, std::uint32_t probe);
  /// Asks a child to end (`user_shutdown`), with priority over the messages in its mailbox. Returns
  /// false for a shared child: it is released instead, and its end is not reported.
  bool ask_to_end(std::uint32_t incarnation);
  /// The same, and then kills the child (`kill`), in case it ignores the first exit message.
  bool tell_to_end(std::uint32_t incarnation);
  /// Releases a child; its end is still reported.
  void abandon(std::uint32_t incarnation);
  /// Tells a child to end, unless it is shared, and forgets it.
  void end_child(std::uint32_t incarnation);

private:
  struct Child {
    std::uint32_t incarnation = 0; // 0: there is none
    Ownership ownership = Ownership::sole;
    caf::actor handle;
  };

  // A former child, until its down message comes.
  struct Former {
    std::uint32_t incarnation; // 0: its end was reported
    caf::actor_addr address;
  };

  // The second child and the former ones. Most actors have none.
  struct Others {
    Child second{};
    std::vector<Former> former{};
  };

  template <class IsIt>
  const Child* find_if(IsIt is_it) const;
  Child* find(std::uint32_t incarnation);
  const Child* find(std::uint32_t incarnation) const;
  const Child* find(const caf::strong_actor_ptr& who) const;
  Others& others();
  std::optional<std::uint32_t> forget(const caf::actor_addr& who);
  void on_response(std::uint64_t name, caf::message&& content,
                   const caf::strong_actor_ptr& from) final;
  void on_down(const caf::actor_addr& who, const caf::error& reason) final;
  bool is_told_of_end(const caf::actor_addr& who) const final;

  Child child_;
  std::unique_ptr<Others> others_; // none: there are none
};

} // namespace backoff_actor
