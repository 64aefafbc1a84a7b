#include "backoff_actor/caf/door/internal/door_loop.hpp"

#include "backoff_actor/core/node_address.hpp"
#include "backoff_actor/process/internal/no_signals.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <future>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace backoff_actor::door {

namespace {

using namespace std::chrono_literals;

// How exact the limits of time are.
constexpr auto tick = 100ms;

// Gates and strangers in a row, each of which may cost a millisecond of arithmetic. Then those who
// are connected have their turn.
constexpr int most_handled = 4;

std::system_error error_of(const char* what) {
  return std::system_error(errno, std::generic_category(), what);
}

} // namespace

// -- the thread ---------------------------------------------------------------------

Door::Loop::Loop(DoorOptions options)
  : options_(std::move(options)),
    tls_(options_.tls ? std::make_unique<net::TlsContext>(*options_.tls) : nullptr),
    epoll_(epoll_create1(EPOLL_CLOEXEC)), spare_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
  if (!epoll_ || !spare_)
    throw error_of("cannot create a door");
  std::uint32_t events = 0;
  watch(has_commands_.descriptor().get(), 0, EPOLLIN, events);
  const detail::NoSignals none;
  thread_ = std::thread{[this] { run(); }};
}

Door::Loop::~Loop() {
  run_soon([this] { is_over_ = true; });
  thread_.join();
}

void Door::Loop::run_soon(std::function<void()> command) {
  {
    const detail::Lock lock{mutex_};
    commands_.push_back(std::move(command));
  }
  has_commands_.raise();
}

void Door::Loop::run_commands() {
  has_commands_.lower();
  std::vector<std::function<void()>> commands;
  {
    const detail::Lock lock{mutex_};
    commands.swap(commands_);
  }
  for (const auto& command : commands)
    command();
}

int Door::Loop::time_to_wait() const {
  if (!busy_.empty())
    return 0;
  if (strangers_.empty() && joined_.empty())
    return -1;
  const auto has_due = !strangers_.empty() || !limited_.empty();
  const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(
    has_due ? Duration{tick} : options_.longest_pause / 2);
  return static_cast<int>(std::clamp(longest, 10ms, std::chrono::milliseconds{1s}).count());
}

void Door::Loop::run() {
  std::array<epoll_event, 128> ready;
  auto last_wake = Clock::now();
  auto last_tick = last_wake;
  while (!is_over_) {
    const auto wait = time_to_wait();
    const auto count = epoll_wait(epoll_.get(), ready.data(), ready.size(), wait);
    const auto now = Clock::now();
    if (wait >= 0 && now - last_wake > std::chrono::milliseconds{wait} + options_.longest_pause)
      end_after_pause(now - last_wake);
    last_wake = now;
    // Connections first: who is connected does not wait for strangers.
    const auto events = std::span{ready}.first(static_cast<std::size_t>(std::max(count, 0)));
    for (const auto& event : events) {
      const Number number = event.data.u64; // a copy: the event is packed
      if (joined_.contains(number))
        move(number);
    }
    for (const auto number : std::exchange(busy_, {}))
      move(number);
    int handled = 0;
    for (const auto& event : events) {
      const Number number = event.data.u64;
      if (number == 0)
        run_commands();
      else if (!joined_.contains(number) && handled++ < most_handled)
        handle(number);
    }
    if (now - last_tick >= tick) {
      last_tick = now;
      end_what_is_due(now);
    }
  }
  gates_.clear();
  strangers_.clear();
  joined_.clear();
}

// A gate or a stranger. The number may be of something that is gone.
void Door::Loop::handle(Number number) {
  if (const auto gate = gates_.find(number); gate != gates_.end())
    return accept_some(GatePtr{gate->second});
  if (strangers_.contains(number))
    advance(number);
}

void Door::Loop::end_after_pause(Clock::duration pause) {
  if (joined_.empty())
    return;
  std::vector<Number> all;
  for (const auto& [number, joined] : joined_)
    all.push_back(number);
  tell(Kind::paused, {}, {},
       "this process stood still for "
         + backoff_actor::to_string(
           Duration{std::chrono::duration_cast<std::chrono::milliseconds>(pause)})
         + ": it closes its connections with other nodes, which have given it up");
  for (const auto number : all)
    end(number, Kind::ended, "this process stood still for too long");
}

