#include "ledger_worker.hpp"

#include <caf/sec.hpp>

#include <thread>
#include <unistd.h>
#include <utility>

namespace remote_worker {

using backoff_actor::Sent;
using backoff_actor::TrackedMsg;

LedgerWorker::LedgerWorker(caf::actor_config& config, std::string name,
                           backoff_actor::Duration work, Ledger* ledger)
  : caf::event_based_actor(config), name_(std::move(name)), work_(work), ledger_(*ledger) {}

caf::behavior LedgerWorker::make_behavior() {
  return {[this](const TrackedMsg& x) {
    if (x.payload.match_elements<std::uint64_t>())
      return caf::make_message(on_number(x));
    return caf::make_message(
      backoff_actor::Reject{x.id, caf::make_error(caf::sec::unexpected_message)});
  }};
}

// [deduplicator]
Sent LedgerWorker::on_number(const TrackedMsg& x) {
  if (seen_.find(x.origin, x.delivery)) { // it was done, and the word of that was lost
    ++ledger_.known;
    return sent(x, name_);
  }
  execute(x.payload.get_as<std::uint64_t>(0));
  seen_.remember(x.origin, x.delivery);
  return sent(x, name_);
}
// [deduplicator]

void LedgerWorker::execute(std::uint64_t number) {
  std::this_thread::sleep_for(work_);
  ledger_.file.write(std::to_string(getpid()) + ' ' + std::to_string(number));
  ++ledger_.executed;
}

} // namespace remote_worker
