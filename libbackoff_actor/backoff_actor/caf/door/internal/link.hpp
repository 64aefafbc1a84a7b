#pragma once

#include "backoff_actor/caf/door/internal/byte_queue.hpp"
#include "backoff_actor/caf/door/internal/frame_check.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/net/internal/socket.hpp"
#include "backoff_actor/net/internal/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace backoff_actor::door {

/// Moves bytes between another node and CAF, which has the other end of a socket pair. Checks the
/// frames of both sides, and holds at most 64 KiB of each.
class BACKOFF_ACTOR_HIDDEN Link {
public:
  /// How a link stands.
  enum class State : std::uint8_t {
    waiting, ///< nothing can be moved until a descriptor is ready
    busy,    ///< there is more to move: call `move` again soon
    over,    ///< it has ended; `problem` says why
  };

  /// `peer` is what the other node is. `greeting` was already read from the wire, and passed.
  Link(std::unique_ptr<net::Wire> wire, net::Descriptor caf, Speaker peer, std::uint32_t max_frame,
       std::span<const std::byte> greeting);

  /// Moves what can be moved, but not for long.
  State move();

  /// The events of epoll(7) to wait for. If none, the descriptor must not be waited for at all,
  /// because epoll reports its end for ever.
  std::uint32_t wire_events() const;
  std::uint32_t caf_events() const;

  int wire_descriptor() const { return wire_->socket().get(); }
  int caf_descriptor() const { return caf_.get(); }

  /// Whether the other node has sent its handshake.
  bool has_handshake() const { return in_.check.has_handshake(); }
  /// Whether CAF has closed its end, so that only what it has sent is still under way.
  bool is_ending() const { return caf_has_closed_; }
  /// Whether the other node's machine has got all that CAF has sent, and the end.
  bool has_passed_all() const;
  /// Whether a node has broken the protocol.
  bool is_broken_off() const { return !problem_.empty() && is_broken_off_; }
  /// Why the link has ended; empty: a node has ended it in order.
  const std::string& problem() const { return problem_; }
  const std::string& subject() const { return wire_->subject(); }

private:
  // One direction.
  struct Way {
    Way(Speaker speaker, std::uint32_t max_frame) : check(speaker, max_frame) {}

    std::span<const std::byte> passed() const { return bytes.content().first(passed_count); }
    void added(std::size_t count);
    void removed(std::size_t count);

    ByteQueue bytes{std::size_t{64} * 1024};
    std::size_t passed_count = 0; // of the bytes, from the front
    FrameCheck check;
  };

  bool take_from_wire();
  bool give_to_caf();
  bool take_from_caf();
  void see_whether_caf_has_closed();
  bool give_to_wire();
  void note(net::WireState state);
  void break_off(const Way& way, const char* who);

  std::unique_ptr<net::Wire> wire_;
  net::Descriptor caf_;
  Way in_;  // from the other node to CAF
  Way out_; // from CAF to the other node
  bool wire_wants_write_ = false;
  bool wire_has_ended_ = false;
  bool caf_has_closed_ = false; // it takes nothing any more
  bool caf_has_ended_ = false;  // and all that it has sent was read
  bool has_said_end_ = false;   // to the other node, whose end is waited for
  bool is_over_ = false;
  bool is_broken_off_ = false;
  std::string problem_;
};

} // namespace backoff_actor::door
