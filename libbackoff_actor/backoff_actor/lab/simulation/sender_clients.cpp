#include "backoff_actor/lab/simulation/internal/sender_clients.hpp"

#include "backoff_actor/engine/sender/sender_engine.hpp"

#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor {

namespace {

class SenderClients final : public OutageClients {
public:
  SenderClients(const OutageOptions& options, const OutageGuards& guards, OutageWorld& world)
    : world_(world) {
    const BackOff backoff{std::get<Policy>(options.policy), options.seed};
    senders_.reserve(options.clients);
    for (std::uint32_t client = 0; client < options.clients; ++client) {
      EngineOptions engine;
      engine.backoff = backoff.with_stream(delay_stream(client));
      engine.max_in_flight = 1;
      engine.guard = guard_for(guards, client);
      engine.max_attempts = options.max_attempts;
      engine.charging = options.charging;
      senders_.push_back({SenderEngine{std::make_shared<const EngineOptions>(std::move(engine))}});
      step(client, {}, input::Start{});
    }
  }

  void wants(std::uint32_t client, Instant now, Duration) override {
    step(client, now, input::Submit{});
  }

  // Ignores a wake-up unless it is the last one that the engine asked for.
  void woken(std::uint32_t client, Instant now) override {
    if (now < senders_[client].wake_at)
      return;
    senders_[client].wake_at = Instant::never();
    step(client, now, input::Wake{});
  }

  void answered(std::uint32_t client, Instant now) override {
    step(client, now, input::Acknowledged{senders_[client].hand_over});
  }

  void timed_out(std::uint32_t client, Instant now) override {
    step(client, now,
         input::ErrorAnswer{senders_[client].hand_over, {1, {}}, false, true, Verdict::retry});
  }

private:
  struct Sender {
    SenderEngine engine;
    HandOverId hand_over{};
    Instant wake_at = Instant::never();
  };

  void step(std::uint32_t client, Instant now, const Input& input) {
    effects_.clear();
    senders_[client].engine.step(now, input, effects_);
    // To start a child is a separate step, which appends its effects to the vector.
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      const auto effect = effects_[i];
      carry_out(client, now, effect);
    }
  }

  void carry_out(std::uint32_t client, Instant now, const Effect& effect) {
    auto& sender = senders_[client];
    if (const auto* start = std::get_if<effect::StartChild>(&effect)) {
      sender.engine.step(now, input::ChildStarted{start->incarnation}, effects_);
    } else if (const auto* hand_over = std::get_if<effect::HandOver>(&effect)) {
      sender.hand_over = hand_over->hand_over;
      world_.call(client);
    } else if (const auto* wake = std::get_if<effect::WakeAt>(&effect)) {
      sender.wake_at = wake->at;
      world_.wake_at(client, wake->at);
    } else if (std::holds_alternative<effect::Acknowledge>(effect)) {
      world_.think(client);
    } else if (std::holds_alternative<effect::DeadLetter>(effect)) {
      world_.give_up(client);
    }
    // Other effects need nothing here. An accepted delivery has no payload to keep, and no child
    // dies.
  }

  OutageWorld& world_;
  std::vector<Sender> senders_;
  Effects effects_;
};

} // namespace

std::unique_ptr<OutageClients> make_sender_clients(const OutageOptions& options,
                                                   const OutageGuards& guards, OutageWorld& world) {
  return std::make_unique<SenderClients>(options, guards, world);
}

} // namespace backoff_actor
