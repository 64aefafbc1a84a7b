#pragma once

#include "common/line_file.hpp"

#include "backoff_actor/caf/messages/tracked.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/deduplicator.hpp"

#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace remote_worker {

/// What a worker writes to and counts. Outlives it.
struct Ledger {
  example::LineFile file;
  std::atomic<std::uint64_t> executed = 0;
  std::atomic<std::uint64_t> known = 0; ///< numbers that were handed over and had been done before
};

/// Takes numbers, each in a `TrackedMsg`, and answers its name. It blocks, so it belongs on a
/// thread of its own.
class LedgerWorker final : public caf::event_based_actor {
public:
  LedgerWorker(caf::actor_config& config, std::string name, backoff_actor::Duration work,
               Ledger* ledger);

  caf::behavior make_behavior() override;

private:
  backoff_actor::Sent on_number(const backoff_actor::TrackedMsg& x);
  void execute(std::uint64_t number);

  std::string name_;
  backoff_actor::Duration work_;
  Ledger& ledger_;
  backoff_actor::Deduplicator<> seen_;
};

} // namespace remote_worker
