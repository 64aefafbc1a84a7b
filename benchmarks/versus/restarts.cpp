#include "versus/actors.hpp"
#include "versus/measures.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>

namespace versus {

namespace {

using namespace backoff_actor;

// -- restarts -----------------------------------------------------------------------------

// Of all children, which work one after the other.
struct Lives {
  std::uint64_t count;     // how many children are to end
  std::uint64_t ended = 0; // how many have
  double begin = 0;        // when the first was given the message
  double cpu_begin = 0;    // the same of the process
  std::promise<Figures> done{};
};

class Mortal : public caf::event_based_actor {
public:
  Mortal(caf::actor_config& config, Lives* lives, Ending ending)
    : caf::event_based_actor(config), lives_(lives), ending_(ending) {}

  caf::behavior make_behavior() override {
    return {
      [this](const Msg& msg) {
        auto client = make_response_promise();
        if (work())
          client.deliver(msg);
        return client;
      },
      [this](const transcription::TrackedMsg& tracked) {
        if (work())
          send(caf::actor_cast<caf::actor>(current_sender()), transcription::Sent{tracked.msg.id});
      },
    };
  }

private:
  bool work() {
    if (lives_->ended == 0) {
      lives_->begin = own_now_of_this_thread();
      lives_->cpu_begin = cpu_now();
    }
    if (lives_->ended == lives_->count) {
      const auto thousands = static_cast<double>(lives_->count) / 1e3;
      lives_->done.set_value({thousands / (own_now_of_this_thread() - lives_->begin),
                              thousands / (cpu_now() - lives_->cpu_begin)});
      return true;
    }
    ++lives_->ended;
    if (ending_ == Ending::throws)
      throw std::runtime_error("Danger, High Voltage!");
    quit(caf::sec::runtime_error);
    return false;
  }

  Lives* lives_;
  Ending ending_;
};

class ByHand : public caf::event_based_actor {
public:
  ByHand(caf::actor_config& config, ChildFactory make_child)
    : caf::event_based_actor(config), make_child_(std::move(make_child)) {
    // CAF 1.x sends an exception to whoever sent the message, too, and that would end this actor.
    set_error_handler([](caf::error&) {});
    set_down_handler([this](caf::down_msg&) { start(); });
  }

  caf::behavior make_behavior() override {
    return {
      [this](const Msg& msg) {
        msg_ = msg;
        start();
      },
      [](const transcription::Sent&) {},
    };
  }

private:
  void start() {
    child_ = make_child_(this);
    monitor(child_);
    send(child_, transcription::TrackedMsg{msg_, {}});
  }

  ChildFactory make_child_;
  caf::actor child_;
  Msg msg_;
};

caf::actor spawn_restarter(caf::actor_system& system, Restarter restarter, ChildFactory make_child,
                           std::uint64_t count) {
  if (restarter == Restarter::by_hand)
    return system.spawn<ByHand>(std::move(make_child));
  if (restarter == Restarter::article) {
    ExponentialBackOffSpec spec;
    spec.slot_time = std::chrono::nanoseconds{1}; // the shortest there is
    spec.ceiling = 1;
    return system.spawn<transcription::BackOffSender>(std::move(make_child), spec);
  }
  SenderOptions options;
  options.backoff = Fixed{.delay = Duration{}};
  options.capacity = count;
  return spawn_back_off_sender(system, std::move(make_child), std::move(options));
}

// -- recovery -----------------------------------------------------------------------------

// What there is to know of a recovery; only the actors' thread has it until `done`.
struct Scene {
  std::uint64_t count;
  std::uint64_t children = 0;
  std::uint64_t replies = 0; // of the client
  caf::actor first_child{};
  std::vector<caf::response_promise> held{}; // by the first child, until the process ends
  std::promise<void> sent{};
  std::promise<void> all_held{};
  std::promise<void> done{};
};

// The first one holds all that it is given, until it is told to end.
caf::behavior survivor(caf::event_based_actor* self, Scene* scene) {
  const auto is_first = scene->children++ == 0;
  const auto hold = [=](caf::response_promise client) {
    scene->held.push_back(std::move(client));
    if (scene->held.size() == scene->count)
      scene->all_held.set_value();
  };
  return {
    [=](const Msg& msg) {
      auto client = self->make_response_promise();
      if (is_first)
        hold(client);
      else
        client.deliver(msg);
      return client;
    },
    [=](const transcription::TrackedMsg& tracked) {
      if (is_first)
        return hold({});
      self->send(caf::actor_cast<caf::actor>(self->current_sender()),
                 transcription::Sent{tracked.msg.id});
      self->send(tracked.sender, tracked.msg);
    },
    [=](std::uint64_t) { self->quit(caf::sec::runtime_error); },
  };
}

caf::behavior waiting_client(caf::event_based_actor* self, const caf::actor& receiver,
                             Scene* scene) {
  for (std::uint64_t i = 0; i < scene->count; ++i)
    self->send(receiver, message(i));
  scene->sent.set_value();
  return {[=](const Msg&) {
    ++scene->replies;
    // One more, whose answer comes when all acknowledgements of the others have been taken.
    if (scene->replies == scene->count)
      self->send(receiver, message(scene->count));
    else if (scene->replies > scene->count)
      scene->done.set_value();
  }};
}

// All that was sent to it before has been accepted then.
void await_acceptance(caf::actor_system& system, const caf::actor& sender, std::uint64_t count) {
  caf::scoped_actor self{system};
  compat::request(*self, sender, Status{})
    .receive(
      [&](const SenderStatus& status) {
        if (status.owed != count)
          throw std::runtime_error("a message was not accepted");
      },
      [](const caf::error&) { throw std::runtime_error("the sender is gone"); });
}

// -- delays -------------------------------------------------------------------------------

// Only the actors' thread has it until `done`.
struct Delays {
  std::uint64_t count;
  std::chrono::milliseconds delay;
  std::uint64_t calls = 0; // of all children
  double due = 0;          // in seconds
  Figures late{};          // in milliseconds
  std::promise<void> done{};

