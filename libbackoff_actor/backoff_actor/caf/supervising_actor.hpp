#pragma once

#include "backoff_actor/caf/seam.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/delivery/hand_over_id.hpp"

#include <cstdint>

namespace backoff_actor {

/// An error that came back for a hand-over, with what CAF knows of it.
struct ErrorInfo {
  caf::error error; ///< as it came
  bool is_bounce;   ///< CAF answered in the place of somebody who was gone
  bool is_settled;  ///< it cannot be that of a crash of the child
};

/// An actor with one child, to which it hands over messages of any type, and whose end it is told
/// of.
///
/// @thread all members run in the actor's own thread.
class BACKOFF_ACTOR_EXPORT SupervisingActor : public seam::RequestingActor {
public:
  using seam::RequestingActor::RequestingActor;

protected:
  /// Is told what came back for a hand-over, of this child or of an earlier one.
  virtual void on_answer(HandOverId id, caf::message answer) = 0;
  /// Is told that an error came back for a hand-over, from a child or from CAF in its stead.
  virtual void on_error_answer(HandOverId id, ErrorInfo info) = 0;
  /// Is told that the child lived when it got this probe.
  virtual void on_probe_answer(std::uint32_t probe) = 0;
  /// Is told that the present child ended.
  virtual void on_child_down(const caf::error& reason) = 0;

  /// Makes this the child: its end will be told, and that of an earlier one no longer.
  void adopt(const caf::actor& child);
  /// Gives the child a message as a request whose answer comes back under `id`.
  void hand_over(HandOverId id, caf::message payload);
  /// Asks the child for a sign of life, ahead of all that waits in its mailbox. A blocking actor is
  /// not asked: it would take the question for work.
  void send_probe(std::uint32_t probe);
  /// Ends the child, ahead of all that waits in its mailbox, and forgets it.
  void end_child();
  /// Goes on without a child, which is left alone.
  void forget_child() { child_ = nullptr; }

private:
  bool is_child(const caf::strong_actor_ptr& who) const;
  // Blocking actors answer nothing when they crash, and no probes either.
  bool child_blocks() const;
  void on_response(std::uint64_t name, caf::message content,
                   const caf::strong_actor_ptr& from) final;
  void on_down(const caf::actor_addr& who, const caf::error& reason) final;

  caf::actor child_;
};

} // namespace backoff_actor
