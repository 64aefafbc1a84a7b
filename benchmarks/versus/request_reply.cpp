#include "versus/actors.hpp"
#include "versus/measures.hpp"

#include <chrono>

namespace versus {

namespace {

// -- who works ----------------------------------------------------------------------------

caf::behavior say_sent(caf::event_based_actor* self) {
  return {[self](const backoff_actor::TrackedMsg& tracked) {
    self->send(tracked.client, tracked.payload.get_as<Msg>(0));
    return backoff_actor::Sent{tracked.id, {}};
  }};
}

// Passes messages on to a worker, and what comes back to the only client.
caf::behavior relay(caf::event_based_actor* self, const caf::actor& worker) {
  return {[self, worker, client = caf::actor{}](const Msg& msg) mutable {
    if (self->current_sender() == worker) {
      self->send(client, msg);
      return;
    }
    if (!client)
      client = caf::actor_cast<caf::actor>(self->current_sender());
    self->send(worker, msg);
  }};
}

caf::actor spawn_receiver(caf::actor_system& system, Between between) {
  using namespace backoff_actor;
  SenderOptions options;
  switch (between) {
  case Between::nobody:
    return system.spawn<Echo>();
  case Between::relay:
    return system.spawn(relay, kept(system.spawn<Echo>()));
  case Between::article:
    return system.spawn<transcription::BackOffSender>(child_of<transcription::DangerousActor>(
      transcription::DangerousResource{[](const std::string& data) { return data; }}));
  case Between::ours_by_sent:
    options.acknowledgement = Acknowledgement::by_sent;
    options.max_in_flight = 1024; // as of one that acknowledges by reply
    return spawn_back_off_sender(system, child_of(say_sent), std::move(options));
  case Between::ours_observed:
    options.observed_by.emplace();
    break;
  case Between::ours:
    break;
  }
  return spawn_back_off_sender(system, child_of<Echo>(), std::move(options));
}

// -- who waits ----------------------------------------------------------------------------

// How far all clients of a run are. What is measured begins when all are warm, and ends when the
// first has done all of its operations.
class Race {
public:
  Race(std::uint64_t clients, std::int64_t threads)
    : replies_(clients), threads_(threads), cold_(clients) {}

  // Is told by a client how many answers it has.
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

  // Waits for the end, but no longer than so.
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

class Runner : public caf::event_based_actor {
public:
  Runner(caf::actor_config& config, caf::actor receiver, const Load& load, Race& race,
         std::uint64_t number)
    : caf::event_based_actor(config), receiver_(std::move(receiver)), number_(number),
      warm_up_(std::max(load.operations / 10, load.window)), total_(warm_up_ + load.operations),
      window_(load.window), by_request_(load.by_request), race_(race) {}

  caf::behavior make_behavior() override {
    for (std::uint64_t i = 0; i < window_; ++i)
      send_one();
    return {[this](const Msg&) { on_reply(); }};
  }

private:
  void send_one() {
    auto msg = message(sent_++);
    if (by_request_)
      backoff_actor::compat::request(*this, receiver_, std::move(msg)).then([this](const Msg&) {
        on_reply();
      });
    else
      send(receiver_, std::move(msg));
  }

  void on_reply() {
    race_.count(number_, ++replies_);
    if (replies_ == warm_up_)
      race_.is_warm();
    if (sent_ < total_)
      send_one();
    else if (replies_ == total_)
      race_.is_done();
  }

  caf::actor receiver_;
  std::uint64_t number_;
  std::uint64_t warm_up_;
  std::uint64_t total_;
  std::uint64_t window_;
  bool by_request_;
  Race& race_;
  std::uint64_t sent_ = 0;
  std::uint64_t replies_ = 0;
};

// Operations one at a time; of as many, the first half is to warm up.
struct Walk {
  std::uint64_t count;
  Figures times{}; // in microseconds
  double since = 0;
  std::promise<void> done{};
};

caf::behavior walker(caf::event_based_actor* self, const caf::actor& receiver, Walk* walk) {
  const auto send_one = [=] {
    walk->since = wall_now();
    self->send(receiver, message(walk->times.size()));
  };
  walk->times.reserve(walk->count);
  send_one();
  return {[=](const Msg&) {
    walk->times.push_back((wall_now() - walk->since) * 1e6);
    if (walk->times.size() < walk->count)
      send_one();
    else
      walk->done.set_value();
  }};
}

} // namespace

Figures throughput(const Load& load) {
  auto& system = system_with(load.threads);
  auto& race = *new Race{load.groups, load.threads}; // runners use it until the process ends
  for (std::uint64_t i = 0; i < load.groups; ++i)
    kept(system.spawn<Runner>(kept(spawn_receiver(system, load.between)), load, race, i));
  return race.await(std::chrono::seconds{load.patience});
}

Figures latency(Between between, std::uint64_t operations) {
  auto& system = system_with(1);
  auto& walk = *new Walk{2 * operations};
  kept(system.spawn(walker, kept(spawn_receiver(system, between)), &walk));
  walk.done.get_future().wait();
  const Figures times{walk.times.begin() + static_cast<std::ptrdiff_t>(operations),
                      walk.times.end()};
  return {percentile(times, 0.5), percentile(times, 0.99)};
}

} // namespace versus
