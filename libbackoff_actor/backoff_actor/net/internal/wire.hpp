#pragma once

// A connection with another node, which does not block. `PlainWire` is TCP alone, `TlsSession` has
// TLS on it.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/net/internal/socket.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace backoff_actor::net {

/// How a wire stands after a call.
enum class WireState : std::uint8_t {
  ready,       ///< something was done
  wants_read,  ///< nothing was done, until the socket can be read
  wants_write, ///< nothing was done, until the socket can be written to
  ended,       ///< the other node has ended the connection in order
  failed,      ///< the connection is broken; `problem` says why
};

/// What a call has moved.
struct BACKOFF_ACTOR_EXPORT Moved {
  WireState state;
  std::size_t count = 0; ///< bytes, above 0 if ready
};

/// @thread one at a time, with SIGPIPE blocked.
class BACKOFF_ACTOR_EXPORT Wire {
public:
  explicit Wire(Descriptor socket) : socket_(std::move(socket)) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;

  const Descriptor& socket() const { return socket_; }

  /// Goes on with what must come first. Call it until it is ready.
  virtual WireState handshake() = 0;
  virtual Moved read(std::span<std::byte> bytes) = 0;
  virtual Moved write(std::span<const std::byte> bytes) = 0;
  /// Tells the other node, if that needs no waiting, that this one sends no more.
  virtual void say_end() = 0;

  /// Whom the other node's certificate names, in one line; empty: it is not known.
  virtual const std::string& subject() const = 0;
  /// What has failed, in a sentence without the node's name.
  const std::string& problem() const { return problem_; }

protected:
  void set_problem(std::string problem) { problem_ = std::move(problem); }

private:
  Descriptor socket_;
  std::string problem_;
};

/// TCP alone.
class BACKOFF_ACTOR_EXPORT PlainWire final : public Wire {
public:
  using Wire::Wire;
  WireState handshake() override { return WireState::ready; }
  Moved read(std::span<std::byte> bytes) override;
  Moved write(std::span<const std::byte> bytes) override;
  void say_end() override;
  const std::string& subject() const override;
};

} // namespace backoff_actor::net
