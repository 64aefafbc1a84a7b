#include "workers.hpp"

#include "common/tcp_stream.hpp"

#include <backoff_actor/caf/messages/tracked.hpp>

#include <caf/event_based_actor.hpp>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace backoff_actor::soak {

namespace {

using namespace std::chrono_literals;

class EchoingWorker : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {
      [](std::uint64_t number) { return number; },
      [](const TrackedMsg& delivery) {
        return sent(delivery, delivery.payload.get_as<std::uint64_t>(0));
      },
    };
  }
};

// Calls over one connection, which it makes when it has something to send.
class CallingWorker : public caf::event_based_actor {
public:
  CallingWorker(caf::actor_config& config, std::uint16_t port)
    : caf::event_based_actor(config), port_(port) {}

  caf::behavior make_behavior() override {
    return {[this](std::uint64_t number) { return call(number); }};
  }

private:
  std::uint64_t call(std::uint64_t number) {
    if (!stream_)
      stream_ = test::TcpStream::connect(port_);
    char bytes[sizeof(number)];
    std::memcpy(bytes, &number, sizeof(number));
    const std::string_view sent{bytes, sizeof(bytes)};
    if (!stream_.send(sent, patience))
      throw std::runtime_error("it cannot be sent");
    const auto received = stream_.receive(sent.size(), patience);
    if (received.bytes.size() != sent.size())
      throw std::runtime_error("there is no answer");
    if (received.bytes != sent)
      throw std::runtime_error("the answer is wrong");
    return number;
  }

  static constexpr auto patience = 100ms;

  const std::uint16_t port_;
  test::TcpStream stream_;
};

} // namespace

ChildFactory echoing_children() { return child_of<EchoingWorker>(); }

ChildFactory echoing_children_with_threads() { return child_of<EchoingWorker, caf::detached>(); }

ChildFactory calling_children(std::uint16_t port) {
  return child_of<CallingWorker, caf::detached>(port);
}

} // namespace backoff_actor::soak
