#include "versus/measures.hpp"

#include "article/back_off_sender.hpp"
#include "versus/system.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace versus {

namespace {

using namespace std::chrono_literals;

/// Of all children, which work one after the other.
struct Lives {
  std::uint64_t count;     ///< how many children are to end
  std::uint64_t ended = 0; ///< how many have
  double begin = 0;        ///< when the first was given the message
  double cpu_begin = 0;    ///< the same of the process
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
  ByHand(caf::actor_config& config, backoff_actor::ChildFactory make_child)
    : caf::event_based_actor(config), make_child_(std::move(make_child)) {
    // CAF 1.x sends an exception to whoever sent the message, too, and that would end this actor.
    set_error_handler([](caf::error&) {});
    set_down_handler([this](caf::down_msg&) {
      start();
      send(child_, transcription::TrackedMsg{msg_, {}});
    });
  }

  caf::behavior make_behavior() override {
    start();
    return {
      [this](const Msg& msg) {
        msg_ = msg;
        send(child_, transcription::TrackedMsg{msg_, {}});
      },
      [](const transcription::Sent&) {},
    };
  }

private:
  void start() {
    child_ = make_child_(this);
    monitor(child_);
  }

  backoff_actor::ChildFactory make_child_;
  caf::actor child_;
  Msg msg_;
};

caf::actor spawn_restarter(caf::actor_system& system, Restarter restarter,
                           backoff_actor::ChildFactory make_child, std::uint64_t count) {
  if (restarter == Restarter::by_hand)
    return system.spawn<ByHand>(std::move(make_child));
  if (restarter == Restarter::article) {
    backoff_actor::ExponentialBackOffSpec spec;
    spec.slot_time = 1ns; // the shortest there is
    spec.ceiling = 1;
    return system.spawn<transcription::BackOffSender>(std::move(make_child), spec);
  }
  backoff_actor::SenderOptions options;
  options.backoff = backoff_actor::Fixed{.delay = 0ns};
  options.capacity = count;
  return backoff_actor::spawn_back_off_sender(system, std::move(make_child), std::move(options));
}

// -- recovery --------------------------------------------------------------------------

/// What there is to know of a recovery; only the actors' thread has it until `done`.
struct Scene {
  std::uint64_t count;
  std::uint64_t children = 0;
  std::uint64_t held = 0;    ///< by the first child
  std::uint64_t replies = 0; ///< of the client
  caf::actor first_child{};
  std::promise<void> sent{};
  std::promise<void> all_held{};
  std::promise<void> done{};
};

class Survivor : public caf::event_based_actor {
public:
  Survivor(caf::actor_config& config, Scene* scene)
    : caf::event_based_actor(config), scene_(scene), is_first_(scene->children++ == 0) {}

  caf::behavior make_behavior() override {
    return {
      [this](const Msg& msg) {
        auto client = make_response_promise();
        if (is_first_)
          hold(client);
        else
          client.deliver(msg);
        return client;
      },
      [this](const transcription::TrackedMsg& tracked) {
        if (is_first_)
          return hold({});
        send(caf::actor_cast<caf::actor>(current_sender()), transcription::Sent{tracked.msg.id});
        send(tracked.sender, tracked.msg);
      },
      [this](std::uint64_t) { quit(caf::sec::runtime_error); },
    };
  }

private:
  void hold(caf::response_promise client) {
    held_.push_back(std::move(client));
    if (++scene_->held == scene_->count)
      scene_->all_held.set_value();
  }

  Scene* scene_;
  bool is_first_;
  std::vector<caf::response_promise> held_;
};

class Waiting : public caf::event_based_actor {
public:
  Waiting(caf::actor_config& config, caf::actor receiver, Scene* scene)
    : caf::event_based_actor(config), receiver_(std::move(receiver)), scene_(scene) {}

  caf::behavior make_behavior() override {
    for (std::uint64_t i = 0; i < scene_->count; ++i)
      send(receiver_, Msg{i, "twelve bytes"});
    scene_->sent.set_value();
    return {[this](const Msg&) {
      ++scene_->replies;
      // One more, whose answer comes when all acknowledgements of the others have been taken.
      if (scene_->replies == scene_->count)
        send(receiver_, Msg{scene_->count, "twelve bytes"});
      else if (scene_->replies > scene_->count)
        scene_->done.set_value();
    }};
  }

private:
  caf::actor receiver_;
  Scene* scene_;
};

// All that was sent to it before has been accepted then.
void await_acceptance(caf::actor_system& system, const caf::actor& sender, std::uint64_t count) {
  caf::scoped_actor self{system};
  backoff_actor::compat::request(*self, sender, backoff_actor::Status{})
    .receive(
      [&](const backoff_actor::SenderStatus& status) {
        if (status.owed != count)
          throw std::runtime_error("a message was not accepted");
      },
      [](const caf::error&) { throw std::runtime_error("the sender is gone"); });
}

} // namespace

Figures restarts(Restarter restarter, Ending ending, std::uint64_t count) {
  auto& system = system_with(1);
  auto& lives = *new Lives{count};
  const auto child = backoff_actor::child_of<Mortal>(&lives, ending);
  const auto receiver = kept(spawn_restarter(system, restarter, child, 1));
  backoff_actor::compat::enqueue(receiver, Msg{0, "twelve bytes"});
  return lives.done.get_future().get();
}

Figures recovery(Restarter restarter, std::uint64_t count) {
  auto& system = system_with(1);
  auto& scene = *new Scene{count};
  const auto make = backoff_actor::child_of<Survivor>(&scene);
  const auto make_and_note = [&scene, make](caf::event_based_actor* parent) {
    auto child = make(parent);
    if (!scene.first_child)
      scene.first_child = child;
    return child;
  };
  const auto receiver = kept(spawn_restarter(system, restarter, make_and_note, count + 1));
  kept(system.spawn<Waiting>(receiver, &scene));
  if (restarter == Restarter::ours) {
    scene.sent.get_future().wait();
    await_acceptance(system, receiver, count);
  } else {
    scene.all_held.get_future().wait();
  }
  const auto begin = cpu_now();
  backoff_actor::compat::enqueue(scene.first_child, std::uint64_t{0});
  scene.done.get_future().wait();
  return {(cpu_now() - begin) * 1e6 / static_cast<double>(count)};
}

} // namespace versus
