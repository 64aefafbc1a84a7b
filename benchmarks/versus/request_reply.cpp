#include "versus/request_reply.hpp"

#include "article/back_off_sender.hpp"
#include "article/dangerous_actor.hpp"
#include "versus/echo.hpp"
#include "versus/system.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace versus {

namespace {

// -- who works -------------------------------------------------------------------------

class SayingSent : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[this](const backoff_actor::TrackedMsg& tracked) {
      send(tracked.client, tracked.payload.get_as<Msg>(0));
      return backoff_actor::Sent{tracked.id, {}};
    }};
  }
};

/// Passes messages on to a worker, and what comes back to the only client.
class Relay : public caf::event_based_actor {
public:
  Relay(caf::actor_config& config, caf::actor worker)
    : caf::event_based_actor(config), worker_(std::move(worker)) {}

  caf::behavior make_behavior() override {
    return {[this](const Msg& msg) {
      if (current_sender() == worker_) {
        send(client_, msg);
        return;
      }
      if (!client_)
        client_ = caf::actor_cast<caf::actor>(current_sender());
      send(worker_, msg);
    }};
  }

private:
  caf::actor worker_;
  caf::actor client_;
};

caf::actor spawn_receiver(caf::actor_system& system, Between between) {
  using namespace backoff_actor;
  SenderOptions options;
  switch (between) {
  case Between::nobody:
    return system.spawn<Echo>();
  case Between::relay:
    return system.spawn<Relay>(kept(system.spawn<Echo>()));
  case Between::article:
    return system.spawn<transcription::BackOffSender>(child_of<transcription::DangerousActor>(
      transcription::DangerousResource{[](const std::string& data) { return data; }}));
  case Between::ours_by_sent:
    options.acknowledgement = Acknowledgement::by_sent;
    options.max_in_flight = 1024; // as of one that acknowledges by reply
    return spawn_back_off_sender(system, child_of<SayingSent>(), std::move(options));
  case Between::address: {
    const ChildRef worker{system, ChildBuffer{}};
    kept(spawn_supervisor(system, {{.id = "worker", .make = child_of<Echo>(), .address = worker}}));
    return worker.actor();
  }
  case Between::ours_observed:
    options.observed_by.emplace();
    break;
  case Between::ours:
    break;
  }
  return spawn_back_off_sender(system, child_of<Echo>(), std::move(options));
}

// -- who waits -------------------------------------------------------------------------

/// How far all clients of a run are. What is measured begins when all are warm, and ends when the
/// first has done all of its operations.
class Progress {
public:
  Progress(std::uint64_t clients, std::int64_t threads)
    : replies_(clients), threads_(threads), cold_(clients) {}

  /// Is told by a client how many answers it has.
  void count(std::uint64_t client, std::uint64_t replies) {
    replies_[client].number.store(replies, std::memory_order_relaxed);
  }

  void is_warm() {
    if (--cold_ == 0)
      begin_ = now();
  }

  void is_done() {
    if (has_ended_.exchange(true))
      return;
    end_ = now();
    done_.set_value();
  }

  /// Waits for the end, but no longer than so.
  Figures await(std::chrono::seconds patience) {
    const auto in_time = done_.get_future().wait_for(patience) == std::future_status::ready;
    const auto end = in_time ? end_ : now();
    const auto millions = static_cast<double>(end.replies - begin_.replies) / 1e6;
    return {millions / (end.cpu - begin_.cpu), millions / (end.own - begin_.own)};
  }

private:
  struct alignas(64) Counter { // in a cache line of its own
    std::atomic<std::uint64_t> number{0};
  };

  struct Moment {
    std::uint64_t replies = 0;
    double cpu = cpu_now();
    double own = 0;
  };

  Moment now() const {
    Moment result;
    result.own = own_now(threads_);
    for (const auto& counter : replies_)
      result.replies += counter.number.load(std::memory_order_relaxed);
    return result;
  }

  std::vector<Counter> replies_;
  std::int64_t threads_;
  std::atomic<std::uint64_t> cold_;
  std::atomic<bool> has_ended_{false};
  Moment begin_ = now();
  Moment end_;
  std::promise<void> done_;
};

class Client : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, caf::actor receiver, const Load& load, Progress& progress,
         std::uint64_t number)
    : caf::event_based_actor(config), receiver_(std::move(receiver)), number_(number),
      warm_up_(std::max(load.operations / 10, load.window)), total_(warm_up_ + load.operations),
      window_(load.window), by_request_(load.by_request), progress_(progress) {}

  caf::behavior make_behavior() override {
    for (std::uint64_t i = 0; i < window_; ++i)
      send_one();
    return {[this](const Msg&) { on_reply(); }};
  }

private:
  void send_one() {
    Msg msg{sent_++, "twelve bytes"};
    if (by_request_)
      backoff_actor::compat::request(*this, receiver_, std::move(msg)).then([this](const Msg&) {
        on_reply();
      });
    else
      send(receiver_, std::move(msg));
  }

  void on_reply() {
    progress_.count(number_, ++replies_);
    if (replies_ == warm_up_)
      progress_.is_warm();
    if (sent_ < total_)
      send_one();
    else if (replies_ == total_)
      progress_.is_done();
  }

  caf::actor receiver_;
  std::uint64_t number_;
  std::uint64_t warm_up_;
  std::uint64_t total_;
  std::uint64_t window_;
  bool by_request_;
  Progress& progress_;
  std::uint64_t sent_ = 0;
  std::uint64_t replies_ = 0;
};

/// Notes how long each of its operations takes, which it does one at a time.
class Patient : public caf::event_based_actor {
public:
  using Times = std::vector<double>; // in microseconds

  Patient(caf::actor_config& config, caf::actor receiver, std::uint64_t operations,
          std::promise<Times>& when_done)
    : caf::event_based_actor(config), receiver_(std::move(receiver)), operations_(operations),
      done_(when_done) {
    times_.reserve(2 * operations);
  }

  caf::behavior make_behavior() override {
    send_one();
    return {[this](const Msg&) {
      times_.push_back((wall_now() - since_) * 1e6);
      if (times_.size() < 2 * operations_)
        send_one();
      else
        done_.set_value({times_.begin() + static_cast<std::ptrdiff_t>(operations_), times_.end()});
    }};
  }

private:
  void send_one() {
    since_ = wall_now();
    send(receiver_, Msg{times_.size(), "twelve bytes"});
  }

  caf::actor receiver_;
  std::uint64_t operations_;
  std::promise<Times>& done_;
  Times times_; // the first half is to warm up
  double since_ = 0;
};

} // namespace

Figures throughput(const Load& load) {
  auto& system = system_with(load.threads);
  auto& progress =
    *new Progress{load.groups, load.threads}; // which clients use until the process ends
  for (std::uint64_t i = 0; i < load.groups; ++i)
    kept(system.spawn<Client>(kept(spawn_receiver(system, load.between)), load, progress, i));
  return progress.await(std::chrono::seconds{load.patience});
}

Figures latency(Between between, std::uint64_t operations) {
  auto& system = system_with(1);
  auto& done = *new std::promise<Patient::Times>;
  kept(system.spawn<Patient>(kept(spawn_receiver(system, between)), operations, done));
  const auto times = done.get_future().get();
  return {benchmarks::percentile(times, 0.5), benchmarks::percentile(times, 0.99)};
}

} // namespace versus
