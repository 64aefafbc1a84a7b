#include "backoff_actor/caf/remote/internal/remote_knock.hpp"

#include "backoff_actor/caf/remote/internal/io_compat.hpp"
#include "backoff_actor/caf/remote/internal/remote_identifiers.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <optional>
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

std::string version_problem(std::uint64_t protocol) {
  std::string result{"a node of another version of CAF: it speaks protocol "};
  return result.append(std::to_string(protocol))
    .append(", this program ")
    .append(std::to_string(io_compat::own_protocol()));
}

} // namespace

Knock::Knock(KnockOptions options, std::vector<std::string> identifiers, Done done)
  : options_(std::move(options)), identifiers_(std::move(identifiers)), done_(std::move(done)) {}

std::shared_ptr<Knock> Knock::start(const caf::actor_system& system, KnockOptions options,
                                    Done done) {
  auto result = std::make_shared<Knock>(std::move(options), io_compat::identifiers(system.config()),
                                        std::move(done));
  // The thread is detached, because nobody must wait for a cancelled knock.
  std::thread{[result] { result->run(); }}.detach();
  return result;
}

void Knock::cancel() {
  Done done; // destroyed after the lock is released: its destructor may run foreign code
  {
    const std::lock_guard lock{mutex_};
    done.swap(done_);
  }
  stop_.raise();
}

void Knock::run() {
  Attempt last;
  try {
    last = try_all();
  } catch (const std::exception& e) { // no memory, descriptor or thread left
    last.problem = e.what();
  }
  const std::lock_guard lock{mutex_};
  if (!done_)
    return;
  done_(last.problem);
  done_ = nullptr;
}

Knock::Attempt Knock::try_all() {
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
    if (attempt.problem.empty()) {
      address_ = address.host();
      return attempt;
    }
    if (furthest.problem.empty() || attempt.progress > furthest.progress)
      furthest = attempt;
    --left;
  }
  return furthest;
}

Knock::Attempt Knock::try_one(const net::Address& address, const Patience& patience,
                              const std::string& limit) const {
  const auto connection = net::connect(address, patience);
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
  // The header has the same form in all versions; the payload has not.
  std::array<std::byte, io_compat::greeting_header_size> bytes;
  std::vector<std::byte> payload;
  std::optional<io_compat::GreetingHeader> header;
  const auto mark = std::span{bytes}.first<io_compat::greeting_mark_size>();
  auto ending = net::receive(connection.socket, mark, patience).ending;
  if (ending == Wait::done) {
    if (!io_compat::is_greeting_mark(mark))
      return {other_bytes, Progress::connected};
    const auto rest = std::span{bytes}.subspan(mark.size());
    ending = net::receive(connection.socket, rest, patience).ending;
  }
  if (ending == Wait::done) {
    header = io_compat::read_greeting_header(bytes);
    if (!header)
      return {other_bytes, Progress::connected};
    if (header->protocol != io_compat::own_protocol())
      return {version_problem(header->protocol), Progress::greeted};
    if (header->payload_size > largest_payload)
      return {other_bytes, Progress::connected};
    payload.resize(header->payload_size);
    ending = net::receive(connection.socket, payload, patience).ending;
  }
  switch (ending) {
  case Wait::done:
    break;
  case Wait::failed:
    return {hung_up, Progress::connected};
  case Wait::late:
    return {not_within("connected, but no greeting came", limit, ": frozen, or not a CAF node"),
            Progress::connected};
  case Wait::stopped:
    return {{}, Progress::connected, true};
  }
  const auto greeting = io_compat::read_greeting(*header, payload);
  if (!greeting)
    return {other_bytes, Progress::connected};
  return {judge(*greeting), Progress::greeted};
}

std::string Knock::judge(const io_compat::Greeting& greeting) const {
  using namespace remote_identifiers;
  auto result = application_problem(identifiers_, greeting.identifiers);
  if (result.empty() && options_.checks_types)
    result = type_problem(identifiers_, greeting.identifiers);
  if (result.empty() && options_.needs_published_actor && !greeting.publishes_actor)
    result = "no actor is published there";
  return result;
}

} // namespace backoff_actor
