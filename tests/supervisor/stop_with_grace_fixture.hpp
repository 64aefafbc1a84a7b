#pragma once

#include "supervisor_fixture.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::actor_test {

// A worker that answers a span of time that much later, and anything else never.
class Slowpoke : public caf::event_based_actor {
public:
  Slowpoke(caf::actor_config& config, std::shared_ptr<Nursery> nursery, std::string id)
    : caf::event_based_actor(config), nursery_(std::move(nursery)), id_(std::move(id)) {
    ++nursery_->alive[id_];
  }

  caf::behavior make_behavior() override {
    return {[this](const std::string& what) -> caf::result<std::string> {
              open_.emplace_back(make_response_promise<std::string>(), what);
              if (const auto span = parse_duration(what))
                compat::send_later(*this, *span, std::uint64_t{open_.size() - 1});
              return open_.back().first;
            },
            [this](std::uint64_t which) {
              auto& [answer, what] = open_.at(which);
              answer.deliver(what);
            }};
  }

  void on_exit() override {
    nursery_->diary.push_back("worker of " + id_ + " ended");
    --nursery_->alive[id_];
    open_.clear();
  }

private:
  std::shared_ptr<Nursery> nursery_;
  std::string id_;
  std::vector<std::pair<caf::typed_response_promise<std::string>, std::string>> open_;
};

// Goes only when it is killed.
class Stubborn : public caf::event_based_actor {
public:
  Stubborn(caf::actor_config& config, std::shared_ptr<Nursery> nursery)
    : caf::event_based_actor(config), nursery_(std::move(nursery)) {}

  caf::behavior make_behavior() override {
    return {
      compat::on_exit_message(
        *this, [this](const caf::exit_msg&) { nursery_->diary.emplace_back("stubborn asked"); }),
      [](std::uint64_t) {}};
  }

  void on_exit() override { nursery_->diary.emplace_back("stubborn killed"); }

private:
  std::shared_ptr<Nursery> nursery_;
};

/// A tree of supervisors that is stopped with a grace.
class TreesWithGrace : public SupervisorTest {
protected:
  // A sender of a slowpoke, which gets one delivery at a time.
  ChildSpec slow(const std::string& id, SenderOptions options = {}) {
    options.max_in_flight = 1;
    options.kill_grace = 5s;
    auto result = sender_spec(
      id,
      [nursery = nursery, id](caf::event_based_actor* sender) {
        return nursery->actors["worker of " + id] = sender->spawn<Slowpoke>(nursery, id);
      },
      options);
    return known(std::move(result));
  }

  // Its present actor is in the nursery.
  ChildSpec known(ChildSpec spec) {
    spec.make = [nursery = nursery, id = spec.id,
                 make = spec.make](caf::event_based_actor* self) -> caf::actor {
      return nursery->actors[id] = make(self);
    };
    return spec;
  }

  // A worker that goes only when it is killed, 2 s after it was told to end.
  ChildSpec stubborn() {
    auto result = spec("stubborn");
    result.make = [nursery = nursery](caf::event_based_actor* self) {
      return nursery->actors["stubborn"] = self->spawn<Stubborn>(nursery);
    };
    result.options.shutdown = Shutdown::within(2s);
    return result;
  }

  std::shared_ptr<Answer<std::string>> ask_sender(const std::string& id, const std::string& what) {
    return ask<std::string>(nursery->actors.at(id), what);
  }

  std::shared_ptr<Answer<Stopped>> stop(Duration grace) { return ask_for<Stopped>(Stop{grace}); }

  SupervisorPhase phase() { return ask_for<SupervisionTree>(GetTree{})->value->phase; }
};

} // namespace backoff_actor::actor_test
