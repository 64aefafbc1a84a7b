#include "backoff_actor/testing/proxy/internal/proxied_connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

namespace backoff_actor::testing::detail {

namespace {

using Kind = ConnectionFault::Kind;

// How many rounds of work a connection may do before the next connection gets its turn.
constexpr int rounds = 16;

// How often the proxy checks whether the client has received all data before a reset.
constexpr auto delivery_poll = std::chrono::milliseconds{1};

ProxyTime later(ProxyTime now, Duration span) {
  return span < ProxyTime::max() - now ? now + span : ProxyTime::max();
}

std::optional<ProxyTime> cut_time(const ConnectionFault& fault, ProxyTime now) {
  if (fault.kind != Kind::cut || fault.time <= Duration::zero())
    return std::nullopt;
  return later(now, fault.time);
}

// Whether the peer has received all that was sent.
bool is_delivered(const Descriptor& socket) {
  int outstanding = 0;
  return ioctl(socket.get(), SIOCOUTQ, &outstanding) != 0 || outstanding == 0;
}

bool is_slow(const ConnectionFault& fault) { return fault.delay > Duration::zero(); }

} // namespace

// -- the ring -------------------------------------------------------------------------

std::span<char> Ring::room() {
  if (bytes_.empty())
    bytes_.resize(capacity_);
  const auto end = (begin_ + size_) % capacity_;
  return std::span{bytes_}.subspan(end, std::min(capacity_ - size_, capacity_ - end));
}

std::span<const char> Ring::front() const {
  return std::span{bytes_}.subspan(begin_, std::min(size_, capacity_ - begin_));
}

void Ring::removed(std::size_t count) {
  size_ -= count;
  begin_ = size_ == 0 ? 0 : (begin_ + count) % capacity_;
}

// -- connecting -----------------------------------------------------------------------

ProxiedConnection::ProxiedConnection(std::uint64_t number, Descriptor client,
                                     const ConnectionFault& fault,
                                     const std::vector<net::Address>& addresses,
                                     std::size_t buffer_bytes, int epoll, ProxyTime now)
  : number_(number), fault_(fault), addresses_(addresses), epoll_(epoll),
    cut_at_(cut_time(fault, now)), request_{client_, service_, Ring{buffer_bytes}},
    answer_{service_, client_, Ring{buffer_bytes}} {
  client_.descriptor = std::move(client);
  if (!register_with_epoll(client_, Side::client))
    reset(client_.descriptor);
  else if (fault.kind != Kind::drop)
    connect_to_next();
}

bool ProxiedConnection::register_with_epoll(const Socket& socket, Side side) const {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = epoll_name(number_, side);
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, socket.descriptor.get(), &event) == 0;
}

bool ProxiedConnection::connect_to_next() {
  while (next_address_ != addresses_.size()) {
    service_ = {net::begin_connection(addresses_[next_address_++])};
    if (service_.descriptor && register_with_epoll(service_, Side::service))
      return true;
  }
  service_ = {};
  return false;
}

// Returns whether a connection to some address of the service is established or still possible.
bool ProxiedConnection::connect() {
  if (service_.descriptor && !std::exchange(has_news_of_service_, false))
    return true;
  is_connected_ = service_.descriptor && net::connection_error(service_.descriptor) == 0;
  return is_connected_ || connect_to_next();
}

// -- events ---------------------------------------------------------------------------

void ProxiedConnection::note(Side side, std::uint32_t events) {
  auto& socket = side == Side::client ? client_ : service_;
  const auto is_over = (events & (EPOLLERR | EPOLLHUP)) != 0;
  // After an error the next system call is tried, and its result tells what happened.
  if (is_over || (events & (EPOLLIN | EPOLLRDHUP)) != 0)
    socket.can_read = true;
  if (is_over || (events & EPOLLOUT) != 0)
    socket.can_write = true;
  socket.is_over = socket.is_over || is_over;
  if (side == Side::service && !is_connected_)
    has_news_of_service_ = true;
}

ProxiedConnection::State ProxiedConnection::go_on(ProxyTime now, TcpProxyStatistics& statistics) {
  wake_at_.reset();
  if (!client_.descriptor)
    return State::ended;
  if (fault_.kind == Kind::drop)
    return swallow();
  if (cut_at_ && now >= *cut_at_) {
    ++statistics.cut;
    return reset_both();
  }
  if (cut_at_)
    wake_by(*cut_at_);
  if (!is_connected_ && !connect()) {
    ++statistics.unreachable;
    return reset_both();
  }
  if (!is_connected_)
    return State::waits;
  for (auto round = 0; round != rounds; ++round) {
    // Every round does all four, whatever the others returned.
    const auto has_taken_request = take(request_, now, statistics);
    const auto has_taken_answer = take(answer_, now, statistics);
    const auto has_passed_request = pass_on(request_, now, statistics.bytes_to_service);
    const auto has_passed_answer = pass_on(answer_, now, statistics.bytes_to_client);
    const auto has_taken = has_taken_request || has_taken_answer;
    const auto has_passed_on = has_passed_request || has_passed_answer;
    if (is_to_be_reset(request_, now) || is_to_be_reset(answer_, now)) {
      statistics.cut += answer_.source == Source::exhausted ? 1 : 0;
      return reset_both();
    }
    if (request_.is_done && answer_.is_done)
      return client_.is_broken || service_.is_broken ? reset_both() : State::ended;
    if (!has_taken && !has_passed_on)
      return State::waits;
  }
  return State::ready;
}

ProxiedConnection::State ProxiedConnection::reset_both() {
  reset(client_.descriptor);
  reset(service_.descriptor);
  return State::ended;
}

