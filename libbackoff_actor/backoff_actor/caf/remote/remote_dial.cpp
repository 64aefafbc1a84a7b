#include "backoff_actor/caf/remote/internal/remote_dial.hpp"

#include "backoff_actor/caf/remote/internal/io_compat.hpp"
#include "backoff_actor/caf/remote/internal/remote_identifiers.hpp"
#include "backoff_actor/caf/remote/internal/remote_resolver.hpp"
#include "backoff_actor/process/internal/no_signals.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <optional>
#include <poll.h>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

namespace backoff_actor {

namespace {

using net::Clock;
using net::Patience;
using net::Wait;

constexpr std::uint32_t largest_payload = 65'536; // bytes; ours take a few hundred

// Small enough for all arithmetic with `steady_clock` times.
constexpr Duration longest_limit = std::chrono::hours{24 * 365};

std::string not_within(const char* what, const std::string& limit, const char* meaning = "") {
  return std::string{what}.append(" within ").append(limit).append(meaning);
}

const char* const hung_up = "connected, but it closed the connection before its greeting was "
                            "complete: not a CAF node, or one that is shutting down";

const char* const other_bytes = "not a CAF node: its greeting has another format";

std::string connect_problem(int error) {
  if (error == ECONNREFUSED)
    return "connection refused: nothing listens there";
  if (error == ECONNRESET) // it was connected when it was reset
    return hung_up;
  return "no connection: " + std::generic_category().message(error);
}

// Why a wire has failed or was ended. What a plain one says is of no help.
std::string wire_problem(const NetworkNode& node, const net::Wire& wire, const char* ended) {
  if (!node.options().tls || wire.problem().empty())
    return ended;
  return wire.subject().empty() ? wire.problem() : wire.problem() + " (" + wire.subject() + ")";
}

const char* no_greeting_hint(const NetworkNode& node) {
  return node.options().tls ? ": frozen, or not a CAF node"
                            : ": frozen, not a CAF node, or one with TLS";
}

// Calls `step`, which returns how the wire stands, until it is ready.
template <class Step>
Wait until_ready(const net::Wire& wire, const Patience& patience, Step step) {
  for (;;) {
    const auto state = step();
    if (state == net::WireState::ready)
      return Wait::done;
    if (state == net::WireState::ended || state == net::WireState::failed)
      return Wait::failed;
    const short events = state == net::WireState::wants_write ? POLLOUT : POLLIN;
    if (const auto ending = net::wait_for(wire.socket(), events, patience); ending != Wait::done)
      return ending;
  }
}

// Receives until `bytes` is full.
Wait receive(net::Wire& wire, std::span<std::byte> bytes, const Patience& patience) {
  while (!bytes.empty()) {
    net::Moved moved{net::WireState::ready};
    const auto ending = until_ready(wire, patience, [&] {
      moved = wire.read(bytes);
      return moved.state;
    });
    if (ending != Wait::done)
      return ending;
    bytes = bytes.subspan(moved.count);
  }
  return Wait::done;
}

std::string version_problem(std::uint64_t protocol) {
  std::string result{"a node of another version of CAF: it speaks protocol "};
  return result.append(std::to_string(protocol))
    .append(", this program ")
    .append(std::to_string(io_compat::own_protocol()));
}

} // namespace

Dial::Dial(std::shared_ptr<NetworkNode> node, DialOptions options,
           std::vector<std::string> identifiers, Done done)
  : node_(std::move(node)), options_(std::move(options)), identifiers_(std::move(identifiers)),
    done_(std::move(done)) {}

std::shared_ptr<Dial> Dial::start(caf::actor_system& system, DialOptions options, Done done) {
  const auto node = NetworkNode::of(system);
  node->door(); // files that cannot be used are a problem of this start
  auto result = std::make_shared<Dial>(node, std::move(options),
                                       io_compat::identifiers(system.config()), std::move(done));
  // The thread is detached, because nobody must wait for a cancelled dial.
  const detail::NoSignals none;
  std::thread{[result] { result->run(); }}.detach();
  return result;
}

void Dial::cancel() {
  Done done; // destroyed after the lock is released: its destructor may run foreign code
  {
    const detail::Lock lock{mutex_};
    done.swap(done_);
  }
  stop_.raise();
}

void Dial::run() {
  Attempt last;
  try {
    last = try_all();
  } catch (const std::exception& e) { // no memory, descriptor or thread left
    last.problem = e.what();
  }
  const detail::Lock lock{mutex_};
  if (!done_)
    return;
  done_(last.problem);
  done_ = nullptr;
}

Dial::Attempt Dial::try_all() {
  const auto deadline = Clock::now() + std::clamp(options_.limit, Duration::zero(), longest_limit);
  const auto stop = stop_.descriptor().get();
  const auto resolved = remote_resolver::resolve(options_.host, options_.port, {deadline, stop});
  const auto limit = to_string(options_.limit);
  switch (resolved.ending) {
  case Wait::done:
    break;
  case Wait::failed:
    return {"unknown host (" + resolved.error + ")"};
  case Wait::late:
    return {not_within("the host's name was not resolved", limit)};
  case Wait::stopped:
    return {{}, Progress::none, true};
  }
  Attempt furthest;
  auto left = static_cast<Clock::rep>(resolved.addresses.size());
  for (const auto& address : resolved.addresses) {
    const auto now = Clock::now();
    const auto share = left == 1 ? deadline : now + (deadline - now) / left;
    const auto attempt =
      try_one(address, {share, stop},
              resolved.addresses.size() == 1
                ? limit
                : to_string(std::max(std::chrono::ceil<std::chrono::milliseconds>(share - now),
                                     std::chrono::milliseconds{0})));
    if (attempt.is_stopped)
      return attempt;
    if (attempt.problem.empty())
      return attempt;
    if (furthest.problem.empty() || attempt.progress > furthest.progress)
      furthest = attempt;
    --left;
  }
  return furthest;
}

Dial::Attempt Dial::try_one(const net::Address& address, const Patience& patience,
                            const std::string& limit) {
  auto connection = net::connect(address, patience);
  switch (connection.ending) {
  case Wait::done:
    break;
  case Wait::failed:
    return {connect_problem(connection.error)};
  case Wait::late:
    return {not_within("no answer", limit)};
  case Wait::stopped:
    return {{}, Progress::none, true};
  }
  auto wire = node_->door().wire_to(std::move(connection.socket), options_.host);
  switch (until_ready(*wire, patience, [&] { return wire->handshake(); })) {
  case Wait::done:
    return greet(std::move(wire), patience, limit);
  case Wait::failed:
    return {wire_problem(*node_, *wire, "connected, but it ended the handshake of TLS"),
            Progress::connected};
  case Wait::late:
    return {not_within("connected, but the handshake of TLS was not complete", limit,
                       ": frozen, or not a node with TLS"),
            Progress::connected};
  case Wait::stopped:
    break;
  }
  return {{}, Progress::connected, true};
}

// Reads the greeting, judges it, and connects CAF.
Dial::Attempt Dial::greet(std::unique_ptr<net::Wire> wire, const Patience& patience,
                          const std::string& limit) {
  // The header has the same form in all versions; the payload has not.
  std::vector<std::byte> bytes(io_compat::greeting_header_size);
  std::optional<io_compat::GreetingHeader> header;
  const auto mark = std::span{bytes}.first<io_compat::greeting_mark_size>();
  auto ending = receive(*wire, mark, patience);
  if (ending == Wait::done) {
    if (!io_compat::is_greeting_mark(mark))
      return {other_bytes, Progress::connected};
    ending = receive(*wire, std::span{bytes}.subspan(mark.size()), patience);
  }
  if (ending == Wait::done) {
    header =
      io_compat::read_greeting_header(std::span{bytes}.first<io_compat::greeting_header_size>());
    if (!header)
      return {other_bytes, Progress::connected};
    if (header->protocol != io_compat::own_protocol())
      return {version_problem(header->protocol), Progress::greeted};
    if (header->payload_size > largest_payload)
      return {other_bytes, Progress::connected};
    bytes.resize(io_compat::greeting_header_size + header->payload_size);
    ending = receive(*wire, std::span{bytes}.subspan(io_compat::greeting_header_size), patience);
  }
  switch (ending) {
  case Wait::done:
    break;
  case Wait::failed:
    return {wire_problem(*node_, *wire, hung_up), Progress::connected};
  case Wait::late:
    return {not_within("connected, but no greeting came", limit, no_greeting_hint(*node_)),
            Progress::connected};
  case Wait::stopped:
    return {{}, Progress::connected, true};
  }
  const auto greeting =
    io_compat::read_greeting(*header, std::span{bytes}.subspan(io_compat::greeting_header_size));
  if (!greeting)
    return {other_bytes, Progress::connected};
  if (auto problem = judge(*greeting); !problem.empty())
    return {std::move(problem), Progress::greeted};
  connection_ = node_->door().join(std::move(wire), bytes);
  return {{}, Progress::greeted};
}

std::string Dial::judge(const io_compat::Greeting& greeting) const {
  using namespace remote_identifiers;
  auto result = application_problem(identifiers_, greeting.identifiers);
  if (result.empty() && options_.checks_types)
    result = protocol_problem(greeting.identifiers);
  if (result.empty() && options_.checks_types)
    result = type_problem(identifiers_, greeting.identifiers);
  if (result.empty() && options_.needs_published_actor && !greeting.publishes_actor)
    result = "no actor is published there";
  return result;
}

} // namespace backoff_actor
