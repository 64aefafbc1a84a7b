#include "ledger_service.hpp"

#include "local_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <list>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace cluster {

namespace {

struct Caller {
  example::FileDescriptor socket;
  LineReader reader;
};

} // namespace

LedgerService::LedgerService(std::string path)
  : path_(std::move(path)), listener_(listen_at(path_)), stop_(eventfd(0, EFD_CLOEXEC)),
    thread_([this] { serve(); }) {}

LedgerService::~LedgerService() {
  const std::uint64_t one = 1;
  if (write(stop_.get(), &one, sizeof one) == sizeof one)
    thread_.join();
  else
    std::terminate();
  unlink(path_.c_str());
}

std::vector<Call> LedgerService::calls(std::size_t from) const {
  const std::lock_guard lock{mutex_};
  const auto begin = std::min(from, calls_.size());
  return {calls_.begin() + static_cast<std::ptrdiff_t>(begin), calls_.end()};
}

std::size_t LedgerService::count() const {
  const std::lock_guard lock{mutex_};
  return calls_.size();
}

std::uint64_t LedgerService::epoch() const {
  const std::lock_guard lock{mutex_};
  return epoch_;
}

std::string LedgerService::answer(const std::string& line) {
  auto call = read_call(line);
  call.at = now();
  const std::lock_guard lock{mutex_};
  call.is_refused = call.epoch < epoch_;
  epoch_ = std::max(epoch_, call.epoch);
  const auto is_refused = call.is_refused;
  calls_.push_back(std::move(call));
  return is_refused ? "stale\n" : "done\n";
}

void LedgerService::serve() {
  std::list<Caller> callers;
  for (;;) {
    std::vector<pollfd> wanted{{stop_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const auto& caller : callers)
      wanted.push_back({caller.socket.get(), POLLIN, 0});
    if (poll(wanted.data(), wanted.size(), -1) < 0)
      continue; // a signal
    if (wanted[0].revents != 0)
      return;
    auto event = wanted.begin() + 2;
    for (auto caller = callers.begin(); caller != callers.end(); ++event) {
      auto goes_on = true;
      if (event->revents != 0) {
        goes_on = caller->reader.read_from(caller->socket.get());
        while (const auto line = caller->reader.next())
          goes_on = send_text(caller->socket.get(), answer(*line)) && goes_on;
      }
      caller = goes_on ? std::next(caller) : callers.erase(caller);
    }
    if (wanted[1].revents != 0)
      if (example::FileDescriptor socket{accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
          socket.get() >= 0)
        callers.push_back({std::move(socket), {}});
  }
}

} // namespace cluster
