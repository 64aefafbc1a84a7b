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

/// An error that came back for a hand-over, with what CAF knows of it.
struct ErrorInfo {
  caf::error error; ///< as it came
  bool is_bounce;   ///< CAF answered in the place of somebody who was gone
  bool is_settled;  ///< it cannot be that of a crash of a child
};

/// An actor with up to two children, to which it hands over messages of any type, and whose end it
/// is told of. Each child is named by its incarnation, a number that the derived class gives it.
///
/// @range an incarnation that names none of the children is harmless in all members but `adopt`.
/// @thread all members run in the actor's own thread.
class BACKOFF_ACTOR_EXPORT SupervisingActor : public seam::RequestingActor {
public:
  using seam::RequestingActor::RequestingActor;

  /// Lets go of the children.
  void on_exit() override;

protected:
  /// Is told what came back for a hand-over, of any child, present or not.
  virtual void on_answer(HandOverId id, caf::message&& answer) = 0;
  /// Is told that an error came back for a hand-over, from a child or from CAF in its stead.
  virtual void on_error_answer(HandOverId id, ErrorInfo info) = 0;
  /// Is told that a child lived when it got this probe.
  virtual void on_probe_answer(std::uint32_t incarnation, std::uint32_t probe) = 0;
  /// Is told that a child ended, one that was abandoned included, and knows it no longer.
  virtual void on_child_down(std::uint32_t incarnation, const caf::error& reason) = 0;

  /// Makes this a child: its end will be told. One that is shared is never told to end.
  ///
  /// @range at most two at a time, those that were abandoned or ended not counted
  void adopt(std::uint32_t incarnation, const caf::actor& child,
             Ownership ownership = Ownership::sole);
  /// Tells `on_child_down` of the end of each child that has ended, ahead of the news that waits in the
  /// mailbox: whatever is passed on next is not for the dead.
  void see_who_has_ended();
  /// Returns a child; an invalid handle if there is none of that name.
  caf::actor child(std::uint32_t incarnation) const;
  /// Gives a child a message as a request whose answer comes back under `id`.
  void hand_over(std::uint32_t incarnation, HandOverId id, const caf::message& payload);
  /// Asks a child for a sign of life, ahead of all that waits in its mailbox. A blocking actor is
  /// not asked: it would take the question for work.
  void send_probe(std::uint32_t incarnation, std::uint32_t probe);
  /// Asks a child to end (`user_shutdown`), ahead of all that waits in its mailbox. One that is shared is
  /// let go of instead, and this returns false: nothing will be told of it.
  bool ask_to_end(std::uint32_t incarnation);
  /// The same, and ends it (`kill`) even if it does not let itself be asked.
  bool tell_to_end(std::uint32_t incarnation);
  /// Holds a child no longer; its end will still be told.
  void abandon(std::uint32_t incarnation);
  /// Tells a child to end, unless it is shared, and knows it no longer.
  void end_child(std::uint32_t incarnation);

private:
  struct Child {
    std::uint32_t incarnation = 0; // 0: there is none
    Ownership ownership = Ownership::sole;
    caf::actor handle;
  };

  // A child that is known until the news of its end comes.
  struct Former {
    std::uint32_t incarnation; // 0: its end was told
    caf::actor_addr address;
  };

  // What there is beside the one child, which is seldom anything.
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
