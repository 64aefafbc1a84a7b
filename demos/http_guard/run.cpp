#include "run.hpp"

#include "http_worker.hpp"
#include "live_line.hpp"

#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/main/graceful_shutdown.hpp"
#include "backoff_actor/caf/main/scheduler_watch.hpp"
#include "backoff_actor/caf/sender/sender.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <chrono>
#include <exception>
#include <variant>

namespace http_guard {

namespace {

using namespace std::chrono_literals;

constexpr auto look_for_signals = 20ms;
constexpr auto grace = 2s; // the longest backoff included

/// The demo's own fault: the service is killed in the middle of the run, and started again later.
class Outage {
public:
  Outage(ServiceProcess& service, RunRecord& record, const Options& options)
    : service_(service), record_(record), requests_(options.requests), length_(options.outage) {}

  /// Kills or starts the service if it is time.
  void step() {
    const auto now = std::chrono::steady_clock::now();
    if (phase_ == Phase::before && is_middle()) {
      service_.kill();
      record_.service_down();
      end_ = now + length_;
      phase_ = Phase::during;
    } else if (phase_ == Phase::during && now >= end_) {
      service_.start();
      record_.service_up();
      phase_ = Phase::after;
    }
  }

private:
  enum class Phase { before, during, after };

  bool is_middle() const {
    const auto acknowledged = record_.counts().acknowledged;
    return acknowledged >= requests_ / 2 && acknowledged < requests_;
  }

  ServiceProcess& service_;
  RunRecord& record_;
  std::uint64_t requests_;
  std::chrono::nanoseconds length_;
  Phase phase_ = Phase::before;
  std::chrono::steady_clock::time_point end_;
};

void end_by(int signal, EarlyEnd& end) {
  if (signal != 0)
    end.signal = signal;
  else
    end.error = "the sender has ended by itself";
}

// Looks on while something goes on, or until something ends the run before.
template <class Predicate>
EarlyEnd look_on_while(Predicate goes_on, const Options& options, ServiceProcess* service,
                       backoff_actor::GracefulShutdown& shutdown, RunRecord& record) {
  LiveLine line{options};
  std::optional<Outage> outage;
  if (service != nullptr)
    outage.emplace(*service, record, options);
  EarlyEnd result;
  try {
    while (goes_on() && !result.signal && result.error.empty()) {
      line.update(record);
      if (shutdown.wait_for(look_for_signals))
        end_by(shutdown.signal(), result);
      if (service == nullptr)
        continue;
      if (const auto ending = service->unexpected_ending())
        result.error = "the service ended by itself: " + to_string(*ending);
      else
        outage->step();
    }
  } catch (const std::exception& exception) {
    result.error = exception.what();
  }
  line.clear();
  return result;
}

} // namespace

EarlyEnd run(const Options& options, const Life& life, ServiceProcess* service,
             const std::optional<backoff_actor::Observatory>& observatory, RunRecord& record,
             Jobs& jobs) {
  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};
  backoff_actor::GracefulShutdown shutdown{system, {.grace = grace}};
  std::optional<backoff_actor::SchedulerWatch> scheduler_watch;
  if (observatory)
    scheduler_watch.emplace(system, *observatory);

  backoff_actor::SenderOptions sender_options;
  sender_options.backoff =
    backoff_actor::RandomSlots{.slot_time = 5ms, .ceiling = 8, .stay_at_ceiling = true};
  sender_options.seed = options.seed;
  sender_options.stream = 0;
  // A worker holds one job: what waits for it would be called in spite of a 429.
  if (options.workers == 1) {
    sender_options.max_in_flight = 1;
  } else {
    sender_options.ordering = backoff_actor::Ordering::unordered;
    sender_options.pool.workers = {options.workers, options.workers};
  }
  sender_options.max_attempts = options.max_attempts;
  sender_options.outbox = life.outbox;
  sender_options.observed_by = observatory;
  sender_options.on_event = [&](const backoff_actor::Event& event) {
    record.on_event(event);
    // Nothing has asked for a pause then that the next life would not know of.
    if (life.role == Life::Role::first
        && std::holds_alternative<backoff_actor::event::Acknowledged>(event)
        && record.counts().acknowledged == dies_after(options))
      die(life, record.counts());
  };
  const auto owed = life.outbox.suspended();

  const auto url = service != nullptr ? service->url() : options.url;
  const auto sender = backoff_actor::spawn_back_off_sender(
    system, backoff_actor::child_of<HttpWorker, caf::detached>(url), sender_options);
  shutdown.add(sender);
  auto result = look_on_while([&] { return record.counts().restored_ended < owed; }, options,
                              service, shutdown, record);
  if (!result.signal && result.error.empty()) {
    spawn_clients(system, options.clients, sender, jobs, record);
    result =
      look_on_while([&] { return jobs.clients_running > 0; }, options, service, shutdown, record);
  }

  scheduler_watch.reset();
  shutdown.stop();
  system.await_all_actors_done();
  record.finish();
  return result;
}

} // namespace http_guard
