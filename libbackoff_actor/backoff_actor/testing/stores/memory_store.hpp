#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/store_error.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor::testing {

/// A store for tests. It keeps everything in memory, and fails on request.
///
/// @thread any, several at the same time
class BACKOFF_ACTOR_EXPORT MemoryStore final : public DeliveryStore {
public:
  /// An empty store. `name` appears in the texts of errors.
  explicit MemoryStore(std::string name = "memory");
  ~MemoryStore() override;

  /// Returns the store that another process would find if this process died now.
  std::shared_ptr<MemoryStore> copy() const;

  /// Lets the next commits fail.
  void fail_next(std::size_t commits, StoreFailure failure = StoreFailure::full);

  /// Lets every commit fail from now on; without a `failure`, none fails any more.
  void fail_always(std::optional<StoreFailure> failure);

  /// How many commits succeeded so far.
  std::size_t commits() const;

  /// The numbers of the owed deliveries, in order.
  std::vector<std::uint64_t> owed() const;

  /// Returns an owed delivery; nothing if it is not owed.
  std::optional<StoredDelivery> find(std::uint64_t id) const;

  /// Returns its name.
  std::string name() const override;
  /// Makes the changes, unless this commit was told to fail.
  void commit(std::span<const StoreChange> changes) override;
  /// Visits the owed deliveries.
  void for_each_owed(const std::function<void(StoredDelivery)>& visit) override;
  /// Visits the remembered keys.
  void for_each_acknowledged_key(const std::function<void(AcknowledgedKey)>& visit) override;
  /// Visits the dead letters.
  void for_each_dead_letter(const std::function<void(StoredDeadLetter)>& visit) override;
  /// Looks at all that there is.
  FoundMessage find_message(const std::string& idempotency_key, std::uint64_t delivery) override;
  /// Returns the highest number that a delivery has ever had.
  std::uint64_t last_id() override;
  /// Returns the format that was set.
  std::string message_format() override;
  /// Sets the format.
  void set_message_format(const std::string& format) override;
  /// Removes dead letters.
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids) override;
  /// Makes dead letters owed again.
  std::size_t resubmit_dead_letters(std::span<const std::uint64_t> ids) override;

private:
  struct Content;

  const std::string name_;
  mutable std::mutex mutex_;
  std::unique_ptr<Content> content_;
  std::size_t commits_ = 0;
  std::size_t failing_ = 0; // how many of the next commits fail
  std::optional<StoreFailure> failure_;
  bool always_ = false;
};

} // namespace backoff_actor::testing
