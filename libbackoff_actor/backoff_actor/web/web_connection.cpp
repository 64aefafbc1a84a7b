#include "backoff_actor/web/internal/web_connection.hpp"

#include "backoff_actor/core/node_address.hpp"
#include "backoff_actor/net/tls/internal/tls_session.hpp"
#include "backoff_actor/web/internal/http_message.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <span>
#include <sys/socket.h>
#include <utility>

namespace backoff_actor::web {

namespace {

using namespace std::chrono_literals;

// The most bytes of a head. Those of browsers have a few thousand, with cookies.
constexpr std::size_t most_head = 16'384;

// How long TLS and a head may take, however slowly they come. All clients of interest send the head
// at once.
constexpr auto time_to_ask = 5s;

// How long the answer may take until the last byte is with the system. It is longer than what
// Prometheus waits by default, which is 10 s.
constexpr auto time_to_answer = 30s;

// How long a watcher may take nothing of a text.
constexpr auto time_to_take = 30s;

// How long the client may take to close its end. If this end closed first while something was left
// to read, the system would tell the client so, and the client would lose the answer.
constexpr auto time_to_leave = 1s;

// The most bytes that are sent or received in a row, so that every client has its turn.
constexpr std::size_t most_at_once = 262'144;

// With this a client of TLS begins. It knows by any answer that there is no TLS.
constexpr char begin_of_tls = 22;

// As many as a record of TLS has at the most. With less, TLS would keep some, and poll(2) would not
// know of it.
using Buffer = std::array<std::byte, 16'384>;

bool will_go_on(int error) { return error == EAGAIN || error == EINTR; }

} // namespace

WebConnection::WebConnection(net::Descriptor socket, const net::Address& peer,
                             const net::TlsContext* tls)
  : socket_(std::move(socket)), peer_(peer), tls_(tls), waits_for_(POLLIN),
    state_(tls ? State::greeting : State::asking), due_(Clock::now() + time_to_ask) {
  if (!tls)
    wire_ = std::make_unique<net::PlainWire>(std::move(socket_));
}

std::string WebConnection::peer() const {
  return to_string(NodeAddress{peer_.host(), peer_.port()});
}

void WebConnection::move() {
  switch (state_) {
  case State::greeting:
    return greet();
  case State::asking:
    return receive_head();
  case State::answering:
    return send_answer();
  case State::watching:
    see_whether_it_is_there();
    return send_text();
  case State::leaving:
    return throw_away();
  case State::asked: // nothing is asked of the system: the connection is broken
  case State::over:
    state_ = State::over;
  }
}

short WebConnection::events() const {
  switch (state_) {
  case State::greeting:
  case State::asking:
  case State::answering:
    return waits_for_;
  case State::leaving:
    return POLLIN;
  case State::watching:
    return static_cast<short>(text_ ? POLLIN | waits_for_ : POLLIN);
  case State::asked:
  case State::over:
    break;
  }
  return 0;
}

void WebConnection::wait_for(net::WireState state) {
  if (state == net::WireState::wants_read)
    waits_for_ = POLLIN;
  else if (state == net::WireState::wants_write)
    waits_for_ = POLLOUT;
  else
    state_ = State::over;
}

// A client that speaks plain HTTP is told so: its first byte is of a method, and that of TLS is no
// letter.
void WebConnection::greet() {
  if (!wire_) {
    char first = 0;
    const auto count = recv(descriptor(), &first, 1, MSG_DONTWAIT | MSG_PEEK);
    if (count <= 0) {
      if (count == 0 || !will_go_on(errno))
        state_ = State::over;
      return;
    }
    if (first >= 'A' && first <= 'Z') {
      wire_ = std::make_unique<net::PlainWire>(std::move(socket_));
      return answer(to_http({400, "these pages are encrypted: begin with https\n"}));
    }
    net::send_at_once(socket_);
    wire_ = std::make_unique<net::TlsSession>(*tls_, std::move(socket_),
                                              net::TlsSession::Role::accepts, tls_->names());
  }
  switch (const auto state = wire_->handshake()) {
  case net::WireState::ready:
    state_ = State::asking;
    return receive_head();
  case net::WireState::failed:
    refusal_ = wire_->problem();
    return leave(); // TLS has told the client, who must have the time to read it
  default:
    wait_for(state);
  }
}

void WebConnection::receive_head() {
  Buffer bytes;
  const auto [state, count] = wire_->read(bytes);
  if (state != net::WireState::ready)
    return wait_for(state);
  constexpr std::string_view end_of_head = "\r\n\r\n";
  const auto from = head_.size() - std::min(head_.size(), end_of_head.size() - 1);
  head_.append(reinterpret_cast<const char*>(bytes.data()), count);
  if (head_.front() == begin_of_tls)
    return answer(to_http({400, "these pages are not encrypted: begin with http\n"}));
  const auto end = head_.find(end_of_head, from);
  if (const auto size = std::min(end, head_.size()); size + end_of_head.size() > most_head) {
    answer(to_http({431, "the request has more than 16384 bytes\n"}));
  } else if (end != head_.npos) {
    head_.resize(end + end_of_head.size());
    state_ = State::asked;
    due_ = Clock::now() + time_to_answer;
  }
}

void WebConnection::answer(std::string text) {
  if (text.empty()) {
    state_ = State::over;
    return;
  }
  head_ = {};
  answer_ = std::move(text);
  state_ = State::answering;
  waits_for_ = POLLOUT;
  due_ = Clock::now() + time_to_answer;
}

// Returns whether all of a text has gone.
bool WebConnection::send_some(const std::string& text) {
  const auto bytes = std::as_bytes(std::span{text});
  const auto end = sent_ + most_at_once;
  while (sent_ < std::min(end, text.size())) {
    // TLS sends one record in each call, and wants to be given again what it could not send.
    const auto rest = bytes.subspan(sent_, std::min(text.size() - sent_, most_at_once));
    const auto [state, count] = wire_->write(rest);
    if (state != net::WireState::ready) {
      wait_for(state);
      break;
    }
    sent_ += count;
  }
  return sent_ == text.size();
}

void WebConnection::send_answer() {
  if (send_some(answer_))
    leave();
}

void WebConnection::watch(std::string text) {
  head_ = {};
  state_ = State::watching;
  has_missed_some_ = true;
  show(std::make_shared<const std::string>(std::move(text)));
}

void WebConnection::offer(const std::shared_ptr<const std::string>& changed,
                          const std::shared_ptr<const std::string>& all) {
  const auto& text = has_missed_some_ ? all : changed;
  has_missed_some_ = !text || text_;
  if (!has_missed_some_)
    show(text);
}

void WebConnection::show(std::shared_ptr<const std::string> text) {
  text_ = std::move(text);
  sent_ = 0;
  waits_for_ = POLLOUT;
  due_ = Clock::now() + time_to_take;
  send_text();
}

void WebConnection::send_text() {
  if (!text_ || state_ == State::over)
    return;
  const auto before = sent_;
  if (send_some(*text_)) {
    text_ = nullptr;
    due_ = Clock::time_point::max();
  } else if (sent_ != before) {
    due_ = Clock::now() + time_to_take;
  }
}

void WebConnection::leave() {
  answer_ = {};
  sent_ = 0;
  wire_->say_end();
  state_ = State::leaving;
  due_ = Clock::now() + time_to_leave;
}

void WebConnection::see_whether_it_is_there() {
  Buffer bytes;
  const auto [state, count] = wire_->read(bytes);
  if (state == net::WireState::ended || state == net::WireState::failed)
    state_ = State::over;
}

// Whatever it is: TLS is told nothing of it.
void WebConnection::throw_away() {
  Buffer bytes;
  const auto count = recv(descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count == 0 || (count < 0 && !will_go_on(errno)))
    state_ = State::over;
}

} // namespace backoff_actor::web
