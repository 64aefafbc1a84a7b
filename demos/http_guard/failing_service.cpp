#include "failing_service.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <thread>

namespace http_guard {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds work_time{4};
constexpr milliseconds hang_time{500}; // twice what http_guard waits for an answer
constexpr seconds patience{1};

// Resets the connection that a request came on, so that its caller gets an RST and no answer.
void reset_connection_of(const httplib::Request& request) {
  const auto is_it = [&](int fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof(peer);
    char text[INET_ADDRSTRLEN] = {};
    return getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0
           && peer.sin_family == AF_INET && ntohs(peer.sin_port) == request.remote_port
           && inet_ntop(AF_INET, &peer.sin_addr, text, sizeof(text)) != nullptr
           && request.remote_addr == text;
  };
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const auto fd = std::stoi(entry.path().filename());
    if (!is_it(fd))
      continue;
    const linger at_once{1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    // httplib owns the number and will close it, so the connection goes and the number stays taken.
    const auto nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup3(nothing, fd, O_CLOEXEC);
    close(nothing);
    return;
  }
}

} // namespace

FailingService::FailingService(std::uint64_t seed, const std::string& ledger,
                               const std::vector<std::string>& poison)
  : seed_(seed), ledger_(ledger), poison_(poison.begin(), poison.end()) {}

void FailingService::serve(const httplib::Request& request, httplib::Response& response) {
  const auto arrival = ledger_now();
  const std::string id = request.matches[1];
  ledger_.called(arrival, id);
  const auto fault = next_fault_of(id, arrival);
  const auto hangs = fault == Fault::hang_before || fault == Fault::hang_after;
  const auto resets = fault == Fault::reset_before || fault == Fault::reset_after;
  const auto executes =
    fault == Fault::none || fault == Fault::hang_after || fault == Fault::reset_after;
  std::this_thread::sleep_for(work_time);
  if (executes)
    ledger_.executed(ledger_now(), id);
  if (hangs)
    std::this_thread::sleep_for(hang_time);
  if (resets)
    reset_connection_of(request);
  answer(id, executes ? 200 : fault == Fault::error_429 ? 429 : 500, response);
}

Fault FailingService::next_fault_of(const std::string& id, LedgerTime arrival) {
  const std::lock_guard lock{mutex_};
  if (arrival >= welcome_ && poison_.contains(id))
    return Fault::error_500;
  return arrival < welcome_ ? Fault::error_429 : fault_of(seed_, id, calls_[id]++);
}

// The ledger is told only when the answer has been sent, for a wish that nobody could hear binds
// nobody; it is told the time before that, for nobody can have heard it earlier.
void FailingService::answer(const std::string& id, int status, httplib::Response& response) {
  const auto now = ledger_now();
  std::optional<LedgerTime> welcome;
  if (status == 429) {
    welcome = welcome_from(now);
    response.set_header("Retry-After", std::to_string(patience.count()));
  }
  const auto text = (status == 200 ? "executed " : "not executed ") + id + '\n';
  response.status = status;
  response.set_content_provider(
    text.size(), "text/plain",
    [text](std::size_t from, std::size_t size, httplib::DataSink& sink) {
      return sink.is_writable() && sink.write(text.data() + from, size);
    },
    [=, this](bool was_sent) {
      if (was_sent)
        ledger_.answered(now, id, status, welcome);
    });
}

// A 429 within the time of another does not put it off.
LedgerTime FailingService::welcome_from(LedgerTime now) {
  const std::lock_guard lock{mutex_};
  if (welcome_ <= now)
    welcome_ = now + std::chrono::microseconds{patience}.count();
  return welcome_;
}

} // namespace http_guard
