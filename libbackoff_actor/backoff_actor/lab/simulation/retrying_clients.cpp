#include "backoff_actor/lab/simulation/internal/retrying_clients.hpp"

#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/lab/simulation/internal/shipped_delays.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor {

namespace {

// The delays of the library's policies.
struct PolicyDelays {
  Policy policy;

  Progress start() const { return policy.start(); }
  Progress wanting(const Progress& progress, Duration) const { return policy.restart(progress); }
  Step next(const Progress& progress, double u) const { return policy.next(progress, u); }
};

template <class Delays>
class RetryingClients final : public OutageClients {
public:
  RetryingClients(const OutageOptions& options, Delays delays, OutageGuards guards,
                  OutageWorld& world)
    : world_(world), delays_(std::move(delays)), guards_(std::move(guards)), seed_(options.seed),
      progress_(options.clients, delays_.start()), guarded_(guards_.empty() ? 0 : options.clients) {
  }

  void wants(std::uint32_t client, Instant now, Duration thought) override {
    progress_[client] = delays_.wanting(progress_[client], thought);
    if (is_guarded())
      guarded_[client].call = Call::first;
    call(client, now);
  }

  void woken(std::uint32_t client, Instant now) override { call(client, now); }

  void answered(std::uint32_t client, Instant now) override {
    if (is_guarded())
      guard_for(guards_, client)->succeeded(guarded_[client].permit, now);
    world_.think(client);
  }

  void timed_out(std::uint32_t client, Instant now) override {
    if (is_guarded()) {
      guard_for(guards_, client)->failed(guarded_[client].permit, now);
      guarded_[client].call = Call::retry;
    }
    auto& progress = progress_[client];
    const auto u = unit_random(seed_, delay_stream(client), progress.draws);
    const auto step = delays_.next(progress, u);
    progress = step.progress;
    world_.wake_at(client, now + step.delay);
  }

private:
  // The state of a client with a guard.
  struct Guarded {
    Permit permit;
    Call call = Call::first; // the next one
  };

  bool is_guarded() const { return !guards_.empty(); }

  void call(std::uint32_t client, Instant now) {
    if (is_guarded()) {
      const auto admission = guard_for(guards_, client)->admit(now, guarded_[client].call);
      if (const auto* held_back = std::get_if<HeldBack>(&admission))
        return world_.wake_at(client, held_back->until);
      guarded_[client].permit = std::get<Permit>(admission);
    }
    world_.call(client);
  }

  OutageWorld& world_;
  Delays delays_;
  OutageGuards guards_;
  std::uint64_t seed_;
  std::vector<Progress> progress_;
  std::vector<Guarded> guarded_; // empty without a guard
};

} // namespace

std::unique_ptr<OutageClients> make_retrying_clients(const OutageOptions& options,
                                                     const OutageGuards& guards,
                                                     OutageWorld& world) {
  if (const auto* policy = std::get_if<Policy>(&options.policy))
    return std::make_unique<RetryingClients<PolicyDelays>>(options, PolicyDelays{*policy}, guards,
                                                           world);
  return std::make_unique<RetryingClients<detail::ShippedDelays>>(options, detail::ShippedDelays{},
                                                                  guards, world);
}

} // namespace backoff_actor
