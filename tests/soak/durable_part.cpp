#include "durable_part.hpp"

#include "flaky_store.hpp"
#include "workers.hpp"

#include <backoff_actor/backoff/parse_policy.hpp>
#include <backoff_actor/caf/outbox/durable_outbox.hpp>
#include <backoff_actor/store/sqlite_store.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace backoff_actor::soak {

namespace {

using namespace std::chrono_literals;

constexpr auto share_of_failing_commits = 0.002;

// Longer than it takes a client to ask again, and short enough for the memory to be steady soon.
constexpr auto retention = 1s;

SenderKind durable_kind(const char* name, const std::filesystem::path& file, Durability durability,
                        const Observatory& observatory, std::uint64_t seed) {
  SenderKind result;
  result.name = name;
  result.children = echoing_children();
  // Nobody may hear of a dead letter who is not there: no error answers, and no limit of attempts.
  result.submission = Submission::until_acknowledged;
  auto& options = result.options;
  options.backoff = parse_policy("exponential(100us, x2, cap 5ms) | full_jitter");
  options.rare.idempotency_retention = retention;
  options.outbox = {
    std::make_shared<FlakyStore>(open_sqlite_store(file, {.durability = durability}),
                                 share_of_failing_commits, seed),
    durable<std::uint64_t>(),
    {.observed_by = observatory}};
  return result;
}

} // namespace

DurablePart::DurablePart(Shared& shared)
  : files_{folder_ / "strict.db", folder_ / "many.db", folder_ / "synced.db"} {
  std::vector<SenderKind> kinds;

  kinds.push_back(durable_kind("durable, strict", files_[0], Durability::process_death,
                               shared.observatory, shared.seed));
  kinds.back().faults = "random(crash 0.2%, stop 0.1%)";

  kinds.push_back(durable_kind("durable, many", files_[1], Durability::process_death,
                               shared.observatory, shared.seed + 1));
  kinds.back().faults = "random(crash 0.5%, slow 1ms 1%)";
  kinds.back().options.rare.works_on = WorksOn::many;
  kinds.back().options.ordering = Ordering::unordered;

  kinds.push_back(durable_kind("durable, synced", files_[2], Durability::power_loss,
                               shared.observatory, shared.seed));
  kinds.back().faults = "random(crash 0.2%)";

  senders_ = std::make_unique<SenderPart>(shared, kinds);
}

std::uint64_t DurablePart::left() const {
  std::uint64_t result = 0;
  for (const auto& file : files_)
    open_sqlite_store_to_read(file)->for_each_owed([&](const StoredDelivery&) { ++result; });
  return result;
}

} // namespace backoff_actor::soak
