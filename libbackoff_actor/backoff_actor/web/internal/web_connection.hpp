#pragma once

#include "backoff_actor/net/internal/socket.hpp"
#include "backoff_actor/net/internal/wire.hpp"
#include "backoff_actor/net/tls/internal/tls_context.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace backoff_actor::web {

using Clock = net::Clock;

/// A client's connection, which serves one request: the client asks, the answer is made, the client
/// takes it, and both leave. A watcher stays, and takes one text after the other. No call blocks.
/// What comes after the head of the request is thrown away, so a body costs no memory.
class WebConnection {
public:
  enum class State {
    greeting,  ///< TLS is being agreed on
    asking,    ///< the head of the request comes
    asked,     ///< it is there, and the answer is to be given
    answering, ///< the answer goes
    watching,  ///< it takes texts for as long as it likes
    leaving,   ///< the answer has gone, and the client has not closed its end yet
    over,      ///< to be closed
  };

  /// Takes over a non-blocking socket of the client at `peer`. `tls`: null, for plain HTTP.
  WebConnection(net::Descriptor socket, const net::Address& peer, const net::TlsContext* tls);

  /// Does what can be done at once. To be called when an event has come.
  void move();

  /// Takes the head of the request, with its empty line. Once, when it is there.
  std::string take_head() { return std::move(head_); }

  /// Begins to send the answer; an empty one ends the connection.
  void answer(std::string text);

  /// Begins to send an answer that has no end, with its beginning.
  void watch(std::string text);

  /// Offers a watcher the next text, which says what has `changed` since the one before, and a text
  /// that says `all`; either may be missing. Other connections may share them. A watcher that still
  /// has some of an earlier text to take misses this one. Its next text is one that says all.
  void offer(const std::shared_ptr<const std::string>& changed,
             const std::shared_ptr<const std::string>& all);

  /// Whether it waits for a text that says all.
  bool needs_all() const { return state_ == State::watching && has_missed_some_ && !text_; }

  /// Takes the reason why TLS has refused the client, in a sentence without a subject. Empty: it
  /// has not, or the reason was taken.
  std::string take_refusal() { return std::exchange(refusal_, {}); }

  State state() const { return state_; }
  int descriptor() const { return wire_ ? wire_->socket().get() : socket_.get(); }
  /// The client's address and port.
  std::string peer() const;
  /// Whom the client's certificate names; empty: it is not known.
  std::string subject() const { return wire_ ? wire_->subject() : std::string{}; }
  /// The events of poll(2) that it waits for; those that are always reported count, too.
  short events() const;
  /// When it has had its time.
  Clock::time_point due() const { return due_; }
  /// The bytes of the answer that are held for the client.
  std::size_t held_bytes() const { return answer_.size() + (text_ ? text_->size() : 0); }

private:
  void greet();
  void receive_head();
  void send_answer();
  void show(std::shared_ptr<const std::string> text);
  void send_text();
  bool send_some(const std::string& text);
  void see_whether_it_is_there();
  void throw_away();
  void leave();
  void wait_for(net::WireState state);

  net::Descriptor socket_; // until it is known what the client speaks
  std::unique_ptr<net::Wire> wire_;
  net::Address peer_;
  const net::TlsContext* tls_;
  std::string refusal_;
  short waits_for_; // an event of poll(2), for which the last call has to wait
  std::string head_;
  std::string answer_;
  std::shared_ptr<const std::string> text_; // none: a watcher has taken all
  std::size_t sent_ = 0;                    // bytes of the answer, or of the text
  bool has_missed_some_ = false;
  State state_ = State::asking;
  Clock::time_point due_;
};

} // namespace backoff_actor::web
