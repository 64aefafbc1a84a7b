#include "versus/measures.hpp"

#include "versus/system.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/sec.hpp>

#include <future>
#include <utility>
#include <vector>

namespace versus {

namespace {

/// What is measured; only the actors' thread has it until `done`.
struct Times {
  std::uint64_t count;
  std::vector<double> late{}; ///< in milliseconds
  std::promise<void> done{};

  void add(double milliseconds) {
    late.push_back(milliseconds);
    if (late.size() == count)
      done.set_value();
  }
};

/// Refuses each message once.
class Stubborn : public caf::event_based_actor {
public:
  Stubborn(caf::actor_config& config, std::shared_ptr<std::uint64_t> calls)
    : caf::event_based_actor(config), calls_(std::move(calls)) {}

  caf::behavior make_behavior() override {
    return {[this](const Msg& msg) {
      auto client = make_response_promise();
      if (++*calls_ % 2 == 1)
        quit(caf::sec::runtime_error);
      else
        client.deliver(msg);
      return client;
    }};
  }

private:
  std::shared_ptr<std::uint64_t> calls_; // of all children
};

class Client : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, caf::actor receiver)
    : caf::event_based_actor(config), receiver_(std::move(receiver)) {}

  caf::behavior make_behavior() override {
    send(receiver_, Msg{0, "twelve bytes"});
    return {[this](const Msg& msg) { send(receiver_, msg); }};
  }

private:
  caf::actor receiver_;
};

class Delayed : public caf::event_based_actor {
public:
  Delayed(caf::actor_config& config, Times* times, std::chrono::milliseconds delay)
    : caf::event_based_actor(config), times_(times), delay_(delay) {}

  caf::behavior make_behavior() override {
    begin();
    return {[this](std::uint64_t) {
      times_->add((wall_now() - due_) * 1e3);
      if (times_->late.size() < times_->count)
        begin();
    }};
  }

private:
  void begin() {
    due_ = wall_now() + std::chrono::duration<double>(delay_).count();
    backoff_actor::compat::send_later(*this, delay_, std::uint64_t{0});
  }

  Times* times_;
  std::chrono::milliseconds delay_;
  double due_ = 0;
};

void start_ours(caf::actor_system& system, Times& times, std::chrono::milliseconds delay) {
  using namespace backoff_actor;
  SenderOptions options;
  options.backoff = Fixed{.delay = delay};
  options.on_event = [&times, due = Instant{}](const Event& event) mutable {
    if (const auto* const scheduled = std::get_if<event::RetryScheduled>(&event))
      due = scheduled->due;
    const auto* const handed_over = std::get_if<event::HandedOver>(&event);
    if (handed_over && handed_over->again && times.late.size() < times.count)
      times.add(std::chrono::duration<double, std::milli>(handed_over->at - due).count());
  };
  const auto sender = kept(spawn_back_off_sender(
    system, child_of<Stubborn>(std::make_shared<std::uint64_t>(0)), std::move(options)));
  kept(system.spawn<Client>(sender));
}

} // namespace

Figures lateness(Sleeper sleeper, std::chrono::milliseconds delay, std::uint64_t count,
                 bool shares) {
  auto& system = system_with(1, shares);
  auto& times = *new Times{count};
  if (sleeper == Sleeper::ours)
    start_ours(system, times, delay);
  else
    kept(system.spawn<Delayed>(&times, delay));
  times.done.get_future().wait();
  return {benchmarks::percentile(times.late, 0.99)}; // nobody adds to it any more
}

} // namespace versus
