#include "failing_service.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace http_guard {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds work_time{4};
constexpr milliseconds hang_time{500}; // twice what http_guard waits for an answer

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

FailingService::FailingService(std::uint64_t seed, const std::string& ledger)
  : seed_(seed), ledger_(open(ledger.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (ledger_ < 0)
    throw std::system_error(errno, std::generic_category(), "--ledger: " + ledger);
}

FailingService::~FailingService() { close(ledger_); }

void FailingService::serve(const httplib::Request& request, httplib::Response& response) {
  const std::string id = request.matches[1];
  const auto fault = next_fault_of(id);
  const auto hangs = fault == Fault::hang_before || fault == Fault::hang_after;
  const auto resets = fault == Fault::reset_before || fault == Fault::reset_after;
  std::this_thread::sleep_for(work_time);
  if (fault == Fault::none || fault == Fault::hang_after || fault == Fault::reset_after) {
    execute(id);
    response.set_content("executed " + id + "\n", "text/plain");
  } else {
    response.status = fault == Fault::error_429 ? 429 : 500;
    if (fault == Fault::error_429)
      response.set_header("Retry-After", "1");
  }
  if (hangs)
    std::this_thread::sleep_for(hang_time);
  if (resets)
    reset_connection_of(request);
}

Fault FailingService::next_fault_of(const std::string& id) {
  const std::lock_guard lock{mutex_};
  return fault_of(seed_, id, calls_[id]++);
}

// One line by one write to a file opened for appending: whole or not there, whenever SIGKILL comes.
void FailingService::execute(const std::string& id) const {
  const auto line = id + "\n";
  if (write(ledger_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw std::runtime_error("the ledger cannot be written"); // httplib answers 500
}

} // namespace http_guard
