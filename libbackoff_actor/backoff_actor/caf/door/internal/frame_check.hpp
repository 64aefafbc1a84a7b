#pragma once

// What CAF trusts without a check, checked before CAF sees it. Nodes talk in frames of BASP, CAF's
// Binary Actor System Protocol. A frame is a header of 32 bytes, with numbers in network order:
//
//   byte   0: the operation        8..15: a number whose meaning depends on the operation
//   bytes 1..2: 0                 16..23: the number of the actor that sends
//   byte   3: flags               24..31: the number of the actor that receives
//   bytes 4..7: the size of the payload, which follows
//
// CAF 0.17.6 and 1.1.0 trust the header: a frame can end the process, and they make room for a
// payload before it comes. So a frame passes only if an operation may have it, there and then.

#include "backoff_actor/core/export.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace backoff_actor::door {

/// Who sends the frames: the node that has connected, or the one that was connected to.
enum class Speaker : std::uint8_t { client, server };

/// Checks the frames that one node sends on one connection.
class BACKOFF_ACTOR_HIDDEN FrameCheck {
public:
  /// The size of a header, in bytes.
  static constexpr std::size_t header_size = 32;

  /// The largest payload of a handshake, in bytes. Ours take a few hundred.
  static constexpr std::uint32_t largest_handshake = 65'536;

  /// `max_frame` is the largest payload, in bytes.
  FrameCheck(Speaker speaker, std::uint32_t max_frame) : speaker_(speaker), max_frame_(max_frame) {}

  /// Gets the bytes that come next, and returns how many of them may be passed on. The rest, less
  /// than a header, must come again with more behind it. If there is a problem, the rest may be
  /// more, and nothing may follow.
  std::size_t pass(std::span<const std::byte> bytes);

  /// What is wrong, in a sentence without a subject; empty if nothing is.
  const std::string& problem() const { return problem_; }

  /// Whether the handshake, which must come first, has come whole.
  bool has_handshake() const { return frames_ > 1 || (frames_ == 1 && left_ == 0); }

private:
  std::string problem_of(std::span<const std::byte, header_size> header) const;
  std::string handshake_problem(std::uint32_t size) const;

  Speaker speaker_;
  std::uint32_t max_frame_;
  std::uint32_t left_ = 0;   // of the payload that is under way
  std::uint32_t frames_ = 0; // that have begun: 0, 1, or 2 for more
  std::string problem_;
};

} // namespace backoff_actor::door