ProxiedConnection::State ProxiedConnection::swallow() {
  std::array<char, 16'384> nowhere;
  for (auto round = 0; round != rounds && client_.can_read; ++round) {
    const auto count = recv(client_.descriptor.get(), nowhere.data(), nowhere.size(), 0);
    if (count > 0 || (count < 0 && errno == EINTR))
      continue;
    if (count == 0 || errno != EAGAIN)
      return State::ended;
    client_.can_read = false;
  }
  return client_.can_read ? State::ready : State::waits;
}

// -- streams --------------------------------------------------------------------------

// Returns whether data or the end of the source came.
bool ProxiedConnection::take(Stream& stream, ProxyTime now, TcpProxyStatistics& statistics) {
  if (!stream.from.can_read || stream.source != Source::open || stream.is_done
      || stream.bytes.is_full())
    return false;
  const auto end_with = [&](Source source) {
    stream.source = source;
    stream.end_due = later(now, std::max(fault_.delay, Duration::zero()));
    return true;
  };
  auto room = stream.bytes.room();
  const auto is_counted = &stream == &answer_ && fault_.kind == Kind::cut && !cut_at_;
  if (is_counted)
    room = room.first(std::min<std::uint64_t>(
      room.size(), std::max<std::uint64_t>(fault_.bytes - stream.taken, 1)));
  const auto result = recv(stream.from.descriptor.get(), room.data(), room.size(), 0);
  if (result == 0)
    return end_with(stream.from.is_broken ? Source::broken : Source::ended);
  if (result < 0 && errno == EINTR)
    return true;
  if (result < 0 && errno == EAGAIN)
    return stream.from.can_read = false;
  if (result < 0) {
    stream.from.is_broken = true;
    return end_with(Source::broken);
  }
  const auto count = static_cast<std::size_t>(result);
  if (is_counted && fault_.bytes == 0)
    return end_with(Source::exhausted);
  if (&stream == &answer_ && fault_.kind == Kind::corrupt)
    corrupt(room.first(count), statistics);
  stream.bytes.added(count);
  stream.taken += count;
  if (is_slow(fault_))
    stream.batches.push_back({later(now, fault_.delay), count});
  return is_counted && stream.taken == fault_.bytes ? end_with(Source::exhausted) : true;
}

// Flips bits in the bytes of the answer that have just come.
void ProxiedConnection::corrupt(std::span<char> fresh, TcpProxyStatistics& statistics) const {
  if (fault_.bytes == 0)
    return;
  auto next = fault_.bytes - 1 - answer_.taken % fault_.bytes;
  while (next < fresh.size()) {
    fresh[next] = static_cast<char>(fresh[next] ^ 1);
    ++statistics.corrupted_bytes;
    if (fresh.size() - next <= fault_.bytes)
      return;
    next += fault_.bytes;
  }
}

// Returns whether any data or an end was passed on.
bool ProxiedConnection::pass_on(Stream& stream, ProxyTime now, std::uint64_t& passed) {
  if (stream.is_done)
    return false;
  auto has_passed = false;
  while (stream.to.can_write && !stream.to.is_broken) {
    const auto due = stream.bytes.front().first(due_bytes(stream, now));
    if (due.empty())
      break;
    const auto result = send(stream.to.descriptor.get(), due.data(), due.size(), MSG_NOSIGNAL);
    if (result < 0 && errno == EAGAIN) {
      stream.to.can_write = false;
    } else if (result < 0 && errno != EINTR) {
      stream.to.is_broken = true;
    } else if (result > 0) {
      sent(stream, static_cast<std::size_t>(result));
      passed += static_cast<std::uint64_t>(result);
      has_passed = true;
    }
  }
  if (stream.to.is_broken) {
    // The receiver is gone. The other stream reads from it, and so will find the reset.
    stream.to.can_read = true;
    stream.is_done = true;
    return true;
  }
  if (stream.source != Source::ended || stream.bytes.size() != 0)
    return has_passed;
  if (now < stream.end_due) {
    wake_by(stream.end_due);
    return has_passed;
  }
  shutdown(stream.to.descriptor.get(), SHUT_WR);
  return stream.is_done = true;
}

// Returns how many bytes of the first contiguous piece are due.
std::size_t ProxiedConnection::due_bytes(const Stream& stream, ProxyTime now) {
  const auto most = stream.bytes.front().size();
  if (!is_slow(fault_))
    return most;
  std::size_t result = 0;
  for (const auto& batch : stream.batches) {
    if (result >= most)
      break;
    if (now < batch.due) {
      wake_by(batch.due);
      break;
    }
    result += batch.bytes;
  }
  return std::min(result, most);
}

void ProxiedConnection::sent(Stream& stream, std::size_t count) {
  stream.bytes.removed(count);
  while (count != 0 && !stream.batches.empty()) {
    auto& batch = stream.batches.front();
    const auto part = std::min(count, batch.bytes);
    count -= part;
    batch.bytes -= part;
    if (batch.bytes == 0)
      stream.batches.pop_front();
  }
}

bool ProxiedConnection::is_to_be_reset(const Stream& stream, ProxyTime now) {
  if (stream.is_done || stream.bytes.size() != 0
      || (stream.source != Source::broken && stream.source != Source::exhausted))
    return false;
  if (now < stream.end_due) {
    wake_by(stream.end_due);
    return false;
  }
  if (stream.to.is_over || is_delivered(stream.to.descriptor))
    return true;
  wake_by(now + delivery_poll);
  return false;
}

void ProxiedConnection::wake_by(ProxyTime time) {
  wake_at_ = wake_at_ ? std::min(*wake_at_, time) : time;
}

} // namespace backoff_actor::testing::detail
