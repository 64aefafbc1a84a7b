#pragma once

#include "backoff_actor/net/internal/socket.hpp"

#include <cstddef>
#include <string>

namespace backoff_actor::web {

using Clock = net::Clock;

/// A client's connection, which serves one request: the client asks, the answer is made, the client
/// takes it, and both leave. No call blocks. What comes after the head of the request is thrown
/// away, so a body costs no memory.
class WebConnection {
public:
  enum class State {
    asking,    ///< the head of the request comes
    asked,     ///< it is there, and the answer is to be given
    answering, ///< the answer goes
    leaving,   ///< the answer has gone, and the client has not closed its end yet
    over,      ///< to be closed
  };

  /// Takes over a non-blocking socket.
  explicit WebConnection(net::Descriptor socket);

  /// Does what can be done at once. To be called when an event has come.
  void move();

  /// Takes the head of the request, with its empty line. Once, when it is there.
  std::string take_head() { return std::move(head_); }

  /// Begins to send the answer; an empty one ends the connection.
  void answer(std::string text);

  State state() const { return state_; }
  int descriptor() const { return socket_.get(); }
  /// The events of poll(2) that it waits for; those that are always reported count, too.
  short events() const;
  /// When it has had its time.
  Clock::time_point due() const { return due_; }
  /// The bytes of the answer that are held for the client.
  std::size_t held_bytes() const { return answer_.size(); }

private:
  void receive_head();
  void send_answer();
  void throw_away();
  void leave();

  net::Descriptor socket_;
  std::string head_;
  std::string answer_;
  std::size_t sent_ = 0; // bytes of the answer
  State state_ = State::asking;
  Clock::time_point due_;
};

} // namespace backoff_actor::web
