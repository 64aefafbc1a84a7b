#pragma once

namespace backoff_actor {

/// In which order deliveries are handed over.
enum class Ordering {
  /// In order of submission. What failed goes again before anything that was submitted later, and
  /// those wait for it.
  strict,
  /// In order of submission among those with the same key, one of a key at a time. What failed
  /// waits for a backoff of its own, and those of its key behind it. Without a key: as `unordered`.
  per_key,
  /// In order of submission, as long as nothing fails. What failed waits for a backoff of its own,
  /// and the others go on.
  unordered,
};

/// What becomes of a message that comes when the outbox is full.
enum class Overflow {
  refuse,      ///< it is not accepted; its client is told at once
  drop_oldest, ///< it takes the place of the oldest delivery that no child holds
  drop_newest, ///< it is accepted and becomes a dead letter at once
};

} // namespace backoff_actor
