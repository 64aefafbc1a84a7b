#pragma once

#include <backoff_actor/caf/child/child_factory.hpp>
#include <backoff_actor/caf/compat/internal/caf_parts.hpp>

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace backoff_actor::actor_test {

/// The work that the workers of a test have, by its text, and who has it.
struct Desk {
  struct Job {
    std::uint64_t worker; // counted from 1 in order of their births
    caf::typed_response_promise<std::string> promise;
  };

  std::map<std::string, Job> jobs{};
  std::map<std::uint64_t, caf::actor_addr> workers{};
  std::uint64_t births = 0;

  /// Tells the worker that has the work to finish it. Returns whether there is one.
  bool finish(const std::string& text) const {
    const auto job = jobs.find(text);
    if (job == jobs.end())
      return false;
    const auto who = caf::actor_cast<caf::actor>(workers.at(job->second.worker));
    if (who)
      compat::enqueue(who, text, std::uint64_t{0});
    return static_cast<bool>(who);
  }
};

/// Works until the test tells it to finish: a message of the work's text and a number.
class DeskWorker : public caf::event_based_actor {
public:
  DeskWorker(caf::actor_config& config, std::shared_ptr<Desk> desk)
    : caf::event_based_actor(config), desk_(std::move(desk)), number_(++desk_->births) {
    desk_->workers[number_] = address();
  }

  caf::behavior make_behavior() override {
    return {[this](const std::string& text) {
              auto promise = make_response_promise<std::string>();
              desk_->jobs.insert_or_assign(text, Desk::Job{number_, promise});
              return promise;
            },
            [this](const std::string& text, std::uint64_t) {
              desk_->jobs.extract(text).mapped().promise.deliver("done: " + text);
            }};
  }

  void on_exit() override {
    std::erase_if(desk_->jobs, [this](const auto& job) { return job.second.worker == number_; });
  }

private:
  std::shared_ptr<Desk> desk_;
  std::uint64_t number_;
};

inline ChildFactory desk_workers(const std::shared_ptr<Desk>& desk) {
  return [desk](caf::event_based_actor* parent) -> caf::actor {
    return parent->spawn<DeskWorker>(desk);
  };
}

} // namespace backoff_actor::actor_test
