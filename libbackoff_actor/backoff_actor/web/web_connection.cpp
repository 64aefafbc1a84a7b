#include "backoff_actor/web/internal/web_connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace backoff_actor::web {

namespace {

using namespace std::chrono_literals;

// The most bytes of a head. Those of browsers have a few thousand, with cookies.
constexpr std::size_t most_head = 16'384;

// How long a head may take from the first to the last byte, however slowly it comes. All clients of
// interest send it at once.
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

constexpr std::string_view too_large = "HTTP/1.1 431 Request Header Fields Too Large\r\n"
                                       "Connection: close\r\n"
                                       "Content-Type: text/plain; charset=utf-8\r\n"
                                       "Content-Length: 38\r\n"
                                       "\r\n"
                                       "the request has more than 16384 bytes\n";

bool will_go_on(int error) { return error == EAGAIN || error == EINTR; }

} // namespace

WebConnection::WebConnection(net::Descriptor socket)
  : socket_(std::move(socket)), due_(Clock::now() + time_to_ask) {}

void WebConnection::move() {
  switch (state_) {
  case State::asking:
    return receive_head();
  case State::answering:
    return send_answer();
  case State::watching:
    throw_away(); // also to see whether it is still there
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
  case State::asking:
  case State::leaving:
    return POLLIN;
  case State::answering:
    return POLLOUT;
  case State::watching:
    return text_ ? POLLIN | POLLOUT : POLLIN;
  case State::asked:
  case State::over:
    break;
  }
  return 0;
}

void WebConnection::receive_head() {
  std::array<char, 4096> bytes;
  const auto count = recv(descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count <= 0) {
    if (count == 0 || !will_go_on(errno))
      state_ = State::over;
    return;
  }
  constexpr std::string_view end_of_head = "\r\n\r\n";
  const auto from = head_.size() - std::min(head_.size(), end_of_head.size() - 1);
  head_.append(bytes.data(), static_cast<std::size_t>(count));
  const auto end = head_.find(end_of_head, from);
  if (const auto size = std::min(end, head_.size()); size + end_of_head.size() > most_head) {
    answer(std::string{too_large});
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
  due_ = Clock::now() + time_to_answer;
}

// Returns whether all of a text has gone.
bool WebConnection::send_some(const std::string& text) {
  const auto size = std::min(text.size() - sent_, most_at_once);
  // MSG_NOSIGNAL: a client that has gone is no reason for SIGPIPE.
  const auto count = send(descriptor(), text.data() + sent_, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count >= 0)
    sent_ += static_cast<std::size_t>(count);
  else if (!will_go_on(errno))
    state_ = State::over;
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
  shutdown(descriptor(), SHUT_WR);
  state_ = State::leaving;
  due_ = Clock::now() + time_to_leave;
}

void WebConnection::throw_away() {
  std::array<char, 16'384> bytes;
  const auto count = recv(descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count == 0 || (count < 0 && !will_go_on(errno)))
    state_ = State::over;
}

} // namespace backoff_actor::web