void Door::Loop::end_what_is_due(Clock::time_point now) {
  std::vector<Number> late;
  for (const auto& [number, stranger] : strangers_)
    if (now >= stranger.due)
      late.push_back(number);
  for (const auto number : late)
    refuse(number, "it did not prove who it is in time");
  late.clear();
  for (const auto number : limited_)
    if (now >= joined_.at(number).due)
      late.push_back(number);
  for (const auto number : late) {
    if (const auto& joined = joined_.at(number); joined.is_ending)
      end(number, Kind::ended,
          joined.link.has_passed_all() ? "it kept the connection open, which this node had ended"
                                       : "it did not take what was sent last");
    else
      end(number, Kind::refused, "it did not send CAF's handshake in time");
  }
}

void Door::Loop::watch(int descriptor, Number number, std::uint32_t wanted,
                       std::uint32_t& current) {
  if (wanted == current)
    return;
  epoll_event event{};
  event.events = wanted;
  event.data.u64 = number;
  const auto what = wanted == 0 ? EPOLL_CTL_DEL : current == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (epoll_ctl(epoll_.get(), what, descriptor, &event) == 0)
    current = wanted;
}

void Door::Loop::tell(Kind kind, const std::string& peer, const std::string& subject,
                      const std::string& text) const noexcept try {
  if (options_.on_event)
    options_.on_event({kind, peer, subject, text});
} catch (...) {
}

// -- for other threads --------------------------------------------------------------

Door::Gate Door::Loop::open(const net::Address& address, GateOptions options, Admit admit) {
  auto socket = net::listen_at(address);
  const auto bound = net::address_of(socket);
  const auto gate = std::make_shared<OpenGate>(
    OpenGate{std::move(socket), bound.port(), options, std::move(admit)});
  std::promise<Number> number;
  run_soon([&] {
    const auto own = ++last_;
    std::uint32_t events = 0;
    watch(gate->socket.get(), own, EPOLLIN, events);
    gates_.emplace(own, gate);
    number.set_value(own);
  });
  return {number.get_future().get(), bound};
}

void Door::Loop::close(Number number) {
  const auto close_now = [this, number] {
    const auto found = gates_.find(number);
    if (found == gates_.end())
      return;
    const auto gate = found->second;
    gates_.erase(found);
    gate->socket.close(); // connections keep the rest of the gate
    for (const auto stranger : std::set{gate->strangers})
      if (strangers_.contains(stranger))
        refuse(stranger, "this node takes no more connections");
    gate->admit = {}; // what it holds is not needed any more
  };
  if (is_own_thread())
    return close_now();
  std::promise<void> done;
  run_soon([&] {
    close_now();
    done.set_value();
  });
  done.get_future().wait();
}

std::vector<std::string> Door::Loop::names_for(const std::string& host) const {
  if (!tls_)
    return {};
  return tls_->names().empty() ? std::vector{host} : tls_->names();
}

std::unique_ptr<net::Wire> Door::Loop::wire_on(net::Descriptor socket, net::TlsSession::Role role,
                                               std::vector<std::string> names) {
  if (!tls_)
    return std::make_unique<net::PlainWire>(std::move(socket));
  if (const auto reread = tls_->refresh(Clock::now())) {
    if (reread->problem.empty())
      tell(Kind::files_reread, {}, {}, "the files of Tls were replaced");
    else
      tell(Kind::files_not_usable, {}, {}, reread->problem + "; those before stay in force");
  }
  return std::make_unique<net::TlsSession>(*tls_, std::move(socket), role, std::move(names));
}

net::Descriptor Door::Loop::join(std::unique_ptr<net::Wire> wire,
                                 std::span<const std::byte> greeting) {
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()) != 0)
    throw error_of("cannot connect CAF with another node");
  net::Descriptor own{pair[0]};
  net::Descriptor caf{pair[1]};
  const auto address = net::peer_of(wire->socket());
  // A command must be copied, and this cannot.
  const auto joined = std::make_shared<Joined>(Joined{
    nullptr, Link{std::move(wire), std::move(own), Speaker::server, options_.max_frame, greeting},
    to_string(NodeAddress{address.host(), address.port()}),
    Clock::now() + GateOptions{}.handshake_timeout});
  run_soon([this, joined] { add(++last_, std::move(*joined)); });
  return caf;
}

} // namespace backoff_actor::door
