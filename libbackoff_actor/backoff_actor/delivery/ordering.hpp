#pragma once

namespace backoff_actor {

/// In which order deliveries are handed over.
enum class Ordering {
  /// In order of submission. The sender redelivers a failed delivery before all later ones, which
  /// wait for it.
  strict,
  /// In order of submission among deliveries with the same key, one of each key at a time. A failed
  /// delivery waits for a backoff of its own; later deliveries with its key wait behind it.
  /// Deliveries without a key: as `unordered`.
  per_key,
  /// In order of submission, as long as nothing fails. A failed delivery waits for a backoff of its
  /// own; the others go on.
  unordered,
};

/// What happens to a message that arrives when the outbox is full.
enum class Overflow {
  refuse,      ///< it is not accepted; its client is told at once
  drop_oldest, ///< it takes the place of the oldest delivery that no child holds
  drop_newest, ///< it is accepted and becomes a dead letter at once
};

} // namespace backoff_actor