  void add(double milliseconds) {
    late.push_back(milliseconds);
    if (late.size() == count)
      done.set_value();
  }
};

// Refuses each message once.
caf::behavior stubborn(caf::event_based_actor* self, Delays* delays) {
  return {[=](const Msg& msg) {
    auto client = self->make_response_promise();
    if (++delays->calls % 2 == 1)
      self->quit(caf::sec::runtime_error);
    else
      client.deliver(msg);
    return client;
  }};
}

caf::behavior endless_client(caf::event_based_actor* self, const caf::actor& receiver) {
  self->send(receiver, message(0));
  return {[=](const Msg& msg) { self->send(receiver, msg); }};
}

caf::behavior delayed(caf::event_based_actor* self, Delays* delays) {
  const auto begin = [=] {
    delays->due = wall_now() + std::chrono::duration<double>(delays->delay).count();
    compat::send_later(*self, delays->delay, std::uint64_t{0});
  };
  begin();
  return {[=](std::uint64_t) {
    delays->add((wall_now() - delays->due) * 1e3);
    if (delays->late.size() < delays->count)
      begin();
  }};
}

void start_ours(caf::actor_system& system, Delays& delays) {
  SenderOptions options;
  options.backoff = Fixed{.delay = delays.delay};
  options.on_event = [&delays, due = Instant{}](const Event& event) mutable {
    if (const auto* const scheduled = std::get_if<event::RetryScheduled>(&event))
      due = scheduled->due;
    const auto* const handed_over = std::get_if<event::HandedOver>(&event);
    if (handed_over && handed_over->again && delays.late.size() < delays.count)
      delays.add(std::chrono::duration<double, std::milli>(handed_over->at - due).count());
  };
  kept(system.spawn(endless_client,
                    kept(spawn_back_off_sender(system, child_of(stubborn, &delays), options))));
}

} // namespace

Figures restarts(Restarter restarter, Ending ending, std::uint64_t count) {
  auto& system = system_with(1);
  auto& lives = *new Lives{count};
  const auto receiver =
    kept(spawn_restarter(system, restarter, child_of<Mortal>(&lives, ending), 1));
  compat::enqueue(receiver, message(0));
  return lives.done.get_future().get();
}

Figures recovery(Restarter restarter, std::uint64_t count) {
  auto& system = system_with(1);
  auto& scene = *new Scene{count};
  const auto make = [&scene](caf::event_based_actor* parent) -> caf::actor {
    const auto child = parent->spawn(survivor, &scene);
    if (!scene.first_child)
      scene.first_child = child;
    return child;
  };
  const auto receiver = kept(spawn_restarter(system, restarter, make, count + 1));
  kept(system.spawn(waiting_client, receiver, &scene));
  if (restarter == Restarter::ours) {
    scene.sent.get_future().wait();
    await_acceptance(system, receiver, count);
  } else {
    scene.all_held.get_future().wait();
  }
  const auto begin = cpu_now();
  compat::enqueue(scene.first_child, std::uint64_t{0});
  scene.done.get_future().wait();
  return {(cpu_now() - begin) * 1e6 / static_cast<double>(count)};
}

Figures lateness(Sleeper sleeper, std::chrono::milliseconds delay, std::uint64_t count,
                 bool shares) {
  auto& system = system_with(1, shares);
  auto& delays = *new Delays{count, delay};
  if (sleeper == Sleeper::ours)
    start_ours(system, delays);
  else
    kept(system.spawn(delayed, &delays));
  delays.done.get_future().wait();
  return {percentile(delays.late, 0.99)}; // nobody adds to it any more
}

} // namespace versus
