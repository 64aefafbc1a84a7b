#pragma once

#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/caf/sender/sender_options.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/engine/sender/sender_engine_options.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace backoff_actor::detail {

struct SenderKind;

// Returns the pool as the engine takes it: the kind of the sender's factory comes first. A pool of
// one child has kinds, too.
WorkerPool pool_of(const PoolOptions& options);

// Returns the kind of the workers that other processes offer: the last one.
inline std::uint16_t kind_of_offered(const PoolOptions& options) {
  return static_cast<std::uint16_t>(options.others.size() + 1);
}

// The settings that all senders of a blueprint share: their options and the values derived from
// them.
struct BACKOFF_ACTOR_EXPORT SenderSettings {
  SenderSettings(ChildFactory child, SenderOptions given);

  // The factory of the kind with this index, as in `pool_of`; without a pool, the fallback has one.
  const ChildFactory& factory_of(std::uint16_t worker_kind) const {
    if (worker_kind == 0)
      return make_child;
    return options.rare.fallback ? options.rare.fallback
                                 : options.pool.others.at(worker_kind - std::size_t{1}).make_child;
  }

  ChildFactory make_child;
  SenderOptions options;
  EngineOptions engine_options;     // without the stream of the draws
  bool is_observed;                 // the texts of causes are read
  std::shared_ptr<SenderKind> kind; // none: nobody sees the numbers
};

// Returns the decision about a failure. `default_decider` decides if there is no decider or if it
// throws.
Decision decide(const Decider& decider, FailureKind kind, const caf::error& error);

// Returns whose fault an error says that it is.
Blame said_blame_of(const caf::error& error);

// Returns true if an error answer that is not retried is a failure of the service. Who is to blame
// for it decides, or else `assess_error`.
bool is_service_failure(Blame blame, const caf::error& error);

// Returns the stream of random draws for a new sender with these options. `number` is the sender's
// number in its actor system. Without a seed, each call returns a different stream.
BACKOFF_ACTOR_EXPORT std::uint64_t stream_of_draws(const SenderOptions& options,
                                                   std::uint64_t number);

} // namespace backoff_actor::detail
