#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace backoff_actor::soak {

/// Whether every submission ends, and ends once.
///
/// A request ends by an answer, by an error of somebody who never accepted it, or by an error of
/// its sender together with its dead letter, in any order. A plain send ends by an answer or a dead
/// letter.
///
/// @thread safe from any thread.
class Account {
public:
  /// How something was submitted.
  enum class Way : std::uint8_t { request, plain_send };

  /// What has become of all submissions.
  struct Totals {
    std::uint64_t submitted = 0;
    std::uint64_t answered = 0;
    std::uint64_t refused = 0;       ///< never accepted, and told so
    std::uint64_t dead_lettered = 0; ///< accepted and given up
    std::uint64_t ended_twice = 0;   ///< news of what had ended, or had never been submitted

    /// How many have ended.
    std::uint64_t ended() const { return answered + refused + dead_lettered; }
    /// How many have not.
    std::uint64_t open() const { return submitted - ended(); }
  };

  /// Opens a submission, and returns its number.
  std::uint64_t submit(Way way);

  /// Its client has an answer.
  void answered(std::uint64_t number);
  /// Its client has an error of somebody who did not accept it.
  void refused(std::uint64_t number);
  /// Its client has an error with which it was given up.
  void failed(std::uint64_t number);
  /// Its dead letter has come.
  void dead_lettered(std::uint64_t number);

  /// What has become of all so far.
  Totals totals() const;

private:
  struct Open {
    Way way;
    bool has_failed = false;
    bool has_letter = false;
  };

  // Numbers are dealt out to them in turn, so that threads seldom meet.
  struct alignas(64) Shard {
    mutable std::mutex mutex;
    std::unordered_map<std::uint64_t, Open> open;
    Totals totals;
    std::uint64_t next = 0;
  };

  template <class News>
  void take(std::uint64_t number, News news);
  Shard& shard_of(std::uint64_t number) { return shards_[number % shards_.size()]; }

  std::array<Shard, 16> shards_;
};

} // namespace backoff_actor::soak
